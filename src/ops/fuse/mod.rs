//! [`fuse`]: an elementwise expression over several tensors as one loop forward and one loop backward.

mod expression;

use super::compiled::compiled;
use super::lift::{Lifting, Marks, Outcome};
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, anomaly, record_list};
use crate::kernel::{self, Lanes, Loops};
use crate::shape::{AnyShape, Broadcast, Dims, Plan, Shape, Share, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Param, Raw, Tensor, wrap};

pub use expression::{Constant, Expr, Expression, Variable};

compiled! {
    /// Fused expressions.
    trait Fusing {
        fn fused(inputs: &[&Raw<E>], plans: &'static [&'static Plan], dims: Dims, loops: &dyn Loops<E>) -> Raw<E> => by_hand;
    }
}

/// An elementwise expression over several tensors in one pass: no result on the way is kept, and backward is one pass
/// too. PyTorch: `torch.compile` of such a function; JAX: `jit` of one.
///
/// The closure gets an [`Expr`] for each tensor, and returns what is to be computed of the numbers at one place. It
/// runs once: what it returns says so in its type, from which the compiler makes one loop for the values and one for
/// the derivatives. Tensors broadcast as with operators. Numbers may stand on either side, an `f32` on the right
/// alone: `x * k`.
///
/// Shape: that to which all inputs broadcast, up to six. Gradients are those of the same operations one by one; the
/// graph has one node, `fuse`, which saves the inputs alone. A part that is used twice, as `y` in `y * y.tanh()`, is
/// computed once, if the compiler sees that both are the same.
///
/// ```
/// use shapeproof::prelude::*;
///
/// fn normalised<const N: usize>(x: &Tensor<2, shape![N, 3]>, mean: &Tensor<1, shape![3]>, scale: &Param<1, shape![3]>)
///     -> Tensor<2, shape![N, 3]>
/// {
///     fuse((x, mean, scale), |(x, mean, scale)| ((x - mean) * scale).tanh())
/// }
///
/// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// let scale = Param::new(Tensor::from([0.5, 1.0, 2.0]));
/// let y = normalised(&x, &x.mean_axis::<0>(), &scale);
/// y.sum().backward();
///
/// let steps = ((&x - x.mean_axis::<0>()) * &scale).tanh();
/// assert!(y.iter().zip(steps.iter()).all(|(a, b)| (a - b).abs() < 1e-6));
/// assert!(scale.grad().is_some());
/// ```
pub fn fuse<I: Fusable, X: Expression>(
    inputs: I,
    expression: impl FnOnce(I::Places) -> Expr<X>,
) -> TensorOf<I::Shape, I::Element> {
    wrap::<I::Shape, I::Element>(inputs.run(expression(I::PLACES).0))
}

/// A tensor or parameter among several.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be fused with others",
    label = "neither a tensor nor a reference to a tensor or parameter",
    note = "write `(&x, &mean, &scale)` for up to six tensors and parameters with the same elements"
)]
pub trait Input {
    /// Its elements.
    type Element: Element;
    /// Its shape.
    type Shape: AnyShape;

    #[doc(hidden)]
    fn raw(&self) -> &Raw<Self::Element>;
}

/// What [`fuse`] takes: a tensor, a reference to a tensor or parameter, or a tuple of up to six that broadcast together.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be fused",
    label = "neither a tensor or parameter nor a tuple of them",
    note = "write `&x`, or `(&x, &mean, &scale)` for up to six tensors and parameters with the same elements"
)]
pub trait Fusable {
    /// Their elements.
    type Element: Element;
    /// The shape to which all broadcast.
    type Shape: AnyShape;
    /// What stands for each in the closure.
    type Places;
    #[doc(hidden)]
    const PLACES: Self::Places;

    #[doc(hidden)]
    fn run<X: Expression>(self, expression: X) -> Raw<Self::Element>;
}

macro_rules! single {
    ($($Input:ty;)*) => {$(
        impl<const R: usize, S: Shape<R>, E: Element> Input for $Input {
            type Element = E;
            type Shape = S;
            fn raw(&self) -> &Raw<E> {
                &self.raw
            }
        }

        impl<const R: usize, S: Shape<R>, E: Element> Fusable for $Input {
            type Element = E;
            type Shape = S;
            type Places = Expr<Variable<0>>;
            const PLACES: Self::Places = Expr(Variable);

            fn run<X: Expression>(self, expression: X) -> Raw<E> {
                let plans = const { &[&Plan::stretch(S::DIMS, S::DIMS)] };
                let loops = kernel::Of::<_, 1>(Whole(expression));
                <E::Ops as Fusing<E>>::fused(&[&self.raw], plans, S::DIMS, &loops)
            }
        }
    )*};
}
single! {
    Tensor<R, S, E>;
    &Tensor<R, S, E>;
    &Param<R, S, E>;
}

/// The shape to which those of several inputs broadcast.
macro_rules! joined {
    ($S:ty;) => { $S };
    ($S:ty; $Next:ident $($More:ident)*) => { joined! { <$S as Broadcast<$Next::Shape>>::Output; $($More)* } };
}

macro_rules! tuples {
    ($($count:literal: $First:ident $zero:literal $($I:ident $i:literal)*; $({$($Before:ident)*} $Next:ident)*)*) => {$(
        impl<$First: Input $(, $I: Input<Element = $First::Element>)*> Fusable for ($First, $($I,)*)
        where
            $(joined! { $First::Shape; $($Before)* }: Broadcast<$Next::Shape>,)*
        {
            type Element = $First::Element;
            type Shape = joined! { $First::Shape; $($I)* };
            type Places = (Expr<Variable<$zero>>, $(Expr<Variable<$i>>,)*);
            const PLACES: Self::Places = (Expr(Variable), $(Expr(Variable::<$i>),)*);

            #[allow(non_snake_case)]
            fn run<X: Expression>(self, expression: X) -> Raw<Self::Element> {
                let plans = const {
                    &[
                        &Plan::stretch($First::Shape::DIMS, <Self::Shape as AnyShape>::DIMS),
                        $(&Plan::stretch($I::Shape::DIMS, <Self::Shape as AnyShape>::DIMS),)*
                    ]
                };
                let ($First, $($I,)*) = self;
                <<Self::Element as Element>::Ops as Fusing<Self::Element>>::fused(
                    &[$First.raw(), $($I.raw(),)*],
                    plans,
                    <Self::Shape as AnyShape>::DIMS,
                    &kernel::Of::<_, $count>(Whole(expression)),
                )
            }
        }
    )*};
}
tuples! {
    1: A 0;
    2: A 0 B 1; {} B
    3: A 0 B 1 C 2; {} B {B} C
    4: A 0 B 1 C 2 D 3; {} B {B} C {B C} D
    5: A 0 B 1 C 2 D 3 F 4; {} B {B} C {B C} D {B C D} F
    6: A 0 B 1 C 2 D 3 F 4 G 5; {} B {B} C {B C} D {B C D} F {B C D F} G
}

/// A whole expression, as the kernels want it.
#[derive(Clone, Copy)]
struct Whole<X>(X);

impl<X: Expression, const N: usize> kernel::Expressed<N> for Whole<X> {
    #[inline(always)]
    fn value<V: Lanes>(self, x: [V; N]) -> V {
        self.0.value(&x).0
    }
    #[inline(always)]
    fn slopes<V: Lanes>(self, x: [V; N], g: V) -> [V; N] {
        let (_, values) = self.0.value(&x);
        let mut slopes = [V::of(0.0); N];
        self.0.slopes(values, g, &mut slopes);
        slopes
    }
}

struct FuseRule<E: Element> {
    plans: Vec<&'static Plan>,
    inputs: Vec<Buffer<E>>,
    loops: Box<dyn Loops<E>>,
}

impl<E: Element> Rule<E> for FuseRule<E> {
    fn name(&self) -> &'static str {
        "fuse"
    }

    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let inputs: Vec<&[E]> = self.inputs.iter().map(|input| &**input).collect();
        let wanted: Vec<bool> = (0..inputs.len()).map(|i| to.wanted(i)).collect();
        let slopes = kernel::fused_slopes(&self.plans, &inputs, &grad, &wanted, &*self.loops);
        for (i, slope) in slopes.into_iter().enumerate() {
            if let Some(slope) = slope {
                to.give(i, slope);
            }
        }
    }

    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        for input in &self.inputs {
            visit("input", Saved::Values(input));
        }
    }
}

fn fused<E: Element>(
    inputs: &[&Raw<E>],
    plans: &'static [&'static Plan],
    dims: Dims,
    loops: &dyn Loops<E>,
) -> Raw<E> {
    inputs
        .iter()
        .for_each(|input| anomaly::reads(&input.values));
    let deepest = inputs
        .iter()
        .map(|input| input.values.mark())
        .max_by_key(|mark| mark.depth());
    match deepest.filter(|mark| !mark.is_none()) {
        None => evaluated(inputs, plans, dims, loops).examined(dims),
        Some(mark) => {
            let mut marks = Marks::NONE;
            marks.push(mark);
            let lifting = Lifting::of(marks);
            let inputs: Vec<_> = inputs.iter().map(|input| lifting.whole(input)).collect();
            let inputs: Vec<&Raw<E>> = inputs.iter().map(|input| &**input).collect();
            let each = |plan: &&'static Plan| lifting.plan(plan, Share::Each, Share::Each);
            let plans: Vec<_> = plans.iter().map(each).collect();
            evaluated(&inputs, &plans, lifting.dims(dims), loops)
                .marked(lifting.mark())
                .examined(dims)
        }
    }
}

fn evaluated<E: Element>(
    inputs: &[&Raw<E>],
    plans: &[&'static Plan],
    dims: Dims,
    loops: &dyn Loops<E>,
) -> Raw<E> {
    let values: Vec<&[E]> = inputs.iter().map(|input| &*input.values).collect();
    let numel = dims.iter().product();
    Raw {
        values: kernel::fused(plans, &values, numel, loops),
        node: record_list(inputs.iter().map(|input| input.node.as_ref()), dims, || {
            FuseRule {
                plans: plans.to_vec(),
                inputs: inputs.iter().map(|input| input.values.clone()).collect(),
                loops: loops.boxed(),
            }
        }),
    }
}
