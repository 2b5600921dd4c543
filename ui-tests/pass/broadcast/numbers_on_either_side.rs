//! A number may stand on either side of a tensor, a reference or a parameter.

use shapeproof::prelude::*;

fn main() {
    let x = Tensor::from([1.0f32, 2.0]);
    let w = Param::<1, shape![2]>::ones();
    assert_eq!((1.0 - &x).to_array(), [0.0, -1.0]);
    assert_eq!((2.0 / &x - 1.0).to_array(), [1.0, 0.0]);
    assert_eq!((3.0 * &w + 1.0).to_array(), [4.0, 4.0]);
    assert_eq!((2.0 * x.cast::<f64>()).to_array(), [2.0, 4.0]);
    assert_eq!((-x * 0.5).to_array(), [-0.5, -1.0]);
}
