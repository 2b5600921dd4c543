//! Several axes at once, named in ascending order.
//!
//! ```text
//! HasAxes<axes![0, 2]> for (Dim<2>, Dim<3>, Dim<4>)
//!     Without    (Dim<3>,)
//!     Keepdim    (One, Dim<3>, One)
//!     STEPS      axis 2 of (2, 3, 4) to (2, 3); axis 0 of (2, 3) to (3,)
//! ```

use super::axis_at::{HasAxis, Split};
use super::tuple::{AnyShape, Dims, MAX_RANK};

/// Axis number `I`, in a list of axes: `axes![0, 2]` is `(At<0>, At<2>)`.
pub enum At<const I: usize> {}

/// Writes a list of axes: `axes![0, 2]` is the type `(At<0>, At<2>)`, for
/// [`sum_axes`](crate::Tensor::sum_axes) and its kin.
///
/// ```
/// use shapeproof::prelude::*;
///
/// let images = Tensor::<4, shape![8, 3, 5, 5]>::ones();
/// let of_each_channel: Tensor<1, shape![3]> = images.mean_axes::<axes![0, 2, 3]>();
/// assert_eq!(of_each_channel.to_array(), [1.0; 3]);
/// ```
#[macro_export]
macro_rules! axes {
    ($($axis:tt),+ $(,)?) => { ($($crate::shape::At<$axis>,)+) };
}

/// A list of axes, each greater than the one before.
#[diagnostic::on_unimplemented(
    message = "the axes `{Self}` are not in ascending order",
    label = "each axis is named once, the smaller first",
    note = "write `axes![0, 2]`, with numbers from 0 to 5"
)]
pub trait Ascending {}

macro_rules! ascending {
    ($([$($i:literal)*])*) => { $(#[diagnostic::do_not_recommend] impl Ascending for ($(At<$i>,)*) {})* };
}
ascending! {
    [0] [1] [2] [3] [4] [5]
    [0 1] [0 2] [0 3] [0 4] [0 5] [1 2] [1 3] [1 4] [1 5] [2 3] [2 4] [2 5] [3 4] [3 5] [4 5]
    [0 1 2] [0 1 3] [0 1 4] [0 1 5] [0 2 3] [0 2 4] [0 2 5] [0 3 4] [0 3 5] [0 4 5]
    [1 2 3] [1 2 4] [1 2 5] [1 3 4] [1 3 5] [1 4 5] [2 3 4] [2 3 5] [2 4 5] [3 4 5]
    [0 1 2 3] [0 1 2 4] [0 1 2 5] [0 1 3 4] [0 1 3 5] [0 1 4 5] [0 2 3 4] [0 2 3 5] [0 2 4 5] [0 3 4 5]
    [1 2 3 4] [1 2 3 5] [1 2 4 5] [1 3 4 5] [2 3 4 5]
    [0 1 2 3 4] [0 1 2 3 5] [0 1 2 4 5] [0 1 3 4 5] [0 2 3 4 5] [1 2 3 4 5]
    [0 1 2 3 4 5]
}

/// One axis on the way: where it lies, and the sizes that are left without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where the axis lies once the axes behind it are gone.
    pub split: Split,
    /// What is left.
    pub dims: Dims,
}

/// Several axes, one after the other, the last one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    steps: [Step; MAX_RANK],
    len: usize,
}

impl Steps {
    const NONE: Steps = Steps {
        steps: [Step {
            split: Split {
                outer: 1,
                len: 1,
                inner: 1,
            },
            dims: &[],
        }; MAX_RANK],
        len: 0,
    };

    /// This step, and then those.
    const fn then(step: Step, rest: Steps) -> Steps {
        let mut all = Steps::NONE;
        all.steps[0] = step;
        all.len = 1;
        while all.len <= rest.len {
            all.steps[all.len] = rest.steps[all.len - 1];
            all.len += 1;
        }
        all
    }

    /// The steps in order.
    pub const fn all(&self) -> &[Step] {
        self.steps.split_at(self.len).0
    }

    /// How many entries meet in each entry of what is left.
    pub const fn entries(&self) -> usize {
        let (mut entries, mut i) = (1, 0);
        while i < self.len {
            entries *= self.steps[i].split.len;
            i += 1;
        }
        entries
    }
}

/// A shape that has all of these axes, a tuple of [`At`].
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` has no axes `{Axes}`",
    label = "`{Axes}` does not name axes of `{Self}`",
    note = "write a list of axes as `axes![0, 2]`"
)]
pub trait HasAxes<Axes> {
    /// The shape without them: what a reduction over them leaves.
    type Without: AnyShape;
    /// The shape with `One` in their places: what a `keepdim` reduction leaves.
    type Keepdim: AnyShape;
    /// The axes one after the other, the last one first.
    const STEPS: Steps;
    /// The axes' numbers.
    const NUMBERS: &'static [usize];
}

impl<S: HasAxis<I>, const I: usize> HasAxes<(At<I>,)> for S {
    type Without = S::Without;
    type Keepdim = S::Keepdim;
    const STEPS: Steps = Steps::then(
        Step {
            split: S::SPLIT,
            dims: <S::Without as AnyShape>::DIMS,
        },
        Steps::NONE,
    );
    const NUMBERS: &'static [usize] = &[I];
}

/// The last axis first, then those before it: their numbers stay what they are.
macro_rules! has_axes {
    ($([$($I:ident)*])*) => { $(
        impl<S, $(const $I: usize,)* const LAST: usize> HasAxes<($(At<$I>,)* At<LAST>,)> for S
        where
            ($(At<$I>,)* At<LAST>,): Ascending,
            S: HasAxis<LAST>,
            S::Without: HasAxes<($(At<$I>,)*)>,
            S::Keepdim: HasAxes<($(At<$I>,)*)>,
        {
            type Without = <S::Without as HasAxes<($(At<$I>,)*)>>::Without;
            type Keepdim = <S::Keepdim as HasAxes<($(At<$I>,)*)>>::Keepdim;
            const STEPS: Steps = Steps::then(
                Step {
                    split: S::SPLIT,
                    dims: <S::Without as AnyShape>::DIMS,
                },
                <S::Without as HasAxes<($(At<$I>,)*)>>::STEPS,
            );
            const NUMBERS: &'static [usize] = &[$($I,)* LAST];
        }
    )* };
}
has_axes! { [I] [I J] [I J K] [I J K L] [I J K L M] }

/// The order of axes that brings those of a list behind the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behind<const R: usize> {
    /// The axes in their new order.
    pub order: [usize; R],
    /// Their sizes.
    pub sizes: [usize; R],
}

impl<const R: usize> Behind<R> {
    /// From the sizes of all axes, and the numbers of those that go behind.
    pub const fn of(sizes: [usize; R], axes: &[usize]) -> Self {
        let mut behind = Behind {
            order: [0; R],
            sizes: [0; R],
        };
        let (mut kept, mut moved, mut axis) = (0, 0, 0);
        while axis < R {
            let place = if moved < axes.len() && axes[moved] == axis {
                moved += 1;
                R - axes.len() + moved - 1
            } else {
                kept += 1;
                kept - 1
            };
            behind.order[place] = axis;
            behind.sizes[place] = sizes[axis];
            axis += 1;
        }
        behind
    }
}

/// Refuses an operation that needs an entry along each of the axes, such as `max`, where one has none.
///
/// # Panics
/// At compile time, if one of the axes has size 0.
#[track_caller]
pub const fn check_axes_not_empty<S: AnyShape + HasAxes<A>, A>(operation: &str) {
    let mut i = 0;
    while i < S::NUMBERS.len() {
        let axis = S::NUMBERS[i];
        if S::DIMS[axis] == 0 {
            super::reshape::refuse_empty_axis(operation, axis, S::DIMS);
        }
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    type S = shape![2, 3, 4, 5];

    #[test]
    fn axes_go_or_stay_as_one() {
        same(P::<<S as HasAxes<axes![0, 2]>>::Without>, P::<shape![3, 5]>);
        same(
            P::<<S as HasAxes<axes![0, 2]>>::Keepdim>,
            P::<shape![1, 3, 1, 5]>,
        );
        same(P::<<S as HasAxes<axes![1]>>::Without>, P::<shape![2, 4, 5]>);
        same(P::<<S as HasAxes<axes![0, 1, 2, 3]>>::Without>, P::<()>);
        assert_eq!(<S as HasAxes<axes![1, 3]>>::NUMBERS, [1, 3]);
    }

    #[test]
    fn the_last_axis_comes_first() {
        const STEPS: Steps = <S as HasAxes<axes![0, 2]>>::STEPS;
        let [last, first] = STEPS.all() else {
            panic!("{STEPS:?}")
        };
        assert_eq!(
            (last.split, last.dims),
            (<S as HasAxis<2>>::SPLIT, &[2, 3, 5][..])
        );
        assert_eq!(
            (first.split, first.dims),
            (<shape![2, 3, 5] as HasAxis<0>>::SPLIT, &[3, 5][..])
        );
        assert_eq!(STEPS.entries(), 8);
    }

    #[test]
    fn axes_are_brought_behind_the_others() {
        let behind = Behind::of([2, 3, 4, 5], &[0, 2]);
        assert_eq!(behind.order, [1, 3, 0, 2]);
        assert_eq!(behind.sizes, [3, 5, 2, 4]);
    }

    #[test]
    #[should_panic(expected = "max: axis 2 of shape (2, 3, 0) is empty")]
    fn a_maximum_over_an_empty_axis() {
        check_axes_not_empty::<shape![2, 3, 0], axes![0, 2]>("max");
    }
}
