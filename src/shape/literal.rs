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
/// `(Dim<1>)`. Stable Rust computes no sizes from const parameters, in braces or without: a size that depends on
/// others is a parameter of its own, as `WIDTH` is in a function from `shape![B, HEADS, SIZE]` to `shape![B, WIDTH]`;
/// [`reshape`](crate::Tensor::reshape), the `_as` forms and their like check that it is what it should be.
///
/// Macros that pass a size on take it as `$n:tt`: a 1 captured by `$n:literal` is no longer
/// recognised.
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
    // An error in place of the size and not of the type, so that nothing else is amiss.
    (@computed $axis:expr) => {
        $crate::shape::Dim<{
            ::core::compile_error!(::core::concat!(
                "`", ::core::stringify!($axis), "` is no axis: in `shape!` each is one number or name; constants are \
                 computed in braces, `{2 * 14}`, and a size that depends on const parameters is a parameter of its own"
            ))
        }>
    };
    (@each [$($done:tt)*] $(,)?) => { ($($done)*) };
    (@each [$($done:tt)*] $Name:ident < $($rest:tt)*) => {
        ::core::compile_error!("types in `shape!` stand in parentheses: `(Dim<3>)`")
    };
    (@each [$($done:tt)*] $axis:tt, $($rest:tt)*) => {
        $crate::shape!(@each [$($done)* $crate::shape!(@axis $axis),] $($rest)*)
    };
    (@each [$($done:tt)*] $axis:expr, $($rest:tt)*) => {
        $crate::shape!(@each [$($done)* $crate::shape!(@computed $axis),] $($rest)*)
    };
    (@each $($rest:tt)*) => { ::core::compile_error!("the axes in `shape!` stand between commas: `shape![32, 784]`") };
    ($($axis:tt),* $(,)?) => { ($($crate::shape!(@axis $axis),)*) };
    // What is wrong is found one by one.
    ($($other:tt)*) => { $crate::shape!(@each [] $($other)*,) };
}

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::super::{Axis, Dim, One};
    use std::marker::PhantomData as P;

    const WIDTH: usize = 28;

    #[test]
    fn each_kind_of_axis_is_recognised() {
        same(P::<shape![]>, P::<()>);
        same(P::<shape![784]>, P::<(Dim<784>,)>);
        same(P::<shape![32, 784,]>, P::<(Dim<32>, Dim<784>)>);
        same(P::<shape![3, 1]>, P::<(Dim<3>, One)>);
        same(P::<shape![One, 3]>, P::<(One, Dim<3>)>);
        same(P::<shape![WIDTH, { WIDTH / 2 }]>, P::<(Dim<28>, Dim<14>)>);
        same(P::<shape![(Dim<1>), 1]>, P::<(Dim<1>, One)>);
        same(
            P::<shape![0, 2, 3, 4, 5, 6]>,
            P::<(Dim<0>, Dim<2>, Dim<3>, Dim<4>, Dim<5>, Dim<6>)>,
        );
    }

    #[test]
    fn parameters_are_axes() {
        fn of_size<const N: usize>() {
            same(P::<shape![N, 1]>, P::<(Dim<N>, One)>);
        }
        fn of_type<A: Axis>() {
            same(P::<shape![(A), 2]>, P::<(A, Dim<2>)>);
        }
        of_size::<3>();
        of_type::<One>();
    }
}
