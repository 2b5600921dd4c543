//! Matrix products over batches that broadcast, and their two gradients.

use super::gemm::{Operand, Size};
use super::parallel::{self, Parts};
use crate::element::Element;
use crate::shape::Product;
use crate::storage::Buffer;

/// Multiplications of small products that one thread computes together.
const GROUP: usize = 1 << 18;

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

/// The numbers of the left and of the right matrix of the product with number `i`.
fn matrices(product: &Product, i: usize) -> (usize, usize) {
    let (mut rest, mut lhs, mut rhs) = (i, 0, 0);
    for l in product.batch.loops().iter().rev() {
        let at = rest % l.size;
        rest /= l.size;
        lhs += at * l.lhs;
        rhs += at * l.rhs;
    }
    (lhs, rhs)
}

/// The operands of the product with a number, of which the left and the right matrix have numbers of their own.
type Operands<'a, 'f, E> =
    &'f (dyn Fn(usize, usize, usize) -> (Operand<'a, E>, Operand<'a, E>) + Sync);

/// Every product of the batch, each a matrix of its own.
fn products<E: Element>(product: &Product, size: Size, operands: Operands<'_, '_, E>) -> Buffer<E> {
    let (count, each) = (product.batch.numel(), size.m * size.n);
    let mut out = Buffer::dirty(count * each);
    let compute = |i: usize, out: &mut [E]| {
        let (l, r) = matrices(product, i);
        let (x, y) = operands(i, l, r);
        E::gemm(size, x, y, false, out);
    };
    if count == 1 {
        compute(0, out.fresh());
        return out;
    }
    let work = each * size.k;
    // Small ones are shared out several at a time.
    let some = (GROUP / work.max(1)).clamp(1, count.max(1));
    let parts = Parts::new(out.fresh());
    parallel::for_each(count.div_ceil(some), count * work / 4, &|group| {
        for i in group * some..count.min((group + 1) * some) {
            // SAFETY: each product is computed once, and no two have an element in common.
            compute(i, unsafe { parts.part(i * each..(i + 1) * each) });
        }
    });
    out
}

/// Their sums over the matrices of an operand that was stretched: `number` says which of so many each is added to.
fn sums<E: Element>(
    product: &Product,
    size: Size,
    matrices_of: usize,
    number: fn((usize, usize)) -> usize,
    operands: Operands<'_, '_, E>,
) -> Buffer<E> {
    if matrices_of == product.batch.numel() {
        return products(product, size, operands);
    }
    let mut sum = Accumulator::new(matrices_of, size.m * size.n);
    for i in 0..product.batch.numel() {
        let of = matrices(product, i);
        let (x, y) = operands(i, of.0, of.1);
        sum.add(number(of), |add, out| E::gemm(size, x, y, add, out));
    }
    sum.finish()
}

/// `a·b` for every matrix of the batch.
pub(crate) fn matmul<E: Element>(
    product: &Product,
    a: &[E],
    b: &[E],
    layouts: Layouts,
) -> Buffer<E> {
    let Product { m, k, n, .. } = *product;
    products(product, Size { m, k, n }, &|_, l, r| {
        let a = layouts.lhs.operand(&a[l * m * k..][..m * k], m, k);
        let b = layouts.rhs.operand(&b[r * k * n..][..k * n], k, n);
        (a, b)
    })
}

/// `x·wᵀ` and a row that is added to each of its rows, which are summed up from there.
pub(crate) fn linear<E: Element>(product: &Product, x: &[E], w: &[E], row: &[E]) -> Buffer<E> {
    let Product { m, k, n, .. } = *product;
    let mut out = Buffer::dirty(m * n);
    for to in out.fresh().chunks_exact_mut(n.max(1)) {
        to.copy_from_slice(row);
    }
    let layouts = Layouts::RIGHT_TRANSPOSED;
    let (x, w) = (layouts.lhs.operand(x, m, k), layouts.rhs.operand(w, k, n));
    E::gemm(Size { m, k, n }, x, w, true, out.fresh());
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
    let Product { m, k, n, batch } = product;
    let (m, k, n) = (*m, *k, *n);
    let size = match layouts.lhs {
        Stored::Plain => Size { m, k: n, n: k },
        Stored::Transposed => Size { m: k, k: n, n: m },
    };
    sums(product, size, batch.lhs_numel(), |(l, _)| l, &|i, _, r| {
        let g = &g[i * m * n..][..m * n];
        let b = &b[r * k * n..][..k * n];
        match layouts.lhs {
            Stored::Plain => (Operand::plain(g, n), layouts.rhs.flipped(b, k, n)),
            Stored::Transposed => (layouts.rhs.operand(b, k, n), Operand::transposed(g, n)),
        }
    })
}

/// The gradient of the right operand, aᵀ·g, or its transpose gᵀ·a, summed over the matrices that it was
/// stretched to.
pub(crate) fn matmul_rhs_grad<E: Element>(
    product: &Product,
    a: &[E],
    g: &[E],
    layouts: Layouts,
) -> Buffer<E> {
    let Product { m, k, n, batch } = product;
    let (m, k, n) = (*m, *k, *n);
    let size = match layouts.rhs {
        Stored::Plain => Size { m: k, k: m, n },
        Stored::Transposed => Size { m: n, k: m, n: k },
    };
    sums(product, size, batch.rhs_numel(), |(_, r)| r, &|i, l, _| {
        let a = &a[l * m * k..][..m * k];
        let g = &g[i * m * n..][..m * n];
        match layouts.rhs {
            Stored::Plain => (layouts.lhs.flipped(a, m, k), Operand::plain(g, n)),
            Stored::Transposed => (Operand::transposed(g, n), layouts.lhs.operand(a, m, k)),
        }
    })
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
