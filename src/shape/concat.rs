//! Tensors are joined along one axis if their other axes are equal.
//!
//! ```text
//! concat::<0>   (Dim<2>, Dim<3>), (Dim<4>, Dim<3>)   -> (Dim<6>, Dim<3>)
//! concat::<1>   (Dim<2>, Dim<3>), (Dim<2>, One)      -> (Dim<2>, Dim<4>)
//! concat::<1>   (Dim<2>, Dim<3>), (Dim<5>, Dim<3>)      axis 0 differs: no
//! ```
//!
//! Two traits, because only the second one needs a size computed in types:
//!
//! ```text
//! Adjacent<AXIS>   the shapes of a tuple or an array fit together      concat_as
//! Concat<AXIS>     and the size of what they make is known             concat
//! ```

use super::arith::{Natural, Number, ToAxis};
use super::axis::{Axis, Dim, One};
use super::axis_at::HasAxis;
use super::message::Message;
use super::tuple::AnyShape;
use std::ops::{Add, Mul};
use typenum::{Prod, Sum, U0};

/// An axis that equals the axis `Axis` beside it.
#[diagnostic::on_unimplemented(
    message = "an axis `{Self}` cannot lie beside an axis `{Axis}`",
    label = "a tensor has `{Self}` where the first one has `{Axis}`",
    note = "the tensors of a `concat` have equal axes, apart from the one that they are joined along; those of a `stack` have equal shapes"
)]
pub trait BesideAxis<Axis> {}
impl<const N: usize> BesideAxis<Dim<N>> for Dim<N> {}
impl BesideAxis<One> for One {}

/// Axes that equal the axes `Shape` beside them.
#[diagnostic::on_unimplemented(
    message = "axes `{Self}` cannot lie beside axes `{Shape}`",
    label = "a tensor has `{Self}` where the first one has `{Shape}`",
    note = "the tensors of a `concat` have equal axes, apart from the one that they are joined along; those of a `stack` have equal shapes"
)]
pub trait Beside<Shape> {}
macro_rules! beside {
    ([] [$($A:ident $B:ident),*]) => {
        impl<$($A: Axis + BesideAxis<$B>, $B: Axis),*> Beside<($($B,)*)> for ($($A,)*) {}
    };
    ([$($L:ident)*] [$($A:ident $B:ident),*]) => {};
}
each_alignment! { beside }

/// Shapes, in a tuple or an array, that differ along `AXIS` at most.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no shapes that can be joined",
    label = "not two to eight shapes",
    note = "a tuple of 2 to 8 tensors can be joined, or an array of any number of tensors of one shape"
)]
pub trait Adjacent<const AXIS: usize> {
    /// The first shape.
    type First: HasAxis<AXIS>;
    /// What the sizes along `AXIS` add up to.
    const LEN: usize;
}

/// Axes, in a tuple, whose sizes can be added in types.
#[diagnostic::on_unimplemented(
    message = "the sizes of the axes `{Self}` are not added in types",
    label = "a size or the sum is too large, or generic",
    note = "sizes are added up to a sum of 2047; for others, and in generic code, name the result with the `_as` form of the operation"
)]
pub trait AddAxes {
    /// The axis of that size.
    type Sum: Axis;
}

/// An axis, `COUNT` times, whose size can be multiplied in types.
#[diagnostic::on_unimplemented(
    message = "{COUNT} times an axis `{Self}` is not computed in types",
    label = "a size or the product is too large, or generic",
    note = "sizes are multiplied up to a product of 2047; for others, and in generic code, name the result with the `_as` form of the operation"
)]
pub trait Times<const COUNT: usize>: Axis {
    /// The axis of that size.
    type Product: Axis;
}

#[diagnostic::do_not_recommend]
impl<A, const COUNT: usize> Times<COUNT> for A
where
    Dim<COUNT>: Natural,
    A: Natural<N: Mul<Number<COUNT>, Output: ToAxis>>,
{
    type Product = <Prod<A::N, Number<COUNT>> as ToAxis>::Axis;
}

/// Shapes that can be joined along `AXIS`, with the shape of the result.
pub trait Concat<const AXIS: usize>: Adjacent<AXIS> {
    /// The first shape, with the sum of the sizes at `AXIS`.
    type Output: AnyShape;
}

/// Adds sizes that are types to `Total`. Only tuples of [`Natural`] axes have it.
pub trait AddTo<Total> {
    /// The sum.
    type Sum;
}
impl<Total> AddTo<Total> for () {
    type Sum = Total;
}

macro_rules! tuples {
    ($A:ident $($B:ident)*) => {
        impl<Total: Add<$A::N>, $A: Natural, $($B: Axis),*> AddTo<Total> for ($A, $($B,)*)
        where
            ($($B,)*): AddTo<Sum<Total, $A::N>>,
        {
            type Sum = <($($B,)*) as AddTo<Sum<Total, $A::N>>>::Sum;
        }
        tuples! { @joined $A $($B)* }
    };
    (@joined $A:ident) => {};
    (@joined $A:ident $($B:ident)+) => {
        #[diagnostic::do_not_recommend]
        impl<$A: Axis, $($B: Axis),+> AddAxes for ($A, $($B),+)
        where
            Self: AddTo<U0, Sum: ToAxis>,
        {
            type Sum = <<Self as AddTo<U0>>::Sum as ToAxis>::Axis;
        }

        impl<$A, $($B,)+ const AXIS: usize> Adjacent<AXIS> for ($A, $($B),+)
        where
            $A: HasAxis<AXIS>,
            $($B: HasAxis<AXIS, Without: Beside<$A::Without>>,)+
        {
            type First = $A;
            const LEN: usize = $A::SPLIT.len $(+ $B::SPLIT.len)+;
        }

        impl<$A, $($B,)+ const AXIS: usize> Concat<AXIS> for ($A, $($B),+)
        where
            Self: Adjacent<AXIS>,
            $A: HasAxis<AXIS>,
            $($B: HasAxis<AXIS>,)+
            ($A::Axis, $($B::Axis),+): AddAxes,
        {
            type Output = $A::With<<($A::Axis, $($B::Axis),+) as AddAxes>::Sum>;
        }
    };
}
tuples! { A }
tuples! { A B }
tuples! { A B C }
tuples! { A B C D }
tuples! { A B C D E }
tuples! { A B C D E F }
tuples! { A B C D E F G }
tuples! { A B C D E F G H }

impl<S: HasAxis<AXIS>, const COUNT: usize, const AXIS: usize> Adjacent<AXIS> for [S; COUNT] {
    type First = S;
    const LEN: usize = COUNT * S::SPLIT.len;
}

impl<S, const COUNT: usize, const AXIS: usize> Concat<AXIS> for [S; COUNT]
where
    S: HasAxis<AXIS, Axis: Times<COUNT>>,
{
    type Output = S::With<<S::Axis as Times<COUNT>>::Product>;
}

/// Refuses a result whose axis `AXIS` is not the sum of those that are joined.
///
/// # Panics
/// At compile time, if `LEN` is not that sum.
#[track_caller]
pub const fn check_concat<S: Adjacent<AXIS>, const AXIS: usize, const LEN: usize>() {
    if S::LEN != LEN {
        let message = Message::new("concat_as: the sizes along axis ")
            .number(AXIS)
            .text(" add up to ")
            .number(S::LEN)
            .text(", not ")
            .number(LEN);
        panic!("{}", message.as_str());
    }
}

/// There is room for an axis `A` at `AXIS`, before the axis that is there now or after the last.
#[diagnostic::on_unimplemented(
    message = "cannot insert an axis {AXIS} into the shape `{Self}`",
    label = "no room for an axis {AXIS}",
    note = "a shape of rank R takes a new axis at 0 to R, and shapes have at most 6 axes"
)]
pub trait Insert<const AXIS: usize, A> {
    /// The shape with `A` inserted.
    type Output: AnyShape + HasAxis<AXIS>;
}

macro_rules! insert {
    ($i:literal: [$($A:ident)*] $X:ident [$($B:ident)*]) => {
        #[diagnostic::do_not_recommend]
        impl<$($A: Axis,)* $X: Axis, $($B: Axis),*> Insert<$i, $X> for ($($A,)* $($B,)*) {
            type Output = ($($A,)* $X, $($B,)*);
        }
    };
}
each_axis! { insert }

/// Equal shapes, in a tuple or an array, that are stacked along a new axis `AXIS`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no shapes that can be stacked",
    label = "not two to eight shapes",
    note = "a tuple of 2 to 8 tensors can be stacked, or an array of any number of tensors of one shape"
)]
pub trait Stack<const AXIS: usize> {
    /// The shape with the new axis.
    type Output: AnyShape + HasAxis<AXIS>;
}

macro_rules! stack {
    ($n:literal: $A:ident $($B:ident)+) => {
        impl<$A, $($B,)+ const AXIS: usize> Stack<AXIS> for ($A, $($B),+)
        where
            $A: Insert<AXIS, Dim<$n>>,
            $($B: Beside<$A>,)+
        {
            type Output = $A::Output;
        }
    };
}
stack! { 2: A B }
stack! { 3: A B C }
stack! { 4: A B C D }
stack! { 5: A B C D E }
stack! { 6: A B C D E F }
stack! { 7: A B C D E F G }
stack! { 8: A B C D E F G H }

impl<S: Insert<AXIS, Dim<COUNT>>, const COUNT: usize, const AXIS: usize> Stack<AXIS>
    for [S; COUNT]
{
    type Output = S::Output;
}

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    fn joined<S: Concat<AXIS>, const AXIS: usize>() -> P<S::Output> {
        P
    }

    fn stacked<S: Stack<AXIS>, const AXIS: usize>() -> P<S::Output> {
        P
    }

    #[test]
    fn sizes_along_the_axis_are_added() {
        same(
            joined::<(shape![2, 3], shape![4, 3]), 0>(),
            P::<shape![6, 3]>,
        );
        same(
            joined::<(shape![2, 3], shape![2, 1], shape![2, 0]), 1>(),
            P::<shape![2, 4]>,
        );
        same(joined::<(shape![1], shape![1]), 0>(), P::<shape![2]>);
        same(
            joined::<(shape![1024], shape![1000], shape![23]), 0>(),
            P::<shape![2047]>,
        );
        same(
            joined::<(shape![1025], shape![475]), 0>(),
            P::<shape![1500]>,
        );
        same(
            joined::<(shape![0], shape![2047], shape![0]), 0>(),
            P::<shape![2047]>,
        );
        same(joined::<[shape![1]; 1025], 0>(), P::<shape![1025]>);
        same(joined::<[shape![2047]; 1], 0>(), P::<shape![2047]>);
        same(joined::<[shape![2, 5]; 3], 1>(), P::<shape![2, 15]>);
        same(joined::<[shape![2, 5]; 0], 0>(), P::<shape![0, 5]>);
        type X = shape![2, 1, 3];
        same(
            joined::<(X, X, X, X, X, X, X, X), 2>(),
            P::<shape![2, 1, 24]>,
        );
    }

    #[test]
    fn other_axes_may_be_generic() {
        fn generic<B: Axis, N: Axis>() {
            same(joined::<((B, Dim<3>), (B, Dim<4>)), 1>(), P::<(B, Dim<7>)>);
            same(joined::<[(Dim<3>, N); 2], 0>(), P::<(Dim<6>, N)>);
            same(stacked::<((B, N), (B, N)), 1>(), P::<(B, Dim<2>, N)>);
            same(stacked::<[(B, N); 3], 0>(), P::<(Dim<3>, B, N)>);
        }
        generic::<Dim<5>, One>();
    }

    #[test]
    fn what_is_named_is_checked() {
        const { check_concat::<(shape![2000, 3], shape![1000, 3]), 0, 3000>() };
        const { check_concat::<[shape![2, 3]; 2], 0, 4>() };
    }

    #[test]
    #[should_panic(expected = "concat_as: the sizes along axis 0 add up to 5, not 6")]
    fn another_sum_is_refused() {
        check_concat::<(shape![2, 3], shape![3, 3]), 0, 6>();
    }
}
