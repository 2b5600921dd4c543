//! Activation functions as layers, for tuples of layers. Each calls the method of its name.

use super::{Layer, Module, Parameter, ParameterMut};
use crate::element::Element;
use crate::shape::Shape;
use crate::tensor::Tensor;

macro_rules! activations {
    ($($(#[$doc:meta])* $Name:ident: $method:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $Name;

        impl<const R: usize, S: Shape<R>, E: Element> Layer<Tensor<R, S, E>> for $Name {
            type Output = Tensor<R, S, E>;
            fn forward(&self, input: &Tensor<R, S, E>) -> Tensor<R, S, E> {
                input.$method()
            }
        }

        impl<E: Element> Module<E> for $Name {
            fn visit(&self, _: &str, _: &mut dyn FnMut(&str, Parameter<'_, E>)) {}
            fn visit_mut(&mut self, _: &str, _: &mut dyn FnMut(&str, ParameterMut<'_, E>)) {}
        }
    )*};
}
activations! {
    /// [`Tensor::relu`] as a layer. PyTorch: `ReLU`.
    Relu: relu;
    /// [`Tensor::tanh`] as a layer. PyTorch: `Tanh`.
    Tanh: tanh;
    /// [`Tensor::sigmoid`] as a layer. PyTorch: `Sigmoid`.
    Sigmoid: sigmoid;
    /// [`Tensor::gelu`] as a layer. PyTorch: `GELU`.
    Gelu: gelu;
    /// [`Tensor::silu`] as a layer. PyTorch: `SiLU`.
    Silu: silu;
}
