//! A mask is `()`, a `&Mask` or a `&Tensor`; whether attention is causal is said after it.
//!
//! The way out: `scaled_dot_product_attention(&k, &v, (), true)`.

use shapeproof::{Tensor, shape};

fn main() {
    let q = Tensor::<2, shape![5, 64]>::ones();
    let k = Tensor::<2, shape![7, 64]>::ones();
    let _ = q.scaled_dot_product_attention(&k, &k, true, false);
}
