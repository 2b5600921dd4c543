//! Entries along an axis in other places: flipped, rolled, repeated, in windows.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::arrange;
use crate::shape::{
    AnyShape, Append, Dim, Dims, HasAxis, Shape, Split, TensorOf, Times, Unfold, check_size,
    count_windows,
};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// Entries along an axis in other places.
    trait Arrange {
        fn flip(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn roll(x: &Raw<E>, split: Split, shift: isize, dims: Dims) -> Raw<E>;
        fn tile(x: &Raw<E>, split: Split, count: usize, dims: Dims) -> Raw<E>;
        fn repeat_interleave(x: &Raw<E>, split: Split, count: usize, dims: Dims) -> Raw<E>;
        fn unfold(x: &Raw<E>, split: Split, size: usize, step: usize, dims: Dims) -> Raw<E>;
    }
}

/// Where the entries of a result's axis come from: for each the place in the operand's axis, or
/// [`HOLE`](arrange::HOLE).
pub(super) struct Along {
    name: &'static str,
    split: Split,
    places: Buffer<usize>,
}

impl Along {
    /// Of the operation `name`, whose result has `len` entries.
    pub(super) fn new(
        name: &'static str,
        split: Split,
        len: usize,
        place: impl FnMut(usize) -> usize,
    ) -> Along {
        Along {
            name,
            split,
            places: Buffer::from_fn(len, place),
        }
    }
}

impl<E: Element> Rule<E> for Along {
    fn name(&self) -> &'static str {
        self.name
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.add_into(0, |sum| {
            arrange::add_along(sum, &grad, self.split, &self.places);
        });
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("places", Saved::Positions(&self.places));
    }
}

pub(super) fn arranged<E: Element>(x: &Raw<E>, along: Along, hole: E, dims: Dims) -> Raw<E> {
    Raw {
        values: arrange::take_along(&x.values, along.split, &along.places, hole),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, along)),
    }
}

/// Operations that lengthen axis `AXIS`, each in two forms: to a size that types compute, and to a size `LEN` that
/// the caller names.
///
/// The check of the latter is written where the macro is called, so that an error points there.
macro_rules! lengthen {
    (in $Family:ident; $(
        $(#[$doc:meta])*
        $name:ident[$($N:ident),*]($($p:ident: $P:ty)?) passes $pass:expr, makes $Size:path, $Output:ident
            $(, wants $More:path)?;
        $(#[$as_doc:meta])*
        $as_name:ident checks $check:block;
    )*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$doc])*
            #[allow(clippy::type_complexity)]
            pub fn $name<const AXIS: usize, $(const $N: usize),*>(
                &self
                $(, $p: $P)?
            ) -> TensorOf<<S as HasAxis<AXIS>>::With<<S::Axis as $Size>::$Output>, E>
            where
                S: HasAxis<AXIS, Axis: $($More +)? $Size>,
            {
                let dims = <S::With<<S::Axis as $Size>::$Output> as AnyShape>::DIMS;
                let raw = <E::Ops as $Family<E>>::$name(&self.raw, S::SPLIT, $pass, $($p,)? dims);
                wrap::<S::With<<S::Axis as $Size>::$Output>, E>(raw)
            }

            $(#[$as_doc])*
            pub fn $as_name<const AXIS: usize, $(const $N: usize,)* const LEN: usize>(
                &self
                $(, $p: $P)?
            ) -> TensorOf<S::With<Dim<LEN>>, E>
            where
                S: HasAxis<AXIS>,
            {
                $check
                let dims = <S::With<Dim<LEN>> as AnyShape>::DIMS;
                let raw = <E::Ops as $Family<E>>::$name(&self.raw, S::SPLIT, $pass, $($p,)? dims);
                wrap::<S::With<Dim<LEN>>, E>(raw)
            }
        )*}
    };
}
pub(super) use lengthen;

fn flip<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    let along = Along::new("flip", split, split.len, |i| split.len - 1 - i);
    arranged(x, along, E::zero(), dims)
}

fn roll<E: Element>(x: &Raw<E>, split: Split, shift: isize, dims: Dims) -> Raw<E> {
    // Sizes are at most `isize::MAX`.
    let back = match split.len {
        0 => 0,
        len => len - shift.rem_euclid(len as isize) as usize,
    };
    let along = Along::new("roll", split, split.len, |i| (i + back) % split.len);
    arranged(x, along, E::zero(), dims)
}

fn tile<E: Element>(x: &Raw<E>, split: Split, count: usize, dims: Dims) -> Raw<E> {
    let along = Along::new("tile", split, split.len * count, |i| i % split.len);
    arranged(x, along, E::zero(), dims)
}

fn repeat_interleave<E: Element>(x: &Raw<E>, split: Split, count: usize, dims: Dims) -> Raw<E> {
    let along = Along::new("repeat_interleave", split, split.len * count, |i| i / count);
    arranged(x, along, E::zero(), dims)
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

lengthen! {
    in Arrange;

    /// All entries along axis `AXIS` in order, `COUNT` times over: `[1, 2]` to `[1, 2, 1, 2]`. PyTorch:
    /// `tile`, `repeat`; NumPy: `tile`.
    ///
    /// The size of the result is computed in types up to 2047; beyond, and where
    /// sizes are generic, see [`tile_as`](Self::tile_as). An entry receives the sum of its copies' gradients.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.tile::<1, 2>().to_array(), [[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]);
    /// ```
    tile[COUNT]() passes COUNT, makes Times<COUNT>, Product;
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
    tile_as checks { const { check_size::<S>("tile_as:", COUNT * S::SPLIT.len, LEN) } };

    /// Each entry along axis `AXIS` `COUNT` times in a row: `[1, 2]` to `[1, 1, 2, 2]`. PyTorch:
    /// `repeat_interleave`; NumPy: `repeat`.
    ///
    /// The size of the result is computed in types up to 2047; beyond, and where
    /// sizes are generic, see [`repeat_interleave_as`](Self::repeat_interleave_as). An entry receives the sum
    /// of its copies' gradients.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// let y: Tensor<2, shape![2, 4]> = x.repeat_interleave::<1, 2>();
    /// assert_eq!(y.to_array(), [[1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0]]);
    /// ```
    repeat_interleave[COUNT]() passes COUNT, makes Times<COUNT>, Product;
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
    repeat_interleave_as checks { const { check_size::<S>("repeat_interleave_as:", COUNT * S::SPLIT.len, LEN) } };
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
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

    /// Windows of `SIZE` entries along axis `AXIS`, `STEP` apart: for a vector,
    /// `out[w][i] = x[w·STEP + i]`. PyTorch: `Tensor.unfold`; NumPy: `sliding_window_view`.
    ///
    /// Axis `AXIS` of the result counts the windows, (n − `SIZE`)/`STEP` + 1 rounded down, and `Dim<SIZE>`
    /// comes after its last axis. Entries behind the last window are left out. The number of windows is
    /// computed in types, from sizes up to 2047; beyond, and where sizes are generic, see
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
}
