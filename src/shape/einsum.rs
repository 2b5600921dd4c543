//! An Einstein sum names the axes of its operands: a label that the result lacks is summed over, one that
//! several operands share is the same axis.
//!
//! ```text
//! (b, i, j), (b, j, k) -> (b, i, k)        batch b, rows i, inner j, columns k
//! (i, i) -> ()                             a label twice in one operand: its diagonal
//! ```
//!
//! rustc's own unification finds labels with two sizes, since each label is a type parameter. Here the
//! labels are sorted, while the user's program compiles, into what a matrix product wants: batch axes,
//! rows, an inner axis, columns, and axes of one operand that are summed at once.

use super::axis::{Axis, Dim, One};
use super::axis_at::HasAxis;
use super::broadcast::Cotangent;
use super::matmul::Product;
use super::message::Message;
use super::plan::{AxisPair, Plan};
use super::tuple::{AnyShape, Dims, MAX_RANK};

/// Labels of three operands of the largest rank.
const CAPACITY: usize = 3 * MAX_RANK;

type Names = &'static [&'static str];

/// Refuses a result with a label that no operand has, or with one label twice.
///
/// # Panics
/// At compile time, in these two cases.
#[track_caller]
pub const fn check_einsum(operands: &[Names], result: Names) {
    let mut i = 0;
    while i < result.len() {
        let (mut found, mut j) = (false, 0);
        while j < operands.len() {
            found |= position(operands[j], result[i]) < operands[j].len();
            j += 1;
        }
        if !found {
            let message = Message::new("einsum: no operand has the label `")
                .text(result[i])
                .text("` of the result");
            panic!("{}", message.as_str());
        }
        if position(result, result[i]) != i {
            let message = Message::new("einsum: the result has the label `")
                .text(result[i])
                .text("` twice");
            panic!("{}", message.as_str());
        }
        i += 1;
    }
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// Where `name` first stands; the number of names if it does not.
const fn position(names: &[&str], name: &str) -> usize {
    let mut i = 0;
    while i < names.len() && !same(names[i], name) {
        i += 1;
    }
    i
}

/// Nested loops over one operand's elements, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loops {
    loops: [(usize, usize); CAPACITY],
    len: usize,
}

impl Loops {
    const EMPTY: Loops = Loops {
        loops: [(1, 0); CAPACITY],
        len: 0,
    };

    /// Size and step of each.
    pub const fn get(&self) -> &[(usize, usize)] {
        self.loops.split_at(self.len).0
    }

    /// Whether they visit a row-major block of elements in order.
    pub const fn in_order(&self) -> bool {
        let (mut i, mut step) = (self.len, 1);
        while i > 0 {
            i -= 1;
            let (size, own) = self.loops[i];
            if size != 1 {
                if own != step {
                    return false;
                }
                step *= size;
            }
        }
        true
    }

    const fn push(&mut self, size: usize, step: usize) {
        self.loops[self.len] = (size, step);
        self.len += 1;
    }
}

/// Labels and sizes of the axes of an operand or a result.
#[derive(Clone, Copy, Debug)]
pub struct Labels {
    names: [&'static str; CAPACITY],
    sizes: [usize; CAPACITY],
    len: usize,
}

impl Labels {
    const EMPTY: Labels = Labels {
        names: [""; CAPACITY],
        sizes: [1; CAPACITY],
        len: 0,
    };

    /// The labels of an operand of sizes `dims`.
    pub const fn new(names: Names, dims: Dims) -> Labels {
        let mut labels = Labels::EMPTY;
        while labels.len < names.len() {
            labels.push(names[labels.len], dims[labels.len]);
        }
        labels
    }

    const fn push(&mut self, name: &'static str, size: usize) {
        self.names[self.len] = name;
        self.sizes[self.len] = size;
        self.len += 1;
    }

    const fn has(&self, name: &str) -> bool {
        position(self.names.split_at(self.len).0, name) < self.len
    }

    /// Adds the labels of `from` that are, or are not, among `a` and `b`, each once.
    const fn add(mut self, from: &Labels, a: (&Labels, bool), b: (&Labels, bool)) -> Labels {
        let mut i = 0;
        while i < from.len {
            let name = from.names[i];
            if a.0.has(name) == a.1 && b.0.has(name) == b.1 && !self.has(name) {
                self.push(name, from.sizes[i]);
            }
            i += 1;
        }
        self
    }

    const fn followed_by(mut self, other: &Labels) -> Labels {
        let mut i = 0;
        while i < other.len {
            self.push(other.names[i], other.sizes[i]);
            i += 1;
        }
        self
    }

    const fn numel(&self) -> usize {
        let (mut i, mut numel) = (0, 1);
        while i < self.len {
            numel *= self.sizes[i];
            i += 1;
        }
        numel
    }

    /// From an element to the next along a label; of one that stands twice, along the diagonal; 0 for one
    /// that is missing.
    const fn step(&self, name: &str) -> usize {
        let (mut i, mut inner, mut step) = (self.len, 1, 0);
        while i > 0 {
            i -= 1;
            if same(self.names[i], name) {
                step += inner;
            }
            inner *= self.sizes[i];
        }
        step
    }

    /// Loops over these labels that walk through a tensor labelled `of`.
    const fn through(&self, of: &Labels) -> Loops {
        let (mut loops, mut i) = (Loops::EMPTY, 0);
        while i < self.len {
            loops.push(self.sizes[i], of.step(self.names[i]));
            i += 1;
        }
        loops
    }

    const fn dims(&self) -> &[usize] {
        self.sizes.split_at(self.len).0
    }
}

/// How one operand is arranged, and how its gradient finds back.
#[derive(Clone, Copy, Debug)]
pub struct Arrangement {
    /// The operand as it is wanted; summed axes come last.
    pub forward: Loops,
    /// The product of the sizes of the axes that are summed at once.
    pub summed: usize,
    /// From the gradient of the arrangement to the operand's labels, each once.
    pub back: Loops,
    /// From there to the operand, where a label stands twice.
    pub diagonal: Option<Loops>,
    /// Elements of the operand.
    pub numel: usize,
    /// Elements of the arrangement, its summed axes gone.
    pub kept: usize,
}

impl Arrangement {
    const fn new(operand: &Labels, wanted: &Labels, summed: &Labels) -> Arrangement {
        let once = Labels::EMPTY.add(operand, (operand, true), (operand, true));
        Arrangement {
            forward: wanted.followed_by(summed).through(operand),
            summed: summed.numel(),
            back: once.through(wanted),
            diagonal: if once.len < operand.len {
                Some(once.through(operand))
            } else {
                None
            },
            numel: operand.numel(),
            kept: wanted.numel(),
        }
    }
}

/// A sum over one operand.
#[derive(Clone, Copy, Debug)]
pub struct EinsumOne {
    /// What becomes of it.
    pub operand: Arrangement,
    result: Labels,
}

impl EinsumOne {
    /// The sum over the labels that the result lacks.
    pub const fn new(operand: Labels, result: Names) -> EinsumOne {
        let result = pick(result, &operand, &Labels::EMPTY, &Labels::EMPTY);
        let summed = Labels::EMPTY.add(&operand, (&result, false), (&result, false));
        EinsumOne {
            operand: Arrangement::new(&operand, &result, &summed),
            result,
        }
    }

    /// The sizes of the result.
    pub const fn dims(&self) -> &[usize] {
        self.result.dims()
    }
}

/// A sum over two operands as a matrix product.
#[derive(Clone, Copy, Debug)]
pub struct EinsumPair {
    /// The left operand as a batch of matrices.
    pub lhs: Arrangement,
    /// Whether these are stored as their transposes.
    pub lhs_transposed: bool,
    /// The right operand as a batch of matrices.
    pub rhs: Arrangement,
    /// Whether these are stored as their transposes.
    pub rhs_transposed: bool,
    /// The sizes of the product.
    pub product: Product,
    /// From the product to the result.
    pub forward: Loops,
    /// From the result's gradient to the product's.
    pub back: Loops,
    result: Labels,
}

impl EinsumPair {
    /// The sum over the labels that the result lacks.
    pub const fn new(lhs: Labels, rhs: Labels, result: Names) -> EinsumPair {
        let result = pick(result, &lhs, &rhs, &Labels::EMPTY);
        EinsumPair::of(lhs, rhs, Some(result), &result)
    }

    /// With `result` none, the labels of `kept` remain in the order that the product gives them.
    const fn of(lhs: Labels, rhs: Labels, result: Option<Labels>, kept: &Labels) -> EinsumPair {
        let none = Labels::EMPTY;
        let batch = none.add(&lhs, (&rhs, true), (kept, true));
        let rows = none.add(&lhs, (&rhs, false), (kept, true));
        let inner = none.add(&lhs, (&rhs, true), (kept, false));
        let columns = none.add(&rhs, (&lhs, false), (kept, true));
        let lhs_summed = none.add(&lhs, (&rhs, false), (kept, false));
        let rhs_summed = none.add(&rhs, (&lhs, false), (kept, false));
        let (lhs, lhs_transposed) = matrices(&lhs, &batch, &rows, &inner, &lhs_summed);
        let (rhs, rhs_transposed) = matrices(&rhs, &batch, &inner, &columns, &rhs_summed);
        let product = batch.followed_by(&rows).followed_by(&columns);
        let result = match result {
            Some(result) => result,
            None => product,
        };
        EinsumPair {
            lhs,
            lhs_transposed,
            rhs,
            rhs_transposed,
            product: Product {
                m: rows.numel(),
                k: inner.numel(),
                n: columns.numel(),
                batch: Plan::collect(&[AxisPair {
                    size: batch.numel(),
                    lhs: Cotangent::Keep,
                    rhs: Cotangent::Keep,
                }]),
            },
            forward: result.through(&product),
            back: product.through(&result),
            result,
        }
    }

    /// The sum along axis `i` of the left and axis `j` of the right operand.
    pub const fn tensordot(lhs: Dims, i: usize, rhs: Dims, j: usize) -> EinsumPair {
        const NAMES: [&str; 2 * MAX_RANK] =
            ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
        let (mut left, mut right, mut result) = (Labels::EMPTY, Labels::EMPTY, Labels::EMPTY);
        let mut axis = 0;
        while axis < lhs.len() {
            left.push(NAMES[axis], lhs[axis]);
            if axis != i {
                result.push(NAMES[axis], lhs[axis]);
            }
            axis += 1;
        }
        let mut axis = 0;
        while axis < rhs.len() {
            if axis == j {
                right.push(NAMES[i], rhs[axis]);
            } else {
                right.push(NAMES[MAX_RANK + axis], rhs[axis]);
                result.push(NAMES[MAX_RANK + axis], rhs[axis]);
            }
            axis += 1;
        }
        EinsumPair::of(left, right, Some(result), &result)
    }

    /// The sizes of the result.
    pub const fn dims(&self) -> &[usize] {
        self.result.dims()
    }
}

/// A sum over three operands: over the first two, then with the third.
#[derive(Clone, Copy, Debug)]
pub struct EinsumThree {
    /// The first two.
    pub first: EinsumPair,
    /// Their product and the third.
    pub second: EinsumPair,
}

impl EinsumThree {
    /// The sum over the labels that the result lacks.
    pub const fn new(a: Labels, b: Labels, c: Labels, result: Names) -> EinsumThree {
        let result = pick(result, &a, &b, &c);
        let kept = result.followed_by(&c);
        let first = EinsumPair::of(a, b, None, &kept);
        EinsumThree {
            first,
            second: EinsumPair::of(first.result, c, Some(result), &result),
        }
    }
}

/// The labels of a result, with the sizes that the operands give them.
const fn pick(names: Names, a: &Labels, b: &Labels, c: &Labels) -> Labels {
    let (mut labels, mut i) = (Labels::EMPTY, 0);
    while i < names.len() {
        let (mut k, operands) = (0, [a, b, c]);
        while k < operands.len() {
            let at = position(operands[k].names.split_at(operands[k].len).0, names[i]);
            if at < operands[k].len && !labels.has(names[i]) {
                labels.push(names[i], operands[k].sizes[at]);
            }
            k += 1;
        }
        i += 1;
    }
    labels
}

/// An operand as a batch of matrices: as it lies, if that is a batch of matrices or of their transposes.
const fn matrices(
    operand: &Labels,
    batch: &Labels,
    rows: &Labels,
    columns: &Labels,
    summed: &Labels,
) -> (Arrangement, bool) {
    let plain = batch.followed_by(rows).followed_by(columns);
    let flipped = batch.followed_by(columns).followed_by(rows);
    let in_place = Arrangement::new(operand, &flipped, summed);
    let arranged = Arrangement::new(operand, &plain, summed);
    if in_place.forward.in_order() && !arranged.forward.in_order() {
        (in_place, true)
    } else {
        (arranged, false)
    }
}

/// An axis of the right operand of `tensordot` or `t_matmul`, equal to the axis of the left one with which it
/// is summed away.
#[diagnostic::on_unimplemented(
    message = "the axes `{Other}` and `{Self}` that are summed over differ",
    label = "the left operand has `{Other}` where the right one has `{Self}`",
    note = "`tensordot::<I, J>` sums over axis I of the left and axis J of the right operand, `t_matmul` over the second-to-last of both; they must be equal"
)]
pub trait Contracts<Other> {}
impl<const N: usize> Contracts<Dim<N>> for Dim<N> {}
impl Contracts<One> for One {}

/// There is room for the axes of `Rhs` after the last.
#[diagnostic::on_unimplemented(
    message = "the axes `{Self}` and `{Rhs}` are too many for one shape",
    label = "more than 6 axes",
    note = "shapes have at most 6 axes"
)]
pub trait Together<Rhs> {
    /// The shape with all axes of both.
    type All: AnyShape;
}

macro_rules! join {
    ($([$($A:ident)*] [$($($B:ident)+),*];)*) => { $(join! { @left [$($A)*] [$($($B)+),*] })* };
    (@left $a:tt [$($($B:ident)+),*]) => {
        join! { @pair $a [] }
        $(join! { @pair $a [$($B)+] })*
    };
    (@pair [$($A:ident)*] [$($B:ident)*]) => {
        #[diagnostic::do_not_recommend]
        impl<$($A: Axis,)* $($B: Axis,)*> Together<($($B,)*)> for ($($A,)*) {
            type All = ($($A,)* $($B,)*);
        }
    };
}
join! {
    [] [B1, B1 B2, B1 B2 B3, B1 B2 B3 B4, B1 B2 B3 B4 B5, B1 B2 B3 B4 B5 B6];
    [A1] [B1, B1 B2, B1 B2 B3, B1 B2 B3 B4, B1 B2 B3 B4 B5];
    [A1 A2] [B1, B1 B2, B1 B2 B3, B1 B2 B3 B4];
    [A1 A2 A3] [B1, B1 B2, B1 B2 B3];
    [A1 A2 A3 A4] [B1, B1 B2];
    [A1 A2 A3 A4 A5] [B1];
    [A1 A2 A3 A4 A5 A6] [];
}

/// Axis `I` of this shape and axis `J` of `Rhs` are summed over; the other axes remain.
pub trait TensorDot<const I: usize, const J: usize, Rhs>: HasAxis<I> {
    /// The other axes of both shapes, those of the left one first.
    type Contracted: AnyShape;
    /// What is done.
    const PAIR: &'static EinsumPair;
}

impl<const I: usize, const J: usize, S, T> TensorDot<I, J, T> for S
where
    S: AnyShape + HasAxis<I>,
    T: AnyShape + HasAxis<J>,
    // On the right axis: the left one's would guess the right shape while the compiler does not know it yet.
    <T as HasAxis<J>>::Axis: Contracts<<S as HasAxis<I>>::Axis>,
    S::Without: Together<T::Without>,
{
    type Contracted = <S::Without as Together<T::Without>>::All;
    const PAIR: &'static EinsumPair = &EinsumPair::tensordot(S::DIMS, I, T::DIMS, J);
}
