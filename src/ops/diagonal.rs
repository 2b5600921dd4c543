//! Diagonals of matrices: taken out, summed, or made of a vector.

use super::argument::Outer;
use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, diagonal::Line};
use crate::shape::{
    AboveDiagonal, AnyShape, Axis, BelowDiagonal, Dim, Dims, DoubleLast, HasDiagonal, Matrices,
    Padded, RoomForDiagonal, Shape, Shorter, Split, SquareLast, TensorOf, check_size, diagonal_len,
};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// Diagonals.
    trait Diagonals {
        fn trace(x: &Raw<E>, count: Outer, side: usize, dims: Dims) -> Raw<E>;
        fn diag(x: &Raw<E>, side: usize, offset: isize, dims: Dims) -> Raw<E>;
        fn diagonal(x: &Raw<E>, sides: [usize; 2], offset: isize, dims: Dims) -> Raw<E>;
    }
}

struct Trace {
    line: Line,
}

impl<E: Element> Rule<E> for Trace {
    fn name(&self) -> &'static str {
        "trace"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let len = self.line.len;
        to.add_into(0, |sum| {
            self.line.add_to(sum, grad.len() * len, |i| grad[i / len])
        });
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

fn trace<E: Element>(x: &Raw<E>, Outer(count): Outer, side: usize, dims: Dims) -> Raw<E> {
    let line = Line::new([side, side], 0);
    let split = Split {
        outer: count,
        len: side,
        inner: 1,
    };
    Raw {
        values: kernel::sum_axis(&line.of(&x.values), split),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, Trace { line })),
    }
}

struct Diag {
    line: Line,
    offset: isize,
}

impl<E: Element> Rule<E> for Diag {
    fn name(&self) -> &'static str {
        "diag"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, self.line.of(&grad));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("offset", Saved::Number(self.offset as f64));
    }
}

fn diag<E: Element>(x: &Raw<E>, side: usize, offset: isize, dims: Dims) -> Raw<E> {
    let side = side + offset.unsigned_abs();
    let line = Line::new([side, side], offset);
    // An empty vector beside the diagonal has a matrix of zeros.
    let mut values = Buffer::filled(dims.iter().product(), E::zero());
    line.add_to(values.fresh(), x.values.len(), |i| x.values[i]);
    Raw {
        values,
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, Diag { line, offset })),
    }
}

struct DiagonalRule {
    line: Line,
    offset: isize,
}

impl<E: Element> Rule<E> for DiagonalRule {
    fn name(&self) -> &'static str {
        "diagonal"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.add_into(0, |sum| self.line.add_to(sum, grad.len(), |i| grad[i]));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("offset", Saved::Number(self.offset as f64));
    }
}

fn diagonal<E: Element>(x: &Raw<E>, sides: [usize; 2], offset: isize, dims: Dims) -> Raw<E> {
    let line = Line::new(sides, offset);
    Raw {
        values: line.of(&x.values),
        node: parents([x.node.as_ref()])
            .map(|parents| parents.record(dims, DiagonalRule { line, offset })),
    }
}

/// The shape `S` with its last axis, `K` longer, twice.
type Squared<S, const K: usize> =
    <S as DoubleLast>::Squared<<<S as DoubleLast>::Last as Padded<0, K>>::Output>;

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The sum of the diagonal of a square matrix, or of each of a batch. PyTorch: `trace`.
    ///
    /// Shape `(…, N, N)` to `(…)`. Gradient g on the diagonal, 0 elsewhere.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]).trace().item(), 5.0);
    /// ```
    pub fn trace(&self) -> TensorOf<S::Batch, E>
    where
        S: HasDiagonal + SquareLast,
    {
        wrap::<S::Batch, E>(<E::Ops as Diagonals<E>>::trace(
            &self.raw,
            Outer(S::COUNT),
            S::SIDE,
            <S::Batch as AnyShape>::DIMS,
        ))
    }

    /// The matrix with this vector on its diagonal and 0 elsewhere; of a batch of vectors, a batch of
    /// matrices. PyTorch: `diag_embed`, `diag`.
    ///
    /// Shape `(…, N)` to `(…, N, N)`. The gradient is the diagonal of g.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, 2.0]).diag().to_array(), [[1.0, 0.0], [0.0, 2.0]]);
    /// ```
    pub fn diag(&self) -> TensorOf<S::Squared<S::Last>, E>
    where
        S: DoubleLast + RoomForDiagonal,
    {
        self.squared::<S::Last>(0)
    }

    fn squared<A: Axis>(&self, offset: isize) -> TensorOf<S::Squared<A>, E>
    where
        S: DoubleLast,
    {
        wrap::<S::Squared<A>, E>(<E::Ops as Diagonals<E>>::diag(
            &self.raw,
            S::Last::SIZE,
            offset,
            <S::Squared<A> as AnyShape>::DIMS,
        ))
    }

    /// The diagonal of a matrix, or of each of a batch: `out[i] = x[i][i]`. PyTorch: `diagonal` of the last
    /// two axes.
    ///
    /// The last two axes become one, the shorter of them, computed in types for sizes up to 2047; beyond, and
    /// where sizes are generic, see [`diagonal_as`](Self::diagonal_as).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.diagonal().to_array(), [1.0, 5.0]);
    /// ```
    // The size is a parameter, not a projection: the latter would be looked into while the compiler looks for the
    // method, and an error would be about its innards.
    pub fn diagonal<Len: Axis>(&self) -> TensorOf<S::Diagonal<Len>, E>
    where
        S: Matrices<Rows: Shorter<S::Columns, Output = Len>>,
    {
        self.line::<Len>(0)
    }

    /// [`diagonal`](Self::diagonal) where the caller names its size: for sizes of any magnitude, and in
    /// generic code.
    /// PyTorch: `diagonal`.
    ///
    /// A size that is not the smaller one does not compile; that is found when the program is built, not by
    /// `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// fn trace<const N: usize>(x: &Tensor<2, shape![N, N]>) -> Tensor<0, shape![]> {
    ///     x.diagonal_as::<N>().sum()
    /// }
    /// assert_eq!(trace(&Tensor::from([[1.0, 2.0], [3.0, 4.0]])).item(), 5.0);
    /// ```
    pub fn diagonal_as<const LEN: usize>(&self) -> TensorOf<S::Diagonal<Dim<LEN>>, E>
    where
        S: Matrices,
    {
        const { check_size::<S>("diagonal_as:", diagonal_len::<S>("diagonal_as:", 0, 0), LEN) }
        self.line::<Dim<LEN>>(0)
    }

    fn line<A: Axis>(&self, offset: isize) -> TensorOf<S::Diagonal<A>, E>
    where
        S: Matrices,
    {
        wrap::<S::Diagonal<A>, E>(<E::Ops as Diagonals<E>>::diagonal(
            &self.raw,
            [S::Rows::SIZE, S::Columns::SIZE],
            offset,
            <S::Diagonal<A> as AnyShape>::DIMS,
        ))
    }
}

/// What is said of the main diagonal, of those beside it. The checks are written where the macro is called, so
/// that errors point there.
macro_rules! beside_the_main_one {
    ($(
        $Beside:ident, offset $offset:expr;
        $(#[$diagonal_doc:meta])* $diagonal:ident;
        $(#[$diagonal_as_doc:meta])* $diagonal_as:ident checks $check_diagonal:block;
        $(#[$diag_doc:meta])* $diag:ident;
        $(#[$diag_as_doc:meta])* $diag_as:ident checks $check_diag:block;
    )*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$diagonal_doc])*
            pub fn $diagonal<const K: usize>(
                &self,
            ) -> TensorOf<<S as Matrices>::Diagonal<<S as $Beside<K>>::Length>, E>
            where
                S: $Beside<K>,
            {
                self.line::<<S as $Beside<K>>::Length>($offset)
            }

            $(#[$diagonal_as_doc])*
            pub fn $diagonal_as<const K: usize, const LEN: usize>(&self) -> TensorOf<S::Diagonal<Dim<LEN>>, E>
            where
                S: Matrices,
            {
                $check_diagonal
                self.line::<Dim<LEN>>($offset)
            }

            $(#[$diag_doc])*
            pub fn $diag<const K: usize>(&self) -> TensorOf<Squared<S, K>, E>
            where
                S: DoubleLast<Last: Padded<0, K>> + RoomForDiagonal,
            {
                self.squared::<<S::Last as Padded<0, K>>::Output>($offset)
            }

            $(#[$diag_as_doc])*
            pub fn $diag_as<const K: usize, const SIDE: usize>(&self) -> TensorOf<S::Squared<Dim<SIDE>>, E>
            where
                S: DoubleLast + RoomForDiagonal,
            {
                $check_diag
                self.squared::<Dim<SIDE>>($offset)
            }
        )*}
    };
}
beside_the_main_one! {
    AboveDiagonal, offset K as isize;

    /// The diagonal `K` columns to the right of the main one: `out[i] = x[i][i + K]`. PyTorch:
    /// `diagonal(offset=K)` of the last two axes.
    ///
    /// As [`diagonal`](Self::diagonal) otherwise. The matrix is proven to have `K` columns.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.diagonal_above::<1>().to_array(), [2.0, 6.0]);
    /// assert_eq!(x.diagonal_above::<2>().to_array(), [3.0]);
    /// ```
    diagonal_above;
    /// [`diagonal_above`](Self::diagonal_above) where the caller names its size: for sizes of any magnitude, and
    /// in generic code. PyTorch: `diagonal(offset=K)`.
    ///
    /// A size that is not right does not compile; that is found when the program is built, not by `cargo check`.
    diagonal_above_as checks {
        const {
            let len = diagonal_len::<S>("diagonal_above_as:", 0, K);
            check_size::<S>("diagonal_above_as:", len, LEN)
        }
    };
    /// The square matrix with this vector `K` columns to the right of its main diagonal, and 0 elsewhere; of a
    /// batch of vectors, a batch of matrices. PyTorch: `diag_embed(offset=K)`, `diag(K)`.
    ///
    /// Shape `(…, N)` to `(…, N + K, N + K)`, computed in types up to 2047. The gradient
    /// is that diagonal of g.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0]);
    /// assert_eq!(x.diag_above::<1>().to_array(), [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.0; 3]]);
    /// ```
    diag_above;
    /// [`diag_above`](Self::diag_above) where the caller names the side of the matrix: for sizes of any
    /// magnitude, and in generic code. PyTorch: `diag_embed(offset=K)`.
    ///
    /// A side that is not right does not compile; that is found when the program is built, not by `cargo check`.
    diag_above_as checks { const { check_size::<S>("diag_above_as:", S::Last::SIZE + K, SIDE) } };

    BelowDiagonal, offset -(K as isize);

    /// The diagonal `K` rows below the main one: `out[i] = x[i + K][i]`. PyTorch: `diagonal(offset=-K)` of the
    /// last two axes.
    ///
    /// As [`diagonal`](Self::diagonal) otherwise. The matrix is proven to have `K` rows.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.diagonal_below::<1>().to_array(), [4.0]);
    /// ```
    diagonal_below;
    /// [`diagonal_below`](Self::diagonal_below) where the caller names its size: for sizes of any magnitude, and
    /// in generic code. PyTorch: `diagonal(offset=-K)`.
    ///
    /// A size that is not right does not compile; that is found when the program is built, not by `cargo check`.
    diagonal_below_as checks {
        const {
            let len = diagonal_len::<S>("diagonal_below_as:", K, 0);
            check_size::<S>("diagonal_below_as:", len, LEN)
        }
    };
    /// The square matrix with this vector `K` rows below its main diagonal, and 0 elsewhere; of a batch of
    /// vectors, a batch of matrices. PyTorch: `diag_embed(offset=-K)`, `diag(-K)`.
    ///
    /// Shape `(…, N)` to `(…, N + K, N + K)`, computed in types up to 2047. The gradient
    /// is that diagonal of g.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0]);
    /// assert_eq!(x.diag_below::<1>().to_array(), [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    /// ```
    diag_below;
    /// [`diag_below`](Self::diag_below) where the caller names the side of the matrix: for sizes of any
    /// magnitude, and in generic code. PyTorch: `diag_embed(offset=-K)`.
    ///
    /// A side that is not right does not compile; that is found when the program is built, not by `cargo check`.
    diag_below_as checks { const { check_size::<S>("diag_below_as:", S::Last::SIZE + K, SIDE) } };
}
