//! `shape![32, 784]` writes a shape.

/// Writes a shape: `shape![32, 784]` is the type `(Dim<32>, Dim<784>)`.
///
/// | an axis in the list | becomes | |
/// |---|---|---|
/// | `784`         | `Dim<784>`        | exactly 784 entries |
/// | `1`           | `One`             | one entry that stretches |
/// | `N`           | `Dim<N>`          | a const parameter or constant |
/// | `{2 * 14}`    | `Dim<{ 2 * 14 }>` | a constant expression |
/// | `One`         | `One`             | |
/// | `(A)`         | `A`               | a type, such as a parameter `A: Axis` |
///
/// `shape![]` is `()`, the shape of a scalar. An axis of exactly one entry that must not stretch is
/// `(Dim<1>)`.
///
/// ```
/// use shapeproof::shape;
/// use shapeproof::shape::{Axis, Dim, One, Shape};
///
/// fn sizes<const R: usize, S: Shape<R>>() -> [usize; R] {
///     S::SIZES
/// }
/// fn generic<A: Axis, const N: usize>() {
///     let _: Option<shape![(A), N, 1]> = None::<(A, Dim<N>, One)>;
/// }
/// assert_eq!(sizes::<2, shape![32, 784]>(), [32, 784]);
/// assert_eq!(sizes::<2, shape![{ 4 * 4 }, 1]>(), [16, 1]);
/// ```
#[macro_export]
macro_rules! shape {
    (@axis 1) => { $crate::shape::One };
    (@axis One) => { $crate::shape::One };
    (@axis ($axis:ty)) => { $axis };
    (@axis $size:tt) => { $crate::shape::Dim<$size> };
    ($($axis:tt),* $(,)?) => { ($($crate::shape!(@axis $axis),)*) };
}
