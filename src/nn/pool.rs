//! Pooling as layers, and what stands between images and vectors.
//!
//! Pooling takes a batch, or one signal or image alone, as in PyTorch.

use super::{Layer, Module, Parameter, ParameterMut};
use crate::element::Element;
use crate::ops::reshaped;
use crate::shape::{
    Across, Along, Axis, Dim, HasAxis, Leading, Pooling, Shape, Slid, Slides, check_flatten_behind,
};
use crate::tensor::Tensor;

/// A module without parameters.
macro_rules! no_parameters {
    ([$($generics:tt)*] $Name:ty) => {
        impl<$($generics)* E: Element> Module<E> for $Name {
            fn visit(&self, _: &str, _: &mut dyn FnMut(&str, Parameter<'_, E>)) {}
            fn visit_mut(&mut self, _: &str, _: &mut dyn FnMut(&str, ParameterMut<'_, E>)) {}
        }
    };
}

macro_rules! pools {
    ($($(#[$doc:meta])* $Name:ident: $method:ident $how:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $Name<P>(pub P);

        no_parameters! { [P,] $Name<P> }
        pools! { @$how $Name $method }
    )*};
    (@along $Name:ident $method:ident) => {
        impl<N, C, L, P, E> Layer<Tensor<3, (N, C, L), E>> for $Name<P>
        where
            N: Axis,
            C: Axis,
            L: Slides<(), P::Way>,
            P: Along<Way: Pooling> + Copy,
            E: Element,
        {
            type Output = Tensor<3, (N, C, Slid<L, (), P::Way>), E>;
            fn forward(&self, input: &Tensor<3, (N, C, L), E>) -> Self::Output {
                input.$method(self.0)
            }
        }

        impl<C, L, P, E> Layer<Tensor<2, (C, L), E>> for $Name<P>
        where
            C: Axis,
            L: Slides<(), P::Way>,
            P: Along<Way: Pooling> + Copy,
            E: Element,
        {
            type Output = Tensor<2, (C, Slid<L, (), P::Way>), E>;
            fn forward(&self, input: &Tensor<2, (C, L), E>) -> Self::Output {
                self.forward(&input.unsqueeze::<0>()).squeeze::<0>()
            }
        }
    };
    (@across $Name:ident $method:ident) => {
        impl<N, C, H, W, P, E> Layer<Tensor<4, (N, C, H, W), E>> for $Name<P>
        where
            N: Axis,
            C: Axis,
            H: Slides<(), P::Rows>,
            W: Slides<(), P::Columns>,
            P: Across<Rows: Pooling, Columns: Pooling> + Copy,
            E: Element,
        {
            type Output = Tensor<4, (N, C, Slid<H, (), P::Rows>, Slid<W, (), P::Columns>), E>;
            fn forward(&self, input: &Tensor<4, (N, C, H, W), E>) -> Self::Output {
                input.$method(self.0)
            }
        }

        impl<C, H, W, P, E> Layer<Tensor<3, (C, H, W), E>> for $Name<P>
        where
            C: Axis,
            H: Slides<(), P::Rows>,
            W: Slides<(), P::Columns>,
            P: Across<Rows: Pooling, Columns: Pooling> + Copy,
            E: Element,
        {
            type Output = Tensor<3, (C, Slid<H, (), P::Rows>, Slid<W, (), P::Columns>), E>;
            fn forward(&self, input: &Tensor<3, (C, H, W), E>) -> Self::Output {
                self.forward(&input.unsqueeze::<0>()).squeeze::<0>()
            }
        }
    };
}
pools! {
    /// [`Tensor::max_pool1d`] as a layer: `MaxPool1d(Pool::<2>)`. PyTorch: `MaxPool1d`.
    MaxPool1d: max_pool1d along;
    /// [`Tensor::max_pool2d`] as a layer: `MaxPool2d(Pool::<2>)`. PyTorch: `MaxPool2d`.
    MaxPool2d: max_pool2d across;
    /// [`Tensor::avg_pool1d`] as a layer: `AvgPool1d(Pool::<2>)`. PyTorch: `AvgPool1d`.
    AvgPool1d: avg_pool1d along;
    /// [`Tensor::avg_pool2d`] as a layer: `AvgPool2d(Pool::<2>)`. PyTorch: `AvgPool2d`.
    AvgPool2d: avg_pool2d across;
}

/// All axes but the first as one of `F` entries: a batch of images as one of vectors. PyTorch: `Flatten`.
///
/// Another number than the input has does not compile; that is found when the program is built, not by
/// `cargo check`.
///
/// ```
/// use shapeproof::nn::{Conv2d, Flatten, MaxPool2d, Relu};
/// use shapeproof::prelude::*;
/// use shapeproof::shape::Pool;
///
/// let rng = &mut Rng::seed(0);
/// let model = (
///     (Conv2d::<1, 8, 3>::new(rng), Relu, MaxPool2d(Pool::<2>)),
///     (Conv2d::<8, 16, 3>::new(rng), Relu, MaxPool2d(Pool::<2>)),
///     Flatten::<400>,
///     Linear::<400, 10>::new(rng),
/// );
/// let logits: Tensor<2, shape![64, 10]> = model.forward(&Tensor::<4, shape![64, 1, 28, 28]>::ones());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flatten<const F: usize>;

no_parameters! { [const F: usize,] Flatten<F> }

impl<const R: usize, S, const F: usize, E: Element> Layer<Tensor<R, S, E>> for Flatten<F>
where
    S: Shape<R> + HasAxis<0> + Leading,
{
    // Not `(AxisAt<S, 0>, Dim<F>)`: rustc would look at the layers behind this one before it knows the input, and report
    // the whole tuple where one of them does not fit.
    type Output = Tensor<2, S::Flat<Dim<F>>, E>;
    fn forward(&self, input: &Tensor<R, S, E>) -> Self::Output {
        const { check_flatten_behind::<S, F>() };
        reshaped::<S::Flat<Dim<F>>, E>(&input.raw)
    }
}
