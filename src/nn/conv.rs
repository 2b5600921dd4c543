//! The convolution of images as a layer.

use super::{Layer, Module};
use crate::element::{Element, count};
use crate::shape::{Across, Axis, Dim, Slid, Slides, Takes, Valid, Way};
use crate::tensor::{Param, Tensor};

/// A convolution of images and a bias for each channel: from `I` channels to `O`, with a kernel of `K × K`.
/// PyTorch: `Conv2d`.
///
/// `P` says how the kernel slides: see [`conv2d`](Tensor::conv2d). With channels in `G` groups, `I` is the
/// number of channels of one group: `Conv2d<1, 32, 3, Groups<32, Same>>` is depthwise.
///
/// ```
/// use shapeproof::nn::{Conv2d, Relu};
/// use shapeproof::prelude::*;
/// use shapeproof::shape::{Same, Slide};
///
/// let rng = &mut Rng::seed(0);
/// let model = (
///     Conv2d::<3, 8, 5>::new(rng),
///     Relu,
///     Conv2d::<8, 16, 3, Slide<2, 1>>::new(rng),
///     Relu,
///     Conv2d::<16, 16, 3, Same>::new(rng),
/// );
/// let y: Tensor<4, shape![10, 16, 12, 12]> = model.forward(&Tensor::<4, shape![10, 3, 28, 28]>::ones());
/// ```
#[derive(Clone, Debug)]
pub struct Conv2d<const I: usize, const O: usize, const K: usize, P = Valid, E: Element = f32> {
    /// The kernels, of shape `(O, I, K, K)`.
    pub weight: Param<4, (Dim<O>, Dim<I>, Dim<K>, Dim<K>), E>,
    /// One number a channel, of shape `(O,)`.
    pub bias: Param<1, (Dim<O>,), E>,
    /// How the kernel slides.
    pub way: P,
}

impl<const I: usize, const O: usize, const K: usize, P: Default, E: Element> Conv2d<I, O, K, P, E> {
    /// Weight and bias uniform in ±1/√(I·K²), as in PyTorch.
    ///
    /// # Panics
    /// If `I` or `K` is 0 and `O` is not: there is no such range.
    #[track_caller]
    pub fn new(rng: &mut impl rand_core::Rng) -> Self {
        let bound = count::<E>(I * K * K).sqrt().recip();
        Conv2d {
            weight: Param::new(Tensor::uniform(-bound, bound, rng)),
            bias: Param::new(Tensor::uniform(-bound, bound, rng)),
            way: P::default(),
        }
    }
}

impl<const I: usize, const O: usize, const K: usize, P, E: Element> Module<E>
    for Conv2d<I, O, K, P, E>
{
    crate::fields!(E: weight, bias);
}

impl<N, C, H, W, const I: usize, const O: usize, const K: usize, P, E>
    Layer<Tensor<4, (N, C, H, W), E>> for Conv2d<I, O, K, P, E>
where
    N: Axis,
    C: Axis,
    P: Across<Rows: Way, Columns: Way> + Copy,
    E: Element,
    H: Slides<Dim<K>, P::Rows>,
    W: Slides<Dim<K>, P::Columns>,
    P::Groups: Takes<C, Dim<I>>,
{
    type Output = Tensor<
        4,
        (
            N,
            Dim<O>,
            Slid<H, Dim<K>, P::Rows>,
            Slid<W, Dim<K>, P::Columns>,
        ),
        E,
    >;
    fn forward(&self, input: &Tensor<4, (N, C, H, W), E>) -> Self::Output {
        let bias = self.bias.unsqueeze::<1>().unsqueeze::<2>();
        input.conv2d(&self.weight, self.way) + bias
    }
}
