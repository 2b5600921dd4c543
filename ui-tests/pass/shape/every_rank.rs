//! Shapes have up to six axes, and arrays are nested as deep.

use shapeproof::prelude::*;

fn main() {
    let number: Tensor<0, shape![]> = Tensor::from(1.5);
    let vector: Tensor<1, shape![2]> = Tensor::from([1.0, 2.0]);
    let matrix: Tensor<2, shape![1, 2]> = Tensor::from_array([[1.0, 2.0]]);
    let deep: Tensor<6, shape![2, 1, 2, 1, 2, 1]> = Tensor::ones();
    assert_eq!(number.to_array(), 1.5);
    assert_eq!((vector + matrix).to_array(), [[2.0, 4.0]]);
    assert_eq!(deep.to_array(), [[[[[[1.0]; 2]; 1]; 2]; 1]; 2]);
}
