//! Transposed convolutions: what a convolution does to a gradient, as an operation.

use super::conv::{Direction, convolved};
use crate::element::Element;
use crate::shape::{
    Across, Along, Axis, Conv, Makes, SameChannels, SpreadOver, Spreading, Spreads, Sweep,
};
use crate::tensor::Tensor;

impl<N: Axis, C: Axis, L: Axis, E: Element> Tensor<3, (N, C, L), E> {
    /// The transposed convolution: each entry of the last axis lays its multiple of the kernel over the result.
    /// PyTorch: `conv_transpose1d`.
    ///
    /// `y[n][o][i·stride + k·dilation − padding] = Σ w[c][o][k] · x[n][c][i]`, summed over all channels `c`,
    /// places `i` and entries `k` of the kernel that meet there: the gradient of [`conv1d`](Self::conv1d) with respect
    /// to its input. Its own gradients are a convolution, and the same sums taken for the weight.
    ///
    /// Shapes `(N, C, L)` and `(C, O / groups, K)` to
    /// `(N, O, (L − 1)·stride − 2·padding + dilation·(K − 1) + output padding + 1)`. The size is computed by the
    /// compiler, for sizes up to 2047; one below 1 does not compile, nor an output padding that is smaller neither
    /// than the stride nor than the dilation. `way` is a [`Spread`], or one in [`Groups`], whose number must divide
    /// the channels (found when the program is built, not by `cargo check`).
    ///
    /// [`Spread`]: crate::shape::Spread
    /// [`Groups`]: crate::shape::Groups
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Spread;
    ///
    /// let x = Tensor::from([[[1.0f32, 2.0, 3.0]]]);
    /// let w = Tensor::from([[[1.0f32, 10.0]]]);
    /// assert_eq!(x.conv_transpose1d(&w, Spread::<1>).to_array(), [[[1.0, 12.0, 23.0, 30.0]]]);
    /// assert_eq!(x.conv_transpose1d(&w, Spread::<2>).to_array(), [[[1.0, 10.0, 2.0, 20.0, 3.0, 30.0]]]);
    /// ```
    #[allow(clippy::type_complexity)] // sizes are computed
    pub fn conv_transpose1d<I: Axis + SameChannels<C>, O: Axis, K: Axis, P: Along>(
        &self,
        weight: &Tensor<3, (I, O, K), E>,
        way: P,
    ) -> Tensor<3, (N, <P::Groups as Makes<O>>::Output, SpreadOver<L, K, P::Way>), E>
    where
        P::Way: Spreading,
        P::Groups: Makes<O>,
        L: Spreads<K, P::Way>,
    {
        let _ = way;
        let conv = const {
            let columns =
                Sweep::spread::<L, K, P::Way, SpreadOver<L, K, P::Way>>("conv_transpose1d");
            &Conv::transposed::<N, C, O, <P::Groups as Makes<O>>::Output, P::Groups>(
                "conv_transpose1d",
                Sweep::NONE,
                columns,
            )
        };
        convolved(&self.raw, &weight.raw, conv, Direction::Transposed)
    }

    /// [`conv_transpose1d`](Self::conv_transpose1d) for axes of any size, and in generic code: the channels and the
    /// size of the result follow from the type that is wanted. PyTorch: `conv_transpose1d`.
    ///
    /// Wrong ones do not compile; that is found when the program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Spread;
    ///
    /// let x = Tensor::<3, shape![1, 2, 10_000]>::ones();
    /// let w = Tensor::<3, shape![2, 3, 8]>::ones();
    /// let y: Tensor<3, shape![1, 3, 40_004]> = x.conv_transpose1d_as(&w, Spread::<4>);
    /// assert_eq!(y[[0, 2, 20_000]], 4.0);
    /// ```
    pub fn conv_transpose1d_as<
        I: Axis + SameChannels<C>,
        O: Axis,
        K: Axis,
        P: Along,
        Channels: Axis,
        Out: Axis,
    >(
        &self,
        weight: &Tensor<3, (I, O, K), E>,
        way: P,
    ) -> Tensor<3, (N, Channels, Out), E>
    where
        P::Way: Spreading,
    {
        let _ = way;
        let conv = const {
            let columns = Sweep::spread::<L, K, P::Way, Out>("conv_transpose1d");
            &Conv::transposed::<N, C, O, Channels, P::Groups>(
                "conv_transpose1d",
                Sweep::NONE,
                columns,
            )
        };
        convolved(&self.raw, &weight.raw, conv, Direction::Transposed)
    }
}

impl<N: Axis, C: Axis, H: Axis, W: Axis, E: Element> Tensor<4, (N, C, H, W), E> {
    /// The transposed convolution: each entry lays its multiple of the kernel over the result. PyTorch:
    /// `conv_transpose2d`.
    ///
    /// `y[n][o][i·stride + k·dilation − padding][j·stride + ..] = Σ w[c][o][k][l] · x[n][c][i][j]`, summed over all
    /// channels `c`, places `(i, j)` and entries `(k, l)` of the kernel that meet there: the gradient of
    /// [`conv2d`](Self::conv2d) with respect to its input. Its own gradients are a convolution, and the same sums taken
    /// for the weight.
    ///
    /// Shapes `(N, C, H, W)` and `(C, O / groups, KH, KW)` to `(N, O, H′, W′)` with
    /// H′ = (H − 1)·stride − 2·padding + dilation·(KH − 1) + output padding + 1 and W′ likewise. The sizes are computed
    /// by the compiler, for sizes up to 2047; one below 1 does not compile, nor an output padding that is smaller
    /// neither than the stride nor than the dilation. `way` is a [`Spread`], a pair of them, or one of these in
    /// [`Groups`], whose number must divide the channels (found when the program is built, not by `cargo check`).
    ///
    /// [`Spread`]: crate::shape::Spread
    /// [`Groups`]: crate::shape::Groups
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Spread;
    ///
    /// let x = Tensor::<4, shape![32, 8, 7, 7]>::ones();
    /// let w = Param::<4, shape![8, 3, 4, 4]>::ones();
    /// let y: Tensor<4, shape![32, 3, 14, 14]> = x.conv_transpose2d(&w, Spread::<2, 1>);
    /// assert_eq!((y[[0, 0, 0, 0]], y[[0, 0, 1, 1]]), (8.0, 32.0));
    /// ```
    #[allow(clippy::type_complexity)] // sizes are computed
    pub fn conv_transpose2d<I: Axis + SameChannels<C>, O: Axis, KH: Axis, KW: Axis, P: Across>(
        &self,
        weight: &Tensor<4, (I, O, KH, KW), E>,
        way: P,
    ) -> Tensor<
        4,
        (
            N,
            <P::Groups as Makes<O>>::Output,
            SpreadOver<H, KH, P::Rows>,
            SpreadOver<W, KW, P::Columns>,
        ),
        E,
    >
    where
        P::Rows: Spreading,
        P::Columns: Spreading,
        P::Groups: Makes<O>,
        H: Spreads<KH, P::Rows>,
        W: Spreads<KW, P::Columns>,
    {
        let _ = way;
        let conv = const {
            let rows =
                Sweep::spread::<H, KH, P::Rows, SpreadOver<H, KH, P::Rows>>("conv_transpose2d");
            let columns = Sweep::spread::<W, KW, P::Columns, SpreadOver<W, KW, P::Columns>>(
                "conv_transpose2d",
            );
            &Conv::transposed::<N, C, O, <P::Groups as Makes<O>>::Output, P::Groups>(
                "conv_transpose2d",
                rows,
                columns,
            )
        };
        convolved(&self.raw, &weight.raw, conv, Direction::Transposed)
    }

    /// [`conv_transpose2d`](Self::conv_transpose2d) for axes of any size, and in generic code: the channels and the
    /// sizes of the result follow from the type that is wanted. PyTorch: `conv_transpose2d`.
    ///
    /// Wrong ones do not compile; that is found when the program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Spread;
    ///
    /// fn double<N: Axis, const S: usize, const TWICE: usize>(
    ///     x: &Tensor<4, (N, Dim<8>, Dim<S>, Dim<S>)>,
    ///     w: &Tensor<4, shape![8, 3, 2, 2]>,
    /// ) -> Tensor<4, (N, Dim<3>, Dim<TWICE>, Dim<TWICE>)> {
    ///     x.conv_transpose2d_as(w, Spread::<2>)
    /// }
    /// let w = Tensor::ones();
    /// let y: Tensor<4, shape![2, 3, 32, 32]> = double(&Tensor::<4, shape![2, 8, 16, 16]>::ones(), &w);
    /// assert_eq!(y[[1, 2, 31, 31]], 8.0);
    /// ```
    pub fn conv_transpose2d_as<
        I: Axis + SameChannels<C>,
        O: Axis,
        KH: Axis,
        KW: Axis,
        P: Across,
        Channels: Axis,
        OH: Axis,
        OW: Axis,
    >(
        &self,
        weight: &Tensor<4, (I, O, KH, KW), E>,
        way: P,
    ) -> Tensor<4, (N, Channels, OH, OW), E>
    where
        P::Rows: Spreading,
        P::Columns: Spreading,
    {
        let _ = way;
        let conv = const {
            let rows = Sweep::spread::<H, KH, P::Rows, OH>("conv_transpose2d");
            let columns = Sweep::spread::<W, KW, P::Columns, OW>("conv_transpose2d");
            &Conv::transposed::<N, C, O, Channels, P::Groups>("conv_transpose2d", rows, columns)
        };
        convolved(&self.raw, &weight.raw, conv, Direction::Transposed)
    }
}
