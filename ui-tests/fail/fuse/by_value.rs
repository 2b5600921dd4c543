//! Fused tensors are lent: backward needs their values.
//!
//! The way out: `&x`, or a tuple of references.
use shapeproof::{Tensor, fusion::fuse, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::zeros();
    let _ = fuse(x, |x| x.tanh());
}
