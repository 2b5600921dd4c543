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
//!
//! A network for images, as a struct of tuples; while it trains, half of the features are dropped:
//!
//! ```
//! use shapeproof::nn::{Conv2d, Dropout, Flatten, MaxPool2d, Relu};
//! use shapeproof::prelude::*;
//! use shapeproof::shape::{Pool, Same};
//!
//! type Block<const I: usize, const O: usize> = (Conv2d<I, O, 3, Same>, Relu, MaxPool2d<Pool<2>>);
//!
//! struct Cnn {
//!     blocks: (Block<1, 8>, Block<8, 16>),
//!     head: (Flatten<784>, Dropout, Linear<784, 10>),
//! }
//!
//! impl Module for Cnn {
//!     fields!(blocks, head);
//! }
//!
//! impl Cnn {
//!     fn new(rng: &mut Rng) -> Self {
//!         Cnn {
//!             blocks: (
//!                 (Conv2d::new(rng), Relu, MaxPool2d(Pool)),
//!                 (Conv2d::new(rng), Relu, MaxPool2d(Pool)),
//!             ),
//!             head: (Flatten, Dropout::new(0.5, rng), Linear::new(rng)),
//!         }
//!     }
//!
//!     fn forward<B: Axis>(&self, images: &Tensor<4, (B, One, Dim<28>, Dim<28>)>) -> Tensor<2, (B, Dim<10>)> {
//!         self.head.forward(&self.blocks.forward(images))
//!     }
//! }
//!
//! let mut model = Cnn::new(&mut Rng::seed(0));
//! let images = Tensor::<4, shape![16, 1, 28, 28]>::randn(&mut Rng::seed(1));
//! model.forward(&images).square().mean().backward();
//! assert!(model.blocks.0.0.weight.grad().is_some());
//!
//! model.set_training(false);
//! assert_eq!(model.forward(&images), model.forward(&images));
//! ```

//! # Saving and loading
//!
//! [`visit`](Module::visit) shows all parameters by name, [`visit_mut`](Module::visit_mut) lets them be written, in
//! whatever format a program keeps them:
//!
//! ```
//! use shapeproof::prelude::*;
//! use std::collections::HashMap;
//!
//! let rng = &mut Rng::seed(0);
//! let model = (Linear::<4, 8>::new(rng), Tanh, Linear::<8, 2>::new(rng));
//! let mut saved = HashMap::new();
//! model.visit("", &mut |name, parameter| {
//!     saved.insert(name.to_string(), parameter.values().to_vec());
//! });
//!
//! let mut other = (Linear::<4, 8>::new(rng), Tanh, Linear::<8, 2>::new(rng));
//! other.visit_mut("", &mut |name, mut parameter| {
//!     parameter.values_mut().copy_from_slice(&saved[name]);
//! });
//! let x = Tensor::<2, shape![3, 4]>::ones();
//! assert_eq!(other.forward(&x), model.forward(&x));
//! ```
//!
//! # Batches
//!
//! The size of a batch is part of its type, the number of examples in a file is not: cut them into batches of one size.
//! `chunks_exact` leaves out those at the end that fill none; a model generic over `B: Axis` takes them one by one.
//!
//! ```
//! use shapeproof::prelude::*;
//!
//! let (pixels, digits): (Vec<f32>, Vec<u8>) = (vec![0.5; 100 * 64], vec![7; 100]); // as read from a file
//! let model = Linear::<64, 10>::new(&mut Rng::seed(0));
//! let mut right = 0;
//! for (x, y) in pixels.chunks_exact(32 * 64).zip(digits.chunks_exact(32)) {
//!     let x = Tensor::<2, shape![32, 64]>::from_slice(x)?;
//!     let labels = Indices::<1, shape![32], 10>::from_slice(y)?;
//!     right += model.forward(&x).argmax_axis::<1>().eq(&labels).count();
//! }
//! # assert!(right % 32 == 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Parts that do not learn
//!
//! An optimizer changes the part of a model that it was made for: `Sgd::new(&model.head, ..)` and
//! `step(&mut model.head)` leave the rest alone, and two optimizers give two parts rates of their own. What runs in
//! [`no_grad`](crate::graph::no_grad) is not recorded: `no_grad(|| model.body.forward(&x))`.

mod activation;
mod conv;
mod dropout;
mod embedding;
mod hooked;
pub mod init;
mod layer;
mod linear;
mod module;
mod norm;
mod pool;

pub use activation::{Gelu, Relu, Sigmoid, Silu, Tanh};
pub use conv::{Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d};
pub use dropout::Dropout;
pub use embedding::Embedding;
pub use hooked::{Hookable, Hooked, ModuleHook, Replaces};
pub use layer::Layer;
pub use linear::{Features, Linear};
#[doc(hidden)]
pub use module::join;
pub use module::{Module, Parameter, ParameterMut};
pub use norm::LayerNorm;
pub use pool::{AvgPool1d, AvgPool2d, Flatten, MaxPool1d, MaxPool2d};
