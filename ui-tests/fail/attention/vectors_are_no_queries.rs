//! Queries, keys and values are matrices, or batches of them.
//!
//! The way out: `unsqueeze::<0>()` makes one query of a vector.

use shapeproof::{Tensor, shape};

fn main() {
    let q = Tensor::<1, shape![64]>::ones();
    let k = Tensor::<2, shape![7, 64]>::ones();
    let _ = q.scaled_dot_product_attention(&k, &k, (), false);
}
