//! Tensors that are joined have equal axes, apart from the one they are joined along.
//!
//! The way out: join along the axis that differs.

use shapeproof::{Join, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::ones();
    let y = Tensor::<2, shape![16, 10]>::ones();
    let _ = (&x, &y).concat::<1>();
}
