//! An axis of even size may be cut into two halves.
//!
//! ```text
//! Halve<1>   (Dim<3>, Dim<8>)  ->  (Dim<3>, Dim<4>)
//! ```

use super::arith::{Natural, ToAxis};
use super::axis::{Axis, Dim};
use super::axis_at::HasAxis;
use super::message::Message;
use super::tuple::AnyShape;
use typenum::{B0, UInt, UTerm};

/// A number in types that is twice another. Not exported: numbers in types stay inside this folder.
pub trait Even {
    /// The other.
    type Half;
}

impl Even for UTerm {
    type Half = UTerm;
}

impl<N> Even for UInt<N, B0> {
    type Half = N;
}

/// An axis `AXIS` of even size.
#[diagnostic::on_unimplemented(
    message = "axis {AXIS}, an axis of `{Self}`, cannot be cut into two halves",
    label = "axis {AXIS} is `{Self}`",
    note = "the halves of an axis are computed for even sizes up to 2046; for larger ones, and in generic code, name the half with `glu_as`"
)]
pub trait HalfAxis<const AXIS: usize> {
    /// `Dim` of half the size.
    type Half: Axis;
}

#[diagnostic::do_not_recommend]
impl<const N: usize, const AXIS: usize> HalfAxis<AXIS> for Dim<N>
where
    Dim<N>: Natural,
    <Dim<N> as Natural>::N: Even,
    <<Dim<N> as Natural>::N as Even>::Half: ToAxis,
{
    type Half = <<<Dim<N> as Natural>::N as Even>::Half as ToAxis>::Axis;
}

/// The axis `AXIS` has an even size and is cut in half.
pub trait Halve<const AXIS: usize>: HasAxis<AXIS> {
    /// The shape with the half in its place.
    type Output: AnyShape;
}

impl<S: HasAxis<AXIS>, const AXIS: usize> Halve<AXIS> for S
where
    S::Axis: HalfAxis<AXIS>,
{
    type Output = S::With<<S::Axis as HalfAxis<AXIS>>::Half>;
}

/// Refuses a half that the caller named if it is none.
///
/// # Panics
/// At compile time, if axis `AXIS` of `S` is not twice as long as `H`.
#[track_caller]
pub const fn check_half<S: AnyShape + HasAxis<AXIS>, const AXIS: usize, H: Axis>() {
    if S::SPLIT.len != 2 * H::SIZE {
        let message = Message::new("glu_as: axis ")
            .number(AXIS)
            .text(" of shape ")
            .tuple(S::DIMS)
            .text(" is not twice as long as ")
            .number(H::SIZE);
        panic!("{}", message.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    #[test]
    fn even_sizes_are_halved() {
        same(P::<<shape![8] as Halve<0>>::Output>, P::<shape![4]>);
        same(P::<<shape![3, 0] as Halve<1>>::Output>, P::<shape![3, 0]>);
        same(
            P::<<shape![2, 3] as Halve<0>>::Output>,
            P::<shape![(Dim<1>), 3]>,
        );
        same(
            P::<<shape![3, 1024, 5] as Halve<1>>::Output>,
            P::<shape![3, 512, 5]>,
        );
        same(
            P::<<shape![1026, 1500, 2046] as Halve<0>>::Output>,
            P::<shape![513, 1500, 2046]>,
        );
        same(
            P::<<shape![1026, 1500, 2046] as Halve<2>>::Output>,
            P::<shape![1026, 1500, 1023]>,
        );
    }
}
