//! An axis continued at its ends: by a number, by its mirror image, by the entry at the edge.

use super::arrange::{Along, arranged, lengthen};
use super::compiled::compiled;
use crate::element::Element;
use crate::kernel::arrange::HOLE;
use crate::shape::{
    AnyShape, Dim, Dims, Edged, HasAxis, Padded, Reflected, Shape, Split, TensorOf,
    check_reflected, check_size,
};
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// Padding.
    trait Pad {
        fn pad(x: &Raw<E>, split: Split, pads: [usize; 2], value: E, dims: Dims) -> Raw<E>;
        fn pad_reflect(x: &Raw<E>, split: Split, pads: [usize; 2], dims: Dims) -> Raw<E>;
        fn pad_replicate(x: &Raw<E>, split: Split, pads: [usize; 2], dims: Dims) -> Raw<E>;
    }
}

fn pad<E: Element>(x: &Raw<E>, split: Split, pads: [usize; 2], value: E, dims: Dims) -> Raw<E> {
    let [before, after] = pads;
    let along = Along::new("pad", split, before + split.len + after, |i| {
        match i.checked_sub(before) {
            Some(place) if place < split.len => place,
            _ => HOLE,
        }
    });
    arranged(x, along, value, dims)
}

fn pad_reflect<E: Element>(x: &Raw<E>, split: Split, pads: [usize; 2], dims: Dims) -> Raw<E> {
    let [before, after] = pads;
    let along = Along::new("pad_reflect", split, before + split.len + after, |i| {
        let place = i.abs_diff(before);
        if place < split.len {
            place
        } else {
            2 * (split.len - 1) - place
        }
    });
    arranged(x, along, E::zero(), dims)
}

fn pad_replicate<E: Element>(x: &Raw<E>, split: Split, pads: [usize; 2], dims: Dims) -> Raw<E> {
    let [before, after] = pads;
    let along = Along::new("pad_replicate", split, before + split.len + after, |i| {
        i.saturating_sub(before).min(split.len - 1)
    });
    arranged(x, along, E::zero(), dims)
}

lengthen! {
    in Pad;

    /// Axis `AXIS` with `BEFORE` entries of `value` in front and `AFTER` behind. PyTorch: `pad`, mode
    /// `constant`.
    ///
    /// The size of the result is computed in types up to 2047; beyond, and where
    /// sizes are generic, see [`pad_as`](Self::pad_as). The gradient is that of the entries that were there.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// let y: Tensor<2, shape![2, 5]> = x.pad::<1, 1, 2>(0.0);
    /// assert_eq!(y.to_array(), [[0.0, 1.0, 2.0, 0.0, 0.0], [0.0, 3.0, 4.0, 0.0, 0.0]]);
    /// ```
    pad[BEFORE, AFTER](value: E) passes [BEFORE, AFTER], makes Padded<BEFORE, AFTER>, Output;
    /// [`pad`](Self::pad) where the caller names the size `LEN` of the longer axis: for sizes of any
    /// magnitude, and in generic code.
    /// PyTorch: `pad`.
    ///
    /// A size that is not the sum does not compile; that is found when the program is built, not by
    /// `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<1, shape![3000]>::ones();
    /// assert_eq!(x.pad_as::<0, 4, 4, 3008>(0.0).dims(), [3008]);
    /// ```
    pad_as checks { const { check_size::<S>("pad_as:", BEFORE + S::SPLIT.len + AFTER, LEN) } };

    /// Axis `AXIS` continued at both ends by its mirror image, `BEFORE` entries in front and `AFTER` behind;
    /// the entry at the edge is not repeated. PyTorch: `pad`, mode `reflect`.
    ///
    /// The axis is proven to have that many entries beside its edges. The size of the result is computed in
    /// types up to 2047; beyond, and where sizes are generic, see
    /// [`pad_reflect_as`](Self::pad_reflect_as). An entry receives the gradients of its images too.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0, 3.0]);
    /// assert_eq!(x.pad_reflect::<0, 2, 1>().to_array(), [3.0, 2.0, 1.0, 2.0, 3.0, 2.0]);
    /// ```
    pad_reflect[BEFORE, AFTER]() passes [BEFORE, AFTER], makes Padded<BEFORE, AFTER>, Output,
        wants Reflected<BEFORE, AFTER>;
    /// [`pad_reflect`](Self::pad_reflect) where the caller names the size `LEN` of the longer axis: for sizes
    /// of any magnitude, and in generic code.
    /// PyTorch: `pad`.
    ///
    /// A size that is not the sum and an axis that is too short do not compile; that is found when the
    /// program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<1, shape![3000]>::ones();
    /// assert_eq!(x.pad_reflect_as::<0, 4, 4, 3008>().dims(), [3008]);
    /// ```
    pad_reflect_as checks {
        const {
            check_reflected::<S, AXIS>("pad_reflect_as:", BEFORE, AFTER);
            check_size::<S>("pad_reflect_as:", BEFORE + S::SPLIT.len + AFTER, LEN);
        }
    };

    /// Axis `AXIS` continued at both ends by the entry at the edge, `BEFORE` times in front and `AFTER`
    /// behind. PyTorch: `pad`, mode `replicate`.
    ///
    /// The axis is proven to have an entry. The size of the result is computed in types up to 2047; beyond, and
    /// where sizes are generic, see
    /// [`pad_replicate_as`](Self::pad_replicate_as). The entry at an edge receives the gradients of its copies
    /// too.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0, 3.0]);
    /// assert_eq!(x.pad_replicate::<0, 2, 1>().to_array(), [1.0, 1.0, 1.0, 2.0, 3.0, 3.0]);
    /// ```
    pad_replicate[BEFORE, AFTER]() passes [BEFORE, AFTER], makes Padded<BEFORE, AFTER>, Output, wants Edged;
    /// [`pad_replicate`](Self::pad_replicate) where the caller names the size `LEN` of the longer axis: for
    /// sizes of any magnitude, and in generic code.
    /// PyTorch: `pad`.
    ///
    /// A size that is not the sum and an empty axis do not compile; that is found when the program is built,
    /// not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<1, shape![3000]>::ones();
    /// assert_eq!(x.pad_replicate_as::<0, 4, 4, 3008>().dims(), [3008]);
    /// ```
    pad_replicate_as checks {
        const {
            check_reflected::<S, AXIS>("pad_replicate_as:", 0, 0);
            check_size::<S>("pad_replicate_as:", BEFORE + S::SPLIT.len + AFTER, LEN);
        }
    };
}
