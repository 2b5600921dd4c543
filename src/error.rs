//! What can go wrong with data from outside. Shapes that do not fit are not here: they do not compile.

use std::error::Error;
use std::fmt;

/// Formats errors by `{:?}` as by `{}`, so that `unwrap` stops a program with a sentence.
macro_rules! debug_says_the_same {
    ($($Error:ty)*) => {$(
        impl std::fmt::Debug for $Error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    )*};
}
pub(crate) use debug_says_the_same;

debug_says_the_same! { LengthError IndexError RangeError }

/// Data of another length than the shape has elements.
#[derive(Clone, PartialEq, Eq)]
pub struct LengthError {
    found: usize,
    dims: &'static [usize],
}

impl LengthError {
    pub(crate) fn new(found: usize, dims: &'static [usize]) -> Self {
        LengthError { found, dims }
    }

    /// The number of values that came.
    pub fn found(&self) -> usize {
        self.found
    }

    /// The number of elements that the shape has.
    pub fn expected(&self) -> usize {
        self.dims.iter().product()
    }
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<_> = self.dims.iter().map(usize::to_string).collect();
        let s = |count: usize| if count == 1 { "" } else { "s" };
        let (found, expected) = (self.found, self.expected());
        write!(
            f,
            "{found} value{} for shape ({}), which has {expected} element{}",
            s(found),
            dims.join(", "),
            s(expected)
        )
    }
}

impl Error for LengthError {}

/// Numbers that cannot become [`Indices`](crate::tensor::Indices).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexError {
    /// There are more or fewer of them than the shape has elements.
    Length(LengthError),
    /// One of them is not below the bound.
    OutOfBound {
        /// The number, as it was given.
        value: String,
        /// Where it stands, counted from 0 in row-major order.
        place: usize,
        /// What it should be below.
        bound: usize,
    },
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::Length(error) => error.fmt(f),
            IndexError::OutOfBound {
                value,
                place,
                bound,
            } => {
                write!(f, "index {value} at place {place} is not in 0..{bound}")
            }
        }
    }
}

impl Error for IndexError {}

impl From<LengthError> for IndexError {
    fn from(error: LengthError) -> Self {
        IndexError::Length(error)
    }
}

/// Entries that an axis does not have.
#[derive(Clone, PartialEq, Eq)]
pub struct RangeError {
    axis: usize,
    start: usize,
    len: usize,
    size: usize,
}

impl RangeError {
    /// An error unless an axis of `size` entries has `len` of them from `start` on.
    pub(crate) fn check(axis: usize, start: usize, len: usize, size: usize) -> Result<(), Self> {
        if len <= size && start <= size - len {
            return Ok(());
        }
        Err(RangeError {
            axis,
            start,
            len,
            size,
        })
    }

    /// The axis, counted from 0.
    pub fn axis(&self) -> usize {
        self.axis
    }

    /// The first of the entries that were asked for.
    pub fn start(&self) -> usize {
        self.start
    }

    /// How many were asked for.
    #[allow(clippy::len_without_is_empty)] // a count that was asked for, not a collection
    pub fn len(&self) -> usize {
        self.len
    }

    /// How many entries the axis has.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RangeError {
            axis,
            start,
            len,
            size,
        } = self;
        let entries = if *len == 1 { "entry" } else { "entries" };
        write!(
            f,
            "axis {axis}, of size {size}, does not hold {len} {entries} from {start} on"
        )
    }
}

impl Error for RangeError {}
