//! The batch axes of a product with transposes broadcast: they are equal, or one of them is `One`.
//!
//! The way out: `unsqueeze` gives an operand the axes that the other one has alone.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![2, 5, 4]>::ones();
    let weights = Tensor::<3, shape![3, 7, 4]>::ones();
    let _ = x.matmul_t(&weights);
}
