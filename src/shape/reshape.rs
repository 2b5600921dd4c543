//! A reshape keeps the number of elements.
//!
//! Stable Rust cannot state that as a bound, so this and its relatives are constant assertions: they
//! are evaluated when a program that calls the operation is built (`cargo build`, not yet
//! `cargo check`), and their failure is a compile error.
//!
//! ```text
//! reshape: shape (3, 4) has 12 elements, shape (2, 5) has 10
//! flatten: shape (3, 4) has 12 elements, not 10
//! flatten: shape (3, 4) has 4 elements behind axis 0, not 5
//! permute: axis 1 is named twice in (1, 1, 0)
//! max: axis 1 of shape (3, 0) is empty
//! ```

use super::axis_at::HasAxis;
use super::message::Message;
use super::permute::is_permutation;
use super::tuple::{AnyShape, Dims};

/// Refuses a reshape from `S` to `T` that would gain or lose elements.
///
/// # Panics
/// At compile time, if the two shapes differ in their number of elements.
#[track_caller]
pub const fn check_reshape<S: AnyShape, T: AnyShape>() {
    if S::NUMEL != T::NUMEL {
        let message = Message::new("reshape: ")
            .text("shape ")
            .tuple(S::DIMS)
            .text(" has ")
            .elements(S::NUMEL)
            .text(", shape ")
            .tuple(T::DIMS)
            .text(" has ")
            .number(T::NUMEL);
        panic!("{}", message.as_str());
    }
}

/// Refuses to flatten `S` to a number of elements that it does not have.
///
/// # Panics
/// At compile time, if `S` does not have `N` elements.
#[track_caller]
pub const fn check_flatten<S: AnyShape, const N: usize>() {
    if S::NUMEL != N {
        let message = Message::new("flatten: shape ")
            .tuple(S::DIMS)
            .text(" has ")
            .elements(S::NUMEL)
            .text(", not ")
            .number(N);
        panic!("{}", message.as_str());
    }
}

/// Refuses to flatten the axes of `S` behind the first to a number of elements that they do not have.
///
/// # Panics
/// At compile time, if they do not have `N` elements.
#[track_caller]
pub const fn check_flatten_behind<S: HasAxis<0> + AnyShape, const N: usize>() {
    let behind = <S as HasAxis<0>>::SPLIT.inner;
    if behind != N {
        let message = Message::new("flatten: shape ")
            .tuple(S::DIMS)
            .text(" has ")
            .elements(behind)
            .text(" behind axis 0, not ")
            .number(N);
        panic!("{}", message.as_str());
    }
}

/// Refuses a permutation that names an axis twice, or one that does not exist.
///
/// # Panics
/// At compile time, unless each of the axes 0 to R - 1 is named once.
#[track_caller]
pub const fn check_permutation<const R: usize>(axes: [usize; R]) {
    if is_permutation(axes) {
        return;
    }
    let mut i = 0;
    while i < R {
        let mut named = 0;
        let mut j = 0;
        while j < R {
            if axes[j] == axes[i] {
                named += 1;
            }
            j += 1;
        }
        if axes[i] >= R || named > 1 {
            let message = Message::new("permute: axis ")
                .number(axes[i])
                .text(if axes[i] >= R {
                    " is out of range in "
                } else {
                    " is named twice in "
                })
                .tuple(&axes);
            panic!("{}", message.as_str());
        }
        i += 1;
    }
}

/// Refuses an operation that needs an entry along `AXIS`, such as `max`, where there is none.
///
/// # Panics
/// At compile time, if the axis has size 0.
#[track_caller]
pub const fn check_not_empty<S: AnyShape + HasAxis<AXIS>, const AXIS: usize>(operation: &str) {
    if S::SPLIT.len == 0 {
        refuse_empty_axis(operation, AXIS, S::DIMS);
    }
}

/// Says which axis is empty.
#[track_caller]
pub(super) const fn refuse_empty_axis(operation: &str, axis: usize, dims: Dims) -> ! {
    let message = Message::new(operation)
        .text(": axis ")
        .number(axis)
        .text(" of shape ")
        .tuple(dims)
        .text(" is empty");
    panic!("{}", message.as_str());
}

/// Refuses an operation that needs an element, such as `max` over all axes, where there is none.
///
/// # Panics
/// At compile time, if the shape has no elements.
#[track_caller]
pub const fn check_has_elements<S: AnyShape>(operation: &str) {
    if S::NUMEL == 0 {
        let message = Message::new(operation)
            .text(": shape ")
            .tuple(S::DIMS)
            .text(" has no elements");
        panic!("{}", message.as_str());
    }
}

impl Message {
    /// Adds a count of elements.
    const fn elements(self, count: usize) -> Message {
        self.number(count)
            .text(if count == 1 { " element" } else { " elements" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape;

    #[test]
    fn what_fits_passes() {
        const { check_reshape::<shape![3, 4], shape![2, 6, 1]>() };
        const { check_reshape::<shape![], shape![1, 1]>() };
        const { check_flatten::<shape![3, 4], 12>() };
        const { check_permutation([1, 2, 0]) };
        const { check_not_empty::<shape![3, 0], 0>("max") };
        const { check_has_elements::<shape![]>("max") };
    }

    #[test]
    #[should_panic(expected = "reshape: shape (3, 4) has 12 elements, shape (1,) has 1")]
    fn a_reshape_that_loses_elements() {
        check_reshape::<shape![3, 4], shape![1]>();
    }

    #[test]
    #[should_panic(expected = "flatten: shape () has 1 element, not 10")]
    fn a_flatten_to_another_size() {
        check_flatten::<shape![], 10>();
    }

    #[test]
    #[should_panic(expected = "permute: axis 1 is named twice in (1, 1, 0)")]
    fn a_permutation_that_names_an_axis_twice() {
        check_permutation([1, 1, 0]);
    }

    #[test]
    #[should_panic(expected = "permute: axis 3 is out of range in (0, 3, 1)")]
    fn a_permutation_that_names_no_axis() {
        check_permutation([0, 3, 1]);
    }

    #[test]
    #[should_panic(expected = "max: axis 1 of shape (3, 0) is empty")]
    fn a_maximum_over_an_empty_axis() {
        check_not_empty::<shape![3, 0], 1>("max");
    }

    #[test]
    #[should_panic(expected = "argmin: shape (3, 0) has no elements")]
    fn a_minimum_of_nothing() {
        check_has_elements::<shape![3, 0]>("argmin");
    }
}
