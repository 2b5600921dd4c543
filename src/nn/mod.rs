//! Models: layers, structs of layers, and the names of their parameters.
//!
//! A model is any struct that lists its fields, or a tuple of layers.
//!
//! ```
//! use shapeproof::nn::Relu;
//! use shapeproof::prelude::*;
//!
//! struct Mlp<const HIDDEN: usize> {
//!     hidden: Linear<64, HIDDEN>,
//!     output: Linear<HIDDEN, 10>,
//! }
//!
//! impl<const HIDDEN: usize> Module for Mlp<HIDDEN> {
//!     fields!(hidden, output);
//! }
//!
//! impl<const HIDDEN: usize> Mlp<HIDDEN> {
//!     fn forward<B: Axis>(&self, x: &Tensor<2, (B, Dim<64>)>) -> Tensor<2, (B, Dim<10>)> {
//!         self.output.forward(&self.hidden.forward(x).relu())
//!     }
//! }
//!
//! let rng = &mut Rng::seed(0);
//! let model = Mlp::<32> { hidden: Linear::new(rng), output: Linear::new(rng) };
//! let logits = model.forward(&Tensor::<2, shape![16, 64]>::zeros());
//! assert_eq!(logits.dims(), [16, 10]);
//! assert_eq!(model.parameter_names(), ["hidden.weight", "hidden.bias", "output.weight", "output.bias"]);
//!
//! // The same as a tuple; layers in the wrong order do not compile.
//! let model = (Linear::<64, 32>::new(rng), Relu, Linear::<32, 10>::new(rng));
//! assert_eq!(model.forward(&Tensor::<2, shape![16, 64]>::zeros()).dims(), [16, 10]);
//! ```

mod activation;
mod conv;
pub mod init;
mod layer;
mod linear;
mod module;

pub use activation::{Gelu, Relu, Sigmoid, Silu, Tanh};
pub use conv::Conv2d;
pub use layer::Layer;
pub use linear::{Features, Linear};
#[doc(hidden)]
pub use module::join;
pub use module::{Module, Parameter, ParameterMut};
