//! Generic sizes are not added in types.
//!
//! The way out: `concat_as::<0, M>` names the size of the result by a parameter of its own.

use shapeproof::{Join, Tensor, shape};

fn pair<const N: usize>(x: &Tensor<1, shape![N]>) {
    let _ = (x, x).concat::<0>();
}

fn main() {
    pair(&Tensor::<1, shape![4]>::ones());
}
