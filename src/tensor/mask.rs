//! Truth values, as comparisons return them.

use crate::graph::level::read;
use crate::ops::examples::values_at_depth;
use crate::shape::{AnyShape, Rank, RankFamily, Shape};
use crate::storage::Buffer;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Truth values of shape `S`: what comparisons return, and [`select`](Mask::select) chooses by.
///
/// ```
/// use shapeproof::prelude::*;
///
/// let x = Tensor::from([-1.0f32, 0.0, 2.0]);
/// let positive = x.gt(0.0);
/// assert_eq!(positive.to_array(), [false, false, true]);
/// assert_eq!((!positive & x.lt(0.0)).count(), 1);
/// ```
pub struct Mask<const R: usize, S: AnyShape<Rank = Rank<R>>> {
    /// 1 for true, 0 for false.
    pub(crate) flags: Buffer<u8>,
    shape: PhantomData<fn() -> S>,
}

/// Truth values that have no shape yet.
#[doc(hidden)]
pub struct Flags(pub(crate) Buffer<u8>);

/// The mask of shape `S` that holds `flags`.
pub(crate) fn mask_of<S: AnyShape>(flags: Buffer<u8>) -> <S::Rank as RankFamily>::Mask<S> {
    <S::Rank as RankFamily>::wrap_mask::<S>(Flags(flags))
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>> Mask<R, S> {
    pub(super) fn from_flags(Flags(flags): Flags) -> Self {
        debug_assert_eq!(flags.len(), S::NUMEL * flags.mark().copies());
        Mask {
            flags,
            shape: PhantomData,
        }
    }
}

impl<const R: usize, S: Shape<R>> Mask<R, S> {
    /// The truth values of a nested array of this very shape.
    pub fn from_array(array: S::Array<bool>) -> Self {
        let mut flags = Vec::with_capacity(S::NUMEL);
        S::visit(&array, &mut |&flag| flags.push(u8::from(flag)));
        Self::from_flags(Flags(Buffer::from_slice(&flags)))
    }

    /// The truth values as a nested array.
    #[track_caller]
    pub fn to_array(&self) -> S::Array<bool> {
        let mut flags = read(&self.flags).iter();
        S::collect(&mut || *flags.next().expect("one flag for each element") == 1)
    }

    /// True if one is true; false for an empty mask.
    #[track_caller]
    pub fn any(&self) -> bool {
        read(&self.flags).contains(&1)
    }

    /// True if all are true; true for an empty mask.
    #[track_caller]
    pub fn all(&self) -> bool {
        !read(&self.flags).contains(&0)
    }

    /// How many are true.
    #[track_caller]
    pub fn count(&self) -> usize {
        read(&self.flags).iter().filter(|&&flag| flag == 1).count()
    }

    /// The sizes of the axes, outermost first.
    pub fn dims(&self) -> [usize; R] {
        S::SIZES
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>> Clone for Mask<R, S> {
    fn clone(&self) -> Self {
        Mask {
            flags: self.flags.clone(),
            shape: PhantomData,
        }
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>> PartialEq for Mask<R, S> {
    fn eq(&self, other: &Self) -> bool {
        **read(&self.flags) == **read(&other.flags)
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>> Eq for Mask<R, S> {}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>> fmt::Debug for Mask<R, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags: Vec<bool> = self.flags.iter().map(|&flag| flag == 1).collect();
        let dims = super::display::all_dims(&self.flags, S::DIMS);
        super::display::nested(f, "Mask(", &flags, &dims, ")")
    }
}

/// The truth values in nested brackets, aligned; more than 1000 are shortened.
///
/// ```
/// # use shapeproof::prelude::*;
/// let positive = Tensor::from([1.0f32, -2.0]).gt(0.0);
/// assert_eq!(positive.to_string(), "[ true, false]");
/// ```
impl<const R: usize, S: AnyShape<Rank = Rank<R>>> fmt::Display for Mask<R, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags: Vec<bool> = self.flags.iter().map(|&flag| flag == 1).collect();
        super::display::aligned(f, &flags, &super::display::all_dims(&self.flags, S::DIMS))
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>> Not for Mask<R, S> {
    type Output = Self;
    fn not(mut self) -> Self {
        self.flags.make_mut().iter_mut().for_each(|flag| *flag ^= 1);
        self
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>> Not for &Mask<R, S> {
    type Output = Mask<R, S>;
    fn not(self) -> Mask<R, S> {
        !self.clone()
    }
}

macro_rules! logic {
    ($($Op:ident $op:ident $symbol:tt $assign:tt;)*) => {$(
        logic! { @with $Op $op $assign Mask<R, S> }
        logic! { @with $Op $op $assign &Mask<R, S> }

        #[diagnostic::do_not_recommend]
        impl<const R: usize, S: AnyShape<Rank = Rank<R>>> $Op<&Mask<R, S>> for &Mask<R, S> {
            type Output = Mask<R, S>;
            fn $op(self, rhs: &Mask<R, S>) -> Mask<R, S> {
                self.clone() $symbol rhs
            }
        }
    )*};
    (@with $Op:ident $op:ident $assign:tt $Rhs:ty) => {
        #[diagnostic::do_not_recommend]
        impl<const R: usize, S: AnyShape<Rank = Rank<R>>> $Op<$Rhs> for Mask<R, S> {
            type Output = Self;
            fn $op(mut self, rhs: $Rhs) -> Self {
                let mut other = rhs.flags.clone();
                if self.flags.mark() != other.mark() {
                    let depth = self.flags.mark().depth().max(other.mark().depth());
                    self.flags = values_at_depth(&self.flags, depth);
                    other = values_at_depth(&other, depth);
                }
                for (flag, &other) in self.flags.make_mut().iter_mut().zip(&*other) {
                    *flag $assign other;
                }
                self
            }
        }
    };
}
logic! {
    BitAnd bitand & &=;
    BitOr bitor | |=;
    BitXor bitxor ^ ^=;
}
