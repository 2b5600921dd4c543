//! The inner axes must be equal in a batch of products too.
//!
//! The way out: `t()` exchanges the last two axes of every matrix of a batch.

use shapeproof::{Tensor, shape};

fn main() {
    let queries = Tensor::<3, shape![8, 16, 64]>::ones();
    let keys = Tensor::<3, shape![8, 16, 64]>::ones();
    let _ = queries.matmul(&keys);
}
