//! Every tensor that is fused broadcasts with all that stand before it.
//!
//! The way out: look at the last axis of the tensor that the error names; `unsqueeze` adds one at the end.
use shapeproof::{Tensor, fusion::fuse, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::zeros();
    let mean = Tensor::<1, shape![10]>::zeros();
    let scale = Tensor::<1, shape![32]>::zeros();
    let _ = fuse((&x, &mean, &scale), |(x, mean, scale)| (x - mean) * scale);
}
