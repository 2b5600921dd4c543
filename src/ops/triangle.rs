//! Triangles of matrices: what lies on one side of a diagonal, and zeros on the other.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::diagonal::{clear_above, clear_below};
use crate::shape::{Axis, Dims, Matrices, Shape};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor};

compiled! {
    /// Triangles.
    trait Triangles {
        fn tril(x: &Raw<E>, sides: [usize; 2], diagonal: isize, dims: Dims) -> Raw<E>;
        fn triu(x: &Raw<E>, sides: [usize; 2], diagonal: isize, dims: Dims) -> Raw<E>;
    }
}

struct Triangle<E> {
    name: &'static str,
    clear: fn(&mut [E], [usize; 2], isize),
    sides: [usize; 2],
    diagonal: isize,
}

impl<E: Element> Rule<E> for Triangle<E> {
    fn name(&self) -> &'static str {
        self.name
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, self.of(grad));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("diagonal", Saved::Number(self.diagonal as f64));
    }
}

impl<E: Element> Triangle<E> {
    fn of(&self, mut values: Buffer<E>) -> Buffer<E> {
        (self.clear)(values.make_mut(), self.sides, self.diagonal);
        values
    }

    fn apply(self, x: &Raw<E>, dims: Dims) -> Raw<E> {
        Raw {
            values: self.of(x.values.clone()),
            node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, self)),
        }
    }
}

fn tril<E: Element>(x: &Raw<E>, sides: [usize; 2], diagonal: isize, dims: Dims) -> Raw<E> {
    let triangle = Triangle {
        name: "tril",
        clear: clear_above,
        sides,
        diagonal,
    };
    triangle.apply(x, dims)
}

fn triu<E: Element>(x: &Raw<E>, sides: [usize; 2], diagonal: isize, dims: Dims) -> Raw<E> {
    let triangle = Triangle {
        name: "triu",
        clear: clear_below,
        sides,
        diagonal,
    };
    triangle.apply(x, dims)
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The lower triangle of a matrix, or of each of a batch: zero where column − row > `diagonal`. PyTorch,
    /// NumPy: `tril`.
    ///
    /// Shape `S` to `S`. `diagonal` is 0 for the main diagonal, positive above it. What is cut off is 0
    /// even where it was NaN, and receives no gradient.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<2, shape![3, 3]>::ones();
    /// assert_eq!(x.tril(0).to_array(), [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]);
    /// ```
    pub fn tril(&self, diagonal: isize) -> Self
    where
        S: Matrices,
    {
        let sides = [S::Rows::SIZE, S::Columns::SIZE];
        Tensor::from_raw(<E::Ops as Triangles<E>>::tril(
            &self.raw,
            sides,
            diagonal,
            S::DIMS,
        ))
    }

    /// The upper triangle of a matrix, or of each of a batch: zero where column − row < `diagonal`. PyTorch,
    /// NumPy: `triu`.
    ///
    /// Shape `S` to `S`. `diagonal` is 0 for the main diagonal, positive above it. What is cut off is 0
    /// even where it was NaN, and receives no gradient.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<2, shape![3, 3]>::ones();
    /// assert_eq!(x.triu(1).to_array(), [[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]);
    /// ```
    pub fn triu(&self, diagonal: isize) -> Self
    where
        S: Matrices,
    {
        let sides = [S::Rows::SIZE, S::Columns::SIZE];
        Tensor::from_raw(<E::Ops as Triangles<E>>::triu(
            &self.raw,
            sides,
            diagonal,
            S::DIMS,
        ))
    }
}
