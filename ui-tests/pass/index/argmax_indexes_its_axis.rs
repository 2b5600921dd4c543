//! What `argmax` finds along an axis may index that axis.

use shapeproof::prelude::*;

fn largest<B: Axis, const N: usize>(x: &Tensor<2, (B, Dim<N>)>) -> Tensor<2, (B, One)> {
    x.gather::<1>(&x.argmax_keepdim::<1>())
}

fn main() {
    let x = Tensor::from([[1.0, 5.0, 2.0], [7.0, 0.0, 3.0]]);
    assert_eq!(largest(&x).to_array(), x.max_keepdim::<1>().to_array());
    let best: Indices<1, shape![2], 3> = x.argmax_axis::<1>();
    assert_eq!(
        best.one_hot::<f32>().sum_axis::<0>().to_array(),
        [1.0, 1.0, 0.0]
    );
}
