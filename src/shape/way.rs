//! How a kernel or a window slides along an axis: its stride, padding and dilation, as types.
//!
//! One of them slides along a signal, or alike along the rows and the columns of an image; a pair of them differently
//! along each. What comes of it is another file's: `window` computes sizes in types, `sweep` in numbers.

use super::axis::{Axis, Dim};

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

/// How a transposed convolution spreads its entries: `STRIDE` apart, with `PADDING` entries cut off at either end and
/// `OUTPUT` more kept at the end, and with the kernel's entries `DILATION` apart. PyTorch's order of arguments, and
/// its defaults.
///
/// `Spread<S, P, _, D>` undoes the sizes of [`Slide<S, P, D>`](Slide); where a stride makes several sizes into one,
/// `OUTPUT` picks the larger ones.
///
/// ```
/// use shapeproof::prelude::*;
/// use shapeproof::shape::{Slide, Spread};
///
/// let w = Tensor::<4, shape![16, 3, 3, 3]>::ones();
/// let x = Tensor::<4, shape![8, 16, 16, 16]>::ones();
/// let y: Tensor<4, shape![8, 3, 31, 32]> = x.conv_transpose2d(&w, (Spread::<2, 1>, Spread::<2, 1, 1>));
/// let x: Tensor<4, shape![8, 16, 16, 16]> = y.conv2d(&w, Slide::<2, 1>);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread<
    const STRIDE: usize = 1,
    const PADDING: usize = 0,
    const OUTPUT: usize = 0,
    const DILATION: usize = 1,
>;

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

/// A window that begins once more where the axis ends before the next whole one: what it covers of the axis is all that
/// counts there. PyTorch: `ceil_mode=True`.
///
/// It always begins inside the axis or the padding before it. A mean is over the entries of the axis and of its padding
/// under the window, and not over what lies beyond; with [`Inside`], in either order, over those of the axis alone.
///
/// ```
/// use shapeproof::prelude::*;
/// use shapeproof::shape::{Ceil, Pool};
///
/// let x = Tensor::from([[[1.0f32, 2.0, 3.0, 4.0, 5.0]]]);
/// assert_eq!(x.avg_pool1d(Pool::<2>).to_array(), [[[1.5, 3.5]]]);
/// assert_eq!(x.avg_pool1d(Ceil(Pool::<2>)).to_array(), [[[1.5, 3.5, 5.0]]]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ceil<P>(pub P);

/// How a kernel slides, in numbers.
pub trait Pace {
    /// Entries from one place of the kernel to the next.
    const STRIDE: usize;
    /// Entries added at either end; none means as many as keep the size.
    const PADDING: Option<usize>;
    /// Entries of the axis from one entry of the kernel to the next.
    const DILATION: usize;
}

/// How the kernel of a convolution slides along one axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no way for the kernel of a convolution to slide",
    label = "not a way to slide",
    note = "`Slide::<STRIDE, PADDING, DILATION>` is, or `Valid`, or `Same`"
)]
pub trait Way: Pace {}
impl<const S: usize, const P: usize, const D: usize> Way for Slide<S, P, D> {}
impl Way for Valid {}
impl Way for Same {}
impl<const D: usize> Way for SameDilated<D> {}

/// How a transposed convolution spreads along one axis: [`Spread`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no way to spread for a transposed convolution",
    label = "not a way to spread",
    note = "`Spread::<STRIDE, PADDING, OUTPUT_PADDING, DILATION>` is, or a pair of them"
)]
pub trait Spreading: Pace {
    /// Entries kept at the end.
    const OUTPUT: usize;
}
impl<const S: usize, const P: usize, const O: usize, const D: usize> Spreading
    for Spread<S, P, O, D>
{
    const OUTPUT: usize = O;
}

/// How a window of its own size slides along one axis: [`Pool`], or one in [`Ceil`], [`Inside`], or both.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no window for pooling",
    label = "not a window",
    note = "`Pool::<K, STRIDE, PADDING>` is, or one in `Ceil(..)`, in `Inside(..)` or in both, or a pair of them"
)]
pub trait Pooling: Pace {
    /// The size of the window.
    type Kernel: Axis;
    /// Whether a mean is over the entries inside the axis alone.
    const INSIDE: bool;
    /// Whether a window that reaches beyond the end may be the last.
    const CEIL: bool;
}
impl<const K: usize, const S: usize, const P: usize, const D: usize> Pooling for Pool<K, S, P, D> {
    type Kernel = Dim<K>;
    const INSIDE: bool = false;
    const CEIL: bool = false;
}
impl<P: Pooling> Pooling for Inside<P> {
    type Kernel = P::Kernel;
    const INSIDE: bool = true;
    const CEIL: bool = P::CEIL;
}
impl<P: Pooling> Pooling for Ceil<P> {
    type Kernel = P::Kernel;
    const INSIDE: bool = P::INSIDE;
    const CEIL: bool = true;
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
        impl<$($generics)*> Pace for $Name {
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
    [const S: usize, const P: usize, const O: usize, const D: usize] Spread<S, P, O, D>: S, Some(P), D;
    [const K: usize, const S: usize, const P: usize, const D: usize] Pool<K, S, P, D>: S, Some(P), D;
    [P: Pooling] Inside<P>: P::STRIDE, P::PADDING, P::DILATION;
    [P: Pooling] Ceil<P>: P::STRIDE, P::PADDING, P::DILATION;
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
