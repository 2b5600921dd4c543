//! Sizes computed in types: from an axis to a number that the type system can add, and back.
//!
//! Stable Rust cannot write `Dim<{ A + B }>`. The `typenum` crate computes with numbers that are types, so a
//! rule takes its axes there by [`Natural`], computes, and comes back by [`ToAxis`]:
//!
//! ```text
//! Dim<28>  --Natural-->  28 in binary, as a type  --Add, Sub, Div ..-->  26  --ToAxis-->  Dim<26>
//! ```
//!
//! The way in ends at 1024, the way back at 2047. No type of `typenum` leaves this folder: signatures and errors
//! show `Dim<26>`. For larger sizes, and in code generic over them, each operation has a twin in `_as`
//! whose result the caller names and a constant assertion checks.

use super::axis::{Axis, Dim, One};
use typenum::{B0, B1, U1, U1024, UInt, UTerm, Unsigned};

/// An axis whose size is a number in types: `One`, and `Dim<0>` to `Dim<1024>`.
#[diagnostic::on_unimplemented(
    message = "the size of an axis `{Self}` is not computed with in types",
    label = "the size of `{Self}` is too large, or generic",
    note = "sizes from 0 to 1024 are; for others, and in generic code, name the result with the `_as` form of the operation"
)]
pub trait Natural: Axis {
    /// The size as a type.
    #[doc(hidden)]
    type N: Unsigned;
}

/// A number in types that is the size of an axis: 0 to 2047.
#[diagnostic::on_unimplemented(
    message = "the size of this axis is not computed in types",
    label = "the result is larger than 2047",
    note = "name a larger result with the `_as` form of the operation"
)]
pub trait ToAxis {
    /// `Dim` of that size.
    type Axis: Axis;
}

macro_rules! numbers {
    ($number:ty, $size:expr;) => {
        numbers! { @pair $number, $size }
    };
    // One more doubling for each dot: every number of one bit more ends in 0 or in 1.
    ($number:ty, $size:expr; $dot:tt $($rest:tt)*) => {
        numbers! { @pair $number, $size }
        numbers! { UInt<$number, B0>, $size * 2; $($rest)* }
        numbers! { UInt<$number, B1>, $size * 2 + 1; $($rest)* }
    };
    (@pair $number:ty, $size:expr) => {
        #[diagnostic::do_not_recommend]
        impl ToAxis for $number {
            type Axis = Dim<{ $size }>;
        }
    };
}
numbers! { @pair UTerm, 0 }
numbers! { UInt<UTerm, B1>, 1; . . . . . . . . . . }

// A table, and not `impl<const N: usize> Natural for Dim<N> where Const<N>: ToUInt`: where the compiler looks
// for a method whose result is computed, it reports the innermost bound, which would then be typenum's.
macro_rules! naturals {
    ($number:ty, $size:expr;) => {
        naturals! { @pair $number, $size }
    };
    ($number:ty, $size:expr; $dot:tt $($rest:tt)*) => {
        naturals! { @pair $number, $size }
        naturals! { UInt<$number, B0>, $size * 2; $($rest)* }
        naturals! { UInt<$number, B1>, $size * 2 + 1; $($rest)* }
    };
    (@pair $number:ty, $size:expr) => {
        #[diagnostic::do_not_recommend]
        impl Natural for Dim<{ $size }> {
            type N = $number;
        }
    };
}
naturals! { @pair UTerm, 0 }
naturals! { UInt<UTerm, B1>, 1; . . . . . . . . . }
naturals! { @pair U1024, 1024 }

impl Natural for One {
    type N = U1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use typenum::Sum;

    #[test]
    fn sizes_lead_in_and_back() {
        fn round_trip<A: Natural<N: ToAxis>>() -> (usize, usize) {
            (
                <A::N as Unsigned>::USIZE,
                <<A::N as ToAxis>::Axis as Axis>::SIZE,
            )
        }
        assert_eq!(round_trip::<Dim<0>>(), (0, 0));
        assert_eq!(round_trip::<Dim<1>>(), (1, 1));
        assert_eq!(round_trip::<One>(), (1, 1));
        assert_eq!(round_trip::<Dim<1024>>(), (1024, 1024));
    }

    #[test]
    fn sums_are_axes() {
        type Joined = <Sum<<Dim<1024> as Natural>::N, <Dim<1023> as Natural>::N> as ToAxis>::Axis;
        assert_eq!(Joined::SIZE, 2047);
    }
}
