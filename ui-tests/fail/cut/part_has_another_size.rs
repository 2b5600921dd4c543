//! The type of a part is the size that was named.
//!
//! The way out: take as many entries as are wanted.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![28, 3]>::ones();
    let _: Tensor<2, shape![4, 3]> = x.narrow::<0, 0, 5>();
}
