//! The table of operations: one row for each operation and shape, typed, and the same for f32 and f64.
//!
//! A row says which inputs an operation takes, where they are drawn from, and how it is called:
//!
//! ```text
//! "div" (a: [3, 4] in ANY, b: [4] in NONZERO) => &a / &b;
//! ```
//!
//! `tests/operations/gradients.rs` checks each row against differences of its own values, `oracle.rs`
//! beside it against numbers that share no code with this crate, and a test there fails if an operation
//! of the library has no row. A row is found by its name: the label and the shapes, `div[3, 4][4]`.
//!
//! Not here: points without a derivative (`points.rs`), and inputs of the oracle (`tests/oracle/`).

mod attention;
mod axes;
mod broadcast;
mod conv;
mod cut;
pub mod draw;
mod einsum;
mod elementwise;
mod functions;
mod fuse;
mod index;
pub mod large;
mod layout;
mod loss;
pub mod mapped;
mod masked;
mod matmul;
mod norm;
mod order;
pub mod points;
mod pool;
mod reduce;
mod reuse;
mod scan;
mod softmax;

use shapeproof::dual::Dual;
use shapeproof::element::Element;
use shapeproof::prelude::*;
use shapeproof::shape::Shape;
use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeSet;

/// Where a row's inputs are drawn from.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// Between two numbers, and no closer than `margin` to a kink or a pole.
    Range {
        low: f64,
        high: f64,
        avoid: &'static [f64],
        margin: f64,
    },
    /// Between −2 and 2, no two numbers of the row close to each other, so that nothing is a tie.
    Distinct,
}

impl Domain {
    pub const fn range(low: f64, high: f64) -> Domain {
        Domain::Range {
            low,
            high,
            avoid: &[],
            margin: 0.0,
        }
    }

    pub const fn avoiding(self, points: &'static [f64]) -> Domain {
        match self {
            Domain::Range { low, high, .. } => Domain::Range {
                low,
                high,
                avoid: points,
                margin: 0.1,
            },
            Domain::Distinct => self,
        }
    }
}

pub const ANY: Domain = Domain::range(-2.0, 2.0);
pub const POSITIVE: Domain = Domain::range(0.3, 2.5);
pub const NONZERO: Domain = Domain::Range {
    low: -2.0,
    high: 2.0,
    avoid: &[0.0],
    margin: 0.3,
};
/// Far enough out that naive formulas overflow or cancel.
pub const WIDE: Domain = Domain::range(-30.0, 30.0).avoiding(&[0.0]);
pub const DISTINCT: Domain = Domain::Distinct;

/// One operation on inputs of one set of shapes.
pub struct Row<E: Element> {
    pub name: String,
    pub inputs: Vec<Input>,
    pub run: Run<E>,
}

/// An input of a row.
#[derive(Clone, Copy)]
pub struct Input {
    pub dims: &'static [usize],
    pub domain: Domain,
}

/// Runs a row on the values of its inputs. Those marked are tracked; a tracked result is sent
/// backward with the cotangent that the last argument makes for its number of elements.
pub type Run<E> = fn(&[Vec<E>], &[bool], &dyn Fn(usize) -> Vec<E>) -> Outcome<E>;

/// What came of running a row.
pub struct Outcome<E> {
    pub dims: Vec<usize>,
    pub values: Vec<E>,
    pub tracked: bool,
    /// Of each input; none if it is not tracked or no gradient flows to it.
    pub grads: Vec<Option<Vec<E>>>,
    /// The names of the operations in the result's graph.
    pub ops: BTreeSet<&'static str>,
}

/// All rows, with the name of the oracle's file that holds their numbers.
pub fn families<E: Real>() -> Vec<(&'static str, Vec<Row<E>>)> {
    vec![
        ("elementwise", elementwise::rows()),
        ("functions", functions::rows()),
        ("masked", masked::rows()),
        ("broadcast", broadcast::rows()),
        ("reduce", reduce::rows()),
        ("softmax", softmax::rows()),
        ("norm", norm::rows()),
        ("order", order::rows()),
        ("axes", axes::rows()),
        ("scan", scan::rows()),
        ("matmul", matmul::rows()),
        ("attention", attention::rows()),
        ("einsum", einsum::rows()),
        ("layout", layout::rows()),
        ("cut", cut::rows()),
        ("index", index::rows()),
        ("loss", loss::rows()),
        ("conv", conv::rows()),
        ("pool", pool::rows()),
        ("reuse", reuse::rows()),
        ("fuse", fuse::rows()),
    ]
}

/// The elements that rows run with: operators with a number on the left exist for concrete types
/// alone, so generic rows reach them through here.
pub trait Real: Element {
    fn plus<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self>;
    fn minus<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self>;
    fn times<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self>;
    fn over<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self>;
}

macro_rules! real {
    ($($E:ty)*) => {$(
        impl Real for $E {
            fn plus<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self> {
                self + x
            }
            fn minus<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self> {
                self - x
            }
            fn times<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self> {
                self * x
            }
            fn over<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self> {
                self / x
            }
        }
    )*};
}
real! { f32 f64 }

impl<E: Element> Real for Dual<E> {
    fn plus<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self> {
        x + self
    }
    fn minus<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self> {
        -x + self
    }
    fn times<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self> {
        x * self
    }
    fn over<const R: usize, S: Shape<R>>(self, x: &Tensor<R, S, Self>) -> Tensor<R, S, Self> {
        x.recip() * self
    }
}

/// The label and the shapes: `div[3, 4][4]`.
pub fn name(label: &str, shapes: &[&[usize]]) -> String {
    shapes
        .iter()
        .fold(label.to_string(), |name, dims| format!("{name}{dims:?}"))
}

/// An input as a tensor.
pub fn input<const R: usize, S: Shape<R>, E: Element>(
    values: &[E],
    tracked: bool,
) -> Tensor<R, S, E> {
    let numbers: &dyn Any = &values.to_vec();
    if let Some(values) = numbers.downcast_ref::<Vec<f64>>()
        && let Some(x) = mapped::input::<R, S>(values, tracked)
    {
        let x: Box<dyn Any> = Box::new(x);
        return *x.downcast().expect("both are of f64");
    }
    let x = Tensor::from_slice(values).expect("as many values as the shape has");
    if tracked { x.tracked() } else { x }
}

/// How a row's tensors are written to between forward and backward.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Not at all.
    No,
    /// Through a slice.
    Slice,
    /// By an operator in place.
    Operator,
}

thread_local! {
    static WRITES: Cell<Writes> = const { Cell::new(Writes::No) };
}

/// Runs rows whose inputs and results are overwritten with NaN between forward and backward.
pub fn writing<T>(writes: Writes, body: impl FnOnce() -> T) -> T {
    WRITES.set(writes);
    let result = body();
    WRITES.set(Writes::No);
    result
}

/// The result as something made of it, while nobody but the graph shares the memory of the one that is overwritten.
pub fn written_over<const R: usize, S: Shape<R>, E: Element>(
    mut y: Tensor<R, S, E>,
) -> Tensor<R, S, E> {
    let writes = WRITES.get();
    if writes == Writes::No {
        return y;
    }
    // A sum saves nothing, and hands the gradient on as it is.
    let kept = &y + &Tensor::<R, S, E>::zeros();
    if writes == Writes::Slice {
        y.as_mut_slice().fill(E::nan());
    } else {
        no_grad(|| y *= E::nan());
    }
    kept
}

/// The input, overwritten. A leaf stays one.
pub fn input_written_over<const R: usize, S: Shape<R>, E: Element>(
    mut x: Tensor<R, S, E>,
) -> Tensor<R, S, E> {
    if WRITES.get() != Writes::No {
        x.as_mut_slice().fill(E::nan());
    }
    x
}

/// Sends the result of a row backward and takes down what there is to compare, but the gradients.
pub fn finish<const R: usize, S: Shape<R>, E: Element>(
    y: &Tensor<R, S, E>,
    seed: &dyn Fn(usize) -> Vec<E>,
) -> Outcome<E> {
    let mut ops = BTreeSet::new();
    let mut open: Vec<_> = y.node().into_iter().collect();
    let mut met = BTreeSet::new();
    while let Some(node) = open.pop() {
        if met.insert(node.id()) {
            ops.insert(node.op());
            open.extend(node.parents());
        }
    }
    let tracked = y.is_tracked();
    let result: &dyn Any = y;
    let mapped = result.downcast_ref().is_some_and(mapped::output::<R, S>);
    let outcome = Outcome {
        dims: y.dims().to_vec(),
        values: if mapped { Vec::new() } else { y.to_vec() },
        tracked,
        grads: Vec::new(),
        ops,
    };
    if tracked {
        y.backward_with(&input::<R, S, E>(&seed(y.numel()), false));
    }
    outcome
}

/// The gradient of an input; mapped rows have them from elsewhere.
pub fn grad<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>) -> Option<Vec<E>> {
    if mapped::is_under_way() {
        return None;
    }
    x.grad().map(|grad| grad.to_vec())
}

/// One row, as a function from values to values.
macro_rules! row {
    ($E:ident, $label:expr, ($($x:ident: $shape:tt in $domain:expr),+), $body:expr) => {
        $crate::table::Row {
            name: $crate::table::name($label, &[$(<shapeproof::shape! $shape as shapeproof::shape::AnyShape>::DIMS),+]),
            inputs: vec![$($crate::table::Input {
                dims: <shapeproof::shape! $shape as shapeproof::shape::AnyShape>::DIMS,
                domain: $domain,
            }),+],
            run: |inputs: &[Vec<$E>], tracked: &[bool], seed: &dyn Fn(usize) -> Vec<$E>| {
                let mut of = inputs.iter().zip(tracked);
                $(
                    let $x: shapeproof::shape::TensorOf<shapeproof::shape! $shape, $E> = {
                        let (values, &tracked) = of.next().expect("a value for each input");
                        $crate::table::input(values, tracked)
                    };
                )+
                let y = $crate::table::written_over($body);
                $(let $x = $crate::table::input_written_over($x);)+
                let mut outcome = $crate::table::finish(&y, seed);
                outcome.grads = vec![$($crate::table::grad(&$x)),+];
                outcome
            },
        }
    };
}
pub(crate) use row;

/// A file's rows. After `over`, the row is repeated for each set of shapes.
macro_rules! rows {
    // One set of shapes, written with the inputs.
    (@push $rows:ident $E:ident; $label:literal ($($x:ident: $shape:tt in $domain:expr),+) => $body:expr; $($rest:tt)*) => {
        $rows.push($crate::table::row!($E, $label, ($($x: $shape in $domain),+), $body));
        $crate::table::rows!(@push $rows $E; $($rest)*);
    };
    // One input, many shapes.
    (@push $rows:ident $E:ident; $label:literal ($x:ident in $domain:expr) over [$($shape:tt),+] => $body:expr; $($rest:tt)*) => {
        $($rows.push($crate::table::row!($E, $label, ($x: $shape in $domain), $body));)+
        $crate::table::rows!(@push $rows $E; $($rest)*);
    };
    // Two inputs, many pairs of shapes.
    (@push $rows:ident $E:ident; $label:literal ($x:ident in $dx:expr, $y:ident in $dy:expr) over [$($a:tt $b:tt),+] => $body:expr; $($rest:tt)*) => {
        $($rows.push($crate::table::row!($E, $label, ($x: $a in $dx, $y: $b in $dy), $body));)+
        $crate::table::rows!(@push $rows $E; $($rest)*);
    };
    // Three inputs, many sets of shapes.
    (@push $rows:ident $E:ident; $label:literal ($x:ident in $dx:expr, $y:ident in $dy:expr, $z:ident in $dz:expr) over [$($a:tt $b:tt $c:tt),+] => $body:expr; $($rest:tt)*) => {
        $($rows.push($crate::table::row!($E, $label, ($x: $a in $dx, $y: $b in $dy, $z: $c in $dz), $body));)+
        $crate::table::rows!(@push $rows $E; $($rest)*);
    };
    (@push $rows:ident $E:ident;) => {};
    ($E:ident; $($table:tt)*) => {
        // Rows come from repetitions within repetitions, which one `vec!` cannot hold.
        #[allow(clippy::vec_init_then_push)]
        pub fn rows<$E: $crate::table::Real>() -> Vec<$crate::table::Row<$E>> {
            let mut rows = Vec::new();
            $crate::table::rows!(@push rows $E; $($table)*);
            rows
        }
    };
}
pub(crate) use rows;
