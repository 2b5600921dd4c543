//! Products with transposes that are never formed, dot and outer products and traces, over any axes.

use shapeproof::prelude::*;

fn gram<B: Axis, N: Axis, D: Axis>(x: &Tensor<3, (B, N, D)>) -> Tensor<3, (B, N, N)> {
    x.matmul_t(x)
}

fn covariance<N: Axis, D: Axis>(x: &Tensor<2, (N, D)>) -> Tensor<2, (D, D)> {
    x.t_matmul(x)
}

fn traces<B: Axis, N: Axis>(x: &Tensor<3, (B, N, N)>) -> Tensor<1, (B,)> {
    x.trace()
}

fn scaled<N: Axis>(x: &Tensor<1, (N,)>) -> Tensor<2, (N, N)> {
    x.outer(x) * x.dot(x) + x.diag()
}

fn main() {
    let x = Tensor::<3, shape![2, 3, 4]>::ones();
    assert_eq!(traces(&gram(&x)).to_array(), [12.0; 2]);
    assert_eq!(covariance(&Tensor::<2, shape![5, 2]>::ones()).to_array(), [[5.0; 2]; 2]);
    assert_eq!(scaled(&Tensor::from([1.0, 2.0])).to_array(), [[6.0, 10.0], [10.0, 22.0]]);
}
