//! The inner axis is summed over: there `One` meets `One` alone.
//!
//! The way out: `broadcast_to` repeats the values if that is meant.

use shapeproof::{Tensor, shape};

fn main() {
    let means = Tensor::<2, shape![2, 4]>::ones().mean_keepdim::<1>();
    let w = Tensor::<2, shape![4, 3]>::ones();
    let _ = means.matmul(&w);
}
