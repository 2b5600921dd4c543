//! Convolutions of signals and images as layers, plain and transposed.
//!
//! They take a batch, or one signal or image alone, as in PyTorch.

use super::{Layer, Module};
use crate::element::{Element, count};
use crate::shape::{
    Across, Along, Axis, Dim, MadeAcross, MadeAlong, Makes, SameChannels, Slid, Slides, Spread,
    SpreadOver, Spreading, Spreads, Takes, Valid, Way,
};
use crate::tensor::{Param, Tensor};

/// Each layer has a weight and a bias; `$entries` are the entries of the kernel that fan-in counts, `$Channels` is the
/// axis of the result's channels.
macro_rules! convolutions {
    ($(
        $(#[$doc:meta])*
        $Name:ident by $P:ident $(of [$($Way:tt)*])? = $Default:ty: $rank:literal ($($Axis:ty),*), $(#[$shape:meta])*
            $Channels:ty, bound by $entries:expr;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $Name<const I: usize, const O: usize, const K: usize, $P = $Default, E: Element = f32>
        $(where $P: $($Way)*)?
        {
            $(#[$shape])*
            pub weight: Param<$rank, ($($Axis),*), E>,
            /// One number a channel of the result.
            pub bias: Param<1, ($Channels,), E>,
            /// How the kernel goes along.
            pub way: $P,
        }

        impl<const I: usize, const O: usize, const K: usize, $P: Default, E: Element> $Name<I, O, K, $P, E>
        $(where $P: $($Way)*)?
        {
            /// Weight and bias uniform in ±1/√fan-in, as in PyTorch: entries of the weight for one number of axis 0.
            ///
            /// # Panics
            /// If there are none, and yet a weight or a bias: there is no such range.
            #[track_caller]
            pub fn new(rng: &mut impl rand_core::Rng) -> Self {
                let bound = count::<E>($entries).sqrt().recip();
                $Name {
                    weight: Param::new(Tensor::uniform(-bound, bound, rng)),
                    bias: Param::new(Tensor::uniform(-bound, bound, rng)),
                    way: <$P>::default(),
                }
            }
        }

        impl<const I: usize, const O: usize, const K: usize, $P, E: Element> Module<E> for $Name<I, O, K, $P, E>
        $(where $P: $($Way)*)?
        {
            crate::fields!(E: weight, bias);
        }
    )*};
}
convolutions! {
    /// A convolution of signals and a bias for each channel: from `I` channels to `O`, with a kernel of `K`. PyTorch:
    /// `Conv1d`.
    ///
    /// `P` says how the kernel slides: see [`conv1d`](Tensor::conv1d). With channels in groups, `I` is the number of
    /// channels of one group.
    ///
    /// ```
    /// use shapeproof::nn::{Conv1d, Relu};
    /// use shapeproof::prelude::*;
    /// use shapeproof::shape::Slide;
    ///
    /// let rng = &mut Rng::seed(0);
    /// let model = (Conv1d::<2, 8, 5>::new(rng), Relu, Conv1d::<8, 4, 3, Slide<2, 1>>::new(rng));
    /// let y: Tensor<3, shape![10, 4, 48]> = model.forward(&Tensor::<3, shape![10, 2, 100]>::ones());
    /// ```
    Conv1d by P = Valid: 3 (Dim<O>, Dim<I>, Dim<K>),
        /// The kernels, of shape `(O, I, K)`.
        Dim<O>, bound by I * K;

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
    Conv2d by P = Valid: 4 (Dim<O>, Dim<I>, Dim<K>, Dim<K>),
        /// The kernels, of shape `(O, I, K, K)`.
        Dim<O>, bound by I * K * K;

    /// A transposed convolution of signals and a bias for each channel: from `I` channels to `O`, with a kernel of `K`.
    /// PyTorch: `ConvTranspose1d`.
    ///
    /// `P` says how the kernel spreads: see [`conv_transpose1d`](Tensor::conv_transpose1d). With channels in groups, `O`
    /// is the number of channels that one group makes.
    ///
    /// ```
    /// use shapeproof::nn::ConvTranspose1d;
    /// use shapeproof::prelude::*;
    /// use shapeproof::shape::Spread;
    ///
    /// let layer = ConvTranspose1d::<8, 2, 4, Spread<2, 1>>::new(&mut Rng::seed(0));
    /// let y: Tensor<3, shape![10, 2, 100]> = layer.forward(&Tensor::<3, shape![10, 8, 50]>::ones());
    /// ```
    ConvTranspose1d by P of [Along<Groups: Makes<Dim<O>>>] = Spread: 3 (Dim<I>, Dim<O>, Dim<K>),
        /// The kernels, of shape `(I, O, K)`.
        MadeAlong<P, Dim<O>>, bound by O * K;

    /// A transposed convolution of images and a bias for each channel: from `I` channels to `O`, with a kernel of
    /// `K × K`. PyTorch: `ConvTranspose2d`.
    ///
    /// `P` says how the kernel spreads: see [`conv_transpose2d`](Tensor::conv_transpose2d). With channels in `G` groups,
    /// `O` is the number of channels that one group makes: `ConvTranspose2d<32, 1, 4, Groups<32, Spread<2, 1>>>` is
    /// depthwise.
    ///
    /// ```
    /// use shapeproof::nn::{ConvTranspose2d, Relu, Sigmoid};
    /// use shapeproof::prelude::*;
    /// use shapeproof::shape::Spread;
    ///
    /// let rng = &mut Rng::seed(0);
    /// let decoder = (
    ///     ConvTranspose2d::<16, 8, 4, Spread<2, 1>>::new(rng),
    ///     Relu,
    ///     ConvTranspose2d::<8, 3, 4, Spread<2, 1>>::new(rng),
    ///     Sigmoid,
    /// );
    /// let y: Tensor<4, shape![10, 3, 28, 28]> = decoder.forward(&Tensor::<4, shape![10, 16, 7, 7]>::ones());
    /// ```
    ConvTranspose2d by P of [Across<Groups: Makes<Dim<O>>>] = Spread: 4 (Dim<I>, Dim<O>, Dim<K>, Dim<K>),
        /// The kernels, of shape `(I, O, K, K)`.
        MadeAcross<P, Dim<O>>, bound by O * K * K;
}

/// What a layer along one axis does to a batch of signals, and to one signal.
macro_rules! along {
    ($Name:ident $method:ident by [$($way:tt)*], $Slides:ident to $Channels:ty, $Slid:ident where $($channels:tt)*) => {
        impl<N, C, L, const I: usize, const O: usize, const K: usize, P, E>
            Layer<Tensor<3, (N, C, L), E>> for $Name<I, O, K, P, E>
        where
            N: Axis,
            C: Axis,
            P: $($way)* + Copy,
            E: Element,
            L: $Slides<Dim<K>, P::Way>,
            $($channels)*
        {
            type Output = Tensor<3, (N, $Channels, $Slid<L, Dim<K>, P::Way>), E>;
            fn forward(&self, input: &Tensor<3, (N, C, L), E>) -> Self::Output {
                input.$method(&self.weight, self.way) + self.bias.unsqueeze::<1>()
            }
        }

        impl<C, L, const I: usize, const O: usize, const K: usize, P, E>
            Layer<Tensor<2, (C, L), E>> for $Name<I, O, K, P, E>
        where
            C: Axis,
            P: $($way)* + Copy,
            E: Element,
            L: $Slides<Dim<K>, P::Way>,
            $($channels)*
        {
            type Output = Tensor<2, ($Channels, $Slid<L, Dim<K>, P::Way>), E>;
            fn forward(&self, input: &Tensor<2, (C, L), E>) -> Self::Output {
                self.forward(&input.unsqueeze::<0>()).squeeze::<0>()
            }
        }
    };
}
along! {
    Conv1d conv1d by [Along<Way: Way>], Slides to Dim<O>, Slid where P::Groups: Takes<C, Dim<I>>
}
along! {
    ConvTranspose1d conv_transpose1d by [Along<Way: Spreading, Groups: Makes<Dim<O>>>],
    Spreads to MadeAlong<P, Dim<O>>, SpreadOver where Dim<I>: SameChannels<C>
}

/// What a layer across rows and columns does to a batch of images, and to one image.
macro_rules! across {
    ($Name:ident $method:ident by [$($way:tt)*], $Slides:ident to $Channels:ty, $Slid:ident where $($channels:tt)*) => {
        impl<N, C, H, W, const I: usize, const O: usize, const K: usize, P, E>
            Layer<Tensor<4, (N, C, H, W), E>> for $Name<I, O, K, P, E>
        where
            N: Axis,
            C: Axis,
            P: $($way)* + Copy,
            E: Element,
            H: $Slides<Dim<K>, P::Rows>,
            W: $Slides<Dim<K>, P::Columns>,
            $($channels)*
        {
            type Output =
                Tensor<4, (N, $Channels, $Slid<H, Dim<K>, P::Rows>, $Slid<W, Dim<K>, P::Columns>), E>;
            fn forward(&self, input: &Tensor<4, (N, C, H, W), E>) -> Self::Output {
                let bias = self.bias.unsqueeze::<1>().unsqueeze::<2>();
                input.$method(&self.weight, self.way) + bias
            }
        }

        impl<C, H, W, const I: usize, const O: usize, const K: usize, P, E>
            Layer<Tensor<3, (C, H, W), E>> for $Name<I, O, K, P, E>
        where
            C: Axis,
            P: $($way)* + Copy,
            E: Element,
            H: $Slides<Dim<K>, P::Rows>,
            W: $Slides<Dim<K>, P::Columns>,
            $($channels)*
        {
            type Output =
                Tensor<3, ($Channels, $Slid<H, Dim<K>, P::Rows>, $Slid<W, Dim<K>, P::Columns>), E>;
            fn forward(&self, input: &Tensor<3, (C, H, W), E>) -> Self::Output {
                self.forward(&input.unsqueeze::<0>()).squeeze::<0>()
            }
        }
    };
}
across! {
    Conv2d conv2d by [Across<Rows: Way, Columns: Way>],
    Slides to Dim<O>, Slid where P::Groups: Takes<C, Dim<I>>
}
across! {
    ConvTranspose2d conv_transpose2d by [Across<Rows: Spreading, Columns: Spreading, Groups: Makes<Dim<O>>>],
    Spreads to MadeAcross<P, Dim<O>>, SpreadOver where Dim<I>: SameChannels<C>
}
