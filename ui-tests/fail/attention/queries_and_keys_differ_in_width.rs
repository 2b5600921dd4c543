//! Queries are compared with keys of the same width.
//!
//! The way out: a `Linear` layer takes either to the width of the other.

use shapeproof::{Tensor, shape};

fn main() {
    let q = Tensor::<3, shape![8, 5, 64]>::ones();
    let k = Tensor::<3, shape![8, 7, 32]>::ones();
    let v = Tensor::<3, shape![8, 7, 16]>::ones();
    let _ = q.scaled_dot_product_attention(&k, &v, (), false);
}
