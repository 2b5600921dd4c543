//! What turns one tensor into another.

/// A layer that takes an `Input`. One layer may take many types of input: any batch size, say.
///
/// A tuple of up to twelve layers is a layer: each takes what the one before returns, and an order that
/// does not fit does not compile. Longer models are tuples of tuples.
///
/// ```
/// use shapeproof::nn::Tanh;
/// use shapeproof::prelude::*;
///
/// let rng = &mut Rng::seed(0);
/// let model = (Linear::<2, 16>::new(rng), Tanh, Linear::<16, 1>::new(rng));
/// let y = model.forward(&Tensor::<2, shape![4, 2]>::ones());
/// assert_eq!(y.dims(), [4, 1]);
/// ```
#[diagnostic::on_unimplemented(
    message = "the layer `{Self}` does not take a `{Input}`",
    label = "the layer wants another input",
    note = "layer and input have the same elements: `x.cast::<f32>()` converts, `Linear<I, O, f64>` is a layer of `f64`",
    note = "in a tuple of layers the input of each is the output of the one before"
)]
pub trait Layer<Input> {
    /// What it returns.
    type Output;
    /// Applies the layer.
    fn forward(&self, input: &Input) -> Self::Output;
}

macro_rules! tuples {
    ($(($First:ident $first:tt $(, $L:ident $i:tt after $Before:ident)*) -> $Last:ident;)*) => {$(
        impl<X, $First: Layer<X> $(, $L: Layer<$Before::Output>)*> Layer<X> for ($First, $($L,)*) {
            type Output = $Last::Output;
            fn forward(&self, input: &X) -> Self::Output {
                let x = self.$first.forward(input);
                $(let x = self.$i.forward(&x);)*
                x
            }
        }
    )*};
}
tuples! {
    (A 0) -> A;
    (A 0, B 1 after A) -> B;
    (A 0, B 1 after A, C 2 after B) -> C;
    (A 0, B 1 after A, C 2 after B, D 3 after C) -> D;
    (A 0, B 1 after A, C 2 after B, D 3 after C, E 4 after D) -> E;
    (A 0, B 1 after A, C 2 after B, D 3 after C, E 4 after D, F 5 after E) -> F;
    (A 0, B 1 after A, C 2 after B, D 3 after C, E 4 after D, F 5 after E, G 6 after F) -> G;
    (A 0, B 1 after A, C 2 after B, D 3 after C, E 4 after D, F 5 after E, G 6 after F, H 7 after G) -> H;
    (A 0, B 1 after A, C 2 after B, D 3 after C, E 4 after D, F 5 after E, G 6 after F, H 7 after G, I 8 after H) -> I;
    (A 0, B 1 after A, C 2 after B, D 3 after C, E 4 after D, F 5 after E, G 6 after F, H 7 after G, I 8 after H, J 9 after I) -> J;
    (A 0, B 1 after A, C 2 after B, D 3 after C, E 4 after D, F 5 after E, G 6 after F, H 7 after G, I 8 after H, J 9 after I, K 10 after J) -> K;
    (A 0, B 1 after A, C 2 after B, D 3 after C, E 4 after D, F 5 after E, G 6 after F, H 7 after G, I 8 after H, J 9 after I, K 10 after J, L 11 after K) -> L;
}
