//! Images made larger or smaller.

use super::compiled::compiled;
use super::pool::planes;
use crate::element::{Element, count};
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Taps};
use crate::shape::{Axis, Dim, Dims, Pooled, Shape, Sweep};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor};

compiled! {
    /// Resampling.
    trait Resample {
        fn resample(x: &Raw<E>, from: [usize; 2], to: [usize; 2], kind: Kind, dims: Dims) -> Raw<E>;
    }
}

/// Which resampling it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each is the method of its name
pub enum Kind {
    Adaptive1,
    Adaptive2,
    Global,
    Nearest,
    Bilinear,
    BilinearCorners,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Adaptive1 => "adaptive_avg_pool1d",
            Kind::Adaptive2 => "adaptive_avg_pool2d",
            Kind::Global => "global_avg_pool2d",
            Kind::Nearest => "upsample_nearest2d",
            Kind::Bilinear => "upsample_bilinear2d",
            Kind::BilinearCorners => "upsample_bilinear2d_corners",
        }
    }
}

/// What a resampled plane is made of, along rows and along columns.
struct Resampled<E> {
    name: &'static str,
    planes: usize,
    rows: Taps<E>,
    columns: Taps<E>,
}

impl<E: Element> Rule<E> for Resampled<E> {
    fn name(&self) -> &'static str {
        self.name
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let Resampled {
            planes,
            rows,
            columns,
            ..
        } = self;
        to.give(0, kernel::resample_grad(&grad, *planes, rows, columns));
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

/// Each plane resampled, as the operation of that name.
pub(super) fn resampled<E: Element>(
    x: &Raw<E>,
    rows: Taps<E>,
    columns: Taps<E>,
    name: &'static str,
    dims: Dims,
) -> Raw<E> {
    let planes = planes(dims);
    Raw {
        values: kernel::resample(&x.values, planes, &rows, &columns),
        node: parents([x.node.as_ref()]).map(|parents| {
            let rule = Resampled {
                name,
                planes,
                rows,
                columns,
            };
            parents.record(dims, rule)
        }),
    }
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
    resampled(x, taps(0), taps(1), kind.name(), dims)
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

/// The planes `from` resampled to planes `to`.
fn resized<const R: usize, S: Shape<R>, E: Element>(
    x: &Raw<E>,
    from: [usize; 2],
    to: [usize; 2],
    kind: Kind,
) -> Tensor<R, S, E> {
    let raw = <E::Ops as Resample<E>>::resample(x, from, to, kind, S::DIMS);
    Tensor::from_raw(raw)
}

impl<N: Axis, C: Axis, L: Axis, E: Element> Tensor<3, (N, C, L), E> {
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
        const { Pooled::whole::<H, W>("resizing an image") };
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
        const { Pooled::whole::<H, W>("resizing an image") };
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
        const { Pooled::whole::<H, W>("resizing an image") };
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
        const { Pooled::whole::<H, W>("resizing an image") };
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
        const { Pooled::whole::<H, W>("resizing an image") };
        resized(
            &self.raw,
            [H::SIZE, W::SIZE],
            [OH, OW],
            Kind::BilinearCorners,
        )
    }
}
