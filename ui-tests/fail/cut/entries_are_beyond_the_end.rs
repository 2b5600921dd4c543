//! What is cut out of an axis lies inside it.
//!
//! The way out: 28 entries are counted 0 to 27.

use shapeproof::{Tensor, shape};

fn main() {
    let image = Tensor::<2, shape![28, 28]>::ones();
    let _ = image.narrow::<1, 20, 9>();
}
