//! Common ranks have short names.

use shapeproof::shape::{Matrix, Scalar, Tensor3, Vector};

fn mean_row<const B: usize, const N: usize>(x: &Matrix<B, N>) -> Vector<N> {
    x.mean_axis::<0>()
}

fn main() {
    let x: Matrix<2, 3> = Tensor3::<2, 2, 3>::ones().sum_axis::<0>();
    let total: Scalar = mean_row(&x).sum();
    assert_eq!(total.item(), 6.0);
}
