//! Convolutions of signals and of images.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel;
use crate::shape::{Across, Along, Axis, Conv, Dims, Shape, Slid, Slides, Sweep, Takes, Way};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor};

compiled! {
    /// Convolutions.
    trait Convolve {
        fn convolve(x: &Raw<E>, weight: &Raw<E>, conv: &'static Conv, direction: Direction, dims: Dims) -> Raw<E>
            => one_for_all(weight);
    }
}

/// Which of the two of a convolution goes forward: what it computes, or the gradient of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// A convolution.
    Plain,
    /// A transposed convolution.
    Transposed,
}

impl Direction {
    /// What goes forward that way.
    fn run<E: Element>(self, conv: &Conv, x: &[E], weight: &[E]) -> Buffer<E> {
        match self {
            Direction::Plain => kernel::conv(conv, x, weight),
            Direction::Transposed => kernel::conv_input_grad(conv, x, weight),
        }
    }

    fn back(self) -> Direction {
        match self {
            Direction::Plain => Direction::Transposed,
            Direction::Transposed => Direction::Plain,
        }
    }
}

/// A convolution of either direction, over one axis or two.
struct Convolution<E: Element> {
    conv: &'static Conv,
    direction: Direction,
    name: &'static str,
    /// Saved if the weight's gradient is wanted.
    input: Option<Buffer<E>>,
    /// Saved if the input's gradient is wanted.
    weight: Option<Buffer<E>>,
}

impl<E: Element> Rule<E> for Convolution<E> {
    fn name(&self) -> &'static str {
        self.name
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        if let Some(weight) = &self.weight {
            to.give(0, self.direction.back().run(self.conv, &grad, weight));
        }
        if let Some(input) = &self.input {
            let (x, y) = match self.direction {
                Direction::Plain => (input, &grad),
                Direction::Transposed => (&grad, input),
            };
            to.give(1, kernel::conv_weight_grad(self.conv, x, y));
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        if let Some(input) = &self.input {
            visit("input", Saved::Values(input));
        }
        if let Some(weight) = &self.weight {
            visit("weight", Saved::Values(weight));
        }
    }
}

fn convolve<E: Element>(
    x: &Raw<E>,
    weight: &Raw<E>,
    conv: &'static Conv,
    direction: Direction,
    dims: Dims,
) -> Raw<E> {
    Raw {
        values: direction.run(conv, &x.values, &weight.values),
        node: parents([x.node.as_ref(), weight.node.as_ref()]).map(|parents| {
            let rule = Convolution {
                conv,
                direction,
                // Batch, channels, and the axes that are swept over.
                name: match (direction, dims.len()) {
                    (Direction::Plain, 3) => "conv1d",
                    (Direction::Plain, _) => "conv2d",
                    (Direction::Transposed, 3) => "conv_transpose1d",
                    (Direction::Transposed, _) => "conv_transpose2d",
                },
                input: parents.wanted(1).then(|| x.values.clone()),
                weight: parents.wanted(0).then(|| weight.values.clone()),
            };
            parents.record(dims, rule)
        }),
    }
}

/// Assertions stand in the methods themselves, so that the compiler shows where they are called.
pub(super) fn convolved<const R: usize, S: Shape<R>, E: Element>(
    x: &Raw<E>,
    weight: &Raw<E>,
    conv: &'static Conv,
    direction: Direction,
) -> Tensor<R, S, E> {
    let raw = <E::Ops as Convolve<E>>::convolve(x, weight, conv, direction, S::DIMS);
    Tensor::from_raw(raw)
}

impl<N: Axis, C: Axis, L: Axis, E: Element> Tensor<3, (N, C, L), E> {
    /// The convolution with kernels that slide along the last axis. PyTorch: `conv1d`.
    ///
    /// `y[n][o][i] = Σ w[o][c][k] · x[n][c][i·stride + k·dilation − padding]`, summed over the channels `c` and
    /// the entries `k` of the kernel; outside of `x` are zeros. Gradients are the same sums taken the other way.
    ///
    /// Shapes `(N, C, L)` and `(O, C / groups, K)` to `(N, O, (L + 2·padding − dilation·(K − 1) − 1)/stride + 1)`.
    /// The size is computed by the compiler, for sizes up to 2047; a kernel that does not fit does not compile.
    /// `way` says how the kernel slides: [`Slide`], [`Valid`], [`Same`], or one of them in [`Groups`], whose
    /// number must divide the channels (found when the program is built, not by `cargo check`).
    ///
    /// [`Slide`]: crate::shape::Slide
    /// [`Valid`]: crate::shape::Valid
    /// [`Same`]: crate::shape::Same
    /// [`Groups`]: crate::shape::Groups
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::{Slide, Valid};
    ///
    /// let x = Tensor::from([[[1.0f32, 2.0, 3.0, 4.0]]]);
    /// let w = Tensor::from([[[1.0f32, 10.0]]]);
    /// assert_eq!(x.conv1d(&w, Valid).to_array(), [[[21.0, 32.0, 43.0]]]);
    /// assert_eq!(x.conv1d(&w, Slide::<2, 1>).to_array(), [[[10.0, 32.0, 4.0]]]);
    /// ```
    #[allow(clippy::type_complexity)] // a size is computed
    pub fn conv1d<O: Axis, I: Axis, K: Axis, P: Along>(
        &self,
        weight: &Tensor<3, (O, I, K), E>,
        way: P,
    ) -> Tensor<3, (N, O, Slid<L, K, P::Way>), E>
    where
        P::Way: Way,
        P::Groups: Takes<C, I>,
        L: Slides<K, P::Way>,
    {
        let _ = way;
        let conv = const {
            let columns = Sweep::of::<L, K, P::Way, Slid<L, K, P::Way>>("conv1d");
            &Conv::of::<N, C, O, I, P::Groups>("conv1d", Sweep::NONE, columns)
        };
        convolved(&self.raw, &weight.raw, conv, Direction::Plain)
    }

    /// [`conv1d`](Self::conv1d) for axes of any size, and in generic code: the size of the result follows from
    /// the type that is wanted. PyTorch: `conv1d`.
    ///
    /// A wrong one does not compile; that is found when the program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Slide;
    ///
    /// let x = Tensor::<3, shape![1, 2, 40_000]>::ones();
    /// let w = Tensor::<3, shape![3, 2, 8]>::ones();
    /// let y: Tensor<3, shape![1, 3, 9999]> = x.conv1d_as(&w, Slide::<4>);
    /// assert_eq!(y[[0, 2, 9998]], 16.0);
    /// ```
    pub fn conv1d_as<O: Axis, I: Axis, K: Axis, P: Along, Out: Axis>(
        &self,
        weight: &Tensor<3, (O, I, K), E>,
        way: P,
    ) -> Tensor<3, (N, O, Out), E>
    where
        P::Way: Way,
        P::Groups: Takes<C, I>,
    {
        let _ = way;
        let conv = const {
            let columns = Sweep::of::<L, K, P::Way, Out>("conv1d");
            &Conv::of::<N, C, O, I, P::Groups>("conv1d", Sweep::NONE, columns)
        };
        convolved(&self.raw, &weight.raw, conv, Direction::Plain)
    }
}

impl<N: Axis, C: Axis, H: Axis, W: Axis, E: Element> Tensor<4, (N, C, H, W), E> {
    /// The convolution with kernels that slide across rows and columns. PyTorch: `conv2d`.
    ///
    /// `y[n][o][i][j] = Σ w[o][c][k][l] · x[n][c][i·stride + k·dilation − padding][j·stride + ..]`, summed over
    /// the channels `c` and the entries `(k, l)` of the kernel; outside of `x` are zeros. Gradients are the
    /// same sums taken the other way.
    ///
    /// Shapes `(N, C, H, W)` and `(O, C / groups, KH, KW)` to `(N, O, H′, W′)` with
    /// H′ = (H + 2·padding − dilation·(KH − 1) − 1)/stride + 1 and W′ likewise. The sizes are computed by the
    /// compiler, for sizes up to 2047; a kernel that does not fit does not compile. `way` says how the kernel
    /// slides: [`Slide`], [`Valid`], [`Same`], a pair of them, or one of these in [`Groups`], whose number must
    /// divide the channels (found when the program is built, not by `cargo check`).
    ///
    /// A bias is added as a tensor of shape `(O, 1, 1)`; [`Conv2d`] does that.
    ///
    /// [`Slide`]: crate::shape::Slide
    /// [`Valid`]: crate::shape::Valid
    /// [`Same`]: crate::shape::Same
    /// [`Groups`]: crate::shape::Groups
    /// [`Conv2d`]: crate::nn::Conv2d
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::{Same, Slide, Valid};
    ///
    /// let x = Tensor::<4, shape![32, 3, 28, 28]>::ones().tracked();
    /// let w = Param::<4, shape![8, 3, 5, 5]>::ones();
    /// let y: Tensor<4, shape![32, 8, 24, 24]> = x.conv2d(&w, Valid);
    /// let y: Tensor<4, shape![32, 8, 28, 28]> = x.conv2d(&w, Same);
    /// let y: Tensor<4, shape![32, 8, 13, 13]> = x.conv2d(&w, Slide::<2, 1>);
    /// assert_eq!((y[[0, 0, 0, 0]], y[[0, 0, 1, 1]]), (48.0, 75.0));
    /// ```
    #[allow(clippy::type_complexity)] // sizes are computed
    pub fn conv2d<O: Axis, I: Axis, KH: Axis, KW: Axis, P: Across>(
        &self,
        weight: &Tensor<4, (O, I, KH, KW), E>,
        way: P,
    ) -> Tensor<4, (N, O, Slid<H, KH, P::Rows>, Slid<W, KW, P::Columns>), E>
    where
        P::Rows: Way,
        P::Columns: Way,
        P::Groups: Takes<C, I>,
        H: Slides<KH, P::Rows>,
        W: Slides<KW, P::Columns>,
    {
        let _ = way;
        let conv = const {
            let rows = Sweep::of::<H, KH, P::Rows, Slid<H, KH, P::Rows>>("conv2d");
            let columns = Sweep::of::<W, KW, P::Columns, Slid<W, KW, P::Columns>>("conv2d");
            &Conv::of::<N, C, O, I, P::Groups>("conv2d", rows, columns)
        };
        convolved(&self.raw, &weight.raw, conv, Direction::Plain)
    }

    /// [`conv2d`](Self::conv2d) for axes of any size, and in generic code: the sizes of the result follow from
    /// the type that is wanted. PyTorch: `conv2d`.
    ///
    /// Wrong ones do not compile; that is found when the program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use shapeproof::shape::Slide;
    ///
    /// fn halve<N: Axis, const S: usize, const HALF: usize>(
    ///     x: &Tensor<4, (N, Dim<3>, Dim<S>, Dim<S>)>,
    ///     w: &Tensor<4, shape![8, 3, 3, 3]>,
    /// ) -> Tensor<4, (N, Dim<8>, Dim<HALF>, Dim<HALF>)> {
    ///     x.conv2d_as(w, Slide::<2, 1>)
    /// }
    /// let w = Tensor::ones();
    /// let y: Tensor<4, shape![2, 8, 16, 16]> = halve(&Tensor::<4, shape![2, 3, 32, 32]>::ones(), &w);
    /// assert_eq!(y[[1, 7, 15, 15]], 27.0);
    /// ```
    pub fn conv2d_as<O: Axis, I: Axis, KH: Axis, KW: Axis, P: Across, OH: Axis, OW: Axis>(
        &self,
        weight: &Tensor<4, (O, I, KH, KW), E>,
        way: P,
    ) -> Tensor<4, (N, O, OH, OW), E>
    where
        P::Rows: Way,
        P::Columns: Way,
        P::Groups: Takes<C, I>,
    {
        let _ = way;
        let conv = const {
            let rows = Sweep::of::<H, KH, P::Rows, OH>("conv2d");
            let columns = Sweep::of::<W, KW, P::Columns, OW>("conv2d");
            &Conv::of::<N, C, O, I, P::Groups>("conv2d", rows, columns)
        };
        convolved(&self.raw, &weight.raw, conv, Direction::Plain)
    }
}
