//! A label that one operand has twice takes its diagonal: both axes have one size.
//!
//! The way out: two labels, if it is not the diagonal that is meant.

use shapeproof::{Tensor, einsum, shape};

fn main() {
    let x = Tensor::<2, shape![2, 3]>::ones();
    let _ = einsum!(<i> (i, i) -> (i); x);
}
