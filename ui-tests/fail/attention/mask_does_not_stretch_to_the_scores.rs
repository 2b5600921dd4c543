//! A mask stretches to the scores, `(.., queries, keys)`.
//!
//! The way out: `unsqueeze` gives a mask the axes along which it stretches.

use shapeproof::{Mask, Tensor, shape};

fn main() {
    let q = Tensor::<3, shape![8, 5, 64]>::ones();
    let k = Tensor::<3, shape![8, 7, 64]>::ones();
    let mask = Mask::<2, shape![5, 6]>::from_array([[true; 6]; 5]);
    let _ = q.scaled_dot_product_attention(&k, &k, &mask, false);
}
