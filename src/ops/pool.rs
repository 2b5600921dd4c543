//! Pooling, and images made larger or smaller.

use super::compiled::compiled;
use crate::element::{Element, count};
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Taps};
use crate::shape::{Across, Along, AnyShape, Axis, Dim, Dims, Pooling, Shape, Slid, Slides, Sweep};
use crate::storage::Buffer;
use crate::tensor::{Positions, Raw, Tensor};

compiled! {
    /// Pooling and resampling.
    trait Pool {
        fn max_pool(x: &Raw<E>, rows: &'static Sweep, columns: &'static Sweep, dims: Dims) -> (Raw<E>, Buffer<usize>);
        fn mean_pool(x: &Raw<E>, rows: &'static Sweep, columns: &'static Sweep, inside: [bool; 2], dims: Dims) -> Raw<E>;
        fn resample(x: &Raw<E>, from: [usize; 2], to: [usize; 2], kind: Kind, dims: Dims) -> Raw<E>;
    }
}

/// The largest entries under a window that slides along so many axes.
struct MaxPool<const AXES: usize> {
    /// Where in its plane each of the largest stands.
    at: Buffer<usize>,
    /// Elements of a plane of the input, and of the result.
    areas: [usize; 2],
}

macro_rules! max_pools {
    ($($AXES:literal: $name:literal;)*) => {$(
        impl<E: Element> Rule<E> for MaxPool<$AXES> {
            fn name(&self) -> &'static str {
        $name
    }
            fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
                scatter(&grad, &self.at, self.areas, to);
            }
            fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
                visit("positions", Saved::Positions(&self.at));
            }
        }
    )*};
}
max_pools! {
    1: "max_pool1d";
    2: "max_pool2d";
}

fn scatter<E: Element>(
    grad: &[E],
    at: &[usize],
    [area, area_out]: [usize; 2],
    to: &mut Cotangents<'_, E>,
) {
    to.add_into(0, |sum| {
        for (place, (&g, &at)) in grad.iter().zip(at).enumerate() {
            sum[place / area_out * area + at] += g;
        }
    });
}

/// The images of a batch times their channels.
fn planes(dims: Dims) -> usize {
    dims[0] * dims[1]
}

fn max_pool<E: Element>(
    x: &Raw<E>,
    rows: &'static Sweep,
    columns: &'static Sweep,
    dims: Dims,
) -> (Raw<E>, Buffer<usize>) {
    let (values, at) = kernel::max_pool(&x.values, planes(dims), rows, columns);
    let node = parents([x.node.as_ref()]).map(|parents| {
        let areas = [rows.input * columns.input, rows.output * columns.output];
        let at = at.clone();
        if dims.len() == 3 {
            parents.record(dims, MaxPool::<1> { at, areas })
        } else {
            parents.record(dims, MaxPool::<2> { at, areas })
        }
    });
    (Raw { values, node }, at)
}

/// What a resampled plane is made of, along rows and along columns. The kind shows in its name alone.
struct Resampled<E, const KIND: usize> {
    planes: usize,
    rows: Taps<E>,
    columns: Taps<E>,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $Kind:ident = $KIND:literal: $name:literal;)*) => {
        /// Which resampling it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // each is the method of its name
        pub enum Kind { $($(#[$doc])* $Kind = $KIND,)* }

        $(impl<E: Element> Rule<E> for Resampled<E, $KIND> {
            fn name(&self) -> &'static str {
        $name
    }
            fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
                to.give(0, kernel::resample_grad(&grad, self.planes, &self.rows, &self.columns));
            }
            fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
        })*

        fn resampled<E: Element>(x: &Raw<E>, rows: Taps<E>, columns: Taps<E>, kind: Kind, dims: Dims) -> Raw<E> {
            let planes = planes(dims);
            Raw {
                values: kernel::resample(&x.values, planes, &rows, &columns),
                node: parents([x.node.as_ref()]).map(|parents| match kind {
                    $(Kind::$Kind => parents.record(dims, Resampled::<E, $KIND> { planes, rows, columns }),)*
                }),
            }
        }
    };
}
kinds! {
    Mean1 = 0: "avg_pool1d";
    Mean2 = 1: "avg_pool2d";
    Adaptive1 = 2: "adaptive_avg_pool1d";
    Adaptive2 = 3: "adaptive_avg_pool2d";
    Global = 4: "global_avg_pool2d";
    Nearest = 5: "upsample_nearest2d";
    Bilinear = 6: "upsample_bilinear2d";
    BilinearCorners = 7: "upsample_bilinear2d_corners";
}

fn mean_pool<E: Element>(
    x: &Raw<E>,
    rows: &'static Sweep,
    columns: &'static Sweep,
    inside: [bool; 2],
    dims: Dims,
) -> Raw<E> {
    let taps = |sweep: &Sweep, inside: bool| {
        let mut taps = Taps::new(sweep.input);
        for place in 0..sweep.output {
            let under = sweep.under(place);
            let divisor = if inside { under.len() } else { sweep.kernel };
            taps.push(under.start, under.map(|_| E::one()), count(divisor));
        }
        taps
    };
    let kind = if dims.len() == 3 {
        Kind::Mean1
    } else {
        Kind::Mean2
    };
    resampled(
        x,
        taps(rows, inside[0]),
        taps(columns, inside[1]),
        kind,
        dims,
    )
}

fn resample<E: Element>(
    x: &Raw<E>,
    from: [usize; 2],
    to: [usize; 2],
    kind: Kind,
    dims: Dims,
) -> Raw<E> {
    let taps = |axis: usize| {
        let (n, places) = (from[axis], to[axis]);
        let mut taps = Taps::new(n);
        for place in 0..places {
            match kind {
                Kind::Nearest => taps.push(place * n / places, [E::one()], E::one()),
                Kind::Bilinear => {
                    let at = (place as f64 + 0.5) * n as f64 / places as f64 - 0.5;
                    between(&mut taps, n, at.max(0.0));
                }
                Kind::BilinearCorners => {
                    let steps = places.saturating_sub(1).max(1);
                    between(&mut taps, n, (place * (n - 1)) as f64 / steps as f64);
                }
                // Means over parts of nearly one size, that overlap where they do not divide the axis.
                _ => {
                    let (start, end) = (place * n / places, ((place + 1) * n).div_ceil(places));
                    taps.push(start, (start..end).map(|_| E::one()), count(end - start));
                }
            }
        }
        taps
    };
    resampled(x, taps(0), taps(1), kind, dims)
}

/// Adds the place `at` between two of `n` entries.
fn between<E: Element>(taps: &mut Taps<E>, n: usize, at: f64) {
    let first = (at as usize).min(n - 1);
    if first + 1 == n {
        return taps.push(first, [E::one()], E::one());
    }
    let weight = E::of(at - first as f64);
    taps.push(first, [E::one() - weight, weight], E::one());
}

// Assertions stand in the methods themselves, so that the compiler shows where they are called.

fn max_pooled<const R: usize, S: Shape<R>, E: Element>(
    x: &Raw<E>,
    rows: &'static Sweep,
    columns: &'static Sweep,
) -> Tensor<R, S, E> {
    Tensor::from_raw(<E::Ops as Pool<E>>::max_pool(x, rows, columns, S::DIMS).0)
}

fn mean_pooled<const R: usize, S: Shape<R>, E: Element>(
    x: &Raw<E>,
    rows: &'static Sweep,
    columns: &'static Sweep,
    inside: [bool; 2],
) -> Tensor<R, S, E> {
    let raw = <E::Ops as Pool<E>>::mean_pool(x, rows, columns, inside, S::DIMS);
    Tensor::from_raw(raw)
}

/// The planes `from` resampled to planes `to`.
fn resized<const R: usize, S: Shape<R>, E: Element>(
    x: &Raw<E>,
    from: [usize; 2],
    to: [usize; 2],
    kind: Kind,
) -> Tensor<R, S, E> {
    let raw = <E::Ops as Pool<E>>::resample(x, from, to, kind, S::DIMS);
    Tensor::from_raw(raw)
}

/// Nothing can be said of an image without entries.
const fn check_entries<H: Axis, W: Axis>() {
    Sweep::whole::<H>("resizing an image");
    Sweep::whole::<W>("resizing an image");
}

impl<N: Axis, C: Axis, L: Axis, E: Element> Tensor<3, (N, C, L), E> {
    /// The largest entry under each place of a window that slides along the last axis. PyTorch: `max_pool1d`.
    ///
    /// Shape `(N, C, L)` to `(N, C, (L + 2·padding − dilation·(K − 1) − 1)/stride + 1)`, for sizes up to 1024. The
    /// window is [`Pool<K, STRIDE, PADDING, DILATION>`](crate::shape::Pool). Padding takes no part: it is −∞. More of it
    /// than half the window does not compile (found when the program is built, not by `cargo check`). The
    /// gradient goes to the first of several equal ones; NaN counts as larger than any number.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Pool;
    ///
    /// let x = Tensor::from([[[-1.0f32, -2.0, 5.0, 5.0]]]).tracked();
    /// assert_eq!(x.max_pool1d(Pool::<2, 1, 1>).to_array(), [[[-1.0, -1.0, 5.0, 5.0, 5.0]]]);
    /// x.max_pool1d(Pool::<2>).sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [[[1.0, 0.0, 1.0, 0.0]]]);
    /// ```
    #[allow(clippy::type_complexity)] // a size is computed
    pub fn max_pool1d<P: Along>(&self, window: P) -> Tensor<3, (N, C, Slid<L, (), P::Way>), E>
    where
        P::Way: Pooling,
        L: Slides<(), P::Way>,
    {
        let _ = window;
        let columns = const { &Sweep::pool::<L, P::Way, Slid<L, (), P::Way>>("max_pool1d") };
        max_pooled(&self.raw, &Sweep::NONE, columns)
    }

    /// [`max_pool1d`](Self::max_pool1d) for axes of any size, and in generic code: the size of the result follows
    /// from the type that is wanted. PyTorch: `max_pool1d`.
    ///
    /// A wrong one does not compile; that is found when the program is built, not by `cargo check`.
    pub fn max_pool1d_as<P: Along, Out: Axis>(&self, window: P) -> Tensor<3, (N, C, Out), E>
    where
        P::Way: Pooling,
    {
        let _ = window;
        let columns = const { &Sweep::pool::<L, P::Way, Out>("max_pool1d") };
        max_pooled(&self.raw, &Sweep::NONE, columns)
    }

    /// [`max_pool1d`](Self::max_pool1d), and where along the axis each of the largest stands. PyTorch:
    /// `max_pool1d(return_indices=True)`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Pool;
    ///
    /// let x = Tensor::from([[[1.0f32, 4.0, 3.0, 3.0]]]);
    /// let (largest, at) = x.max_pool1d_with_indices(Pool::<2>);
    /// assert_eq!((largest.to_array(), at.to_array()), ([[[4.0, 3.0]]], [[[1, 2]]]));
    /// ```
    #[allow(clippy::type_complexity)] // the values, and indices of the same shape bounded by the axis
    pub fn max_pool1d_with_indices<P: Along>(
        &self,
        window: P,
    ) -> (
        Tensor<3, (N, C, Slid<L, (), P::Way>), E>,
        L::Indices<(N, C, Slid<L, (), P::Way>)>,
    )
    where
        P::Way: Pooling,
        L: Slides<(), P::Way>,
    {
        let _ = window;
        let columns = const { &Sweep::pool::<L, P::Way, Slid<L, (), P::Way>>("max_pool1d") };
        let dims = <(N, C, Slid<L, (), P::Way>) as AnyShape>::DIMS;
        let (raw, at) = <E::Ops as Pool<E>>::max_pool(&self.raw, &Sweep::NONE, columns, dims);
        (Tensor::from_raw(raw), Positions(at).into())
    }

    /// The mean under each place of a window that slides along the last axis. PyTorch: `avg_pool1d`.
    ///
    /// Sizes as in [`max_pool1d`](Self::max_pool1d), without dilation. Padding counts as zeros; with
    /// [`Inside`](crate::shape::Inside) it does not count.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Pool;
    ///
    /// let x = Tensor::from([[[1.0f32, 2.0, 3.0, 4.0, 5.0]]]).tracked();
    /// let y = x.avg_pool1d(Pool::<2>);
    /// assert_eq!(y.to_array(), [[[1.5, 3.5]]]);
    /// y.sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [[[0.5, 0.5, 0.5, 0.5, 0.0]]]);
    /// ```
    #[allow(clippy::type_complexity)] // a size is computed
    pub fn avg_pool1d<P: Along>(&self, window: P) -> Tensor<3, (N, C, Slid<L, (), P::Way>), E>
    where
        P::Way: Pooling,
        L: Slides<(), P::Way>,
    {
        let _ = window;
        let columns = const { &Sweep::mean::<L, P::Way, Slid<L, (), P::Way>>("avg_pool1d") };
        mean_pooled(&self.raw, &Sweep::NONE, columns, [false, P::Way::INSIDE])
    }

    /// [`avg_pool1d`](Self::avg_pool1d) for axes of any size, and in generic code: the size of the result follows
    /// from the type that is wanted. PyTorch: `avg_pool1d`.
    ///
    /// A wrong one does not compile; that is found when the program is built, not by `cargo check`.
    pub fn avg_pool1d_as<P: Along, Out: Axis>(&self, window: P) -> Tensor<3, (N, C, Out), E>
    where
        P::Way: Pooling,
    {
        let _ = window;
        let columns = const { &Sweep::mean::<L, P::Way, Out>("avg_pool1d") };
        mean_pooled(&self.raw, &Sweep::NONE, columns, [false, P::Way::INSIDE])
    }

    /// Means over `OUT` parts of the last axis, of nearly one size: part i goes from ⌊i·L/OUT⌋ to
    /// ⌈(i + 1)·L/OUT⌉. PyTorch: `adaptive_avg_pool1d`.
    ///
    /// Shape `(N, C, L)` to `(N, C, OUT)`. An axis without entries does not compile; that is found when the
    /// program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[[1.0f32, 2.0, 3.0, 4.0, 5.0]]]);
    /// assert_eq!(x.adaptive_avg_pool1d::<2>().to_array(), [[[2.0, 4.0]]]);
    /// ```
    pub fn adaptive_avg_pool1d<const OUT: usize>(&self) -> Tensor<3, (N, C, Dim<OUT>), E> {
        const { Sweep::whole::<L>("adaptive_avg_pool1d") };
        resized(&self.raw, [1, L::SIZE], [1, OUT], Kind::Adaptive1)
    }
}

impl<N: Axis, C: Axis, H: Axis, W: Axis, E: Element> Tensor<4, (N, C, H, W), E> {
    /// The largest entry under each place of a window that slides across rows and columns. PyTorch:
    /// `max_pool2d`.
    ///
    /// Shape `(N, C, H, W)` to `(N, C, H′, W′)` with H′ = (H + 2·padding − dilation·(K − 1) − 1)/stride + 1 and W′
    /// likewise, for sizes up to 1024. The window is [`Pool<K, STRIDE, PADDING, DILATION>`](crate::shape::Pool) or a pair of
    /// them. Padding takes no part: it is −∞. More of it than half the window does not compile (found
    /// when the program is built, not by `cargo check`). The gradient goes to the first of several equal ones in
    /// row-major order; NaN counts as larger than any number.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Pool;
    ///
    /// let x = Tensor::from([[[[1.0f32, 2.0, 9.0], [3.0, 4.0, 9.0]]]]);
    /// assert_eq!(x.max_pool2d(Pool::<2>).to_array(), [[[[4.0]]]]);
    /// assert_eq!(x.max_pool2d((Pool::<1>, Pool::<2, 1>)).to_array(), [[[[2.0, 9.0], [4.0, 9.0]]]]);
    /// ```
    #[allow(clippy::type_complexity)] // both sizes are computed
    pub fn max_pool2d<P: Across>(
        &self,
        window: P,
    ) -> Tensor<4, (N, C, Slid<H, (), P::Rows>, Slid<W, (), P::Columns>), E>
    where
        P::Rows: Pooling,
        P::Columns: Pooling,
        H: Slides<(), P::Rows>,
        W: Slides<(), P::Columns>,
    {
        let _ = window;
        let rows = const { &Sweep::pool::<H, P::Rows, Slid<H, (), P::Rows>>("max_pool2d") };
        let columns =
            const { &Sweep::pool::<W, P::Columns, Slid<W, (), P::Columns>>("max_pool2d") };
        max_pooled(&self.raw, rows, columns)
    }

    /// [`max_pool2d`](Self::max_pool2d) for axes of any size, and in generic code: the sizes of the result follow
    /// from the type that is wanted. PyTorch: `max_pool2d`.
    ///
    /// Wrong ones do not compile; that is found when the program is built, not by `cargo check`.
    pub fn max_pool2d_as<P: Across, OH: Axis, OW: Axis>(
        &self,
        window: P,
    ) -> Tensor<4, (N, C, OH, OW), E>
    where
        P::Rows: Pooling,
        P::Columns: Pooling,
    {
        let _ = window;
        let rows = const { &Sweep::pool::<H, P::Rows, OH>("max_pool2d") };
        let columns = const { &Sweep::pool::<W, P::Columns, OW>("max_pool2d") };
        max_pooled(&self.raw, rows, columns)
    }

    /// [`max_pool2d`](Self::max_pool2d), and in which row and which column each of the largest stands. PyTorch:
    /// `max_pool2d(return_indices=True)`, which counts rows and columns together.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Pool;
    ///
    /// let x = Tensor::from([[[[1.0f32, 2.0], [7.0, 4.0]]]]);
    /// let (largest, row, column) = x.max_pool2d_with_indices(Pool::<2>);
    /// assert_eq!((largest.to_vec(), row.to_array(), column.to_array()), (vec![7.0], [[[[1]]]], [[[[0]]]]));
    /// ```
    #[allow(clippy::type_complexity)] // the values, and indices of the same shape bounded by each axis
    pub fn max_pool2d_with_indices<P: Across>(
        &self,
        window: P,
    ) -> (
        Tensor<4, (N, C, Slid<H, (), P::Rows>, Slid<W, (), P::Columns>), E>,
        H::Indices<(N, C, Slid<H, (), P::Rows>, Slid<W, (), P::Columns>)>,
        W::Indices<(N, C, Slid<H, (), P::Rows>, Slid<W, (), P::Columns>)>,
    )
    where
        P::Rows: Pooling,
        P::Columns: Pooling,
        H: Slides<(), P::Rows>,
        W: Slides<(), P::Columns>,
    {
        let _ = window;
        let rows = const { &Sweep::pool::<H, P::Rows, Slid<H, (), P::Rows>>("max_pool2d") };
        let columns =
            const { &Sweep::pool::<W, P::Columns, Slid<W, (), P::Columns>>("max_pool2d") };
        let dims = <(N, C, Slid<H, (), P::Rows>, Slid<W, (), P::Columns>) as AnyShape>::DIMS;
        let (raw, at) = <E::Ops as Pool<E>>::max_pool(&self.raw, rows, columns, dims);
        let row = Buffer::from_fn(at.len(), |i| at[i] / W::SIZE);
        let column = Buffer::from_fn(at.len(), |i| at[i] % W::SIZE);
        (
            Tensor::from_raw(raw),
            Positions(row).into(),
            Positions(column).into(),
        )
    }

    /// The largest entry of each channel. PyTorch: `adaptive_max_pool2d(1)`.
    ///
    /// Shape `(N, C, H, W)` to `(N, C)`. The gradient goes to the first of several equal ones. An axis without
    /// entries does not compile; that is found when the program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[[[1.0f32, 2.0], [7.0, 4.0]]]]);
    /// assert_eq!(x.global_max_pool2d().to_array(), [[7.0]]);
    /// ```
    pub fn global_max_pool2d(&self) -> Tensor<2, (N, C), E> {
        let rows = const { &Sweep::whole::<H>("max_pool2d") };
        let columns = const { &Sweep::whole::<W>("max_pool2d") };
        max_pooled(&self.raw, rows, columns)
    }

    /// The mean under each place of a window that slides across rows and columns. PyTorch: `avg_pool2d`.
    ///
    /// Sizes as in [`max_pool2d`](Self::max_pool2d), without dilation. Padding counts as zeros; with
    /// [`Inside`](crate::shape::Inside) it does not count.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::{Inside, Pool};
    ///
    /// let x = Tensor::from([[[[1.0f32, 3.0], [5.0, 7.0]]]]);
    /// assert_eq!(x.avg_pool2d(Pool::<2>).to_array(), [[[[4.0]]]]);
    /// assert_eq!(x.avg_pool2d(Pool::<2, 2, 1>).to_array(), [[[[0.25, 0.75], [1.25, 1.75]]]]);
    /// assert_eq!(x.avg_pool2d(Inside(Pool::<2, 2, 1>)).to_array(), [[[[1.0, 3.0], [5.0, 7.0]]]]);
    /// ```
    #[allow(clippy::type_complexity)] // both sizes are computed
    pub fn avg_pool2d<P: Across>(
        &self,
        window: P,
    ) -> Tensor<4, (N, C, Slid<H, (), P::Rows>, Slid<W, (), P::Columns>), E>
    where
        P::Rows: Pooling,
        P::Columns: Pooling,
        H: Slides<(), P::Rows>,
        W: Slides<(), P::Columns>,
    {
        let _ = window;
        let rows = const { &Sweep::mean::<H, P::Rows, Slid<H, (), P::Rows>>("avg_pool2d") };
        let columns =
            const { &Sweep::mean::<W, P::Columns, Slid<W, (), P::Columns>>("avg_pool2d") };
        mean_pooled(
            &self.raw,
            rows,
            columns,
            [P::Rows::INSIDE, P::Columns::INSIDE],
        )
    }

    /// [`avg_pool2d`](Self::avg_pool2d) for axes of any size, and in generic code: the sizes of the result follow
    /// from the type that is wanted. PyTorch: `avg_pool2d`.
    ///
    /// Wrong ones do not compile; that is found when the program is built, not by `cargo check`.
    pub fn avg_pool2d_as<P: Across, OH: Axis, OW: Axis>(
        &self,
        window: P,
    ) -> Tensor<4, (N, C, OH, OW), E>
    where
        P::Rows: Pooling,
        P::Columns: Pooling,
    {
        let _ = window;
        let rows = const { &Sweep::mean::<H, P::Rows, OH>("avg_pool2d") };
        let columns = const { &Sweep::mean::<W, P::Columns, OW>("avg_pool2d") };
        mean_pooled(
            &self.raw,
            rows,
            columns,
            [P::Rows::INSIDE, P::Columns::INSIDE],
        )
    }

    /// Means over `OH` times `OW` parts of each channel, of nearly one size: part i of the rows goes from
    /// ⌊i·H/OH⌋ to ⌈(i + 1)·H/OH⌉. PyTorch: `adaptive_avg_pool2d`.
    ///
    /// Shape `(N, C, H, W)` to `(N, C, OH, OW)`. An axis without entries does not compile; that is found when
    /// the program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[[[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]]]);
    /// assert_eq!(x.adaptive_avg_pool2d::<1, 2>().to_array(), [[[[3.0, 4.0]]]]);
    /// ```
    pub fn adaptive_avg_pool2d<const OH: usize, const OW: usize>(
        &self,
    ) -> Tensor<4, (N, C, Dim<OH>, Dim<OW>), E> {
        const { check_entries::<H, W>() };
        resized(&self.raw, [H::SIZE, W::SIZE], [OH, OW], Kind::Adaptive2)
    }

    /// The mean of each channel. PyTorch: `adaptive_avg_pool2d(1)`, `mean(dim=(2, 3))`.
    ///
    /// Shape `(N, C, H, W)` to `(N, C)`. An axis without entries does not compile; that is found when the
    /// program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[[[1.0f32, 3.0], [5.0, 7.0]]]]);
    /// assert_eq!(x.global_avg_pool2d().to_array(), [[4.0]]);
    /// ```
    pub fn global_avg_pool2d(&self) -> Tensor<2, (N, C), E> {
        const { check_entries::<H, W>() };
        resized(&self.raw, [H::SIZE, W::SIZE], [1, 1], Kind::Global)
    }

    /// Each channel enlarged or reduced to `OH` rows of `OW` entries, each the entry of `x` that it falls on: row
    /// i is row ⌊i·H/OH⌋. PyTorch: `interpolate(mode="nearest")`, `UpsamplingNearest2d`.
    ///
    /// Shape `(N, C, H, W)` to `(N, C, OH, OW)`. An axis without entries does not compile; that is found when
    /// the program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[[[1.0f32, 2.0]]]]).tracked();
    /// let y = x.upsample_nearest2d::<2, 3>();
    /// assert_eq!(y.to_array(), [[[[1.0, 1.0, 2.0], [1.0, 1.0, 2.0]]]]);
    /// y.sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [[[[4.0, 2.0]]]]);
    /// ```
    pub fn upsample_nearest2d<const OH: usize, const OW: usize>(
        &self,
    ) -> Tensor<4, (N, C, Dim<OH>, Dim<OW>), E> {
        const { check_entries::<H, W>() };
        resized(&self.raw, [H::SIZE, W::SIZE], [OH, OW], Kind::Nearest)
    }

    /// Each channel enlarged or reduced to `OH` rows of `OW` entries, interpolated between the nearest four.
    /// PyTorch: `interpolate(mode="bilinear")`.
    ///
    /// Shape `(N, C, H, W)` to `(N, C, OH, OW)`. Entries are squares of one size, and their values those of
    /// the centres: place i lies at (i + ½)·H/OH − ½, and what lies outside is the nearest entry. An axis without
    /// entries does not compile; that is found when the program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[[[0.0f32, 4.0]]]]);
    /// assert_eq!(x.upsample_bilinear2d::<1, 4>().to_array(), [[[[0.0, 1.0, 3.0, 4.0]]]]);
    /// ```
    pub fn upsample_bilinear2d<const OH: usize, const OW: usize>(
        &self,
    ) -> Tensor<4, (N, C, Dim<OH>, Dim<OW>), E> {
        const { check_entries::<H, W>() };
        resized(&self.raw, [H::SIZE, W::SIZE], [OH, OW], Kind::Bilinear)
    }

    /// [`upsample_bilinear2d`](Self::upsample_bilinear2d) with the corners of `x` in the corners of the result: place
    /// i lies at i·(H − 1)/(OH − 1). PyTorch: `interpolate(mode="bilinear", align_corners=True)`,
    /// `UpsamplingBilinear2d`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[[[0.0f32, 4.0]]]]);
    /// assert_eq!(x.upsample_bilinear2d_corners::<1, 5>().to_array(), [[[[0.0, 1.0, 2.0, 3.0, 4.0]]]]);
    /// ```
    pub fn upsample_bilinear2d_corners<const OH: usize, const OW: usize>(
        &self,
    ) -> Tensor<4, (N, C, Dim<OH>, Dim<OW>), E> {
        const { check_entries::<H, W>() };
        resized(
            &self.raw,
            [H::SIZE, W::SIZE],
            [OH, OW],
            Kind::BilinearCorners,
        )
    }
}
