//! The weights of an interpolation stretch to its result.
//!
//! The way out: one weight, or one for each column; `unsqueeze::<1>` makes one for each row.

use shapeproof::{Tensor, shape};

fn main() {
    let (start, end) = (
        Tensor::<2, shape![3, 4]>::zeros(),
        Tensor::<2, shape![3, 4]>::ones(),
    );
    let _ = start.lerp_by(&end, &Tensor::<1, shape![3]>::ones());
}
