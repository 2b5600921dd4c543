//! A column and a row stretch along each other's axis, and gradients are summed back.

use shapeproof::prelude::*;

fn table<const M: usize, const N: usize>(
    a: &Tensor<1, shape![M]>,
    b: &Tensor<1, shape![N]>,
) -> Tensor<2, shape![M, N]> {
    a.unsqueeze::<1>() * b.unsqueeze::<0>()
}

fn main() {
    let a = Tensor::from([1.0, 2.0]).tracked();
    let b = Tensor::from([10.0, 20.0, 30.0]);
    let products = table(&a, &b);
    assert_eq!(
        products.to_array(),
        [[10.0, 20.0, 30.0], [20.0, 40.0, 60.0]]
    );
    products.sum().backward();
    assert_eq!(a.grad().unwrap().to_array(), [60.0, 60.0]);
}
