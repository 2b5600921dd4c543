//! What is cut out of an axis lies inside it.
//!
//! ```text
//! Entries<2, 3>       entries 2, 3 and 4 of the axis           Dim<5>: yes   Dim<4>: no
//! Entry<4>            entry 4 of the axis                      Dim<5>: yes   Dim<4>: no
//! SplitOf<Dim<6>>     sizes that add up to the axis            (Dim<2>, Dim<4>): yes
//! Chunks<3>           the axis in 3 equal parts                Dim<6>: Dim<2>   Dim<5>: no
//! ```
//!
//! All four compare sizes in types. For sizes beyond their reach, and in generic code, the `_as` forms of the
//! operations compare them in constants.

use super::arith::{Natural, Number, ToAxis};
use super::axis::{Axis, Dim};
use super::axis_at::{AxisAt, HasAxis};
use super::concat::AddTo;
use super::message::Message;
use super::tuple::AnyShape;
use std::ops::Sub;
use typenum::{PartialDiv, PartialQuot, U0, U1};

/// An axis that has `LEN` entries from `START` on.
#[diagnostic::on_unimplemented(
    message = "an axis `{Self}` is not known to have {LEN} entries from {START} on",
    label = "{LEN} entries from {START} on do not fit the axis `{Self}`, or its size is too large or generic",
    note = "entries are counted from 0; sizes from 0 to 2047 are compared in types, for others, and in generic code, use the `_as` form of the operation"
)]
pub trait Entries<const START: usize, const LEN: usize>: Axis {}

#[diagnostic::do_not_recommend]
impl<A, const START: usize, const LEN: usize> Entries<START, LEN> for A
where
    Dim<START>: Natural,
    Dim<LEN>: Natural,
    A: Natural<N: Sub<Number<START>, Output: Sub<Number<LEN>>>>,
{
}

/// An axis that has an entry `INDEX`.
#[diagnostic::on_unimplemented(
    message = "an axis `{Self}` is not known to have an entry {INDEX}",
    label = "there is no entry {INDEX} in the axis `{Self}`, or its size is too large or generic",
    note = "entries are counted from 0; sizes from 0 to 2047 are compared in types, for others, and in generic code, use `select_as`"
)]
pub trait Entry<const INDEX: usize>: Axis {}

#[diagnostic::do_not_recommend]
impl<A, const INDEX: usize> Entry<INDEX> for A
where
    Dim<INDEX>: Natural,
    A: Natural<N: Sub<Number<INDEX>, Output: Sub<U1>>>,
{
}

/// Sizes, in a tuple of axes, that add up to an axis `Axis`.
#[diagnostic::on_unimplemented(
    message = "the sizes `{Self}` are not known to add up to an axis `{Axis}`",
    label = "the parts `{Self}` do not make up the axis `{Axis}`, or a size is too large or generic",
    note = "an axis is split into 2 to 8 parts; sizes from 0 to 2047 are added in types, for others, and in generic code, use `split_as`"
)]
pub trait SplitOf<Axis> {}

/// A number that equals the number `N`.
pub trait SameNumber<N> {}
impl<N> SameNumber<N> for N {}

#[diagnostic::do_not_recommend]
impl<Sizes, A: Natural> SplitOf<A> for Sizes where Sizes: AddTo<U0, Sum: SameNumber<A::N>> {}

/// An axis that `COUNT` equal parts make up.
#[diagnostic::on_unimplemented(
    message = "an axis `{Self}` is not known to consist of {COUNT} equal chunks",
    label = "the size of `{Self}` is no multiple of {COUNT}, or it is too large or generic",
    note = "sizes from 0 to 2047 are divided in types, for others, and in generic code, use `chunk_as`; `split` makes parts of different sizes"
)]
pub trait Chunks<const COUNT: usize>: Axis {
    /// One of the parts.
    type Chunk: Axis;
}

#[diagnostic::do_not_recommend]
impl<A, const COUNT: usize> Chunks<COUNT> for A
where
    Dim<COUNT>: Natural,
    A: Natural<N: PartialDiv<Number<COUNT>, Output: ToAxis>>,
{
    type Chunk = <PartialQuot<A::N, Number<COUNT>> as ToAxis>::Axis;
}

/// The shape of one of `COUNT` equal parts along `AXIS`.
pub type Chunked<S, const AXIS: usize, const COUNT: usize> =
    <S as HasAxis<AXIS>>::With<<AxisAt<S, AXIS> as Chunks<COUNT>>::Chunk>;

/// Refuses to cut out entries that axis `AXIS` does not have.
///
/// # Panics
/// At compile time, if the axis has no `len` entries from `start` on.
#[track_caller]
pub const fn check_entries<S: AnyShape + HasAxis<AXIS>, const AXIS: usize>(
    operation: &str,
    start: usize,
    len: usize,
) {
    let size = S::SPLIT.len;
    if len > size || start > size - len {
        let message = Message::new(operation)
            .text(" axis ")
            .number(AXIS)
            .text(" of shape ")
            .tuple(S::DIMS)
            .text(" does not hold ")
            .number(len)
            .text(if len == 1 {
                " entry from "
            } else {
                " entries from "
            })
            .number(start)
            .text(" on");
        panic!("{}", message.as_str());
    }
}

/// Refuses parts that do not add up to axis `AXIS`.
///
/// # Panics
/// At compile time, if `sum` is not the size of the axis.
#[track_caller]
pub const fn check_parts<S: AnyShape + HasAxis<AXIS>, const AXIS: usize>(
    operation: &str,
    sum: usize,
) {
    if S::SPLIT.len != sum {
        let message = Message::new(operation)
            .text(" the parts add up to ")
            .number(sum)
            .text(", axis ")
            .number(AXIS)
            .text(" of shape ")
            .tuple(S::DIMS)
            .text(" has ")
            .number(S::SPLIT.len);
        panic!("{}", message.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::super::{Dim, One};
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    #[test]
    fn what_lies_inside_is_an_entry() {
        fn entries<A: Entries<START, LEN>, const START: usize, const LEN: usize>() {}
        fn entry<A: Entry<INDEX>, const INDEX: usize>() {}
        entries::<Dim<5>, 2, 3>();
        entries::<Dim<5>, 0, 5>();
        entries::<Dim<5>, 5, 0>();
        entries::<Dim<0>, 0, 0>();
        entries::<One, 0, 1>();
        entries::<Dim<1024>, 1000, 24>();
        entries::<Dim<1025>, 1024, 1>();
        entries::<Dim<1500>, 100, 1400>();
        entries::<Dim<2047>, 0, 2047>();
        entries::<Dim<2047>, 2047, 0>();
        entry::<Dim<1025>, 1024>();
        entry::<Dim<2047>, 2046>();
        entry::<Dim<5>, 4>();
        entry::<One, 0>();
    }

    #[test]
    fn parts_make_up_an_axis() {
        fn split<Sizes: SplitOf<A>, A>() {}
        fn chunk<A: Chunks<COUNT>, const COUNT: usize>() -> P<A::Chunk> {
            P
        }
        split::<shape![2, 3], Dim<5>>();
        split::<shape![1, 0, 2], Dim<3>>();
        split::<shape![1, 0], One>();
        split::<shape![1024, 1], Dim<1025>>();
        split::<shape![1025, 1022], Dim<2047>>();
        same(chunk::<Dim<6>, 3>(), P::<Dim<2>>);
        same(chunk::<Dim<6>, 6>(), P::<Dim<1>>);
        same(chunk::<Dim<0>, 6>(), P::<Dim<0>>);
        same(chunk::<One, 1>(), P::<Dim<1>>);
        same(chunk::<Dim<1025>, 1025>(), P::<Dim<1>>);
        same(chunk::<Dim<1500>, 3>(), P::<Dim<500>>);
        same(chunk::<Dim<2047>, 1>(), P::<Dim<2047>>);
    }

    #[test]
    #[should_panic(
        expected = "narrow_as: axis 1 of shape (3, 5) does not hold 2 entries from 4 on"
    )]
    fn entries_beyond_the_end() {
        const { check_entries::<shape![3, 5], 1>("narrow_as:", 3, 2) };
        check_entries::<shape![3, 5], 1>("narrow_as:", 4, 2);
    }

    #[test]
    #[should_panic(expected = "2 entries from 18446744073709551615 on")]
    fn entries_far_beyond_the_end() {
        check_entries::<shape![3, 5], 1>("narrow_as:", usize::MAX, 2);
    }

    #[test]
    #[should_panic(expected = "split_as: the parts add up to 4, axis 1 of shape (3, 5) has 5")]
    fn parts_that_leave_a_rest() {
        const { check_parts::<shape![3, 5], 1>("split_as:", 5) };
        check_parts::<shape![3, 5], 1>("split_as:", 4);
    }
}
