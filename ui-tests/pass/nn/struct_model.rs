//! A model is a struct that lists its fields; sizes and element type may be generic.

use shapeproof::prelude::*;

struct Mlp<const I: usize, const H: usize, const O: usize, E: Element = f32> {
    hidden: Linear<I, H, E>,
    output: Linear<H, O, E>,
}

impl<const I: usize, const H: usize, const O: usize, E: Element> Module<E> for Mlp<I, H, O, E> {
    fields!(E: hidden, output);
}

impl<B: Axis, const I: usize, const H: usize, const O: usize, E: Element>
    Layer<Tensor<2, (B, Dim<I>), E>> for Mlp<I, H, O, E>
{
    type Output = Tensor<2, (B, Dim<O>), E>;
    fn forward(&self, x: &Tensor<2, (B, Dim<I>), E>) -> Self::Output {
        self.output.forward(&self.hidden.forward(x).relu())
    }
}

fn main() {
    let rng = &mut Rng::seed(0);
    let model = Mlp::<4, 8, 3, f64> {
        hidden: Linear::new(rng),
        output: Linear::new(rng),
    };
    assert_eq!(
        model
            .forward(&Tensor::<2, shape![5, 4], f64>::ones())
            .dims(),
        [5, 3]
    );
    assert_eq!(model.parameter_count(), 4 * 8 + 8 + 8 * 3 + 3);
}
