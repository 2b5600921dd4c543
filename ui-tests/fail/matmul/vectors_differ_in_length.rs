//! Two vectors have an inner product if they are equally long.
//!
//! The way out: an outer product is `a.unsqueeze::<1>() * b`.

use shapeproof::{Tensor, shape};

fn main() {
    let a = Tensor::<1, shape![4]>::ones();
    let b = Tensor::<1, shape![5]>::ones();
    let _ = a.matmul(&b);
}
