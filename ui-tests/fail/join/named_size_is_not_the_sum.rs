//! The size that `concat_as` names is the sum of the sizes that are joined.
//!
//! The way out: name that sum.

use shapeproof::{Join, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![2000, 3]>::ones();
    let _ = (&x, &x).concat_as::<0, 4001>();
}
