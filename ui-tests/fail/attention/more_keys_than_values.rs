//! Each key has its value.
//!
//! The way out: keys and values come from the same positions.

use shapeproof::{Tensor, shape};

fn main() {
    let q = Tensor::<3, shape![8, 5, 64]>::ones();
    let k = Tensor::<3, shape![8, 7, 64]>::ones();
    let v = Tensor::<3, shape![8, 6, 64]>::ones();
    let _ = q.scaled_dot_product_attention(&k, &v, (), false);
}
