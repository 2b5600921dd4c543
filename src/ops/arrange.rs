//! Entries along an axis in other places: padded, flipped, rolled, repeated, in windows; and triangles and
//! diagonals of matrices.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::arrange::{self, HOLE};
use crate::shape::{
    AnyShape, Append, Axis, Diagonal, Dim, Dims, Edged, HasAxis, Matrices, Padded, Reflected,
    Shape, Shorter, Split, TensorOf, Times, Unfold, check_reflected, check_size, count_windows,
};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// Entries along an axis in other places.
    trait Arrange {
        fn pad(x: &Raw<E>, split: Split, pads: [usize; 2], value: E, dims: Dims) -> Raw<E>;
        fn pad_reflect(x: &Raw<E>, split: Split, pads: [usize; 2], dims: Dims) -> Raw<E>;
        fn pad_replicate(x: &Raw<E>, split: Split, pads: [usize; 2], dims: Dims) -> Raw<E>;
        fn flip(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn roll(x: &Raw<E>, split: Split, shift: isize, dims: Dims) -> Raw<E>;
        fn tile(x: &Raw<E>, split: Split, count: usize, dims: Dims) -> Raw<E>;
        fn repeat_interleave(x: &Raw<E>, split: Split, count: usize, dims: Dims) -> Raw<E>;
        fn unfold(x: &Raw<E>, split: Split, size: usize, step: usize, dims: Dims) -> Raw<E>;
        fn tril(x: &Raw<E>, sides: [usize; 2], diagonal: isize, dims: Dims) -> Raw<E>;
        fn triu(x: &Raw<E>, sides: [usize; 2], diagonal: isize, dims: Dims) -> Raw<E>;
        fn diagonal(x: &Raw<E>, sides: [usize; 2], dims: Dims) -> Raw<E>;
    }
}

/// Where the entries of a result's axis come from: for each the place in the operand's axis, or `HOLE`.
struct Along {
    split: Split,
    places: Buffer<usize>,
}

impl Along {
    fn new(split: Split, len: usize, place: impl FnMut(usize) -> usize) -> Along {
        Along {
            split,
            places: Buffer::from_fn(len, place),
        }
    }

    fn backward<E: Element>(&self, grad: &[E], to: &mut Cotangents<'_, E>) {
        to.add_into(0, |sum| {
            arrange::add_along(sum, grad, self.split, &self.places);
        });
    }
}

/// Rules of operations that take entries from elsewhere along an axis.
macro_rules! along {
    ($($Rule:ident $name:literal;)*) => {$(
        struct $Rule(Along);

        impl<E: Element> Rule<E> for $Rule {
            fn name(&self) -> &'static str {
        $name
    }
            fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
                self.0.backward(&grad, to);
            }
            fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
                visit("places", Saved::Positions(&self.0.places));
            }
        }
    )*};
}
along! {
    Pad "pad";
    PadReflect "pad_reflect";
    PadReplicate "pad_replicate";
    Flip "flip";
    Roll "roll";
    Tile "tile";
    RepeatInterleave "repeat_interleave";
}

fn arranged<E: Element, R: Rule<E>>(
    x: &Raw<E>,
    along: Along,
    hole: E,
    dims: Dims,
    rule: fn(Along) -> R,
) -> Raw<E> {
    Raw {
        values: arrange::take_along(&x.values, along.split, &along.places, hole),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, rule(along))),
    }
}

fn pad<E: Element>(x: &Raw<E>, split: Split, pads: [usize; 2], value: E, dims: Dims) -> Raw<E> {
    let [before, after] = pads;
    let along = Along::new(split, before + split.len + after, |i| {
        match i.checked_sub(before) {
            Some(place) if place < split.len => place,
            _ => HOLE,
        }
    });
    arranged(x, along, value, dims, Pad)
}

fn pad_reflect<E: Element>(x: &Raw<E>, split: Split, pads: [usize; 2], dims: Dims) -> Raw<E> {
    let [before, after] = pads;
    let along = Along::new(split, before + split.len + after, |i| {
        let place = i.abs_diff(before);
        if place < split.len {
            place
        } else {
            2 * (split.len - 1) - place
        }
    });
    arranged(x, along, E::zero(), dims, PadReflect)
}

fn pad_replicate<E: Element>(x: &Raw<E>, split: Split, pads: [usize; 2], dims: Dims) -> Raw<E> {
    let [before, after] = pads;
    let along = Along::new(split, before + split.len + after, |i| {
        i.saturating_sub(before).min(split.len - 1)
    });
    arranged(x, along, E::zero(), dims, PadReplicate)
}

fn flip<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    let along = Along::new(split, split.len, |i| split.len - 1 - i);
    arranged(x, along, E::zero(), dims, Flip)
}

fn roll<E: Element>(x: &Raw<E>, split: Split, shift: isize, dims: Dims) -> Raw<E> {
    // Sizes are at most `isize::MAX`.
    let back = match split.len {
        0 => 0,
        len => len - shift.rem_euclid(len as isize) as usize,
    };
    let along = Along::new(split, split.len, |i| (i + back) % split.len);
    arranged(x, along, E::zero(), dims, Roll)
}

fn tile<E: Element>(x: &Raw<E>, split: Split, count: usize, dims: Dims) -> Raw<E> {
    let along = Along::new(split, split.len * count, |i| i % split.len);
    arranged(x, along, E::zero(), dims, Tile)
}

fn repeat_interleave<E: Element>(x: &Raw<E>, split: Split, count: usize, dims: Dims) -> Raw<E> {
    let along = Along::new(split, split.len * count, |i| i / count);
    arranged(x, along, E::zero(), dims, RepeatInterleave)
}

struct UnfoldRule {
    split: Split,
    size: usize,
    step: usize,
}

impl<E: Element> Rule<E> for UnfoldRule {
    fn name(&self) -> &'static str {
        "unfold"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.add_into(0, |sum| {
            arrange::add_windows(sum, &grad, self.split, self.size, self.step);
        });
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("size", Saved::Number(self.size as f64));
        visit("step", Saved::Number(self.step as f64));
    }
}

fn unfold<E: Element>(x: &Raw<E>, split: Split, size: usize, step: usize, dims: Dims) -> Raw<E> {
    Raw {
        values: arrange::windows(&x.values, split, size, step),
        node: parents([x.node.as_ref()])
            .map(|parents| parents.record(dims, UnfoldRule { split, size, step })),
    }
}

struct Tril {
    sides: [usize; 2],
    diagonal: isize,
}

impl<E: Element> Rule<E> for Tril {
    fn name(&self) -> &'static str {
        "tril"
    }
    fn backward(&self, mut grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        arrange::clear_above(grad.make_mut(), self.sides, self.diagonal);
        to.give(0, grad);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("diagonal", Saved::Number(self.diagonal as f64));
    }
}

fn tril<E: Element>(x: &Raw<E>, sides: [usize; 2], diagonal: isize, dims: Dims) -> Raw<E> {
    let mut values = x.values.clone();
    arrange::clear_above(values.make_mut(), sides, diagonal);
    Raw {
        values,
        node: parents([x.node.as_ref()])
            .map(|parents| parents.record(dims, Tril { sides, diagonal })),
    }
}

struct Triu {
    sides: [usize; 2],
    diagonal: isize,
}

impl<E: Element> Rule<E> for Triu {
    fn name(&self) -> &'static str {
        "triu"
    }
    fn backward(&self, mut grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        arrange::clear_below(grad.make_mut(), self.sides, self.diagonal);
        to.give(0, grad);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("diagonal", Saved::Number(self.diagonal as f64));
    }
}

fn triu<E: Element>(x: &Raw<E>, sides: [usize; 2], diagonal: isize, dims: Dims) -> Raw<E> {
    let mut values = x.values.clone();
    arrange::clear_below(values.make_mut(), sides, diagonal);
    Raw {
        values,
        node: parents([x.node.as_ref()])
            .map(|parents| parents.record(dims, Triu { sides, diagonal })),
    }
}

struct DiagonalRule {
    sides: [usize; 2],
}

impl<E: Element> Rule<E> for DiagonalRule {
    fn name(&self) -> &'static str {
        "diagonal"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.add_into(0, |sum| arrange::add_diagonal(sum, &grad, self.sides));
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

fn diagonal<E: Element>(x: &Raw<E>, sides: [usize; 2], dims: Dims) -> Raw<E> {
    Raw {
        values: arrange::diagonal(&x.values, sides),
        node: parents([x.node.as_ref()])
            .map(|parents| parents.record(dims, DiagonalRule { sides })),
    }
}

/// The shape `S` with `A` at `AXIS`.
type With<S, const AXIS: usize, A> = <S as HasAxis<AXIS>>::With<A>;

/// The operand's axes of rows and columns.
const fn sides<S: Matrices>() -> [usize; 2] {
    [S::Rows::SIZE, S::Columns::SIZE]
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// Axis `AXIS` with `BEFORE` entries of `value` in front and `AFTER` behind. PyTorch: `pad`, mode
    /// `constant`.
    ///
    /// The size of the result is computed in types, from sizes up to 1024 and up to 2047; beyond, and where
    /// sizes are generic, see [`pad_as`](Self::pad_as). The gradient is that of the entries that were there.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// let y: Tensor<2, shape![2, 5]> = x.pad::<1, 1, 2>(0.0);
    /// assert_eq!(y.to_array(), [[0.0, 1.0, 2.0, 0.0, 0.0], [0.0, 3.0, 4.0, 0.0, 0.0]]);
    /// ```
    pub fn pad<const AXIS: usize, const BEFORE: usize, const AFTER: usize>(
        &self,
        value: E,
    ) -> TensorOf<With<S, AXIS, <S::Axis as Padded<BEFORE, AFTER>>::Output>, E>
    where
        S: HasAxis<AXIS, Axis: Padded<BEFORE, AFTER>>,
    {
        self.padded::<AXIS, <S::Axis as Padded<BEFORE, AFTER>>::Output>([BEFORE, AFTER], value)
    }

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
    pub fn pad_as<const AXIS: usize, const BEFORE: usize, const AFTER: usize, const LEN: usize>(
        &self,
        value: E,
    ) -> TensorOf<S::With<Dim<LEN>>, E>
    where
        S: HasAxis<AXIS>,
    {
        const { check_size::<S>("pad_as:", BEFORE + S::SPLIT.len + AFTER, LEN) }
        self.padded::<AXIS, Dim<LEN>>([BEFORE, AFTER], value)
    }

    fn padded<const AXIS: usize, A: Axis>(
        &self,
        pads: [usize; 2],
        value: E,
    ) -> TensorOf<S::With<A>, E>
    where
        S: HasAxis<AXIS>,
    {
        let dims = <S::With<A> as AnyShape>::DIMS;
        let raw = <E::Ops as Arrange<E>>::pad(&self.raw, S::SPLIT, pads, value, dims);
        wrap::<S::With<A>, E>(raw)
    }

    /// Axis `AXIS` continued at both ends by its mirror image, `BEFORE` entries in front and `AFTER` behind;
    /// the entry at the edge is not repeated. PyTorch: `pad`, mode `reflect`.
    ///
    /// The axis is proven to have that many entries beside its edges. The size of the result is computed in
    /// types, from sizes up to 1024 and up to 2047; beyond, and where sizes are generic, see
    /// [`pad_reflect_as`](Self::pad_reflect_as). An entry receives the gradients of its images too.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0, 3.0]);
    /// assert_eq!(x.pad_reflect::<0, 2, 1>().to_array(), [3.0, 2.0, 1.0, 2.0, 3.0, 2.0]);
    /// ```
    pub fn pad_reflect<const AXIS: usize, const BEFORE: usize, const AFTER: usize>(
        &self,
    ) -> TensorOf<With<S, AXIS, <S::Axis as Padded<BEFORE, AFTER>>::Output>, E>
    where
        S: HasAxis<AXIS, Axis: Reflected<BEFORE, AFTER> + Padded<BEFORE, AFTER>>,
    {
        self.reflected::<AXIS, <S::Axis as Padded<BEFORE, AFTER>>::Output>([BEFORE, AFTER])
    }

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
    pub fn pad_reflect_as<
        const AXIS: usize,
        const BEFORE: usize,
        const AFTER: usize,
        const LEN: usize,
    >(
        &self,
    ) -> TensorOf<S::With<Dim<LEN>>, E>
    where
        S: HasAxis<AXIS>,
    {
        const {
            check_reflected::<S, AXIS>("pad_reflect_as:", BEFORE, AFTER);
            check_size::<S>("pad_reflect_as:", BEFORE + S::SPLIT.len + AFTER, LEN);
        }
        self.reflected::<AXIS, Dim<LEN>>([BEFORE, AFTER])
    }

    fn reflected<const AXIS: usize, A: Axis>(&self, pads: [usize; 2]) -> TensorOf<S::With<A>, E>
    where
        S: HasAxis<AXIS>,
    {
        let dims = <S::With<A> as AnyShape>::DIMS;
        let raw = <E::Ops as Arrange<E>>::pad_reflect(&self.raw, S::SPLIT, pads, dims);
        wrap::<S::With<A>, E>(raw)
    }

    /// Axis `AXIS` continued at both ends by the entry at the edge, `BEFORE` times in front and `AFTER`
    /// behind. PyTorch: `pad`, mode `replicate`.
    ///
    /// The axis is proven to have an entry. The size of the result is computed in types, from sizes up to
    /// 1024 and up to 2047; beyond, and where sizes are generic, see
    /// [`pad_replicate_as`](Self::pad_replicate_as). The entry at an edge receives the gradients of its copies
    /// too.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0, 3.0]);
    /// assert_eq!(x.pad_replicate::<0, 2, 1>().to_array(), [1.0, 1.0, 1.0, 2.0, 3.0, 3.0]);
    /// ```
    pub fn pad_replicate<const AXIS: usize, const BEFORE: usize, const AFTER: usize>(
        &self,
    ) -> TensorOf<With<S, AXIS, <S::Axis as Padded<BEFORE, AFTER>>::Output>, E>
    where
        S: HasAxis<AXIS, Axis: Edged + Padded<BEFORE, AFTER>>,
    {
        self.replicated::<AXIS, <S::Axis as Padded<BEFORE, AFTER>>::Output>([BEFORE, AFTER])
    }

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
    pub fn pad_replicate_as<
        const AXIS: usize,
        const BEFORE: usize,
        const AFTER: usize,
        const LEN: usize,
    >(
        &self,
    ) -> TensorOf<S::With<Dim<LEN>>, E>
    where
        S: HasAxis<AXIS>,
    {
        const {
            check_reflected::<S, AXIS>("pad_replicate_as:", 0, 0);
            check_size::<S>("pad_replicate_as:", BEFORE + S::SPLIT.len + AFTER, LEN);
        }
        self.replicated::<AXIS, Dim<LEN>>([BEFORE, AFTER])
    }

    fn replicated<const AXIS: usize, A: Axis>(&self, pads: [usize; 2]) -> TensorOf<S::With<A>, E>
    where
        S: HasAxis<AXIS>,
    {
        let dims = <S::With<A> as AnyShape>::DIMS;
        let raw = <E::Ops as Arrange<E>>::pad_replicate(&self.raw, S::SPLIT, pads, dims);
        wrap::<S::With<A>, E>(raw)
    }

    /// The entries along axis `AXIS` in reverse order. PyTorch, NumPy: `flip`.
    ///
    /// Shape `S` to `S`; the gradient is flipped back.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.flip::<1>().to_array(), [[3.0, 2.0, 1.0], [6.0, 5.0, 4.0]]);
    /// ```
    pub fn flip<const AXIS: usize>(&self) -> Self
    where
        S: HasAxis<AXIS>,
    {
        Tensor::from_raw(<E::Ops as Arrange<E>>::flip(&self.raw, S::SPLIT, S::DIMS))
    }

    /// The entries along axis `AXIS` moved on by `shift` places; what leaves at one end comes in at the
    /// other. PyTorch, NumPy: `roll`.
    ///
    /// Shape `S` to `S`, any shift; the gradient is rolled back.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.roll::<0>(1).to_array(), [4.0, 1.0, 2.0, 3.0]);
    /// assert_eq!(x.roll::<0>(-5).to_array(), [2.0, 3.0, 4.0, 1.0]);
    /// ```
    pub fn roll<const AXIS: usize>(&self, shift: isize) -> Self
    where
        S: HasAxis<AXIS>,
    {
        Tensor::from_raw(<E::Ops as Arrange<E>>::roll(
            &self.raw,
            S::SPLIT,
            shift,
            S::DIMS,
        ))
    }

    /// All entries along axis `AXIS` in order, `COUNT` times over: `[1, 2]` to `[1, 2, 1, 2]`. PyTorch:
    /// `tile`, `repeat`; NumPy: `tile`.
    ///
    /// The size of the result is computed in types, from sizes up to 1024 and up to 2047; beyond, and where
    /// sizes are generic, see [`tile_as`](Self::tile_as). An entry receives the sum of its copies' gradients.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.tile::<1, 2>().to_array(), [[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]);
    /// ```
    pub fn tile<const AXIS: usize, const COUNT: usize>(
        &self,
    ) -> TensorOf<With<S, AXIS, <S::Axis as Times<COUNT>>::Product>, E>
    where
        S: HasAxis<AXIS, Axis: Times<COUNT>>,
    {
        self.tiled::<AXIS, <S::Axis as Times<COUNT>>::Product>(COUNT)
    }

    /// [`tile`](Self::tile) where the caller names the size `LEN` of the longer axis: for sizes of any
    /// magnitude, and in generic code.
    /// PyTorch: `tile`.
    ///
    /// A size that is not the product does not compile; that is found when the program is built, not by
    /// `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<1, shape![3000]>::ones();
    /// assert_eq!(x.tile_as::<0, 2, 6000>().dims(), [6000]);
    /// ```
    pub fn tile_as<const AXIS: usize, const COUNT: usize, const LEN: usize>(
        &self,
    ) -> TensorOf<S::With<Dim<LEN>>, E>
    where
        S: HasAxis<AXIS>,
    {
        const { check_size::<S>("tile_as:", COUNT * S::SPLIT.len, LEN) }
        self.tiled::<AXIS, Dim<LEN>>(COUNT)
    }

    fn tiled<const AXIS: usize, A: Axis>(&self, count: usize) -> TensorOf<S::With<A>, E>
    where
        S: HasAxis<AXIS>,
    {
        let dims = <S::With<A> as AnyShape>::DIMS;
        let raw = <E::Ops as Arrange<E>>::tile(&self.raw, S::SPLIT, count, dims);
        wrap::<S::With<A>, E>(raw)
    }

    /// Each entry along axis `AXIS` `COUNT` times in a row: `[1, 2]` to `[1, 1, 2, 2]`. PyTorch:
    /// `repeat_interleave`; NumPy: `repeat`.
    ///
    /// The size of the result is computed in types, from sizes up to 1024 and up to 2047; beyond, and where
    /// sizes are generic, see [`repeat_interleave_as`](Self::repeat_interleave_as). An entry receives the sum
    /// of its copies' gradients.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// let y: Tensor<2, shape![2, 4]> = x.repeat_interleave::<1, 2>();
    /// assert_eq!(y.to_array(), [[1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0]]);
    /// ```
    pub fn repeat_interleave<const AXIS: usize, const COUNT: usize>(
        &self,
    ) -> TensorOf<With<S, AXIS, <S::Axis as Times<COUNT>>::Product>, E>
    where
        S: HasAxis<AXIS, Axis: Times<COUNT>>,
    {
        self.repeated::<AXIS, <S::Axis as Times<COUNT>>::Product>(COUNT)
    }

    /// [`repeat_interleave`](Self::repeat_interleave) where the caller names the size `LEN` of the longer
    /// axis: for sizes of any magnitude, and in generic code.
    /// PyTorch: `repeat_interleave`.
    ///
    /// A size that is not the product does not compile; that is found when the program is built, not by
    /// `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<1, shape![3000]>::ones();
    /// assert_eq!(x.repeat_interleave_as::<0, 2, 6000>().dims(), [6000]);
    /// ```
    pub fn repeat_interleave_as<const AXIS: usize, const COUNT: usize, const LEN: usize>(
        &self,
    ) -> TensorOf<S::With<Dim<LEN>>, E>
    where
        S: HasAxis<AXIS>,
    {
        const { check_size::<S>("repeat_interleave_as:", COUNT * S::SPLIT.len, LEN) }
        self.repeated::<AXIS, Dim<LEN>>(COUNT)
    }

    fn repeated<const AXIS: usize, A: Axis>(&self, count: usize) -> TensorOf<S::With<A>, E>
    where
        S: HasAxis<AXIS>,
    {
        let dims = <S::With<A> as AnyShape>::DIMS;
        let raw = <E::Ops as Arrange<E>>::repeat_interleave(&self.raw, S::SPLIT, count, dims);
        wrap::<S::With<A>, E>(raw)
    }

    /// Windows of `SIZE` entries along axis `AXIS`, `STEP` apart: for a vector,
    /// `out[w][i] = x[w·STEP + i]`. PyTorch: `Tensor.unfold`; NumPy: `sliding_window_view`.
    ///
    /// Axis `AXIS` of the result counts the windows, (n − `SIZE`)/`STEP` + 1 rounded down, and `Dim<SIZE>`
    /// comes after its last axis. Entries behind the last window are left out. The number of windows is
    /// computed in types, from sizes up to 1024; beyond, and where sizes are generic, see
    /// [`unfold_as`](Self::unfold_as). An entry receives the sum of its gradients in all windows.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// let y: Tensor<2, shape![2, 3]> = x.unfold::<0, 3, 2>();
    /// assert_eq!(y.to_array(), [[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]]);
    /// ```
    pub fn unfold<const AXIS: usize, const SIZE: usize, const STEP: usize>(
        &self,
    ) -> TensorOf<<S as Unfold<AXIS, SIZE, STEP>>::Output, E>
    where
        S: Unfold<AXIS, SIZE, STEP>,
    {
        let dims = <<S as Unfold<AXIS, SIZE, STEP>>::Output as AnyShape>::DIMS;
        let raw = <E::Ops as Arrange<E>>::unfold(&self.raw, S::SPLIT, SIZE, STEP, dims);
        wrap::<<S as Unfold<AXIS, SIZE, STEP>>::Output, E>(raw)
    }

    /// [`unfold`](Self::unfold) where the caller names the number `WINDOWS` of windows: for sizes of any
    /// magnitude, and in generic code.
    /// PyTorch: `Tensor.unfold`.
    ///
    /// Another number and windows that do not fit do not compile; that is found when the program is built,
    /// not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<1, shape![16000]>::ones();
    /// assert_eq!(x.unfold_as::<0, 400, 160, 98>().dims(), [98, 400]);
    /// ```
    pub fn unfold_as<
        const AXIS: usize,
        const SIZE: usize,
        const STEP: usize,
        const WINDOWS: usize,
    >(
        &self,
    ) -> TensorOf<<S::With<Dim<WINDOWS>> as Append<Dim<SIZE>>>::Output, E>
    where
        S: HasAxis<AXIS>,
        S::With<Dim<WINDOWS>>: Append<Dim<SIZE>>,
    {
        const { check_size::<S>("unfold_as:", count_windows::<S, AXIS>(SIZE, STEP), WINDOWS) }
        let dims = <<S::With<Dim<WINDOWS>> as Append<Dim<SIZE>>>::Output as AnyShape>::DIMS;
        let raw = <E::Ops as Arrange<E>>::unfold(&self.raw, S::SPLIT, SIZE, STEP, dims);
        wrap::<<S::With<Dim<WINDOWS>> as Append<Dim<SIZE>>>::Output, E>(raw)
    }

    /// The lower triangle of a matrix, or of each of a batch: zero where column − row > `diagonal`. PyTorch,
    /// NumPy: `tril`.
    ///
    /// Shape `S` to `S`. `diagonal` is 0 for the main diagonal, positive above it. What is cut off is 0
    /// even where it was NaN, and receives no gradient.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<2, shape![3, 3]>::ones();
    /// assert_eq!(x.tril(0).to_array(), [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]);
    /// ```
    pub fn tril(&self, diagonal: isize) -> Self
    where
        S: Matrices,
    {
        let sides = const { sides::<S>() };
        Tensor::from_raw(<E::Ops as Arrange<E>>::tril(
            &self.raw,
            sides,
            diagonal,
            S::DIMS,
        ))
    }

    /// The upper triangle of a matrix, or of each of a batch: zero where column − row < `diagonal`. PyTorch,
    /// NumPy: `triu`.
    ///
    /// Shape `S` to `S`. `diagonal` is 0 for the main diagonal, positive above it. What is cut off is 0
    /// even where it was NaN, and receives no gradient.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<2, shape![3, 3]>::ones();
    /// assert_eq!(x.triu(1).to_array(), [[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]);
    /// ```
    pub fn triu(&self, diagonal: isize) -> Self
    where
        S: Matrices,
    {
        let sides = const { sides::<S>() };
        Tensor::from_raw(<E::Ops as Arrange<E>>::triu(
            &self.raw,
            sides,
            diagonal,
            S::DIMS,
        ))
    }

    /// The diagonal of a matrix, or of each of a batch: `out[i] = x[i][i]`. PyTorch: `diagonal` of the last
    /// two axes.
    ///
    /// The last two axes become one, the shorter of them, computed in types for sizes up to 1024; beyond, and
    /// where sizes are generic, see [`diagonal_as`](Self::diagonal_as).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.diagonal().to_array(), [1.0, 5.0]);
    /// ```
    pub fn diagonal(&self) -> TensorOf<Diagonal<S>, E>
    where
        S: Matrices<Rows: Shorter<S::Columns>>,
    {
        self.diagonal_of::<<S::Rows as Shorter<S::Columns>>::Output>()
    }

    /// [`diagonal`](Self::diagonal) where the caller names its size: for sizes of any magnitude, and in
    /// generic code.
    /// PyTorch: `diagonal`.
    ///
    /// A size that is not the smaller one does not compile; that is found when the program is built, not by
    /// `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// fn trace<const N: usize>(x: &Tensor<2, shape![N, N]>) -> Tensor<0, shape![]> {
    ///     x.diagonal_as::<N>().sum()
    /// }
    /// assert_eq!(trace(&Tensor::from([[1.0, 2.0], [3.0, 4.0]])).item(), 5.0);
    /// ```
    pub fn diagonal_as<const LEN: usize>(&self) -> TensorOf<S::Diagonal<Dim<LEN>>, E>
    where
        S: Matrices,
    {
        const {
            let [rows, columns] = sides::<S>();
            check_size::<S>(
                "diagonal_as:",
                if rows < columns { rows } else { columns },
                LEN,
            )
        }
        self.diagonal_of::<Dim<LEN>>()
    }

    fn diagonal_of<A: Axis>(&self) -> TensorOf<S::Diagonal<A>, E>
    where
        S: Matrices,
    {
        let dims = <S::Diagonal<A> as AnyShape>::DIMS;
        let sides = const { sides::<S>() };
        wrap::<S::Diagonal<A>, E>(<E::Ops as Arrange<E>>::diagonal(&self.raw, sides, dims))
    }
}
