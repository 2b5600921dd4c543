//! A window slides along an axis; how often it fits is the size of the result.
//!
//! ```text
//! x         (Dim<N>, Dim<3>,  Dim<28>, Dim<28>)        a window of K with stride S, padding P, dilation D
//! weight    (Dim<8>, Dim<3>,  Dim<5>,  Dim<5>)         fits (N + 2·P - D·(K - 1) - 1)/S + 1 times
//! conv2d    (Dim<N>, Dim<8>,  Dim<24>, Dim<24>)        28 - 4 - 1 + 1 = 24
//! ```
//!
//! The channels of the weight are those of the input, divided by the number of groups.

use super::arith::{Natural, ToAxis};
use super::axis::{Axis, Dim, One};
use super::message::Message;
use std::ops::{Add, Div, Mul, Sub};
use typenum::{Add1, B1, Diff, Prod, Quot, Sub1, Sum, U2};

/// How a kernel slides: every `STRIDE` entries, over `PADDING` zeros at either end, and with its own
/// entries `DILATION` apart. PyTorch's order of arguments, and its defaults.
///
/// `Slide::<2>` is stride 2, `Slide::<2, 1>` stride 2 and padding 1. A pair of them slides differently
/// along rows and columns: `(Slide::<1>, Slide::<2>)` goes down by 1 and right by 2.
///
/// ```
/// use shapeproof::prelude::*;
/// use shapeproof::shape::Slide;
///
/// let x = Tensor::<4, shape![8, 3, 32, 32]>::ones();
/// let w = Tensor::<4, shape![16, 3, 3, 3]>::ones();
/// let y: Tensor<4, shape![8, 16, 16, 16]> = x.conv2d(&w, Slide::<2, 1>);
/// let y: Tensor<4, shape![8, 16, 30, 15]> = x.conv2d(&w, (Slide::<1>, Slide::<2>));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slide<const STRIDE: usize = 1, const PADDING: usize = 0, const DILATION: usize = 1>;

/// [`Slide`] with stride 1 and no padding: the kernel stays inside. The default of PyTorch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Valid;

/// [`Slide`] with stride 1 and as many zeros around as keep the size. An even kernel has one more of them
/// at the end than at the start, as in PyTorch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Same;

/// [`Same`] for a kernel whose entries are `DILATION` apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SameDilated<const DILATION: usize>;

/// A way to slide, with input and output channels split into `G` groups that do not see each other.
///
/// ```
/// use shapeproof::prelude::*;
/// use shapeproof::shape::{Groups, Same};
///
/// // Depthwise: each channel by itself.
/// let x = Tensor::<4, shape![2, 6, 8, 8]>::ones();
/// let w = Tensor::<4, shape![6, 1, 3, 3]>::ones();
/// assert_eq!(x.conv2d(&w, Groups::<6, _>(Same)).dims(), [2, 6, 8, 8]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Groups<const G: usize, Way>(pub Way);

/// A window of `K` entries that slides by `STRIDE`, over `PADDING` entries at either end that do not take part in
/// a maximum and are zeros in a mean. PyTorch's order of arguments, and its defaults: the stride is `K`.
///
/// ```
/// use shapeproof::prelude::*;
/// use shapeproof::shape::Pool;
///
/// let x = Tensor::<4, shape![8, 3, 32, 32]>::ones();
/// let y: Tensor<4, shape![8, 3, 16, 16]> = x.max_pool2d(Pool::<2>);
/// let y: Tensor<4, shape![8, 3, 16, 16]> = x.avg_pool2d(Pool::<3, 2, 1>);
/// let y: Tensor<4, shape![8, 3, 32, 8]> = x.max_pool2d((Pool::<1>, Pool::<4>));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pool<
    const K: usize,
    const STRIDE: usize = K,
    const PADDING: usize = 0,
    const DILATION: usize = 1,
>;

/// A window whose mean is over its entries inside the axis alone. PyTorch: `count_include_pad=False`.
///
/// ```
/// use shapeproof::prelude::*;
/// use shapeproof::shape::{Inside, Pool};
///
/// let x = Tensor::from([[[6.0f32, 6.0]]]);
/// assert_eq!(x.avg_pool1d(Pool::<3, 1, 1>).to_array(), [[[4.0, 4.0]]]);
/// assert_eq!(x.avg_pool1d(Inside(Pool::<3, 1, 1>)).to_array(), [[[6.0, 6.0]]]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inside<P>(pub P);

/// How a window of its own size slides along one axis: [`Pool`], or [`Inside`] of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no window for pooling",
    label = "not a window",
    note = "`Pool::<K, STRIDE, PADDING>` is, or `Inside(Pool::<..>)`, or a pair of them"
)]
pub trait Pooling: Way {
    /// The size of the window.
    type Kernel: Axis;
    /// Whether a mean is over the entries inside the axis alone.
    const INSIDE: bool;
}
impl<const K: usize, const S: usize, const P: usize, const D: usize> Pooling for Pool<K, S, P, D> {
    type Kernel = Dim<K>;
    const INSIDE: bool = false;
}
impl<P: Pooling> Pooling for Inside<P> {
    type Kernel = P::Kernel;
    const INSIDE: bool = true;
}

/// All channels in one group.
pub enum Undivided {}

/// Channels in `G` groups.
pub enum Divided<const G: usize> {}

/// The number of groups that channels are split into.
pub trait Grouping {
    /// The number.
    const GROUPS: usize;
}
impl Grouping for Undivided {
    const GROUPS: usize = 1;
}
impl<const G: usize> Grouping for Divided<G> {
    const GROUPS: usize = G;
}

/// How a kernel slides along one axis, in numbers.
pub trait Way {
    /// Entries from one place of the kernel to the next.
    const STRIDE: usize;
    /// Entries added at either end; none means as many as keep the size.
    const PADDING: Option<usize>;
    /// Entries of the axis from one entry of the kernel to the next.
    const DILATION: usize;
}

/// How a kernel slides along the only axis of a signal: [`Slide`], [`Valid`], [`Same`] and others.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how to slide along one axis",
    label = "not a way to slide",
    note = "`Slide::<STRIDE, PADDING, DILATION>`, `Valid`, `Same`, or one of them in `Groups::<G, _>(..)`"
)]
pub trait Along {
    /// Along that axis.
    type Way;
    /// The groups of channels.
    type Groups: Grouping;
}

/// How a kernel slides across rows and columns: one of [`Along`]'s for both, or a pair.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how to slide across rows and columns",
    label = "not a way to slide",
    note = "`Slide::<STRIDE, PADDING, DILATION>`, `Valid`, `Same`, a pair of them, or one of these in `Groups::<G, _>(..)`"
)]
pub trait Across {
    /// From row to row.
    type Rows;
    /// From column to column.
    type Columns;
    /// The groups of channels.
    type Groups: Grouping;
}

macro_rules! ways {
    ($([$($generics:tt)*] $Name:ty: $stride:expr, $padding:expr, $dilation:expr;)*) => {$(
        impl<$($generics)*> Way for $Name {
            const STRIDE: usize = $stride;
            const PADDING: Option<usize> = $padding;
            const DILATION: usize = $dilation;
        }
        alike! { [$($generics)*] $Name }
    )*};
}
macro_rules! alike {
    ([$($generics:tt)*] $Name:ty) => {
        impl<$($generics)*> Along for $Name {
            type Way = Self;
            type Groups = Undivided;
        }
        impl<$($generics)*> Across for $Name {
            type Rows = Self;
            type Columns = Self;
            type Groups = Undivided;
        }
    };
}
ways! {
    [const S: usize, const P: usize, const D: usize] Slide<S, P, D>: S, Some(P), D;
    [] Valid: 1, Some(0), 1;
    [] Same: 1, None, 1;
    [const D: usize] SameDilated<D>: 1, None, D;
    [const K: usize, const S: usize, const P: usize, const D: usize] Pool<K, S, P, D>: S, Some(P), D;
    [P: Pooling] Inside<P>: P::STRIDE, P::PADDING, P::DILATION;
}

impl<R: Along<Groups = Undivided>, C: Along<Groups = Undivided>> Across for (R, C) {
    type Rows = R::Way;
    type Columns = C::Way;
    type Groups = Undivided;
}

impl<const G: usize, W: Along<Groups = Undivided>> Along for Groups<G, W> {
    type Way = W::Way;
    type Groups = Divided<G>;
}

impl<const G: usize, W: Across<Groups = Undivided>> Across for Groups<G, W> {
    type Rows = W::Rows;
    type Columns = W::Columns;
    type Groups = Divided<G>;
}

/// An axis that a window of `K` entries fits, and how often.
#[diagnostic::on_unimplemented(
    message = "a window of {K} with stride {STRIDE}, padding {PADDING} and dilation {DILATION} does not fit an axis of `{Self}`",
    label = "a window of {K} does not fit `{Self}`, unless that size is generic or above 1024",
    note = "the window reaches over DILATION·(K - 1) + 1 entries of the axis and its padding at both ends; stride and dilation are at least 1",
    note = "sizes up to 1024 are computed with in types; for others, and in generic code, name the result with the `_as` form of the operation"
)]
pub trait Window<const K: usize, const STRIDE: usize, const PADDING: usize, const DILATION: usize> {
    /// (N + 2·PADDING - DILATION·(K - 1) - 1)/STRIDE + 1.
    type Output: Axis;
}

type Number<const N: usize> = <Dim<N> as Natural>::N;
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

/// A kernel on its way along an axis, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// Entries of the axis.
    pub input: usize,
    /// Entries of the kernel.
    pub kernel: usize,
    /// Places of the kernel.
    pub output: usize,
    /// Entries from one place to the next.
    pub stride: usize,
    /// Entries added before the first.
    pub before: usize,
    /// Entries of the axis from one entry of the kernel to the next.
    pub dilation: usize,
}

impl Sweep {
    /// The only place of a kernel of one on an axis of one: the axis that is not there.
    pub const NONE: Sweep = Sweep {
        input: 1,
        kernel: 1,
        output: 1,
        stride: 1,
        before: 0,
        dilation: 1,
    };

    /// A kernel of size `K` that goes along `A` by `W` and makes `Out`.
    ///
    /// # Panics
    /// At compile time, if it does not fit, or makes another size.
    #[track_caller]
    pub const fn of<A: Axis, K: Axis, W: Way, Out: Axis>(operation: &str) -> Sweep {
        let sweep = Sweep {
            input: A::SIZE,
            kernel: K::SIZE,
            output: Out::SIZE,
            stride: W::STRIDE,
            before: 0,
            dilation: W::DILATION,
        };
        if sweep.kernel == 0 || sweep.stride == 0 || sweep.dilation == 0 {
            let message = sweep
                .message(operation, W::PADDING)
                .text(": each of them is at least 1");
            panic!("{}", message.as_str());
        }
        let reach = sweep.dilation * (sweep.kernel - 1) + 1;
        let (before, output) = match W::PADDING {
            None => ((reach - 1) / 2, sweep.input),
            Some(padding) if sweep.input + 2 * padding < reach => {
                let message = sweep
                    .message(operation, W::PADDING)
                    .text(" does not fit an axis of ")
                    .number(sweep.input);
                panic!("{}", message.as_str());
            }
            Some(padding) => (
                padding,
                (sweep.input + 2 * padding - reach) / sweep.stride + 1,
            ),
        };
        if output != sweep.output {
            let message = sweep
                .message(operation, W::PADDING)
                .text(" makes an axis of ")
                .number(output)
                .text(" out of one of ")
                .number(sweep.input)
                .text(", not ")
                .number(sweep.output);
            panic!("{}", message.as_str());
        }
        Sweep { before, ..sweep }
    }

    /// A window that goes along `A` by `P` and makes `Out`.
    ///
    /// # Panics
    /// At compile time, as [`of`](Self::of); and if there is more padding than half of the window, or nothing
    /// but padding under it at some place.
    #[track_caller]
    pub const fn pool<A: Axis, P: Pooling, Out: Axis>(operation: &str) -> Sweep {
        let sweep = Self::of::<A, P::Kernel, P, Out>(operation);
        if sweep.before > sweep.kernel / 2 {
            let message = Message::new(operation)
                .text(": padding ")
                .number(sweep.before)
                .text(" is more than half of a window of ")
                .number(sweep.kernel);
            panic!("{}", message.as_str());
        }
        let mut place = 0;
        while place < sweep.output {
            let mut k = 0;
            // Out of range if it is less than the padding, or reaches behind the last entry.
            while k < sweep.kernel && !sweep.is_inside(place, k) {
                k += 1;
            }
            if k == sweep.kernel {
                let message = sweep
                    .message(operation, P::PADDING)
                    .text(" sees nothing of an axis of ")
                    .number(sweep.input)
                    .text(" at place ")
                    .number(place);
                panic!("{}", message.as_str());
            }
            place += 1;
        }
        sweep
    }

    /// [`pool`](Self::pool) for a window without gaps, as means take it.
    ///
    /// # Panics
    /// At compile time, as [`pool`](Self::pool); and if the dilation is not 1.
    #[track_caller]
    pub const fn mean<A: Axis, P: Pooling, Out: Axis>(operation: &str) -> Sweep {
        let sweep = Self::pool::<A, P, Out>(operation);
        if sweep.dilation != 1 {
            let message = Message::new(operation)
                .text(": a mean has no dilation, not ")
                .number(sweep.dilation);
            panic!("{}", message.as_str());
        }
        sweep
    }

    /// A window as large as the axis, at its only place.
    ///
    /// # Panics
    /// At compile time, if the axis has no entries.
    #[track_caller]
    pub const fn whole<A: Axis>(operation: &str) -> Sweep {
        if A::SIZE == 0 {
            let message = Message::new(operation).text(": an axis has no entries");
            panic!("{}", message.as_str());
        }
        Sweep {
            input: A::SIZE,
            kernel: A::SIZE,
            ..Sweep::NONE
        }
    }

    const fn is_inside(&self, place: usize, k: usize) -> bool {
        let at = place * self.stride + k * self.dilation;
        at >= self.before && at < self.input + self.before
    }

    const fn message(&self, operation: &str, padding: Option<usize>) -> Message {
        let message = Message::new(operation)
            .text(": a window of ")
            .number(self.kernel)
            .text(" with stride ")
            .number(self.stride);
        let message = match padding {
            Some(padding) => message.text(", padding ").number(padding),
            None => message.text(", padding to the same size"),
        };
        message.text(" and dilation ").number(self.dilation)
    }
}

/// A convolution in numbers: what it sweeps over, for each image and each group of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv {
    /// Images in the batch.
    pub images: usize,
    /// Groups of channels.
    pub groups: usize,
    /// Input channels of a group.
    pub inputs: usize,
    /// Output channels of a group.
    pub outputs: usize,
    /// From row to row.
    pub rows: Sweep,
    /// From column to column.
    pub columns: Sweep,
}

impl Conv {
    /// A convolution from `C` channels to `O`, whose weight takes `I` channels a group.
    ///
    /// # Panics
    /// At compile time, if the channels do not split into the groups.
    #[track_caller]
    pub const fn of<N: Axis, C: Axis, O: Axis, I: Axis, G: Grouping>(
        operation: &str,
        rows: Sweep,
        columns: Sweep,
    ) -> Conv {
        let groups = G::GROUPS;
        if I::SIZE * groups != C::SIZE {
            let message = Message::new(operation)
                .text(": a weight of ")
                .number(I::SIZE)
                .text(" channels in ")
                .number(groups)
                .text(" groups takes ")
                .number(I::SIZE * groups)
                .text(" channels, the input has ")
                .number(C::SIZE);
            panic!("{}", message.as_str());
        }
        if groups == 0 || O::SIZE % groups != 0 {
            let message = Message::new(operation)
                .text(": ")
                .number(O::SIZE)
                .text(" output channels do not split into ")
                .number(groups)
                .text(" groups");
            panic!("{}", message.as_str());
        }
        Conv {
            images: N::SIZE,
            groups,
            inputs: I::SIZE,
            outputs: O::SIZE / groups,
            rows,
            columns,
        }
    }
}

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
    }

    /// The two ways to compute a size agree, and with the definition: the places where a window fits.
    #[test]
    fn constants_agree_with_types() {
        macro_rules! check {
            ($($n:literal $k:literal $s:literal $p:literal $d:literal;)*) => {$({
                type Out = <Dim<$n> as Slides<Dim<$k>, Slide<$s, $p, $d>>>::Output;
                let sweep = const { Sweep::of::<Dim<$n>, Dim<$k>, Slide<$s, $p, $d>, Out>("conv1d") };
                let places = (0..).map(|i| i * $s).take_while(|at| at + $d * ($k - 1) < $n + 2 * $p);
                assert_eq!(sweep.output, places.count());
            })*};
        }
        check! {
            28 5 1 0 1; 28 5 2 0 1; 28 5 3 0 1; 28 5 1 2 1; 28 5 2 2 1; 28 5 2 2 3; 27 4 3 1 2; 1 1 1 0 1;
            1 3 1 1 1; 3 3 5 0 1; 7 2 7 1 6; 1000 11 4 2 1; 0 2 1 1 1; 1024 1 1 1 1;
        }
    }

    #[test]
    fn padding_to_the_same_size_starts_at_the_shorter_half() {
        let even = const { Sweep::of::<Dim<9>, Dim<4>, Same, Dim<9>>("conv1d") };
        assert_eq!((even.before, even.output), (1, 9));
        let dilated = const { Sweep::of::<Dim<9>, Dim<3>, SameDilated<3>, Dim<9>>("conv1d") };
        assert_eq!((dilated.before, dilated.output), (3, 9));
    }

    #[test]
    #[should_panic(
        expected = "conv1d_as: a window of 7 with stride 1, padding 1 and dilation 1 does not fit an axis of 4"
    )]
    fn a_window_that_does_not_fit() {
        Sweep::of::<Dim<4>, Dim<7>, Slide<1, 1>, Dim<1>>("conv1d_as");
    }

    #[test]
    #[should_panic(expected = "makes an axis of 26 out of one of 28, not 25")]
    fn another_size() {
        Sweep::of::<Dim<28>, Dim<3>, Valid, Dim<25>>("conv1d_as");
    }

    #[test]
    #[should_panic(
        expected = "conv2d: a weight of 4 channels in 2 groups takes 8 channels, the input has 6"
    )]
    fn groups_of_other_channels() {
        Conv::of::<One, Dim<6>, Dim<8>, Dim<4>, Divided<2>>("conv2d", Sweep::NONE, Sweep::NONE);
    }

    #[test]
    #[should_panic(expected = "conv2d: 5 output channels do not split into 2 groups")]
    fn groups_that_do_not_divide() {
        Conv::of::<One, Dim<6>, Dim<5>, Dim<3>, Divided<2>>("conv2d", Sweep::NONE, Sweep::NONE);
    }
}
