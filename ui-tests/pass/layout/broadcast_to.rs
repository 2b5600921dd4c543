//! A tensor or a mask is repeated to fill a shape, which may be generic.

use shapeproof::prelude::*;

fn rows<const B: usize, const N: usize>(row: &Tensor<1, shape![N]>) -> Tensor<2, shape![B, N]> {
    row.broadcast_to::<shape![B, N]>()
}

fn filled<const R: usize, S: Shape<R>>(number: f32) -> Tensor<R, S> {
    Tensor::scalar(number).broadcast_to::<S>()
}

fn main() {
    assert_eq!(rows::<2, 3>(&Tensor::ones()).to_array(), [[1.0; 3]; 2]);
    assert_eq!(filled::<2, shape![2, 1]>(7.0).to_array(), [[7.0], [7.0]]);
    assert!(
        Tensor::scalar(1.0)
            .gt(0.0)
            .broadcast_to::<shape![2, 2]>()
            .all()
    );
}
