//! Whole numbers that are proven to be below a bound, when they are made.

use super::{Mask, mask_of};
use crate::error::{IndexError, LengthError};
use crate::graph::level::read;
use crate::ops::examples::values_at_depth;
use crate::shape::{AnyShape, Dims, IndicesOf, Rank, Shape, Unsqueeze, check_reshape};
use crate::storage::Buffer;
use std::fmt;
use std::marker::PhantomData;

/// Whole numbers of shape `S`, each below `BOUND`: labels, tokens, positions along an axis.
///
/// The bound is checked once, here, so that lookups by them cannot go out of range, and indices into one
/// vocabulary cannot be used with another.
///
/// ```
/// use shapeproof::prelude::*;
///
/// let labels = Indices::<1, shape![3], 10>::from_slice(&[3, 0, 9])?;
/// assert_eq!(labels.to_array(), [3, 0, 9]);
/// let error = Indices::<1, shape![3], 10>::from_slice(&[3, -4, 9]).unwrap_err();
/// assert_eq!(error.to_string(), "index -4 at place 1 is not in 0..10");
/// # Ok::<(), shapeproof::error::IndexError>(())
/// ```
pub struct Indices<const R: usize, S: AnyShape<Rank = Rank<R>>, const BOUND: usize> {
    pub(crate) values: Buffer<usize>,
    shape: PhantomData<fn() -> S>,
}

/// A type of whole numbers, such as `u8` or `i64`: what [`Indices`] are made from.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of whole numbers",
    label = "indices are whole numbers, not `{Self}`",
    note = "labels and other indices are made from integers of any type: `0`, not `0.0`; for a float `x`, `x as usize`"
)]
pub trait WholeNumber: Copy + PartialEq + TryInto<usize> + fmt::Display {}

macro_rules! whole {
    ($($T:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl WholeNumber for $T {}
    )*};
}
whole! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

/// Positions that the library computed itself and knows to be below their bound.
#[doc(hidden)]
pub struct Positions(pub(crate) Buffer<usize>);

#[diagnostic::do_not_recommend]
impl<const R: usize, S: AnyShape<Rank = Rank<R>>, const BOUND: usize> From<Positions>
    for Indices<R, S, BOUND>
{
    fn from(positions: Positions) -> Self {
        debug_assert!(
            positions.0.len() == S::NUMEL * positions.0.mark().copies()
                && positions.0.iter().all(|&i| i < BOUND)
        );
        Indices {
            values: positions.0,
            shape: PhantomData,
        }
    }
}

/// The numbers as indices of these sizes, each below `bound`; 0 for those that `skip` says are none.
pub(crate) fn checked<T>(
    values: &[T],
    skip: &dyn Fn(T) -> bool,
    dims: Dims,
    bound: usize,
) -> Result<Buffer<usize>, IndexError>
where
    T: WholeNumber,
{
    if values.len() != dims.iter().product::<usize>() {
        return Err(LengthError::new(values.len(), dims).into());
    }
    let mut indices = Buffer::dirty(values.len());
    for (place, (index, &value)) in indices.fresh().iter_mut().zip(values).enumerate() {
        *index = match value.try_into() {
            _ if bound > 0 && skip(value) => 0,
            Ok(valid) if valid < bound => valid,
            _ => {
                return Err(IndexError::OutOfBound {
                    value: value.to_string(),
                    place,
                    bound,
                });
            }
        };
    }
    Ok(indices)
}

/// 1 for each value that is this one.
fn flags<T: Copy + PartialEq>(values: &[T], value: T) -> Buffer<u8> {
    Buffer::from_fn(values.len(), |i| u8::from(values[i] == value))
}

impl<const R: usize, S: Shape<R>, const BOUND: usize> Indices<R, S, BOUND> {
    /// Indices from whole numbers of any type, in row-major order.
    ///
    /// # Errors
    /// If there are more or fewer than the shape has elements, or one is negative or not below `BOUND`.
    pub fn from_slice<T>(values: &[T]) -> Result<Self, IndexError>
    where
        T: WholeNumber,
    {
        Ok(Positions(checked(values, &|_| false, S::DIMS, BOUND)?).into())
    }

    /// Indices from whole numbers of which some, all those equal to `ignored`, stand for nothing, and the mask that is
    /// true there. In their place the indices are 0. PyTorch: `ignore_index`.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice), apart from `ignored`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (labels, ignored) = Indices::<1, shape![3], 10>::from_slice_ignoring(&[3, -100, 9], -100)?;
    /// assert_eq!(labels.to_array(), [3, 0, 9]);
    /// assert_eq!(ignored.to_array(), [false, true, false]);
    /// # Ok::<(), shapeproof::error::IndexError>(())
    /// ```
    pub fn from_slice_ignoring<T>(
        values: &[T],
        ignored: T,
    ) -> Result<(Self, Mask<R, S>), IndexError>
    where
        T: WholeNumber,
    {
        let indices = checked(values, &|value| value == ignored, S::DIMS, BOUND)?;
        Ok((
            Positions(indices).into(),
            mask_of::<S>(flags(values, ignored)),
        ))
    }

    /// Indices from a vector, in row-major order.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice).
    pub fn from_vec<T>(values: Vec<T>) -> Result<Self, IndexError>
    where
        T: WholeNumber,
    {
        Self::from_slice(&values)
    }

    /// Indices from a nested array of this very shape.
    ///
    /// # Errors
    /// If a number is negative or not below `BOUND`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let tokens = Indices::<2, shape![2, 2], 100>::from_array([[1, 2], [3, 99]])?;
    /// assert_eq!(tokens.as_slice(), [1, 2, 3, 99]);
    /// # Ok::<(), shapeproof::error::IndexError>(())
    /// ```
    pub fn from_array<T>(array: S::Array<T>) -> Result<Self, IndexError>
    where
        T: WholeNumber,
    {
        let mut values = Vec::with_capacity(S::NUMEL);
        S::visit(&array, &mut |&value| values.push(value));
        Self::from_slice(&values)
    }

    /// The numbers as a nested array.
    #[track_caller]
    pub fn to_array(&self) -> S::Array<usize> {
        let mut values = read(&self.values).iter();
        S::collect(&mut || *values.next().expect("one index for each element"))
    }

    /// The numbers in row-major order.
    #[track_caller]
    pub fn as_slice(&self) -> &[usize] {
        read(&self.values)
    }

    /// The numbers in row-major order, one by one.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let labels = Indices::<1, shape![3], 10>::from_array([3, 0, 9]).unwrap();
    /// assert_eq!(labels.iter().max(), Some(9));
    /// ```
    #[track_caller]
    pub fn iter(&self) -> super::Iter<'_, usize> {
        self.as_slice().iter().copied()
    }

    /// The same indices in another shape of as many elements. PyTorch: `reshape`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let tokens = Indices::<2, shape![2, 2], 100>::from_array([[1, 2], [3, 99]]).unwrap();
    /// assert_eq!(tokens.reshape::<shape![4]>().to_array(), [1, 2, 3, 99]);
    /// ```
    pub fn reshape<T: AnyShape>(&self) -> IndicesOf<T, BOUND> {
        const { check_reshape::<S, T>() }
        Positions(self.values.clone()).into()
    }

    /// The same indices with a new axis `One` at `AXIS`. PyTorch: `unsqueeze`.
    ///
    /// With [`gather`](super::Gathers::gather), one entry of each row:
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let values = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// let chosen = Indices::<1, shape![2], 3>::from_array([2, 0]).unwrap();
    /// let of_each_row = values.gather::<1>(&chosen.unsqueeze::<1>()).squeeze::<1>();
    /// assert_eq!(of_each_row.to_array(), [3.0, 4.0]);
    /// ```
    pub fn unsqueeze<const AXIS: usize>(&self) -> IndicesOf<<S as Unsqueeze<AXIS>>::Output, BOUND>
    where
        S: Unsqueeze<AXIS>,
    {
        Positions(self.values.clone()).into()
    }

    /// Where both hold the same number, whatever their bounds. PyTorch: `eq`.
    ///
    /// `==` asks whether they do everywhere.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let logits = Tensor::from([[0.1f32, 2.0], [0.7, -0.5], [1.0, 0.9]]);
    /// let labels = Indices::<1, shape![3], 2>::from_array([1, 0, 1]).unwrap();
    /// let right = logits.argmax_axis::<1>().eq(&labels);
    /// assert_eq!(right.to_array(), [true, true, false]);
    /// assert_eq!(right.count() as f32 / 3.0, right.to_tensor::<f32>().mean().item()); // the accuracy
    /// ```
    pub fn eq<const OTHER: usize>(&self, other: &Indices<R, S, OTHER>) -> Mask<R, S> {
        let depth = self.values.mark().depth().max(other.values.mark().depth());
        let values = values_at_depth(&self.values, depth);
        let others = values_at_depth(&other.values, depth);
        let equal = Buffer::from_fn(values.len(), |i| u8::from(values[i] == others[i]));
        mask_of::<S>(equal.marked(values.mark()))
    }

    /// The sizes of the axes, outermost first.
    pub fn dims(&self) -> [usize; R] {
        S::SIZES
    }
}

impl<const BOUND: usize> Indices<0, (), BOUND> {
    /// The single number.
    #[track_caller]
    pub fn item(&self) -> usize {
        read(&self.values)[0]
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, const BOUND: usize> Clone
    for Indices<R, S, BOUND>
{
    fn clone(&self) -> Self {
        Indices {
            values: self.values.clone(),
            shape: PhantomData,
        }
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, const BOUND: usize> PartialEq
    for Indices<R, S, BOUND>
{
    fn eq(&self, other: &Self) -> bool {
        **read(&self.values) == **read(&other.values)
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, const BOUND: usize> Eq for Indices<R, S, BOUND> {}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, const BOUND: usize> fmt::Debug
    for Indices<R, S, BOUND>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::display::nested(
            f,
            &format!("Indices(below {BOUND}, "),
            &self.values,
            &super::display::all_dims(&self.values, S::DIMS),
            ")",
        )
    }
}

/// The numbers in nested brackets, aligned; more than 1000 are shortened.
///
/// ```
/// # use shapeproof::prelude::*;
/// let labels = Indices::<2, shape![2, 2], 20>::from_array([[3, 0], [12, 1]]).unwrap();
/// assert_eq!(labels.to_string(), "[[ 3,  0],\n [12,  1]]");
/// ```
impl<const R: usize, S: AnyShape<Rank = Rank<R>>, const BOUND: usize> fmt::Display
    for Indices<R, S, BOUND>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::display::aligned(
            f,
            &self.values,
            &super::display::all_dims(&self.values, S::DIMS),
        )
    }
}
