//! Tensors that are fused broadcast together, as with operators.
//!
//! The way out: give each axis the size of the other tensors' axes, or make it a `One`.
use shapeproof::{Tensor, fusion::fuse, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::zeros();
    let mean = Tensor::<1, shape![9]>::zeros();
    let _ = fuse((&x, &mean), |(x, mean)| x - mean);
}
