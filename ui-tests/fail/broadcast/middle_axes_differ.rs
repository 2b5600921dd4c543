//! In shapes of three axes each of the three pairs must fit.
//!
//! The way out: give both operands the same size along the axis that the error names.

use shapeproof::{Tensor, shape};

fn main() {
    let queries = Tensor::<3, shape![2, 3, 4]>::ones();
    let positions = Tensor::<3, shape![2, 5, 4]>::ones();
    let _ = queries + positions;
}
