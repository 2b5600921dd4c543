//! Numbers near enough, tensors of either element type, and sweeps over lengths.

use shapeproof::prelude::*;

/// An element type, and how near to the right value its results must be.
pub trait Number: Element {
    const RELATIVE: f64;
    const ABSOLUTE: f64;
}

impl Number for f32 {
    const RELATIVE: f64 = 1e-5;
    const ABSOLUTE: f64 = 1e-6;
}

impl Number for f64 {
    const RELATIVE: f64 = 1e-7;
    const ABSOLUTE: f64 = 1e-14;
}

/// Fails unless every number is near the right one. NaN and infinities must be the same.
#[track_caller]
pub fn near<E: Number>(got: impl IntoIterator<Item = E>, right: impl AsRef<[f64]>) {
    within(got, right, E::RELATIVE, E::ABSOLUTE);
}

/// [`near`] with a bound of its own, and only a relative one.
#[track_caller]
pub fn near_within<E: Number>(
    got: impl IntoIterator<Item = E>,
    right: impl AsRef<[f64]>,
    relative: f64,
) {
    within(got, right, relative, 0.0);
}

#[track_caller]
fn within<E: Number>(
    got: impl IntoIterator<Item = E>,
    right: impl AsRef<[f64]>,
    relative: f64,
    absolute: f64,
) {
    let got: Vec<f64> = got.into_iter().map(|v| v.to_f64().unwrap()).collect();
    let right = right.as_ref();
    assert_eq!(got.len(), right.len(), "{got:?} against {right:?}");
    for (&a, &b) in got.iter().zip(right) {
        let near = a == b
            || a.is_nan() && b.is_nan()
            || (a - b).abs() <= (relative * b.abs()).max(absolute);
        assert!(near, "{a} is not {b}\n{got:?}\n{right:?}");
    }
}

/// Fails unless every number is exactly the right one.
#[track_caller]
pub fn exactly<E: Number>(got: impl IntoIterator<Item = E>, right: impl AsRef<[f64]>) {
    let got: Vec<f64> = got.into_iter().map(|v| v.to_f64().unwrap()).collect();
    assert_eq!(got, right.as_ref());
}

/// The tensor of these values.
#[track_caller]
pub fn of<const R: usize, S: Shape<R>, E: Element>(values: &[f64]) -> Tensor<R, S, E> {
    let values: Vec<E> = values.iter().map(|&v| E::of(v)).collect();
    Tensor::from_vec(values).unwrap()
}

/// The tensor whose elements are made from their places.
pub fn by_place<const R: usize, S: Shape<R>, E: Element>(
    f: impl Fn(usize) -> f64,
) -> Tensor<R, S, E> {
    of(&(0..S::NUMEL).map(f).collect::<Vec<_>>())
}

/// The gradient; there must be one.
#[track_caller]
pub fn grad<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>) -> Tensor<R, S, E> {
    x.grad().expect("a gradient")
}

/// The text of the panic that `body` ends in.
#[track_caller]
pub fn panic_text<T>(body: impl FnOnce() -> T) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body))
        .err()
        .expect("a panic");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => other.downcast_ref::<&str>().unwrap_or(&"").to_string(),
    }
}

/// Tests that run for `f32` and for `f64`.
macro_rules! both {
    ($($(#[$attribute:meta])* fn $name:ident<$E:ident>() $body:block)*) => {$(
        $(#[$attribute])*
        #[test]
        fn $name() {
            fn body<$E: $crate::cases::check::Number>() $body
            body::<f32>();
            body::<f64>();
        }
    )*};
}

/// Calls `body::<N, E>()` for lengths on both sides of the ends of vector registers and of unrolled loops.
macro_rules! every_length {
    ($body:ident) => {
        every_length! { @each $body f32 1 2 3 4 5 7 8 9 11 13 15 16 17 23 31 32 33 47 63 64 65 70 }
        every_length! { @each $body f64 1 2 3 4 5 7 8 9 15 16 17 31 32 33 65 }
    };
    (@each $body:ident $E:ident $($n:literal)*) => {
        $($body::<$n, $E>();)*
    };
}
