//! The operand with fewer axes is repeated along those it lacks, on the left as on the right.

use shapeproof::prelude::*;

fn affine<B: Axis, T: Axis, N: Axis>(
    x: &Tensor<3, (B, T, N)>,
    gain: &Param<1, (N,)>,
    bias: &Param<2, (T, N)>,
) -> Tensor<3, (B, T, N)> {
    gain * x + bias
}

fn main() {
    let x = Tensor::<3, shape![2, 3, 4]>::ones();
    let (gain, bias) = (Param::ones(), Param::ones());
    affine(&x, &gain, &bias).sum().backward();
    assert_eq!(gain.grad().unwrap().to_array(), [6.0; 4]);
    assert_eq!(bias.grad().unwrap().to_array(), [[2.0; 4]; 3]);
}
