//! A window slides along an axis; how often it fits is the size of the result.
//!
//! ```text
//! x         (Dim<N>, Dim<3>,  Dim<28>, Dim<28>)        a window of K with stride S, padding P, dilation D
//! weight    (Dim<8>, Dim<3>,  Dim<5>,  Dim<5>)         fits (N + 2·P - D·(K - 1) - 1)/S + 1 times
//! conv2d    (Dim<N>, Dim<8>,  Dim<24>, Dim<24>)        28 - 4 - 1 + 1 = 24
//! ```
//!
//! A transposed convolution goes the other way: N entries become (N - 1)·S - 2·P + D·(K - 1) + 1, and more by what
//! is kept at the end. The channels of the weight are those of the input, divided by the number of groups.

use super::arith::{Natural, Number, ToAxis};
use super::axis::{Axis, Dim, One};
use super::way::{
    Across, Along, Ceil, Divided, Grouping, Inside, Pool, Same, SameDilated, Slide, Spread,
    Undivided, Valid,
};
use std::ops::{Add, Div, Mul, Sub};
use typenum::{Add1, B1, Diff, Max, Maximum, Min, Minimum, Prod, Quot, Sub1, Sum, U2};

/// An axis that a window of `K` entries fits, and how often.
#[diagnostic::on_unimplemented(
    message = "a window of {K} with stride {STRIDE}, padding {PADDING} and dilation {DILATION} does not fit an axis of `{Self}`",
    label = "a window of {K} does not fit `{Self}`, unless that size is generic or above 2047",
    note = "the window reaches over DILATION·(K - 1) + 1 entries of the axis and its padding at both ends; stride and dilation are at least 1",
    note = "sizes up to 2047 are computed with in types; for others, and in generic code, name the result with the `_as` form of the operation"
)]
pub trait Window<const K: usize, const STRIDE: usize, const PADDING: usize, const DILATION: usize> {
    /// (N + 2·PADDING - DILATION·(K - 1) - 1)/STRIDE + 1.
    type Output: Axis;
}

/// Entries of the axis and its padding.
type Padded<const N: usize, const P: usize> = Sum<Number<N>, Prod<Number<P>, U2>>;
/// Entries from the first to the last under the window.
type Reach<const K: usize, const D: usize> = Prod<Number<D>, Sub1<Number<K>>>;
/// Places for the window after its first.
type Room<const N: usize, const K: usize, const P: usize, const D: usize> =
    Sub1<Diff<Padded<N, P>, Reach<K, D>>>;
/// All places of the window.
type Places<const N: usize, const K: usize, const S: usize, const P: usize, const D: usize> =
    Add1<Quot<Room<N, K, P, D>, Number<S>>>;

#[diagnostic::do_not_recommend]
impl<const N: usize, const K: usize, const S: usize, const P: usize, const D: usize>
    Window<K, S, P, D> for Dim<N>
where
    Dim<N>: Natural,
    Dim<K>: Natural,
    Dim<S>: Natural,
    Dim<P>: Natural,
    Dim<D>: Natural,
    // A dilation of 0 would lay the whole kernel on one entry.
    Number<D>: Sub<B1>,
    Number<K>: Sub<B1>,
    Number<D>: Mul<Sub1<Number<K>>>,
    Number<P>: Mul<U2>,
    Number<N>: Add<Prod<Number<P>, U2>>,
    Padded<N, P>: Sub<Reach<K, D>>,
    Diff<Padded<N, P>, Reach<K, D>>: Sub<B1>,
    Room<N, K, P, D>: Div<Number<S>>,
    Quot<Room<N, K, P, D>, Number<S>>: Add<B1>,
    Places<N, K, S, P, D>: ToAxis,
{
    type Output = <Places<N, K, S, P, D> as ToAxis>::Axis;
}

#[diagnostic::do_not_recommend]
impl<const K: usize, const S: usize, const P: usize, const D: usize> Window<K, S, P, D> for One
where
    Dim<1>: Window<K, S, P, D>,
{
    type Output = <Dim<1> as Window<K, S, P, D>>::Output;
}

/// An axis along which a window of `K` entries begins, whether or not it reaches beyond the end at last; how often.
#[diagnostic::on_unimplemented(
    message = "a window of {K} with stride {STRIDE}, padding {PADDING} and dilation {DILATION} does not begin on an axis of `{Self}`",
    label = "a window of {K} does not begin on `{Self}`, unless that size is generic or above 2047",
    note = "the last window reaches less than a stride beyond the axis and its padding; stride and dilation are at least 1",
    note = "sizes up to 2047 are computed with in types; for others, and in generic code, name the result with the `_as` form of the operation"
)]
pub trait Begins<const K: usize, const STRIDE: usize, const PADDING: usize, const DILATION: usize> {
    /// (N + 2·PADDING - DILATION·(K - 1) - 1)/STRIDE + 1, rounded up; but no more than (N + PADDING - 1)/STRIDE + 1,
    /// rounded down.
    type Output: Axis;
}

/// Places after the first, for a window that may reach beyond the end.
type Begun<const N: usize, const K: usize, const S: usize, const P: usize, const D: usize> =
    Quot<Beyond<N, K, S, P, D>, Number<S>>;
/// Less than a stride more than the room for a window.
type Beyond<const N: usize, const K: usize, const S: usize, const P: usize, const D: usize> =
    Sub1<Sub1<Diff<Sum<Padded<N, P>, Number<S>>, Reach<K, D>>>>;
/// Places after the first that lie before the padding at the end.
type Before<const N: usize, const S: usize, const P: usize> =
    Quot<Sub1<Sum<Number<N>, Number<P>>>, Number<S>>;

#[diagnostic::do_not_recommend]
impl<const N: usize, const K: usize, const S: usize, const P: usize, const D: usize>
    Begins<K, S, P, D> for Dim<N>
where
    Dim<N>: Natural,
    Dim<K>: Natural,
    Dim<S>: Natural,
    Dim<P>: Natural,
    Dim<D>: Natural,
    Number<D>: Sub<B1>,
    Number<K>: Sub<B1>,
    Number<D>: Mul<Sub1<Number<K>>>,
    Number<P>: Mul<U2>,
    Number<N>: Add<Prod<Number<P>, U2>>,
    Number<N>: Add<Number<P>>,
    Padded<N, P>: Add<Number<S>>,
    Sum<Padded<N, P>, Number<S>>: Sub<Reach<K, D>>,
    Diff<Sum<Padded<N, P>, Number<S>>, Reach<K, D>>: Sub<B1>,
    Sub1<Diff<Sum<Padded<N, P>, Number<S>>, Reach<K, D>>>: Sub<B1>,
    Beyond<N, K, S, P, D>: Div<Number<S>>,
    Sum<Number<N>, Number<P>>: Sub<B1>,
    Sub1<Sum<Number<N>, Number<P>>>: Div<Number<S>>,
    Begun<N, K, S, P, D>: Min<Before<N, S, P>>,
    Minimum<Begun<N, K, S, P, D>, Before<N, S, P>>: Add<B1>,
    Add1<Minimum<Begun<N, K, S, P, D>, Before<N, S, P>>>: ToAxis,
{
    type Output = <Add1<Minimum<Begun<N, K, S, P, D>, Before<N, S, P>>> as ToAxis>::Axis;
}

#[diagnostic::do_not_recommend]
impl<const K: usize, const S: usize, const P: usize, const D: usize> Begins<K, S, P, D> for One
where
    Dim<1>: Begins<K, S, P, D>,
{
    type Output = <Dim<1> as Begins<K, S, P, D>>::Output;
}

/// An axis along which a `Kernel` goes by a `Way`: the size of what it makes.
#[diagnostic::on_unimplemented(
    message = "a kernel of size `{Kernel}` does not go along an axis `{Self}` by `{Way}`",
    label = "`{Self}` against a kernel of `{Kernel}`",
    note = "convolutions take `Slide::<STRIDE, PADDING, DILATION>`, `Valid` or `Same`; in generic code, name the result with the `_as` form of the operation"
)]
pub trait Slides<Kernel, Way>: Axis {
    /// The axis of the result.
    type Output: Axis;
}

/// The axis that a `Kernel` makes when it goes along `A` by a `Way`.
pub type Slid<A, Kernel, Way> = <A as Slides<Kernel, Way>>::Output;

impl<A, const K: usize, const S: usize, const P: usize, const D: usize>
    Slides<Dim<K>, Slide<S, P, D>> for A
where
    A: Axis + Window<K, S, P, D>,
{
    type Output = <A as Window<K, S, P, D>>::Output;
}

impl<A, const S: usize, const P: usize, const D: usize> Slides<One, Slide<S, P, D>> for A
where
    A: Axis + Window<1, S, P, D>,
{
    type Output = <A as Window<1, S, P, D>>::Output;
}

impl<A, const K: usize> Slides<Dim<K>, Valid> for A
where
    A: Axis + Window<K, 1, 0, 1>,
{
    type Output = <A as Window<K, 1, 0, 1>>::Output;
}

/// A kernel of one entry keeps the size, in generic code too.
impl<A: Axis> Slides<One, Valid> for A {
    type Output = A;
}

impl<A: Axis, Kernel: Axis> Slides<Kernel, Same> for A {
    type Output = A;
}

impl<A: Axis, Kernel: Axis, const D: usize> Slides<Kernel, SameDilated<D>> for A {
    type Output = A;
}

impl<A, const K: usize, const S: usize, const P: usize, const D: usize> Slides<(), Pool<K, S, P, D>>
    for A
where
    A: Axis + Window<K, S, P, D>,
{
    type Output = <A as Window<K, S, P, D>>::Output;
}

impl<A: Slides<(), P>, P> Slides<(), Inside<P>> for A {
    type Output = <A as Slides<(), P>>::Output;
}

impl<A, const K: usize, const S: usize, const P: usize, const D: usize>
    Slides<(), Ceil<Pool<K, S, P, D>>> for A
where
    A: Axis + Begins<K, S, P, D>,
{
    type Output = <A as Begins<K, S, P, D>>::Output;
}

impl<A, const K: usize, const S: usize, const P: usize, const D: usize>
    Slides<(), Ceil<Inside<Pool<K, S, P, D>>>> for A
where
    A: Axis + Begins<K, S, P, D>,
{
    type Output = <A as Begins<K, S, P, D>>::Output;
}

/// An axis whose entries, spread and covered by a kernel of `K` entries each, make another.
#[diagnostic::on_unimplemented(
    message = "a kernel of {K} with stride {STRIDE}, padding {PADDING}, output padding {OUTPUT} and dilation {DILATION} makes no axis out of `{Self}`",
    label = "`{Self}` makes nothing, unless a size or the result is generic or above 2047",
    note = "the result has (N - 1)·STRIDE - 2·PADDING + DILATION·(K - 1) + OUTPUT + 1 entries, and at least one; kernel, stride and dilation are at least 1",
    note = "sizes up to 2047 are computed with in types; for others, and in generic code, name the result with the `_as` form of the operation"
)]
pub trait Covered<
    const K: usize,
    const STRIDE: usize,
    const PADDING: usize,
    const OUTPUT: usize,
    const DILATION: usize,
>
{
    /// (N - 1)·STRIDE - 2·PADDING + DILATION·(K - 1) + OUTPUT + 1.
    type Output: Axis;
}

/// Entries from the first to the last of what is spread, with those kept at the end.
type Extent<const N: usize, const K: usize, const S: usize, const O: usize, const D: usize> =
    Sum<Sum<Prod<Sub1<Number<N>>, Number<S>>, Reach<K, D>>, Number<O>>;
/// The same without the padding, and without the first.
type Kept<
    const N: usize,
    const K: usize,
    const S: usize,
    const P: usize,
    const O: usize,
    const D: usize,
> = Diff<Extent<N, K, S, O, D>, Prod<Number<P>, U2>>;

#[diagnostic::do_not_recommend]
impl<const N: usize, const K: usize, const S: usize, const P: usize, const O: usize, const D: usize>
    Covered<K, S, P, O, D> for Dim<N>
where
    Dim<N>: Natural,
    Dim<K>: Natural,
    Dim<S>: Natural,
    Dim<P>: Natural,
    Dim<O>: Natural,
    Dim<D>: Natural,
    Number<D>: Sub<B1>,
    Number<S>: Sub<B1>,
    Number<K>: Sub<B1>,
    Number<N>: Sub<B1>,
    Number<D>: Mul<Sub1<Number<K>>>,
    Number<P>: Mul<U2>,
    Sub1<Number<N>>: Mul<Number<S>>,
    Prod<Sub1<Number<N>>, Number<S>>: Add<Reach<K, D>>,
    Sum<Prod<Sub1<Number<N>>, Number<S>>, Reach<K, D>>: Add<Number<O>>,
    Extent<N, K, S, O, D>: Sub<Prod<Number<P>, U2>>,
    Kept<N, K, S, P, O, D>: Add<B1>,
    Add1<Kept<N, K, S, P, O, D>>: ToAxis,
{
    type Output = <Add1<Kept<N, K, S, P, O, D>> as ToAxis>::Axis;
}

#[diagnostic::do_not_recommend]
impl<const K: usize, const S: usize, const P: usize, const O: usize, const D: usize>
    Covered<K, S, P, O, D> for One
where
    Dim<1>: Covered<K, S, P, O, D>,
{
    type Output = <Dim<1> as Covered<K, S, P, O, D>>::Output;
}

/// Entries kept at the end, fewer than the stride or the dilation.
#[diagnostic::on_unimplemented(
    message = "an output padding of `{Self}` is smaller neither than the stride {STRIDE} nor than the dilation {DILATION}",
    label = "an output padding of `{Self}` is too large, unless a number is generic or above 2047",
    note = "a stride makes so many sizes into one, and the output padding only says which of them it was",
    note = "in generic code, name the result with the `_as` form of the operation"
)]
pub trait BelowStep<const STRIDE: usize, const DILATION: usize> {}

#[diagnostic::do_not_recommend]
impl<const O: usize, const S: usize, const D: usize> BelowStep<S, D> for Dim<O>
where
    Dim<O>: Natural,
    Dim<S>: Natural,
    Dim<D>: Natural,
    Number<S>: Max<Number<D>>,
    Maximum<Number<S>, Number<D>>: Sub<Number<O>>,
    Diff<Maximum<Number<S>, Number<D>>, Number<O>>: Sub<B1>,
{
}

/// An axis that a `Kernel` of a transposed convolution covers by a `Way`: the size of what it makes.
#[diagnostic::on_unimplemented(
    message = "a kernel of size `{Kernel}` does not spread over an axis `{Self}` by `{Way}`",
    label = "`{Self}` under a kernel of `{Kernel}`",
    note = "transposed convolutions take `Spread::<STRIDE, PADDING, OUTPUT_PADDING, DILATION>`; in generic code, name the result with the `_as` form of the operation"
)]
pub trait Spreads<Kernel, Way>: Axis {
    /// The axis of the result.
    type Output: Axis;
}

/// The axis that a `Kernel` makes when it is spread over `A` by a `Way`.
pub type SpreadOver<A, Kernel, Way> = <A as Spreads<Kernel, Way>>::Output;

impl<A, const K: usize, const S: usize, const P: usize, const O: usize, const D: usize>
    Spreads<Dim<K>, Spread<S, P, O, D>> for A
where
    A: Axis + Covered<K, S, P, O, D>,
    Dim<O>: BelowStep<S, D>,
{
    type Output = <A as Covered<K, S, P, O, D>>::Output;
}

impl<A, const S: usize, const P: usize, const O: usize, const D: usize>
    Spreads<One, Spread<S, P, O, D>> for A
where
    A: Axis + Covered<1, S, P, O, D>,
    Dim<O>: BelowStep<S, D>,
{
    type Output = <A as Covered<1, S, P, O, D>>::Output;
}

/// Groups that make `Each` channels each: how many those are together.
#[diagnostic::on_unimplemented(
    message = "`{Self}` groups of `{Each}` channels are not counted in types",
    label = "a size or the result is generic or above 2047",
    note = "name the result with the `_as` form of the operation"
)]
pub trait Makes<Each>: Grouping {
    /// The axis of all channels.
    type Output: Axis;
}

/// The channels that `Each` channels a group are together, for a way along one axis.
pub type MadeAlong<P, Each> = <<P as Along>::Groups as Makes<Each>>::Output;

/// The channels that `Each` channels a group are together, for a way across rows and columns.
pub type MadeAcross<P, Each> = <<P as Across>::Groups as Makes<Each>>::Output;

impl<Each: Axis> Makes<Each> for Undivided {
    type Output = Each;
}
#[diagnostic::do_not_recommend]
impl<Each: Natural, const G: usize> Makes<Each> for Divided<G>
where
    Dim<G>: Natural,
    Number<G>: Mul<Each::N>,
    Prod<Number<G>, Each::N>: ToAxis,
{
    type Output = <Prod<Number<G>, Each::N> as ToAxis>::Axis;
}

/// Channels of a weight that equal the channels `Input` of what it is applied to.
#[diagnostic::on_unimplemented(
    message = "the weight takes `{Self}` channels where the input has `{Input}`",
    label = "`{Self}` channels in the weight, `{Input}` in the input",
    note = "in a convolution, axis 1 of the input and axis 1 of the weight are equal (axis 1 and axis 0, if it is transposed); `Groups::<G, _>(..)` splits channels into groups"
)]
pub trait SameChannels<Input> {}
impl<const N: usize> SameChannels<Dim<N>> for Dim<N> {}
impl SameChannels<One> for One {}
impl SameChannels<Dim<1>> for One {}
impl SameChannels<One> for Dim<1> {}

/// Groups in which a weight of `Weight` channels takes an input of `Input`.
pub trait Takes<Input, Weight>: Grouping {}
impl<Input, Weight: SameChannels<Input>> Takes<Input, Weight> for Undivided {}
// Which sizes divide which is checked in constants, in `Conv::of`.
impl<Input, Weight, const G: usize> Takes<Input, Weight> for Divided<G> {}

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use std::marker::PhantomData as P;

    fn made<A: Slides<K, W>, K, W>() -> P<Slid<A, K, W>> {
        P
    }

    #[test]
    fn windows_are_counted() {
        same(made::<Dim<28>, Dim<5>, Slide<1, 1>>(), P::<Dim<26>>);
        same(made::<Dim<28>, Dim<5>, Valid>(), P::<Dim<24>>);
        same(made::<Dim<28>, One, Valid>(), P::<Dim<28>>);
        same(made::<Dim<28>, One, Slide<2>>(), P::<Dim<14>>);
        same(made::<Dim<28>, Dim<4>, Same>(), P::<Dim<28>>);
        same(made::<Dim<224>, Dim<7>, Slide<2, 3>>(), P::<Dim<112>>);
        same(made::<Dim<10>, Dim<3>, Slide<1, 0, 2>>(), P::<Dim<6>>);
        same(made::<Dim<2>, Dim<2>, Slide<2, 1, 2>>(), P::<Dim<1>>);
        same(made::<One, Dim<3>, Slide<1, 1>>(), P::<Dim<1>>);
        same(made::<Dim<3>, Dim<3>, Valid>(), P::<Dim<1>>);
        same(made::<Dim<1025>, Dim<1025>, Valid>(), P::<Dim<1>>);
        same(made::<Dim<1500>, Dim<3>, Slide<1, 1>>(), P::<Dim<1500>>);
        same(made::<Dim<1500>, Dim<3>, Slide<1, 0, 700>>(), P::<Dim<100>>);
        same(made::<Dim<2047>, One, Slide<1025>>(), P::<Dim<2>>);
        same(made::<Dim<2047>, Dim<5>, Slide<1, 2>>(), P::<Dim<2047>>);
    }

    #[test]
    fn windows_that_reach_beyond_are_counted() {
        fn pooled<A: Slides<(), W>, W>() -> P<Slid<A, (), W>> {
            P
        }
        same(pooled::<Dim<5>, Ceil<Pool<2>>>(), P::<Dim<3>>);
        same(pooled::<Dim<6>, Ceil<Pool<2>>>(), P::<Dim<3>>);
        same(pooled::<Dim<6>, Ceil<Pool<3, 2, 1>>>(), P::<Dim<4>>);
        same(pooled::<Dim<6>, Inside<Ceil<Pool<3, 2, 1>>>>(), P::<Dim<4>>);
        same(pooled::<Dim<6>, Ceil<Inside<Pool<3, 2, 1>>>>(), P::<Dim<4>>);
        // The next window would begin in the padding at the end.
        same(pooled::<Dim<5>, Ceil<Pool<2, 3, 1>>>(), P::<Dim<2>>);
        same(pooled::<Dim<3>, Ceil<Pool<1, 3>>>(), P::<Dim<1>>);
        // A window larger than the axis.
        same(pooled::<Dim<2>, Ceil<Pool<3, 2>>>(), P::<Dim<1>>);
        same(pooled::<One, Ceil<Pool<2>>>(), P::<Dim<1>>);
        same(pooled::<Dim<1024>, Ceil<Pool<3>>>(), P::<Dim<342>>);
        same(pooled::<Dim<1025>, Pool<2>>(), P::<Dim<512>>);
        same(pooled::<Dim<1500>, Ceil<Pool<7>>>(), P::<Dim<215>>);
        same(pooled::<Dim<2047>, Ceil<Pool<2>>>(), P::<Dim<1024>>);
    }

    fn spread<A: Spreads<K, W>, K, W>() -> P<SpreadOver<A, K, W>> {
        P
    }

    #[test]
    fn what_is_spread_is_counted() {
        same(
            spread::<Dim<10>, Dim<3>, Spread<1, 0, 0, 2>>(),
            P::<Dim<14>>,
        );
        same(spread::<Dim<16>, Dim<3>, Spread<2, 1>>(), P::<Dim<31>>);
        same(spread::<Dim<16>, Dim<3>, Spread<2, 1, 1>>(), P::<Dim<32>>);
        same(
            spread::<Dim<16>, Dim<3>, Spread<1, 1, 1, 2>>(),
            P::<Dim<19>>,
        );
        same(spread::<Dim<3>, One, Spread<5>>(), P::<Dim<11>>);
        same(spread::<One, Dim<4>, Spread<2>>(), P::<Dim<4>>);
        same(spread::<Dim<1>, Dim<3>, Spread<1, 1>>(), P::<Dim<1>>);
        same(
            spread::<Dim<1024>, Dim<2>, Spread<2, 1, 1>>(),
            P::<Dim<2047>>,
        );
        same(spread::<Dim<1025>, Dim<3>, Spread<1>>(), P::<Dim<1027>>);
        same(spread::<Dim<1500>, Dim<3>, Spread<1, 1>>(), P::<Dim<1500>>);
        same(spread::<Dim<2047>, One, Spread<1>>(), P::<Dim<2047>>);
        same(spread::<Dim<2>, One, Spread<1500>>(), P::<Dim<1501>>);
    }

    #[test]
    fn channels_of_groups_are_counted() {
        fn all<G: Makes<Each>, Each>() -> P<G::Output> {
            P
        }
        same(all::<Undivided, Dim<5000>>(), P::<Dim<5000>>);
        same(all::<Divided<3>, Dim<500>>(), P::<Dim<1500>>);
        same(all::<Divided<1500>, One>(), P::<Dim<1500>>);
        same(all::<Divided<1>, Dim<2047>>(), P::<Dim<2047>>);
    }
}
