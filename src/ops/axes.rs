//! Reductions over several axes at once.

use super::compiled::compiled;
use super::extrema::Extrema;
use super::layout::Layout;
use super::norm::Norms;
use super::reduce::Reduction;
use super::softmax::Normalise;
use super::statistics::Statistics;
use crate::element::Element;
use crate::shape::{
    AnyShape, Behind, Dims, HasAxes, Shape, Split, Steps, TensorOf, check_axes_not_empty,
};
use crate::tensor::{Raw, Tensor, wrap};

/// A reduction over one axis.
type Reduce<'a, E> = dyn Fn(&Raw<E>, Split, Dims) -> Raw<E> + 'a;

compiled! {
    /// Reductions over several axes.
    trait Several {
        fn stepwise(x: &Raw<E>, steps: &Steps, dims: Dims, reduce: &Reduce<'_, E>) -> Raw<E> => by_hand;
    }
}

/// Reduces one axis after the other, neighbours together, for reductions whose parts may be reduced again.
fn stepwise<E: Element>(x: &Raw<E>, steps: &Steps, dims: Dims, reduce: &Reduce<'_, E>) -> Raw<E> {
    let mut steps = steps.all().iter().peekable();
    let mut so_far: Option<Raw<E>> = None;
    while let Some(step) = steps.next() {
        let (mut split, mut left) = (step.split, step.dims);
        // The same elements lie behind both axes: none lies between them.
        while let Some(next) = steps.next_if(|next| next.split.inner == split.inner) {
            split = Split {
                outer: next.split.outer,
                len: next.split.len * split.len,
                inner: split.inner,
            };
            left = next.dims;
        }
        let left = if steps.peek().is_some() { left } else { dims };
        so_far = Some(reduce(so_far.as_ref().unwrap_or(x), split, left));
    }
    so_far.expect("a list of axes names at least one")
}

macro_rules! over_axes {
    ($($(#[$doc:meta])* $name:ident $axes:ident $keepdim:ident ($($p:ident: $P:ty),*) = $way:ident $Family:ident $function:ident
        $(, refuses empty as $label:literal)?;)*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$doc])*
            pub fn $axes<A>(&self $(, $p: $P)*) -> TensorOf<S::Without, E>
            where
                S: HasAxes<A>,
            {
                $(const { check_axes_not_empty::<S, A>($label) })?
                wrap::<S::Without, E>(over_axes!(@$way $Family $function self S E S::Without, ($($p)*)))
            }

            #[doc = concat!("[`", stringify!($axes), "`](Self::", stringify!($axes), ") with the axes kept as `One`: the result broadcasts against the operand.")]
            #[doc = concat!("PyTorch: `", stringify!($name), "(keepdim=True)`.")]
            pub fn $keepdim<A>(&self $(, $p: $P)*) -> TensorOf<S::Keepdim, E>
            where
                S: HasAxes<A>,
            {
                $(const { check_axes_not_empty::<S, A>($label) })?
                wrap::<S::Keepdim, E>(over_axes!(@$way $Family $function self S E S::Keepdim, ($($p)*)))
            }
        )*}
    };
    // Of all entries together.
    (@together $Family:ident $function:ident $self:ident $S:ident $E:ident $T:ty, ($($p:ident)*)) => {
        if $S::STEPS.all().len() == 1 {
            let split = $S::STEPS.all()[0].split;
            <$E::Ops as $Family<$E>>::$function(&$self.raw, split, <$T as AnyShape>::DIMS $(, $p)*)
        } else {
            let together = $self.together::<A>();
            let split = Split { outer: S::Without::NUMEL, len: $S::STEPS.entries(), inner: 1 };
            <$E::Ops as $Family<$E>>::$function(&together, split, <$T as AnyShape>::DIMS $(, $p)*)
        }
    };
    // Of what the same reduction made of parts.
    (@stepwise $Family:ident $function:ident $self:ident $S:ident $E:ident $T:ty, ($($p:ident)*)) => {
        <$E::Ops as Several<$E>>::stepwise(
            &$self.raw,
            &$S::STEPS,
            <$T as AnyShape>::DIMS,
            &|x, split, dims| <$E::Ops as $Family<$E>>::$function(x, split, dims $(, $p)*),
        )
    };
}

over_axes! {
    /// [`sum`](Self::sum) over the axes `A`, which go. PyTorch: `sum(dim=(..))`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[[1.0f32, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]);
    /// assert_eq!(x.sum_axes::<axes![0, 2]>().to_array(), [14.0, 22.0]);
    /// assert_eq!(x.sum_axes_keepdim::<axes![0, 2]>().to_array(), [[[14.0], [22.0]]]);
    /// ```
    sum sum_axes sum_axes_keepdim() = stepwise Reduction sum;

    /// [`mean`](Self::mean) over the axes `A`, which go. PyTorch: `mean(dim=(..))`.
    mean mean_axes mean_axes_keepdim() = stepwise Reduction mean;

    /// [`var`](Self::var) over the axes `A`, which go. PyTorch: `var(dim=(..), correction=correction)`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let images = Tensor::from([[[1.0f32, 3.0], [7.0, 7.0]], [[1.0, 3.0], [7.0, 7.0]]]);
    /// assert_eq!(images.var_axes::<axes![0, 2]>(0).to_array(), [1.0, 0.0]);
    /// ```
    var var_axes var_axes_keepdim(correction: usize) = together Statistics variance;

    /// [`std`](Self::std) over the axes `A`, which go. PyTorch: `std(dim=(..), correction=correction)`.
    std std_axes std_axes_keepdim(correction: usize) = together Statistics deviation;

    /// [`max`](Self::max) over the axes `A`, which go. PyTorch: `amax(dim=(..))`.
    max max_axes max_axes_keepdim() = stepwise Extrema max, refuses empty as "max";

    /// [`min`](Self::min) over the axes `A`, which go. PyTorch: `amin(dim=(..))`.
    min min_axes min_axes_keepdim() = stepwise Extrema min, refuses empty as "min";

    /// [`logsumexp`](Self::logsumexp) over the axes `A`, which go. PyTorch: `logsumexp(dim=(..))`.
    logsumexp logsumexp_axes logsumexp_axes_keepdim() = stepwise Normalise logsumexp;

    /// [`prod`](Self::prod) over the axes `A`, which go. NumPy: `prod(axis=(..))`.
    prod prod_axes prod_axes_keepdim() = stepwise Norms prod;

    /// [`norm`](Self::norm) over the axes `A`, which go. PyTorch: `linalg.vector_norm(ord=p, dim=(..))`.
    norm norm_axes norm_axes_keepdim(p: E) = together Norms norm;
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The elements with the axes `A` behind the others, for reductions that look at all their entries together.
    fn together<A>(&self) -> Raw<E>
    where
        S: HasAxes<A>,
    {
        let behind: &'static Behind<R> = const { &Behind::of(S::SIZES, S::NUMBERS) };
        <E::Ops as Layout<E>>::permute(&self.raw, S::DIMS, &behind.sizes, &behind.order)
    }
}
