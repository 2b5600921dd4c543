//! An optimizer changes parameters; a tensor is a value.
//!
//! The way out: `Param::new(x)`.

use shapeproof::optim::{Sgd, SgdConfig};
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let _ = Sgd::new(&x, SgdConfig::default());
}
