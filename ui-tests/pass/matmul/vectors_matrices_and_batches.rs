//! Vectors, matrices and batches of them, whose batch axes broadcast.

use shapeproof::prelude::*;

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let a = Tensor::<2, shape![2, 3]>::ones();
    let batch = Tensor::<3, shape![4, 3, 5]>::ones();
    let shared = Tensor::<4, shape![6, 1, 2, 3]>::ones();
    let _: Tensor<0, shape![]> = x.matmul(&x);
    let _: Tensor<1, shape![2]> = a.matmul(&x);
    let _: Tensor<1, shape![2]> = x.matmul(&a.t());
    let _: Tensor<3, shape![4, 2, 5]> = a.matmul(&batch);
    let _: Tensor<4, shape![6, 4, 2, 5]> = shared.matmul(&batch);
    let _: Tensor<3, shape![4, 3, 2]> = batch.matmul_t(&Tensor::<2, shape![2, 5]>::ones());
}
