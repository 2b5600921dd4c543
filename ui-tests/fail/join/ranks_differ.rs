//! Tensors that are joined have equally many axes.
//!
//! The way out: `unsqueeze` makes a row of the vector, and `fixed` one that does not stretch.

use shapeproof::{Join, Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![2, 32, 10]>::ones();
    let y = Tensor::<2, shape![32, 10]>::ones();
    let _ = (&x, &y).concat::<0>();
}
