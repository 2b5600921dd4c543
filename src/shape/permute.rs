//! The axes of a shape may trade places.
//!
//! ```text
//! Transpose<0, 2>   (A, B, C) -> (C, B, A)      two axes trade places
//! TransposeLast     (A, B, C) -> (A, C, B)      the last two do: the transpose of a matrix
//! ```
//!
//! A permutation of all axes, `permute::<2, 0, 1>()`, reads its output off [`AxisAt`](super::AxisAt):
//! axis 2, then axis 0, then axis 1. That each axis is named once is a constant assertion, see
//! [`check_permutation`](super::check_permutation).

use super::axis::Axis;
use super::tuple::AnyShape;

/// The axes `I` and `J` trade places.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` has no axes {I} and {J} to transpose",
    label = "axis {I} or axis {J} is out of range",
    note = "axes are counted from 0, outermost first"
)]
pub trait Transpose<const I: usize, const J: usize> {
    /// The shape with both axes exchanged.
    type Output: AnyShape;
}

/// The last two axes trade places. A shape of fewer stays as it is; that there are two is the bound
/// [`TwoAxes`](super::TwoAxes), so that its error is met after the type of the result is known.
pub trait TransposeLast {
    /// The shape with the last two axes exchanged.
    type Output: AnyShape;
}

macro_rules! transpose {
    ($($shape:tt { $($i:literal $j:literal => $output:ty),* $(,)? })*) => {
        $($(transpose! { @pair $shape $i $j $output })*)*
    };
    (@pair ($($A:ident)*) $i:literal $j:literal $output:ty) => {
        #[diagnostic::do_not_recommend]
        impl<$($A: Axis),*> Transpose<$i, $j> for ($($A,)*) {
            type Output = $output;
        }
        #[diagnostic::do_not_recommend]
        impl<$($A: Axis),*> Transpose<$j, $i> for ($($A,)*) {
            type Output = $output;
        }
    };
}
transpose! {
    (A B) { 0 1 => (B, A) }
    (A B C) {
        0 1 => (B, A, C), 0 2 => (C, B, A),
        1 2 => (A, C, B),
    }
    (A B C D) {
        0 1 => (B, A, C, D), 0 2 => (C, B, A, D), 0 3 => (D, B, C, A),
        1 2 => (A, C, B, D), 1 3 => (A, D, C, B),
        2 3 => (A, B, D, C),
    }
    (A B C D E) {
        0 1 => (B, A, C, D, E), 0 2 => (C, B, A, D, E), 0 3 => (D, B, C, A, E), 0 4 => (E, B, C, D, A),
        1 2 => (A, C, B, D, E), 1 3 => (A, D, C, B, E), 1 4 => (A, E, C, D, B),
        2 3 => (A, B, D, C, E), 2 4 => (A, B, E, D, C),
        3 4 => (A, B, C, E, D),
    }
    (A B C D E F) {
        0 1 => (B, A, C, D, E, F), 0 2 => (C, B, A, D, E, F), 0 3 => (D, B, C, A, E, F),
        0 4 => (E, B, C, D, A, F), 0 5 => (F, B, C, D, E, A),
        1 2 => (A, C, B, D, E, F), 1 3 => (A, D, C, B, E, F), 1 4 => (A, E, C, D, B, F),
        1 5 => (A, F, C, D, E, B),
        2 3 => (A, B, D, C, E, F), 2 4 => (A, B, E, D, C, F), 2 5 => (A, B, F, D, E, C),
        3 4 => (A, B, C, E, D, F), 3 5 => (A, B, C, F, E, D),
        4 5 => (A, B, C, D, F, E),
    }
}

/// An axis may trade places with itself.
macro_rules! transpose_with_itself {
    ($i:literal: [$($A:ident)*] $X:ident [$($B:ident)*]) => {
        #[diagnostic::do_not_recommend]
        impl<$($A: Axis,)* $X: Axis, $($B: Axis),*> Transpose<$i, $i> for ($($A,)* $X, $($B,)*) {
            type Output = Self;
        }
    };
}
each_axis! { transpose_with_itself }

macro_rules! transpose_last {
    (5: $($A:ident)*) => {};
    ($r:literal: $($A:ident)*) => {
        impl<$($A: Axis,)* M: Axis, N: Axis> TransposeLast for ($($A,)* M, N) {
            type Output = ($($A,)* N, M);
        }
    };
}
each_rank_below_max! { transpose_last }

impl TransposeLast for () {
    type Output = ();
}
impl<A: Axis> TransposeLast for (A,) {
    type Output = (A,);
}

/// Whether each of the axes 0 to R - 1 is named once.
pub const fn is_permutation<const R: usize>(axes: [usize; R]) -> bool {
    let mut seen = [false; R];
    let mut i = 0;
    while i < R {
        if axes[i] >= R || seen[axes[i]] {
            return false;
        }
        seen[axes[i]] = true;
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape;

    fn check<S: AnyShape + Transpose<I, J>, const I: usize, const J: usize>() {
        let mut dims = S::DIMS.to_vec();
        dims.swap(I, J);
        assert_eq!(S::Output::DIMS, dims, "axes {I} and {J} of {:?}", S::DIMS);
    }

    #[test]
    fn every_two_axes_of_every_rank_trade_places() {
        macro_rules! all_pairs {
            ($($shape:ty: $axes:tt;)*) => { $(all_pairs! { @outer $shape; $axes $axes })* };
            (@outer $shape:ty; [$($i:literal)*] $axes:tt) => {
                $(all_pairs! { @inner $shape; $i $axes })*
            };
            (@inner $shape:ty; $i:literal [$($j:literal)*]) => { $(check::<$shape, $i, $j>();)* };
        }
        all_pairs! {
            shape![2]: [0];
            shape![2, 3]: [0 1];
            shape![2, 3, 5]: [0 1 2];
            shape![2, 3, 5, 7]: [0 1 2 3];
            shape![2, 3, 5, 7, 11]: [0 1 2 3 4];
            shape![2, 3, 5, 7, 11, 13]: [0 1 2 3 4 5];
        }
    }

    #[test]
    fn the_last_two_axes_trade_places() {
        fn check<S: AnyShape + TransposeLast>() {
            let mut dims = S::DIMS.to_vec();
            let rank = dims.len();
            dims.swap(rank - 2, rank - 1);
            assert_eq!(S::Output::DIMS, dims);
        }
        check::<shape![2, 3]>();
        check::<shape![2, 3, 5]>();
        check::<shape![2, 3, 5, 7]>();
        check::<shape![2, 3, 5, 7, 11]>();
        check::<shape![2, 3, 5, 7, 11, 13]>();
    }

    #[test]
    fn a_permutation_names_each_axis_once() {
        assert!(is_permutation([]));
        assert!(is_permutation([2, 0, 1]));
        assert!(!is_permutation([0, 0, 1]));
        assert!(!is_permutation([0, 3, 1]));
    }
}
