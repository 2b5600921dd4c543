//! Pooling: the largest entry, or the mean, under each place of a window.

use super::compiled::compiled;
use super::resample::resampled;
use crate::element::{Element, count};
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Taps};
use crate::shape::{
    Across, Along, AnyShape, Axis, Dims, Pooled, Pooling, Shape, Slid, Slides, Sweep,
};
use crate::storage::Buffer;
use crate::tensor::{Positions, Raw, Tensor};

compiled! {
    /// Pooling.
    trait Pool {
        fn max_pool(x: &Raw<E>, pooled: &'static Pooled, dims: Dims) -> Raw<E>;
        fn max_pool_with_positions(x: &Raw<E>, pooled: &'static Pooled, dims: Dims) -> (Raw<E>, Buffer<usize>);
        fn mean_pool(x: &Raw<E>, pooled: &'static Pooled, dims: Dims) -> Raw<E>;
    }
}

/// The largest entries under a window.
struct MaxPool {
    name: &'static str,
    /// Where in its plane each of the largest stands.
    at: Buffer<usize>,
    /// Elements of a plane of the input, and of the result.
    areas: [usize; 2],
}

impl<E: Element> Rule<E> for MaxPool {
    fn name(&self) -> &'static str {
        self.name
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.add_into(0, |sum| {
            kernel::max_pool_grad(sum, &grad, &self.at, self.areas)
        });
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("positions", Saved::Positions(&self.at));
    }
}

/// The images of a batch times their channels.
pub(super) fn planes(dims: Dims) -> usize {
    dims[0] * dims[1]
}

fn max_pool<E: Element>(x: &Raw<E>, pooled: &'static Pooled, dims: Dims) -> Raw<E> {
    if x.node.is_some() {
        return max_pool_with_positions(x, pooled, dims).0;
    }
    Raw {
        values: kernel::max_pool(&x.values, planes(dims), pooled),
        node: None,
    }
}

fn max_pool_with_positions<E: Element>(
    x: &Raw<E>,
    pooled: &'static Pooled,
    dims: Dims,
) -> (Raw<E>, Buffer<usize>) {
    let (values, at) = kernel::max_pool_with_positions(&x.values, planes(dims), pooled);
    let node = parents([x.node.as_ref()]).map(|parents| {
        let Pooled { rows, columns, .. } = pooled;
        let rule = MaxPool {
            name: match dims.len() {
                3 => "max_pool1d",
                _ => "max_pool2d",
            },
            at: at.clone(),
            areas: [rows.input * columns.input, rows.output * columns.output],
        };
        parents.record(dims, rule)
    });
    (Raw { values, node }, at)
}

/// A mean is a resampling whose entries all weigh the same.
fn mean_pool<E: Element>(x: &Raw<E>, pooled: &'static Pooled, dims: Dims) -> Raw<E> {
    let taps = |sweep: &Sweep, inside: bool| {
        let mut taps = Taps::new(sweep.input);
        for place in 0..sweep.output {
            let under = sweep.under(place);
            let divisor = if inside {
                under.len()
            } else {
                sweep.covered(place)
            };
            taps.push(under.start, under.map(|_| E::one()), count(divisor));
        }
        taps
    };
    let rows = taps(&pooled.rows, pooled.inside[0]);
    let columns = taps(&pooled.columns, pooled.inside[1]);
    let name = match dims.len() {
        3 => "avg_pool1d",
        _ => "avg_pool2d",
    };
    resampled(x, rows, columns, name, dims)
}

// Assertions stand in the methods themselves, so that the compiler shows where they are called.

fn max_pooled<const R: usize, S: Shape<R>, E: Element>(
    x: &Raw<E>,
    pooled: &'static Pooled,
) -> Tensor<R, S, E> {
    Tensor::from_raw(<E::Ops as Pool<E>>::max_pool(x, pooled, S::DIMS))
}

/// The largest entries, and in which row and which column, of which a row has `width`, they stand.
fn max_pooled_at<E: Element>(
    x: &Raw<E>,
    pooled: &'static Pooled,
    dims: Dims,
    width: usize,
) -> (Raw<E>, [Positions; 2]) {
    let (raw, at) = <E::Ops as Pool<E>>::max_pool_with_positions(x, pooled, dims);
    let row = Buffer::from_fn(at.len(), |i| at[i] / width);
    let column = Buffer::from_fn(at.len(), |i| at[i] % width);
    (
        raw,
        [row, column].map(|places| Positions(places.marked(at.mark()))),
    )
}

fn mean_pooled<const R: usize, S: Shape<R>, E: Element>(
    x: &Raw<E>,
    pooled: &'static Pooled,
) -> Tensor<R, S, E> {
    Tensor::from_raw(<E::Ops as Pool<E>>::mean_pool(x, pooled, S::DIMS))
}

impl<N: Axis, C: Axis, L: Axis, E: Element> Tensor<3, (N, C, L), E> {
    /// The largest entry under each place of a window that slides along the last axis. PyTorch: `max_pool1d`.
    ///
    /// Shape `(N, C, L)` to `(N, C, (L + 2·padding − dilation·(K − 1) − 1)/stride + 1)`, for sizes up to 2047. The
    /// window is [`Pool<K, STRIDE, PADDING, DILATION>`](crate::shape::Pool). Padding takes no part: it is −∞. More of it
    /// than half the window does not compile (found when the program is built, not by `cargo check`). In
    /// [`Ceil`](crate::shape::Ceil) the size is rounded up. The gradient goes to the first of several equal ones; NaN
    /// counts as larger than any number.
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
        let pooled = const { &Pooled::along::<L, P::Way, Slid<L, (), P::Way>>("max_pool1d") };
        max_pooled(&self.raw, pooled)
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
        let pooled = const { &Pooled::along::<L, P::Way, Out>("max_pool1d") };
        max_pooled(&self.raw, pooled)
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
        let pooled = const { &Pooled::along::<L, P::Way, Slid<L, (), P::Way>>("max_pool1d") };
        let dims = <(N, C, Slid<L, (), P::Way>) as AnyShape>::DIMS;
        let (raw, at) = <E::Ops as Pool<E>>::max_pool_with_positions(&self.raw, pooled, dims);
        (Tensor::from_raw(raw), Positions(at).into())
    }

    /// [`max_pool1d_with_indices`](Self::max_pool1d_with_indices) for axes of any size, and in generic code: the size
    /// of the results follows from the types that are wanted. PyTorch: `max_pool1d(return_indices=True)`.
    ///
    /// A wrong one does not compile; that is found when the program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Pool;
    ///
    /// let x = Tensor::<1, shape![6000]>::arange(0.0, 1.0).reshape::<shape![1, 1, 6000]>();
    /// let (largest, at) = x.max_pool1d_with_indices_as::<_, Dim<3000>>(Pool::<2>);
    /// assert_eq!((largest[[0, 0, 2999]], at.as_slice()[2999]), (5999.0, 5999));
    /// ```
    #[allow(clippy::type_complexity)] // the values, and indices of the same shape bounded by the axis
    pub fn max_pool1d_with_indices_as<P: Along, Out: Axis>(
        &self,
        window: P,
    ) -> (Tensor<3, (N, C, Out), E>, L::Indices<(N, C, Out)>)
    where
        P::Way: Pooling,
    {
        let _ = window;
        let pooled = const { &Pooled::along::<L, P::Way, Out>("max_pool1d") };
        let dims = <(N, C, Out) as AnyShape>::DIMS;
        let (raw, at) = <E::Ops as Pool<E>>::max_pool_with_positions(&self.raw, pooled, dims);
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
        let pooled = const {
            &Pooled::along::<L, P::Way, Slid<L, (), P::Way>>("avg_pool1d").mean("avg_pool1d")
        };
        mean_pooled(&self.raw, pooled)
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
        let pooled = const { &Pooled::along::<L, P::Way, Out>("avg_pool1d").mean("avg_pool1d") };
        mean_pooled(&self.raw, pooled)
    }
}

impl<N: Axis, C: Axis, H: Axis, W: Axis, E: Element> Tensor<4, (N, C, H, W), E> {
    /// The largest entry under each place of a window that slides across rows and columns. PyTorch:
    /// `max_pool2d`.
    ///
    /// Shape `(N, C, H, W)` to `(N, C, H′, W′)` with H′ = (H + 2·padding − dilation·(K − 1) − 1)/stride + 1 and W′
    /// likewise, for sizes up to 2047. The window is [`Pool<K, STRIDE, PADDING, DILATION>`](crate::shape::Pool), or it in
    /// [`Ceil`](crate::shape::Ceil), which rounds sizes up, or a pair of them. Padding takes no part: it is −∞. More of
    /// it than half the window does not compile (found when the program is built, not by `cargo check`). The gradient
    /// goes to the first of several equal ones in row-major order; NaN counts as larger than any number.
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
        let pooled = const {
            &Pooled::across::<
                H,
                P::Rows,
                Slid<H, (), P::Rows>,
                W,
                P::Columns,
                Slid<W, (), P::Columns>,
            >("max_pool2d")
        };
        max_pooled(&self.raw, pooled)
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
        let pooled = const { &Pooled::across::<H, P::Rows, OH, W, P::Columns, OW>("max_pool2d") };
        max_pooled(&self.raw, pooled)
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
        let pooled = const {
            &Pooled::across::<
                H,
                P::Rows,
                Slid<H, (), P::Rows>,
                W,
                P::Columns,
                Slid<W, (), P::Columns>,
            >("max_pool2d")
        };
        let dims = <(N, C, Slid<H, (), P::Rows>, Slid<W, (), P::Columns>) as AnyShape>::DIMS;
        let (raw, [row, column]) = max_pooled_at(&self.raw, pooled, dims, W::SIZE);
        (Tensor::from_raw(raw), row.into(), column.into())
    }

    /// [`max_pool2d_with_indices`](Self::max_pool2d_with_indices) for axes of any size, and in generic code: the sizes
    /// of the results follow from the types that are wanted. PyTorch: `max_pool2d(return_indices=True)`.
    ///
    /// Wrong ones do not compile; that is found when the program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Pool;
    ///
    /// fn last<const H: usize, const W: usize>(x: &Tensor<4, shape![1, 1, H, W]>) -> [usize; 2] {
    ///     let (_, row, column) = x.max_pool2d_with_indices_as::<_, Dim<2>, Dim<1>>(Pool::<2>);
    ///     [row.as_slice()[1], column.as_slice()[1]]
    /// }
    /// let x = Tensor::<1, shape![8]>::arange(0.0, 1.0).reshape::<shape![1, 1, 4, 2]>();
    /// assert_eq!(last(&x), [3, 1]);
    /// ```
    #[allow(clippy::type_complexity)] // the values, and indices of the same shape bounded by each axis
    pub fn max_pool2d_with_indices_as<P: Across, OH: Axis, OW: Axis>(
        &self,
        window: P,
    ) -> (
        Tensor<4, (N, C, OH, OW), E>,
        H::Indices<(N, C, OH, OW)>,
        W::Indices<(N, C, OH, OW)>,
    )
    where
        P::Rows: Pooling,
        P::Columns: Pooling,
    {
        let _ = window;
        let pooled = const { &Pooled::across::<H, P::Rows, OH, W, P::Columns, OW>("max_pool2d") };
        let dims = <(N, C, OH, OW) as AnyShape>::DIMS;
        let (raw, [row, column]) = max_pooled_at(&self.raw, pooled, dims, W::SIZE);
        (Tensor::from_raw(raw), row.into(), column.into())
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
        let pooled = const { &Pooled::whole::<H, W>("max_pool2d") };
        max_pooled(&self.raw, pooled)
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
        let pooled = const {
            &Pooled::across::<
                H,
                P::Rows,
                Slid<H, (), P::Rows>,
                W,
                P::Columns,
                Slid<W, (), P::Columns>,
            >("avg_pool2d")
            .mean("avg_pool2d")
        };
        mean_pooled(&self.raw, pooled)
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
        let pooled = const {
            &Pooled::across::<H, P::Rows, OH, W, P::Columns, OW>("avg_pool2d").mean("avg_pool2d")
        };
        mean_pooled(&self.raw, pooled)
    }
}
