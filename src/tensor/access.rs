//! Reading and writing the values of a tensor.

use super::Tensor;
use crate::element::Element;
use crate::graph::level::read;
use crate::shape::{AnyShape, Rank, Shape, SingleNumber};
use std::ops::{Index, IndexMut};

/// The values of a tensor in row-major order.
pub type Iter<'a, E> = std::iter::Copied<std::slice::Iter<'a, E>>;

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The single number. It exists for rank 0 alone. PyTorch: `item`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, 2.0]).sum().item(), 3.0);
    /// ```
    #[track_caller]
    pub fn item(&self) -> E
    where
        S: SingleNumber,
    {
        read(&self.raw.values)[0]
    }

    /// The values as a nested array. PyTorch: `tolist`. Large tensors are better read by [`as_slice`](Self::as_slice): an
    /// array lives on the stack.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<2, shape![2, 3]>::ones();
    /// assert_eq!(x.to_array(), [[1.0; 3]; 2]);
    /// ```
    #[track_caller]
    pub fn to_array(&self) -> S::Array<E> {
        let mut values = self.iter();
        S::collect(&mut || values.next().expect("one value for each element"))
    }

    /// The values in row-major order. PyTorch: `numpy`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]).as_slice(), [1.0, 2.0, 3.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn as_slice(&self) -> &[E] {
        read(&self.raw.values)
    }

    /// The values in row-major order, for writing.
    ///
    /// Where others share them (clones, or a graph that saved them) the tensor moves to a copy first, so
    /// nobody else sees the change. The result of a recorded operation leaves its graph here: what is
    /// written is new data, and gradients no longer pass through it. A leaf stays a leaf.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let mut x = Tensor::from([1.0f32, 2.0]);
    /// let before = x.clone();
    /// x.as_mut_slice()[0] = 9.0;
    /// assert_eq!((x.to_array(), before.to_array()), ([9.0, 2.0], [1.0, 2.0]));
    /// ```
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> &mut [E] {
        read(&self.raw.values);
        if self.raw.node.as_ref().is_some_and(|node| !node.is_leaf()) {
            self.raw.node = None;
        }
        self.raw.values.make_mut()
    }

    /// The values in row-major order, copied.
    #[track_caller]
    pub fn to_vec(&self) -> Vec<E> {
        self.as_slice().to_vec()
    }

    /// The values in row-major order, one by one.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, 2.0]).iter().fold(0.0, |a, b| a + b), 3.0);
    /// ```
    #[track_caller]
    pub fn iter(&self) -> Iter<'_, E> {
        self.as_slice().iter().copied()
    }

    /// Where the element at `index` lies in row-major order.
    #[track_caller]
    fn place(index: [usize; R]) -> usize {
        let mut place = 0;
        for (axis, (&i, &size)) in index.iter().zip(S::DIMS).enumerate() {
            assert!(
                i < size,
                "index {i} is out of range for axis {axis}, which has {size} {}",
                if size == 1 { "entry" } else { "entries" }
            );
            place = place * size + i;
        }
        place
    }
}

/// `x[[i, j]]` is the element at row i, column j.
///
/// # Panics
/// If an index is not below the size of its axis.
///
/// ```
/// # use shapeproof::prelude::*;
/// let mut x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
/// assert_eq!(x[[1, 0]], 3.0);
/// x[[1, 0]] = 5.0;
/// assert_eq!(x.to_array(), [[1.0, 2.0], [5.0, 4.0]]);
/// ```
impl<const R: usize, S: Shape<R>, E: Element> Index<[usize; R]> for Tensor<R, S, E> {
    type Output = E;
    #[track_caller]
    fn index(&self, index: [usize; R]) -> &E {
        &read(&self.raw.values)[Self::place(index)]
    }
}

/// Writes like [`Tensor::as_mut_slice`].
impl<const R: usize, S: Shape<R>, E: Element> IndexMut<[usize; R]> for Tensor<R, S, E> {
    #[track_caller]
    fn index_mut(&mut self, index: [usize; R]) -> &mut E {
        &mut self.as_mut_slice()[Self::place(index)]
    }
}

impl<'a, const R: usize, S: Shape<R>, E: Element> IntoIterator for &'a Tensor<R, S, E> {
    type Item = E;
    type IntoIter = Iter<'a, E>;
    fn into_iter(self) -> Iter<'a, E> {
        self.iter()
    }
}

/// Equal if all values are; graphs do not matter.
impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> PartialEq for Tensor<R, S, E> {
    fn eq(&self, other: &Self) -> bool {
        **read(&self.raw.values) == **read(&other.raw.values)
    }
}
