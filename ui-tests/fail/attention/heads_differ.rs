//! Queries, keys and values have the same batch axes; they do not stretch.
//!
//! The way out: `broadcast_to` repeats keys and values that several heads share.

use shapeproof::{Tensor, shape};

fn main() {
    let q = Tensor::<3, shape![8, 5, 64]>::ones();
    let k = Tensor::<3, shape![2, 7, 64]>::ones();
    let _ = q.scaled_dot_product_attention(&k, &k, (), false);
}
