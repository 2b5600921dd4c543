//! Shapes as types: which axes a tensor has, and which operations they allow. No data lives here and
//! no arithmetic on floats.
//!
//! A shape is a tuple of axes, `(Dim<32>, Dim<784>)`, written [`shape![32, 784]`](macro@crate::shape).
//! An axis is either [`Dim<N>`](Dim), exactly `N` entries, or [`One`], the single entry that
//! stretches to whatever stands opposite.
//!
//! Everything an operation demands of its operands is one trait, and each trait is one file:
//!
//! | file | the rule |
//! |---|---|
//! | `axis`         | what may stand in a shape |
//! | `tuple`        | what a shape is: its rank, sizes and nested arrays |
//! | `literal`      | how a shape is written |
//! | `rank`         | which tensor and mask types belong to a shape |
//! | `broadcast`    | how two shapes are aligned, axis by axis, and how backward undoes it |
//! | `broadcast_to` | how one shape is stretched to another |
//! | `axis_at`      | the axis at a position, and the shape without it |
//! | `axes`         | several axes at once, and the shape without them |
//! | `bound`        | numbers that the caller names stay within an axis |
//! | `permute`      | two axes trade places |
//! | `squeeze`      | an axis of size 1 comes or goes |
//! | `reshape`      | the same elements in another arrangement |
//! | `matmul`       | rows meet columns |
//! | `einsum`       | axes have names |
//! | `diagonal`     | a diagonal comes or goes |
//! | `attend`       | queries meet keys |
//! | `append`       | one more axis at the end, or those of another shape |
//! | `gather`       | whole numbers pick entries along an axis |
//! | `concat`       | equal shapes lie side by side, or as layers of a new axis |
//! | `narrow`       | what is cut out of an axis lies inside it, and parts make it up |
//! | `arrange`      | sizes of what is padded, repeated, cut into windows, or a diagonal |
//! | `classes`      | the last axis scores classes |
//! | `form`         | a single number, a vector, a square, a matrix at least |
//! | `arg_axis`     | the positions that `argmax` returns |
//! | `rows`         | lines along the last axis |
//! | `halve`        | an axis is cut in half |
//! | `way`          | how a window slides: stride, padding, dilation |
//! | `window`       | how often a window fits, and what a kernel spreads to |
//! | `sweep`        | the same in numbers |
//! | `arith`        | sizes computed in types |
//! | `plan`         | a broadcast as loops and sums, for the code that touches memory |
//! | `aliases`      | short names for common ranks |
//!
//! Three files hold no rule: `generic` proves that code generic over shapes needs no bounds beyond
//! [`Shape`] and [`Axis`]; `each` lists the ranks and their pairings once, for every family of
//! impls; `message` writes numbers into errors that the compiler raises while it evaluates
//! constants.
//!
//! Most rules are bounds, so that `cargo check` reports a mistake with the two axes that disagree.
//! What stable Rust cannot state as a bound, such as reshape's count of elements, is a constant
//! assertion, reported by `cargo build`.

#[macro_use]
mod each;

mod aliases;
mod append;
mod arg_axis;
mod arith;
mod arrange;
mod attend;
mod axes;
mod axis;
mod axis_at;
mod bound;
mod broadcast;
mod broadcast_to;
mod classes;
mod concat;
mod diagonal;
mod einsum;
mod form;
mod gather;
#[cfg(test)]
mod generic;
mod halve;
mod lead;
mod literal;
mod matmul;
mod message;
mod narrow;
mod permute;
mod plan;
mod rank;
mod reshape;
mod rows;
mod squeeze;
mod sweep;
mod table;
mod tuple;
mod way;
mod window;

pub use aliases::{Matrix, Scalar, Tensor3, Tensor4, Vector};
pub use append::{Append, AppendAll};
pub use arg_axis::{ArgAxis, IndexFamily, IndicesOf, PositionsOf};
pub use arith::{Natural, ToAxis};
pub use arrange::{
    Edged, Padded, Reflected, Unfold, Windows, check_reflected, check_size, count_windows,
};
pub use attend::{Attend, Heads, SameBatch, SameCount, SameWidth};
pub use axes::{Ascending, At, Behind, HasAxes, Step, Steps, check_axes_not_empty};
pub use axis::{Axis, Dim, One};
pub use axis_at::{AxisAt, HasAxis, Split};
pub use bound::{check_padding, check_topk};
pub use broadcast::{Broadcast, BroadcastAxis, Cotangent};
pub use broadcast_to::{BroadcastTo, StretchAxis};
pub use classes::{ClassAxis, Classes};
pub use concat::{
    AddAxes, AddTo, Adjacent, Beside, BesideAxis, Concat, Insert, Stack, Times, check_concat,
};
pub use diagonal::{
    AboveDiagonal, BelowDiagonal, Beyond, DoubleLast, HasDiagonal, Matrices, RoomForDiagonal,
    Shorter, SquareAxis, SquareLast, diagonal_len,
};
pub use einsum::{
    Arrangement, Contracts, EinsumOne, EinsumPair, EinsumThree, Labels, Loops, TensorDot, Together,
    check_einsum,
};
pub use form::{OneAxis, SingleNumber, Square, TwoAxes};
pub use gather::{Gather, IndexedBy, SameAxis, SameShape};
pub use halve::{HalfAxis, Halve, check_half};
pub use lead::{AsMany, Leading, Prepend, check_examples};
pub use matmul::{Inner, MatMul, MatMulT, Product, TMatMul};
pub use narrow::{
    Chunked, Chunks, Entries, Entry, SameNumber, SplitOf, check_entries, check_parts,
};
pub use permute::{Transpose, TransposeLast, is_permutation};
pub(crate) use plan::Share;
pub use plan::{AxisPair, Fold, Group, Loop, Pattern, Plan};
pub use rank::{MaskOf, Rank, RankFamily, TensorOf};
pub use reshape::{
    check_flatten, check_flatten_behind, check_has_elements, check_not_empty, check_permutation,
    check_reshape,
};
pub use rows::Rows;
pub use squeeze::{DimOne, Fixed, SizeOne, Squeeze, Stretch, Stretchable, Unsqueeze};
pub use sweep::{Conv, Pooled, Sweep};
pub use table::{Table, TableOf};
pub use tuple::{AnyShape, Dims, MAX_RANK, Shape};
pub use way::{
    Across, Along, Ceil, Divided, Grouping, Groups, Inside, Pace, Pool, Pooling, Same, SameDilated,
    Slide, Spread, Spreading, Undivided, Valid, Way,
};
pub use window::{
    Begins, BelowStep, Covered, MadeAcross, MadeAlong, Makes, SameChannels, Slid, Slides,
    SpreadOver, Spreads, Takes, Window,
};
