//! Loops over values: slices and buffers in, buffers out. Nothing here knows types of shapes or nodes.
//!
//! A buffer passed by value may be worked on in place if nobody else holds it. Work is split into
//! fixed chunks, never by the number of threads, so results do not depend on it.

pub(crate) mod arrange;
pub(crate) mod attention;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod conv;
mod descend;
pub(crate) mod diagonal;
mod fold;
mod fused;
pub(crate) mod gemm;
mod lanes;
pub(crate) mod layout;
mod map;
mod matmul;
mod norm;
mod normal;
pub(crate) mod order;
mod parallel;
mod pool;
mod power;
mod reduce;
mod resample;
pub(crate) mod scan;
mod slide;
mod softmax;
mod stream;
mod strips;
mod sum;
mod wide;
mod window;
mod zip;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::F32x16;
pub(crate) use conv::{conv, conv_input_grad, conv_weight_grad};
pub(crate) use descend::{
    Adaption, Descent, adapt, adapt_to_largest, descend, descend_with_momentum,
};
pub(crate) use fold::{Wanted, extreme, extreme_and_place, moments, product};
pub(crate) use fused::{Expressed, Loops, Of, fused, fused_slopes};
pub(crate) use lanes::{Function, FunctionOfTwo, Lanes, Scalar, Single, functions, logistic, size};
pub(crate) use map::{MapWith, Pointwise, Source, Widest, Within, map, map_owned, map_with};
pub(crate) use matmul::{Layouts, Stored, linear, matmul, matmul_lhs_grad, matmul_rhs_grad};
pub(crate) use norm::{normalise, normalise_backward};
pub(crate) use normal::{PAIRS, normals};
pub(crate) use pool::{max_pool, max_pool_grad, max_pool_with_positions};
pub(crate) use power::{Exponent, Raise, Steepness};
pub(crate) use reduce::{spread, spread_in_lanes, spread_with, sum_axis, sum_axis_by, sum_to};
pub(crate) use resample::{Taps, resample, resample_grad};
pub(crate) use softmax::{
    cross_entropy, log_softmax, log_softmax_backward, logsumexp, softmax, softmax_backward,
};
pub(crate) use sum::{sum, sum_by};
pub(crate) use window::Kernels;
pub(crate) use zip::{Paired, Slope, Zip, ZipWith, accumulate, compare, zip, zip_equal, zip_with};
