//! Layers with hooks in models, with parameters and types inferred, in generic code.

use shapeproof::nn::{Dropout, Hooked, ModuleHook};
use shapeproof::prelude::*;

struct Model<const N: usize> {
    hidden: Hooked<Linear<4, N>>,
    output: (Relu, Hooked<(Dropout, Linear<N, 2>)>),
}

impl<const N: usize> Module for Model<N> {
    fields!(hidden, output);
}

impl<const N: usize> Model<N> {
    fn forward<B: Axis>(&self, x: &Tensor<2, (B, Dim<4>)>) -> Tensor<2, (B, Dim<2>)> {
        self.output.forward(&self.hidden.forward(x))
    }

    fn watch<const B: usize>(&self) -> ModuleHook {
        self.hidden.register_full_backward_hook(|_: Option<&Tensor<2, (Dim<B>, Dim<4>)>>, dy| {
            assert_eq!(dy.dims(), [B, N]);
        })
    }
}

fn main() {
    let rng = &mut Rng::seed(0);
    let model = Model::<8> {
        hidden: Hooked::new(Linear::new(rng)),
        output: (Relu, Hooked::new((Dropout::new(0.5, rng), Linear::new(rng)))),
    };
    model.watch::<3>();
    model.forward(&Tensor::<2, shape![3, 4]>::ones()).sum().backward();
    assert_eq!(model.parameter_count(), 4 * 8 + 8 + 8 * 2 + 2);
}
