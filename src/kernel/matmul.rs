//! Matrix products over batches that broadcast, and their two gradients.

use super::gemm::{Operand, Size};
use crate::element::Element;
use crate::shape::Product;
use crate::storage::Buffer;

/// How an operand's matrices lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Row-major.
    Plain,
    /// As their transposes, row-major.
    Transposed,
}

impl Stored {
    /// The other way.
    pub(crate) const fn other(self) -> Stored {
        match self {
            Stored::Plain => Stored::Transposed,
            Stored::Transposed => Stored::Plain,
        }
    }

    /// The matrix of `rows` and `columns`.
    fn operand<E>(self, values: &[E], rows: usize, columns: usize) -> Operand<'_, E> {
        match self {
            Stored::Plain => Operand::plain(values, columns),
            Stored::Transposed => Operand::transposed(values, rows),
        }
    }

    /// Its transpose.
    fn flipped<E>(self, values: &[E], rows: usize, columns: usize) -> Operand<'_, E> {
        match self {
            Stored::Plain => Operand::transposed(values, columns),
            Stored::Transposed => Operand::plain(values, rows),
        }
    }
}

/// How both operands lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layouts {
    /// The left operand's `m × k` matrices.
    pub lhs: Stored,
    /// The right operand's `k × n` matrices.
    pub rhs: Stored,
}

impl Layouts {
    /// a·b.
    pub(crate) const PLAIN: Layouts = Layouts {
        lhs: Stored::Plain,
        rhs: Stored::Plain,
    };
    /// a·bᵀ.
    pub(crate) const RIGHT_TRANSPOSED: Layouts = Layouts {
        lhs: Stored::Plain,
        rhs: Stored::Transposed,
    };
    /// aᵀ·b.
    pub(crate) const LEFT_TRANSPOSED: Layouts = Layouts {
        lhs: Stored::Transposed,
        rhs: Stored::Plain,
    };
}

/// Calls `each` with the numbers of the result's, the left and the right matrix of every product.
fn batches(product: &Product, mut each: impl FnMut(usize, usize, usize)) {
    let loops = product.batch.loops();
    for i in 0..product.batch.numel() {
        let (mut rest, mut lhs, mut rhs) = (i, 0, 0);
        for l in loops.iter().rev() {
            let at = rest % l.size;
            rest /= l.size;
            lhs += at * l.lhs;
            rhs += at * l.rhs;
        }
        each(i, lhs, rhs);
    }
}

/// `a·b` for every matrix of the batch.
pub(crate) fn matmul<E: Element>(
    product: &Product,
    a: &[E],
    b: &[E],
    layouts: Layouts,
) -> Buffer<E> {
    let Product { m, k, n, .. } = *product;
    let mut out = Buffer::dirty(product.batch.numel() * m * n);
    let values = out.fresh();
    batches(product, |i, l, r| {
        let a = layouts.lhs.operand(&a[l * m * k..][..m * k], m, k);
        let b = layouts.rhs.operand(&b[r * k * n..][..k * n], k, n);
        let size = Size { m, k, n };
        E::gemm(size, a, b, false, &mut values[i * m * n..][..m * n]);
    });
    out
}

/// The gradient of the left operand, g·bᵀ, or its transpose b·gᵀ, summed over the matrices that it was
/// stretched to.
pub(crate) fn matmul_lhs_grad<E: Element>(
    product: &Product,
    g: &[E],
    b: &[E],
    layouts: Layouts,
) -> Buffer<E> {
    let Product { m, k, n, .. } = *product;
    let mut sum = Accumulator::new(product.batch.lhs_numel(), m * k);
    batches(product, |i, l, r| {
        let g = &g[i * m * n..][..m * n];
        let b = &b[r * k * n..][..k * n];
        let (size, x, y) = match layouts.lhs {
            Stored::Plain => (
                Size { m, k: n, n: k },
                Operand::plain(g, n),
                layouts.rhs.flipped(b, k, n),
            ),
            Stored::Transposed => (
                Size { m: k, k: n, n: m },
                layouts.rhs.operand(b, k, n),
                Operand::transposed(g, n),
            ),
        };
        sum.add(l, |add, out| E::gemm(size, x, y, add, out));
    });
    sum.finish()
}

/// The gradient of the right operand, aᵀ·g, or its transpose gᵀ·a, summed over the matrices that it was
/// stretched to.
pub(crate) fn matmul_rhs_grad<E: Element>(
    product: &Product,
    a: &[E],
    g: &[E],
    layouts: Layouts,
) -> Buffer<E> {
    let Product { m, k, n, .. } = *product;
    let mut sum = Accumulator::new(product.batch.rhs_numel(), k * n);
    batches(product, |i, l, r| {
        let a = &a[l * m * k..][..m * k];
        let g = &g[i * m * n..][..m * n];
        let (size, x, y) = match layouts.rhs {
            Stored::Plain => (
                Size { m: k, k: m, n },
                layouts.lhs.flipped(a, m, k),
                Operand::plain(g, n),
            ),
            Stored::Transposed => (
                Size { m: n, k: m, n: k },
                Operand::transposed(g, n),
                layouts.lhs.operand(a, m, k),
            ),
        };
        sum.add(r, |add, out| E::gemm(size, x, y, add, out));
    });
    sum.finish()
}

/// Matrices that products are added to; the first product of each overwrites.
struct Accumulator<E: Element> {
    out: Buffer<E>,
    each: usize,
    started: Vec<bool>,
}

impl<E: Element> Accumulator<E> {
    fn new(matrices: usize, each: usize) -> Self {
        Accumulator {
            out: Buffer::dirty(matrices * each),
            each,
            started: vec![false; matrices],
        }
    }

    fn add(&mut self, i: usize, multiply: impl FnOnce(bool, &mut [E])) {
        let add = std::mem::replace(&mut self.started[i], true);
        multiply(add, &mut self.out.fresh()[i * self.each..][..self.each]);
    }

    /// The sums; matrices that no product reached (a stretched axis of size 0) are zero.
    fn finish(mut self) -> Buffer<E> {
        let each = self.each;
        for (i, _) in self
            .started
            .iter()
            .enumerate()
            .filter(|(_, started)| !**started)
        {
            self.out.fresh()[i * each..][..each].fill(E::zero());
        }
        self.out
    }
}
