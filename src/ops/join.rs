//! Several tensors side by side in one: along an axis that they have, or along a new one.

use super::compiled::compiled;
use super::examples::{at_depth, dims_of_marked};
use super::lift::Outcome;
use crate::element::Element;
use crate::graph::level::mark_at;
use crate::graph::{Cotangents, Rule, Saved, anomaly, record_list};
use crate::kernel::layout;
use crate::shape::{
    Adjacent, AnyShape, Concat, Dim, Dims, HasAxis, Rank, Stack, TensorOf, check_concat,
};
use crate::storage::Buffer;
use crate::tensor::{Param, Raw, Tensor, wrap};

compiled! {
    /// Tensors joined.
    trait Joining {
        fn concatenated(parts: &[&Raw<E>], outer: usize, dims: Dims) -> Raw<E> => by_hand;
        fn stacked(parts: &[&Raw<E>], outer: usize, dims: Dims) -> Raw<E> => by_hand;
    }
}

/// A tensor, a parameter or a reference to one, as one of those that [`Join`] joins.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tensor that can be joined to others",
    label = "not a tensor",
    note = "`concat` and `stack` take tensors, parameters and references to them"
)]
pub trait Part {
    /// Its shape.
    type Shape: AnyShape;
    /// Its elements.
    type Element: Element;

    #[doc(hidden)]
    fn raw(&self) -> &Raw<Self::Element>;
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> Part for Tensor<R, S, E> {
    type Shape = S;
    type Element = E;

    fn raw(&self) -> &Raw<E> {
        &self.raw
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> Part for Param<R, S, E> {
    type Shape = S;
    type Element = E;

    fn raw(&self) -> &Raw<E> {
        &self.raw
    }
}

impl<T: Part> Part for &T {
    type Shape = T::Shape;
    type Element = T::Element;

    fn raw(&self) -> &Raw<T::Element> {
        (**self).raw()
    }
}

/// What joins tensors: methods of tuples of 2 to 8 tensors, and of arrays of tensors of one shape.
///
/// The prelude has this trait. Tensors may be parameters, or references.
pub trait Join {
    /// The tuple or array of their shapes.
    type Shapes;
    /// Their elements.
    type Element: Element;

    #[doc(hidden)]
    fn join(&self, join: Joiner<Self::Element>, outer: usize, dims: Dims) -> Raw<Self::Element>;

    /// Tensors joined along axis `AXIS`: for two matrices and axis 1, `out[i] = [x[i].., y[i]..]`. PyTorch:
    /// `cat`; NumPy: `concatenate`.
    ///
    /// Takes a tuple of 2 to 8 tensors whose shapes are equal but for axis `AXIS`, or an array of any number
    /// of tensors of one shape. The result has the sum of their sizes at `AXIS`, computed in types up to 2047;
    /// beyond, and where sizes are generic, see [`concat_as`](Self::concat_as). Each tensor receives its part of
    /// the gradient.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// let y = Tensor::from([[5.0f32], [6.0]]);
    /// let z: Tensor<2, shape![2, 3]> = (&x, &y).concat::<1>();
    /// assert_eq!(z.to_array(), [[1.0, 2.0, 5.0], [3.0, 4.0, 6.0]]);
    /// assert_eq!([&x, &x, &x].concat::<0>().dims(), [6, 2]);
    /// ```
    fn concat<const AXIS: usize>(
        &self,
    ) -> TensorOf<<Self::Shapes as Concat<AXIS>>::Output, Self::Element>
    where
        Self::Shapes: Concat<AXIS>,
    {
        let outer = <<Self::Shapes as Adjacent<AXIS>>::First as HasAxis<AXIS>>::SPLIT.outer;
        let dims = <<Self::Shapes as Concat<AXIS>>::Output as AnyShape>::DIMS;
        let join = <<Self::Element as Element>::Ops as Joining<Self::Element>>::concatenated;
        wrap::<<Self::Shapes as Concat<AXIS>>::Output, Self::Element>(self.join(join, outer, dims))
    }

    /// [`concat`](Self::concat) where the caller names the size `LEN` of the result's axis `AXIS`:
    /// for sizes of any magnitude, and in generic code. PyTorch: `cat`.
    ///
    /// A size that is not the sum does not compile; that is found when the program is built, not by
    /// `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<2, shape![2000, 3]>::ones();
    /// assert_eq!((&x, &x).concat_as::<0, 4000>().dims(), [4000, 3]);
    ///
    /// fn twice<const N: usize, const M: usize>(x: &Tensor<1, shape![N]>) -> Tensor<1, shape![M]> {
    ///     (x, x).concat_as::<0, M>()
    /// }
    /// assert_eq!(twice::<2, 4>(&Tensor::from([1.0, 2.0])).to_array(), [1.0, 2.0, 1.0, 2.0]);
    /// ```
    fn concat_as<const AXIS: usize, const LEN: usize>(
        &self,
    ) -> TensorOf<
        <<Self::Shapes as Adjacent<AXIS>>::First as HasAxis<AXIS>>::With<Dim<LEN>>,
        Self::Element,
    >
    where
        Self::Shapes: Adjacent<AXIS>,
    {
        const { check_concat::<Self::Shapes, AXIS, LEN>() }
        type Output<S, const AXIS: usize, const LEN: usize> =
            <<S as Adjacent<AXIS>>::First as HasAxis<AXIS>>::With<Dim<LEN>>;
        let outer = <<Self::Shapes as Adjacent<AXIS>>::First as HasAxis<AXIS>>::SPLIT.outer;
        let dims = <Output<Self::Shapes, AXIS, LEN> as AnyShape>::DIMS;
        let join = <<Self::Element as Element>::Ops as Joining<Self::Element>>::concatenated;
        wrap::<Output<Self::Shapes, AXIS, LEN>, Self::Element>(self.join(join, outer, dims))
    }

    /// Tensors of one shape as the entries of a new axis `AXIS`: for axis 0, `out[i]` is the i-th of them.
    /// PyTorch, NumPy: `stack`.
    ///
    /// Takes a tuple of 2 to 8 tensors or an array of any number. Each receives its part of the gradient.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (x, y) = (Tensor::from([1.0f32, 2.0, 3.0]), Tensor::from([4.0, 5.0, 6.0]));
    /// assert_eq!((&x, &y).stack::<0>().to_array(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!([x, y].stack::<1>().to_array(), [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]);
    /// ```
    fn stack<const AXIS: usize>(
        &self,
    ) -> TensorOf<<Self::Shapes as Stack<AXIS>>::Output, Self::Element>
    where
        Self::Shapes: Stack<AXIS>,
    {
        let outer = <<Self::Shapes as Stack<AXIS>>::Output as HasAxis<AXIS>>::SPLIT.outer;
        let dims = <<Self::Shapes as Stack<AXIS>>::Output as AnyShape>::DIMS;
        let join = <<Self::Element as Element>::Ops as Joining<Self::Element>>::stacked;
        wrap::<<Self::Shapes as Stack<AXIS>>::Output, Self::Element>(self.join(join, outer, dims))
    }
}

/// The compiled function that joins.
#[doc(hidden)]
pub type Joiner<E> = fn(&[&Raw<E>], usize, Dims) -> Raw<E>;

macro_rules! parts {
    ($A:ident $a:ident $($B:ident $b:ident)+) => {
        impl<$A: Part, $($B: Part<Element = $A::Element>),+> Join for ($A, $($B),+) {
            type Shapes = ($A::Shape, $($B::Shape),+);
            type Element = $A::Element;

            fn join(&self, join: Joiner<$A::Element>, outer: usize, dims: Dims) -> Raw<$A::Element> {
                let ($a, $($b),+) = self;
                join(&[$a.raw(), $($b.raw()),+], outer, dims)
            }
        }
    };
}
parts! { A a B b }
parts! { A a B b C c }
parts! { A a B b C c D d }
parts! { A a B b C c D d E e }
parts! { A a B b C c D d E e F f }
parts! { A a B b C c D d E e F f G g }
parts! { A a B b C c D d E e F f G g H h }

impl<T: Part, const COUNT: usize> Join for [T; COUNT] {
    type Shapes = [T::Shape; COUNT];
    type Element = T::Element;

    fn join(&self, join: Joiner<T::Element>, outer: usize, dims: Dims) -> Raw<T::Element> {
        join(&self.each_ref().map(Part::raw), outer, dims)
    }
}

/// Blocks of several tensors in turn, `outer` times.
struct Blocks {
    outer: usize,
    /// The elements in a block of each tensor.
    sizes: Buffer<usize>,
}

impl Blocks {
    fn of<E: Element>(parts: &[&Raw<E>], outer: usize) -> Blocks {
        Blocks {
            outer,
            sizes: Buffer::from_fn(parts.len(), |i| parts[i].values.len() / outer.max(1)),
        }
    }

    fn backward<E: Element>(&self, grad: &Buffer<E>, to: &mut Cotangents<'_, E>) {
        let row: usize = self.sizes.iter().sum();
        let mut start = 0;
        for (i, &size) in self.sizes.iter().enumerate() {
            if to.wanted(i) {
                to.give(i, layout::cut(grad, self.outer, row, start, size));
            }
            start += size;
        }
    }
}

struct ConcatRule {
    blocks: Blocks,
}

impl<E: Element> Rule<E> for ConcatRule {
    fn name(&self) -> &'static str {
        "concat"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        self.blocks.backward(&grad, to);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("sizes", Saved::Positions(&self.blocks.sizes));
    }
}

struct StackRule {
    blocks: Blocks,
}

impl<E: Element> Rule<E> for StackRule {
    fn name(&self) -> &'static str {
        "stack"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        self.blocks.backward(&grad, to);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("sizes", Saved::Positions(&self.blocks.sizes));
    }
}

fn joined<E: Element>(parts: &[&Raw<E>], outer: usize) -> Buffer<E> {
    let values: Vec<&[E]> = parts.iter().map(|part| &*part.values).collect();
    layout::join(&values, outer)
}

/// Calls `join` with the parts, or if some hold many examples, with all of these examples.
fn of_all<E: Element>(
    parts: &[&Raw<E>],
    outer: usize,
    dims: Dims,
    join: impl FnOnce(&[&Raw<E>], usize, Dims) -> Raw<E>,
) -> Raw<E> {
    if parts.iter().all(|part| part.values.mark().is_none()) {
        return join(parts, outer, dims);
    }
    let depths = parts.iter().map(|part| part.values.mark().depth());
    let mark = mark_at(depths.max().unwrap_or(0));
    let whole: Vec<_> = parts
        .iter()
        .map(|part| at_depth(part, mark.depth()))
        .collect();
    let parts: Vec<_> = whole.iter().collect();
    join(&parts, outer * mark.copies(), dims_of_marked(dims, mark)).marked(mark)
}

fn concatenated<E: Element>(parts: &[&Raw<E>], outer: usize, dims: Dims) -> Raw<E> {
    parts.iter().for_each(|part| anomaly::reads(&part.values));
    of_all(parts, outer, dims, concatenated_whole).examined(dims)
}

fn stacked<E: Element>(parts: &[&Raw<E>], outer: usize, dims: Dims) -> Raw<E> {
    parts.iter().for_each(|part| anomaly::reads(&part.values));
    of_all(parts, outer, dims, stacked_whole).examined(dims)
}

fn concatenated_whole<E: Element>(parts: &[&Raw<E>], outer: usize, dims: Dims) -> Raw<E> {
    let nodes = parts.iter().map(|part| part.node.as_ref());
    Raw {
        values: joined(parts, outer),
        node: record_list(nodes, dims, || ConcatRule {
            blocks: Blocks::of(parts, outer),
        }),
    }
}

pub(super) fn stacked_whole<E: Element>(parts: &[&Raw<E>], outer: usize, dims: Dims) -> Raw<E> {
    let nodes = parts.iter().map(|part| part.node.as_ref());
    Raw {
        values: joined(parts, outer),
        node: record_list(nodes, dims, || StackRule {
            blocks: Blocks::of(parts, outer),
        }),
    }
}
