//! Statically shaped tensors with reverse-mode automatic differentiation, for stable Rust.
//!
//! [`Tensor<R, S>`](Tensor) carries its rank and shape in its type. A model whose shapes do not fit does
//! not compile, and the compiler says which two axes disagree, in decimals.
//!
//! ```
//! use shapeproof::prelude::*;
//!
//! fn main() {
//!     let x: Tensor<2, shape![32, 784]> = Tensor::randn(&mut Rng::seed(0));
//!     let w = Param::<2, shape![784, 10]>::zeros();
//!     let b = Param::<1, shape![10]>::zeros();
//!
//!     let logits = x.matmul(&w) + &b; // Tensor<2, (Dim<32>, Dim<10>)>
//!     let centred = &logits - logits.mean_keepdim::<1>(); // (Dim<32>, One) stretches
//!     let loss = centred.square().mean(); // Tensor<0, ()>
//!     loss.backward(); // exists for rank 0 alone
//!     let g: Tensor<1, shape![10]> = b.grad().unwrap(); // unbroadcast: summed over the 32 rows
//!     # let _ = g;
//! }
//! ```
//!
//! The mistakes it refuses, with the compiler's words for each, are collected in the repository under
//! `ui-tests/README.md`. The most common one reads:
//!
//! ```compile_fail,E0277
//! # use shapeproof::prelude::*;
//! let x = Tensor::<2, shape![2, 3]>::ones();
//! let y = Tensor::<1, shape![2]>::ones();
//! let z = x + y; // the axes `Dim<3>` and `Dim<2>` cannot be broadcast together
//! ```
//!
//! # Shapes
//!
//! [`shape![32, 784]`](macro@shape) is the tuple `(Dim<32>, Dim<784>)`. A [`Dim<N>`](Dim) has exactly N
//! entries and never stretches, not even `Dim<1>`. [`One`] is the axis of length 1 that does: `shape![3, 1]`
//! writes it, and `unsqueeze` and the `keepdim` reductions produce it. So `(N, 1) - (N,)` with a `Dim<1>`,
//! which NumPy and PyTorch silently blow up to `(N, N)`, does not compile here.
//!
//! What is not written with `shape!` has a `Dim` for every axis, of size 1 too: `Tensor::from([[1.0], [2.0]])`, or
//! what `Linear::<8, 1>` returns. [`squeeze`](Tensor::squeeze) drops such an axis, which is what a loss against targets
//! `(B,)` wants; [`stretch`](Tensor::stretch) makes a `One` of it, and [`fixed`](Tensor::fixed) the other way round.
//!
//! Most mistakes show as one types, in an editor or by `cargo check`. Where sizes have to be multiplied or compared, as
//! in a [`reshape`](Tensor::reshape) to another number of elements, they show when the program is built.
//!
//! # Generic code
//!
//! Code that is generic over rank, axes, sizes or element type needs no bounds beyond [`Shape<R>`](Shape), [`Axis`],
//! [`Element`](element::Element) and const parameters:
//!
//! ```
//! use shapeproof::prelude::*;
//!
//! fn swish<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>) -> Tensor<R, S, E> {
//!     x * x.sigmoid()
//! }
//!
//! fn standardise<B: Axis, const N: usize, E: Element>(
//!     x: &Tensor<2, (B, Dim<N>), E>,
//! ) -> Tensor<2, (B, Dim<N>), E> {
//!     let centred = x - x.mean_keepdim::<1>();
//!     &centred / centred.std_keepdim::<1>(0)
//! }
//!
//! let x = Tensor::from([[1.0f32, 3.0], [2.0, 6.0]]);
//! assert_eq!(standardise(&x).to_array(), [[-1.0, 1.0], [-1.0, 1.0]]);
//! assert_eq!(swish(&Tensor::from([0.0f32])).to_array(), [0.0]);
//! ```
//!
//! - **Numbers** of a generic type are `E::of(0.5)`. They stand on the right of an operator, `x * E::of(0.5)`; on the
//!   left stands a tensor, as in `Tensor::scalar(E::of(1.0)) - x`.
//! - **A size that depends on others** is a parameter of its own, since stable Rust does not compute `{ H * K }`; the
//!   [`reshape`](Tensor::reshape) to it is checked when the program is built.
//! - **Operations that compute a size**, such as [`narrow`](Tensor::narrow) and [`concat`](Join::concat), have a form
//!   for generic sizes that leaves the result's size to the caller: [`narrow_as`](Tensor::narrow_as), and so on.
//! - **Any shape at all** is `S: Shape<R>`. To reduce it along axis 1 takes `S: Shape<R> + HasAxis<1>`, and two of them
//!   in one operation `A: Shape<R> + Broadcast<B>`: the compiler says so. What reduces and broadcasts again, as
//!   `standardise` does, is best written for one rank, with a parameter for each axis.
//!
//! ```
//! use shapeproof::prelude::*;
//!
//! /// `D` features as `H` heads of `K`, each of them divided by √K.
//! fn heads<B: Axis, const T: usize, const D: usize, const H: usize, const K: usize, E: Element>(
//!     x: &Tensor<3, (B, Dim<T>, Dim<D>), E>,
//! ) -> Tensor<4, (B, Dim<H>, Dim<T>, Dim<K>), E> {
//!     let heads = x.reshape::<(B, Dim<T>, Dim<H>, Dim<K>)>(); // does not build unless D is H·K
//!     heads.permute::<0, 2, 1, 3>() / E::of(K as f64).sqrt()
//! }
//!
//! let x = Tensor::<3, shape![8, 5, 12]>::ones();
//! let y: Tensor<4, shape![8, 3, 5, 4]> = heads(&x);
//! assert_eq!(y[[0, 0, 0, 0]], 0.5);
//! ```
//!
//! # Broadcasting and its backward
//!
//! Shapes are aligned at their last axis. Each pair of axes is equal, or one of them is [`One`], or
//! missing; then it stretches. A value that was stretched was used several times, so its gradient is the
//! sum over those uses. Both are one rule, which the [`shape`](mod@shape) module states axis by axis.
//!
//! ```
//! use shapeproof::prelude::*;
//!
//! let column = Tensor::<2, shape![3, 1]>::ones().tracked();
//! let row = Tensor::<1, shape![4]>::ones().tracked();
//! let table: Tensor<2, shape![3, 4]> = &column + &row;
//! table.sum().backward();
//! assert_eq!(column.grad().unwrap().to_array(), [[4.0]; 3]);
//! assert_eq!(row.grad().unwrap().to_array(), [3.0; 4]);
//! ```
//!
//! # Training
//!
//! A model is a struct that lists its fields, or a tuple of layers: see [`nn`]. [`optim`] has the
//! optimizers; gradients add up until [`zero_grad`](nn::Module::zero_grad).
//!
//! ```
//! use shapeproof::optim::AdamConfig;
//! use shapeproof::prelude::*;
//!
//! struct Xor {
//!     hidden: Linear<2, 16>,
//!     output: Linear<16, 2>,
//! }
//!
//! impl Module for Xor {
//!     fields!(hidden, output);
//! }
//!
//! impl Xor {
//!     fn forward<B: Axis>(&self, x: &Tensor<2, (B, Dim<2>)>) -> Tensor<2, (B, Dim<2>)> {
//!         self.output.forward(&self.hidden.forward(x).tanh())
//!     }
//! }
//!
//! let rng = &mut Rng::seed(0);
//! let mut model = Xor { hidden: Linear::new(rng), output: Linear::new(rng) };
//! let mut optimizer = Adam::new(&model, AdamConfig { lr: 0.05, ..Default::default() });
//!
//! let x = Tensor::from([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
//! let labels = Indices::<1, shape![4], 2>::from_array([0, 1, 1, 0]).unwrap();
//! for _ in 0..100 {
//!     model.zero_grad();
//!     model.forward(&x).cross_entropy(&labels).backward();
//!     optimizer.step(&mut model);
//! }
//! assert_eq!(model.forward(&x).argmax_axis::<1>(), labels);
//! ```
//!
//! # Under the types
//!
//! A tensor wraps a shared buffer and, if it takes part in a graph, a node. Data that needs no gradient has
//! no node and costs nothing beyond its buffer. [`no_grad`](graph::no_grad) switches recording off for a
//! scope; [`Tensor::node`] shows what a graph has recorded, and [`graph::Picture`] draws it;
//! [`detect_anomaly`](graph::detect_anomaly) says where the first value that is not finite came about. Everything is
//! `Send + Sync`.
//!
//! [`autograd`] returns gradients as values, differentiates functions forward and backward, computes parts of a
//! graph again instead of keeping them, and takes operations of your own.
//!
//! Writing to a tensor or parameter never disturbs a graph that was recorded before: the graph keeps the
//! values it saw. Results do not depend on the number of threads.
//!
//! # Accuracy
//!
//! Sums are pairwise: the rounding error stays at a few units in the last place (ulp) at any length. The error
//! of `f32` functions against the exact value, over samples of all finite numbers (x86-64 Linux, whose `sin`
//! and kin the standard library calls; tests hold all to 2 or 4 ulp):
//!
//! | functions | largest error in ulp |
//! |---|---|
//! | `floor`, `ceil`, `round`, `trunc`, `fract` | 0 |
//! | `sqrt`, `square`, `recip`, `asinh`, `acosh`, `atanh`, `erfc`, `softplus_beta` | 0.5: the nearest number |
//! | `sin`, `cos` | 0.6 |
//! | `ln`, `ln_1p`, `log2`, `exp_m1`, `elu`, `erf`, `asin`, `atan` | 0.8 |
//! | `exp` | 0.9 |
//! | `acos`, `celu`, `hardsigmoid` | 1.0 |
//! | `exp2` | 1.1 |
//! | `hypot` | 1.2 |
//! | `tan`, `atan2`, `powi(3)` | 1.3 |
//! | `tanh` | 1.4 |
//! | `softplus`, `log_sigmoid`, `rsqrt`, `softsign` | 1.5 |
//! | `sigmoid` | 1.7 |
//! | `gelu`, `sinh`, `cosh`, `log10`, `logaddexp`, `selu`, `hardswish` | 1.8 |
//! | `gelu_tanh`, `silu`, `pow`, `powf` | 2.2 |
//! | `mish` | 2.7 |
//! | `logit` | 2.9 |
//!
//! `exp`, `tanh`, `sigmoid` and what is made of them may differ in the last digit between processors that multiply and
//! add in one step (x86-64 with AVX2 and FMA, AArch64) and others; the bounds hold on both.
//!
//! # Features
//!
//! - `compiled-f32` (default) and `compiled-f64`: the operations on such elements are compiled with this crate, once.
//!   Without them each program compiles those that it uses, with its own settings. All operations exist, and are as
//!   fast, with and without; what differs is how long a first build takes, and each one after it. A profile's
//!   `package.shapeproof.opt-level` also reaches only what is compiled with this crate.
//! - `rayon` (default) spreads large kernels over threads.

pub mod autograd;
pub mod dual;
pub mod element;
pub mod error;
#[doc = include_str!("from_pytorch.md")]
pub mod from_pytorch {}
pub mod fusion;
pub mod graph;
mod kernel;
pub mod loss;
pub mod memory;
pub mod nn;
mod ops;
pub mod optim;
pub mod prelude;
pub mod random;
pub mod shape;
mod storage;
pub mod tensor;
mod unbranched;

/// The README's program is kept true as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What macros expand to.
#[doc(hidden)]
pub mod macros {
    pub use crate::ops::einsum::{Untyped, product, product_of_three, sum};
}

pub use rand_core;
pub use random::Rng;
pub use shape::{AnyShape, Axis, Dim, One, Rank, Shape, TensorOf};
pub use tensor::{Embeds, Gathers, Indices, Join, Mask, Param, Selects, Tensor, Tensordot};
