//! Sizes of what is padded, tiled, or cut into windows.
//!
//! ```text
//! Padded<1, 2>       one entry before, two behind     Dim<5>: Dim<8>
//! Reflected<1, 2>    mirrored at its ends             Dim<3>: yes   Dim<2>: no, 2 are wanted beside the edge
//! Edged              has an edge to repeat            Dim<1>: yes   Dim<0>: no
//! Times<3>           three times                      Dim<5>: Dim<15>
//! Windows<3, 2>      3 entries, 2 apart               Dim<8>: Dim<3>   Dim<2>: no
//! ```

use super::append::Append;
use super::arith::{Natural, Number, ToAxis};
use super::axis::{Axis, Dim};
use super::axis_at::HasAxis;
use super::message::Message;
use super::tuple::AnyShape;
use std::ops::{Add, Div, Sub};
use typenum::{B1, Diff, Quot, Sum, U1};

/// An axis that gets `BEFORE` entries more in front and `AFTER` behind.
#[diagnostic::on_unimplemented(
    message = "an axis `{Self}` with {BEFORE} entries before it and {AFTER} behind is not computed in types",
    label = "a size or the sum is too large, or generic",
    note = "sizes are added up to a sum of 2047; for others, and in generic code, name the result with the `_as` form of the operation"
)]
pub trait Padded<const BEFORE: usize, const AFTER: usize>: Axis {
    /// The longer axis.
    type Output: Axis;
}

#[diagnostic::do_not_recommend]
impl<A, const BEFORE: usize, const AFTER: usize> Padded<BEFORE, AFTER> for A
where
    Dim<BEFORE>: Natural,
    Dim<AFTER>: Natural,
    A: Natural<N: Add<Number<BEFORE>, Output: Add<Number<AFTER>, Output: ToAxis>>>,
{
    type Output = <Sum<Sum<A::N, Number<BEFORE>>, Number<AFTER>> as ToAxis>::Axis;
}

/// An axis with `BEFORE` and with `AFTER` entries beside the one at its edge, to be mirrored.
#[diagnostic::on_unimplemented(
    message = "an axis `{Self}` is not known to have {BEFORE} and {AFTER} entries beside its edges to reflect",
    label = "the axis `{Self}` is too short, or its size is too large or generic",
    note = "a reflection leaves out the entry at the edge, so it is shorter than the axis; sizes from 0 to 2047 are compared in types, for others, and in generic code, use `pad_reflect_as`"
)]
pub trait Reflected<const BEFORE: usize, const AFTER: usize>: Axis {}

#[diagnostic::do_not_recommend]
impl<A, const BEFORE: usize, const AFTER: usize> Reflected<BEFORE, AFTER> for A
where
    Dim<BEFORE>: Natural,
    Dim<AFTER>: Natural,
    A: Natural<N: Sub<U1>>,
    Diff<A::N, U1>: Sub<Number<BEFORE>> + Sub<Number<AFTER>>,
{
}

/// An axis that has an entry at its edge.
#[diagnostic::on_unimplemented(
    message = "an axis `{Self}` is not known to have an entry at its edge",
    label = "the axis `{Self}` is empty, or its size is too large or generic",
    note = "sizes from 0 to 2047 are compared in types, for others, and in generic code, use `pad_replicate_as`"
)]
pub trait Edged: Axis {}

#[diagnostic::do_not_recommend]
impl<A: Natural<N: Sub<U1>>> Edged for A {}

/// An axis that is cut into windows of `SIZE` entries, `STEP` apart.
#[diagnostic::on_unimplemented(
    message = "windows of {SIZE} entries, {STEP} apart, are not known to fit an axis `{Self}`",
    label = "the axis `{Self}` is shorter than {SIZE}, the step is 0, or a size is too large or generic",
    note = "sizes from 0 to 2047 are computed with in types; for others, and in generic code, name the number of windows with `unfold_as`"
)]
pub trait Windows<const SIZE: usize, const STEP: usize>: Axis {
    /// The windows: (size − `SIZE`)/`STEP` + 1.
    type Count: Axis;
}

#[diagnostic::do_not_recommend]
impl<A, const SIZE: usize, const STEP: usize> Windows<SIZE, STEP> for A
where
    Dim<SIZE>: Natural,
    Dim<STEP>: Natural,
    A: Natural<N: Sub<Number<SIZE>, Output: Div<Number<STEP>, Output: Add<B1, Output: ToAxis>>>>,
{
    type Count = <Sum<Quot<Diff<A::N, Number<SIZE>>, Number<STEP>>, B1> as ToAxis>::Axis;
}

/// A shape whose axis `AXIS` is cut into windows, which lie along a new last axis.
pub trait Unfold<const AXIS: usize, const SIZE: usize, const STEP: usize>: HasAxis<AXIS> {
    /// The shape with the number of windows at `AXIS`, and `Dim<SIZE>` after its last axis.
    type Output: AnyShape;
}

impl<S, const AXIS: usize, const SIZE: usize, const STEP: usize> Unfold<AXIS, SIZE, STEP> for S
where
    S: HasAxis<AXIS, Axis: Windows<SIZE, STEP>>,
    S::With<<S::Axis as Windows<SIZE, STEP>>::Count>: Append<Dim<SIZE>>,
{
    type Output = <S::With<<S::Axis as Windows<SIZE, STEP>>::Count> as Append<Dim<SIZE>>>::Output;
}

/// Refuses a size that is not what an operation makes of axis `AXIS`.
///
/// # Panics
/// At compile time, if `named` is not `size`.
#[track_caller]
pub const fn check_size<S: AnyShape>(operation: &str, size: usize, named: usize) {
    if size != named {
        let message = Message::new(operation)
            .text(" of shape ")
            .tuple(S::DIMS)
            .text(" come ")
            .number(size)
            .text(" entries, not ")
            .number(named);
        panic!("{}", message.as_str());
    }
}

/// Refuses to mirror more entries than axis `AXIS` has beside its edge.
///
/// # Panics
/// At compile time, if `before` or `after` is not below the size of the axis.
#[track_caller]
pub const fn check_reflected<S: AnyShape + HasAxis<AXIS>, const AXIS: usize>(
    operation: &str,
    before: usize,
    after: usize,
) {
    let most = if before > after { before } else { after };
    if most >= S::SPLIT.len {
        let message = Message::new(operation)
            .text(" axis ")
            .number(AXIS)
            .text(" of shape ")
            .tuple(S::DIMS)
            .text(" has no ")
            .number(most)
            .text(" entries beside its edge");
        panic!("{}", message.as_str());
    }
}

/// The number of windows of `size` entries, `step` apart, in axis `AXIS`.
///
/// # Panics
/// At compile time, if the axis is shorter than a window or the step is 0.
#[track_caller]
pub const fn count_windows<S: AnyShape + HasAxis<AXIS>, const AXIS: usize>(
    size: usize,
    step: usize,
) -> usize {
    if step == 0 || size > S::SPLIT.len {
        let message = Message::new("unfold_as: windows of ")
            .number(size)
            .text(" entries, ")
            .number(step)
            .text(" apart, do not fit axis ")
            .number(AXIS)
            .text(" of shape ")
            .tuple(S::DIMS);
        panic!("{}", message.as_str());
    }
    (S::SPLIT.len - size) / step + 1
}

#[cfg(test)]
mod tests {
    use super::super::One;
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    #[test]
    fn sizes_are_computed() {
        same(P::<<Dim<5> as Padded<1, 2>>::Output>, P::<Dim<8>>);
        same(P::<<One as Padded<0, 0>>::Output>, P::<Dim<1>>);
        same(P::<<Dim<0> as Padded<2, 0>>::Output>, P::<Dim<2>>);
        same(P::<<Dim<8> as Windows<3, 2>>::Count>, P::<Dim<3>>);
        same(P::<<Dim<9> as Windows<3, 2>>::Count>, P::<Dim<4>>);
        same(P::<<Dim<5> as Windows<5, 1>>::Count>, P::<Dim<1>>);
        same(P::<<Dim<5> as Windows<1, 9>>::Count>, P::<Dim<1>>);
        same(P::<<Dim<1025> as Padded<475, 0>>::Output>, P::<Dim<1500>>);
        same(P::<<Dim<2> as Padded<1025, 1020>>::Output>, P::<Dim<2047>>);
        same(P::<<Dim<2047> as Padded<0, 0>>::Output>, P::<Dim<2047>>);
        same(P::<<Dim<1025> as Windows<1025, 1500>>::Count>, P::<Dim<1>>);
        same(P::<<Dim<1500> as Windows<3, 1>>::Count>, P::<Dim<1498>>);
        same(P::<<Dim<2047> as Windows<1, 1>>::Count>, P::<Dim<2047>>);
        same(P::<<Dim<2047> as Windows<7, 1025>>::Count>, P::<Dim<2>>);
        same(
            P::<<shape![2, 8, 4] as Unfold<1, 3, 2>>::Output>,
            P::<shape![2, 3, 4, 3]>,
        );
        fn mirrored<A: Reflected<BEFORE, AFTER>, const BEFORE: usize, const AFTER: usize>() {}
        mirrored::<Dim<3>, 2, 2>();
        mirrored::<Dim<3>, 0, 2>();
        mirrored::<One, 0, 0>();
        mirrored::<Dim<1026>, 1025, 0>();
        mirrored::<Dim<2047>, 2046, 2046>();
        fn edged<A: Edged>() {}
        edged::<Dim<1025>>();
        edged::<Dim<2047>>();
    }

    #[test]
    fn what_is_named_is_checked() {
        const { check_size::<shape![3, 5]>("tile_as:", 10, 10) };
        const { check_reflected::<shape![3, 5], 1>("pad_reflect_as:", 4, 4) };
        assert_eq!(const { count_windows::<shape![3, 5], 1>(2, 2) }, 2);
    }

    #[test]
    #[should_panic(expected = "tile_as: of shape (3, 5) come 10 entries, not 11")]
    fn another_size() {
        check_size::<shape![3, 5]>("tile_as:", 10, 11);
    }

    #[test]
    #[should_panic(
        expected = "pad_reflect_as: axis 1 of shape (3, 5) has no 5 entries beside its edge"
    )]
    fn a_reflection_as_long_as_the_axis() {
        check_reflected::<shape![3, 5], 1>("pad_reflect_as:", 1, 5);
    }

    #[test]
    #[should_panic(
        expected = "unfold_as: windows of 4 entries, 1 apart, do not fit axis 0 of shape (3, 5)"
    )]
    fn windows_longer_than_the_axis() {
        count_windows::<shape![3, 5], 0>(4, 1);
    }
}
