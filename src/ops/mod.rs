//! The operations: one file a family, and for each operation its docs, what it saves, forward and backward.
//!
//! This is the only room where types, kernels and graph meet. The typed methods are a few lines that
//! pass constants on; the work is done in `kernel`. No rule here mentions broadcasting: plans do.

mod activation;
mod arithmetic;
mod arrange;
mod attention;
mod axes;
mod binary;
mod blend;
mod compare;
mod compiled;
mod conv;
mod conv_transpose;
mod cut;
mod diagonal;
pub mod einsum;
mod elementary;
mod engine;
mod entries;
mod entropy;
pub(crate) mod examples;
mod extrema;
mod gather;
mod glu;
mod index;
mod join;
mod layout;
mod lift;
mod loss;
mod masked;
mod matmul;
mod norm;
mod operand;
mod operators;
mod order;
mod pad;
mod pair_loss;
mod piecewise;
mod pool;
mod power;
mod query;
mod reduce;
mod resample;
mod rounding;
mod scan;
mod similarity;
mod softmax;
mod special;
mod statistics;
mod triangle;
mod trigonometry;
mod unary;

pub use attention::AttentionMask;
pub use compare::Comparand;
pub use compiled::{Compiled, Lent, Ops};
pub use cut::PartsOf;
pub use einsum::Tensordot;
pub(crate) use engine::Engine;
pub use entries::Selects;
pub use entropy::CrossEntropy;
pub use gather::Gathers;
pub use index::Embeds;
pub use join::{Join, Part};
pub(crate) use layout::reshaped;
pub(crate) use operand::Operand;
