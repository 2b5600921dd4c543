//! Every tensor that is joined has the other axes of the first.
//!
//! The way out: bring it into that shape first, by `narrow`, `pad` or `t`.

use shapeproof::{Join, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::ones();
    let y = Tensor::<2, shape![32, 12]>::ones();
    let _ = (&x, &x, &y).concat::<0>();
}
