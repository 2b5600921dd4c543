//! Rows inside `vmap`: three examples at once, of which each input has its own values or not.
//!
//! A row makes its inputs from values and looks at its result, which a mapped function cannot do. So while a row is
//! mapped, an input is put together from leaves that all examples share, c₀·m₀ + c₁·m₁ + c₂·m₂, where the mapped
//! numbers m are 1 for one example and 0 for the others: the gradient of cₖ is that of example k. Values are read in
//! the same way, as gradients of zeros that they are multiplied with.

use super::{Input, Row};
use shapeproof::autograd::{vjp, vmap};
use shapeproof::prelude::*;
use shapeproof::shape::Shape;
use std::cell::RefCell;

/// The number of examples.
pub const EXAMPLES: usize = 3;

/// How an input belongs to the examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Each has its own values.
    Mapped,
    /// All share it, and its gradient is the sum of theirs.
    Shared,
    /// All share its values, and each has its own gradient.
    Repeated,
}

type Leaf = Box<dyn Fn() -> Vec<Option<Vec<f64>>>>;

/// What is known while a row is mapped.
struct Mapping {
    /// For each example, 1 for it and 0 for the others.
    places: [Tensor<0, (), f64>; EXAMPLES],
    kinds: Vec<Kind>,
    leaves: Vec<Leaf>,
    values: Vec<Vec<f64>>,
}

thread_local! {
    static MAPPING: RefCell<Option<Mapping>> = const { RefCell::new(None) };
}

/// What came of a mapped row.
pub struct Mapped {
    /// The result of each example.
    pub values: Vec<Vec<f64>>,
    /// For each input the gradients of the examples, or the one that they share.
    pub grads: Vec<Vec<Option<Vec<f64>>>>,
}

fn places() -> Option<[Tensor<0, (), f64>; EXAMPLES]> {
    MAPPING.with_borrow(|mapping| mapping.as_ref().map(|mapping| mapping.places.clone()))
}

/// True inside a mapped row.
pub fn is_under_way() -> bool {
    MAPPING.with_borrow(Option::is_some)
}

/// A tensor that is `leaves[k]` in example k.
fn chosen<const R: usize, S: Shape<R>>(
    leaves: &[Tensor<R, S, f64>],
    places: &[Tensor<0, (), f64>; EXAMPLES],
) -> Tensor<R, S, f64> {
    let mut parts = leaves.iter().zip(places).map(|(leaf, place)| leaf * place);
    let first = parts.next().expect("there are examples");
    parts.fold(first, |sum, part| sum + part)
}

/// The values of a mapped tensor in each example.
fn read<const R: usize, S: Shape<R>>(
    x: &Tensor<R, S, f64>,
    places: &[Tensor<0, (), f64>; EXAMPLES],
) -> Vec<Vec<f64>> {
    let zeros: Vec<_> = (0..EXAMPLES)
        .map(|_| Tensor::<R, S, f64>::zeros().tracked())
        .collect();
    let product = chosen(&zeros, places) * x.detach();
    product.sum().backward();
    let grads = zeros.iter().map(|zero| zero.grad().expect("it took part"));
    grads.map(|grad| grad.to_vec()).collect()
}

/// The next input of a mapped row; none if no row is mapped. `values` are those of all examples.
pub fn input<const R: usize, S: Shape<R>>(
    values: &[f64],
    tracked: bool,
) -> Option<Tensor<R, S, f64>> {
    let places = places()?;
    let kind = MAPPING.with_borrow(|mapping| {
        let mapping = mapping.as_ref().expect("a row is mapped");
        mapping.kinds.get(mapping.leaves.len()).copied()
    });
    let tensor = |values: &[f64]| {
        let x = Tensor::<R, S, f64>::from_slice(values).expect("as many values as the shape has");
        if tracked { x.tracked() } else { x }
    };
    let numel = S::NUMEL;
    let (x, leaf): (_, Leaf) = match kind {
        // After the inputs comes the seed.
        None | Some(Kind::Mapped) => {
            let leaves: Vec<_> = (0..EXAMPLES)
                .map(|k| tensor(&values[k * numel..][..numel]))
                .collect();
            let x = chosen(&leaves, &places);
            (
                x,
                Box::new(move || {
                    leaves
                        .iter()
                        .map(|leaf| leaf.grad().map(|grad| grad.to_vec()))
                        .collect()
                }),
            )
        }
        Some(Kind::Shared) => {
            let x = tensor(&values[..numel]);
            let leaf = x.clone();
            (
                x,
                Box::new(move || vec![leaf.grad().map(|grad| grad.to_vec())]),
            )
        }
        Some(Kind::Repeated) => {
            let mut own = None;
            let _ = vjp(
                |x: Tensor<R, S, f64>| {
                    own = Some(x.clone());
                    x
                },
                &tensor(&values[..numel]),
            );
            let x = own.expect("the function was called");
            let leaf = x.clone();
            let grads = move || match leaf.grad() {
                Some(grad) => read(&grad, &places).into_iter().map(Some).collect(),
                None => vec![None; EXAMPLES],
            };
            (if tracked { x } else { x.detach() }, Box::new(grads))
        }
    };
    MAPPING.with_borrow_mut(|mapping| {
        mapping.as_mut().expect("a row is mapped").leaves.push(leaf);
    });
    Some(x)
}

/// Notes the result of a mapped row; false if no row is mapped.
pub fn output<const R: usize, S: Shape<R>>(y: &Tensor<R, S, f64>) -> bool {
    let Some(places) = places() else {
        return false;
    };
    let values = read(y, &places);
    MAPPING.with_borrow_mut(|mapping| {
        mapping.as_mut().expect("a row is mapped").values = values;
    });
    true
}

/// Runs a row on three examples at once. `inputs` has the values of every input in each example; those of the first
/// one stand for what is shared.
pub fn run(
    row: &Row<f64>,
    inputs: &[Vec<Vec<f64>>],
    kinds: &[Kind],
    seed: &dyn Fn(usize) -> Vec<f64>,
) -> Mapped {
    let joined: Vec<Vec<f64>> = (0..row.inputs.len())
        .map(|i| {
            inputs
                .iter()
                .flat_map(|example| example[i].clone())
                .collect()
        })
        .collect();
    let tracked = vec![true; joined.len()];
    let mut mapped = None;
    let one = |k| Tensor::from(std::array::from_fn::<f64, 3, _>(|i| f64::from(i == k)));
    vmap(
        |(a, b, c)| {
            MAPPING.replace(Some(Mapping {
                places: [a, b, c.clone()],
                kinds: kinds.to_vec(),
                leaves: Vec::new(),
                values: Vec::new(),
            }));
            (row.run)(&joined, &tracked, &|n| seed(EXAMPLES * n));
            let mapping = MAPPING.replace(None).expect("nobody else took it");
            mapped = Some(Mapped {
                values: mapping.values,
                grads: mapping.leaves[..kinds.len()]
                    .iter()
                    .map(|leaf| leaf())
                    .collect(),
            });
            c
        },
        (&one(0), &one(1), &one(2)),
    );
    mapped.expect("the row ran")
}

/// Ways in which inputs can belong to the examples, at least one of them with values of its own, or all repeated.
pub fn kinds(inputs: &[Input]) -> Vec<Vec<Kind>> {
    let n = inputs.len();
    let mut all = vec![vec![Kind::Mapped; n], vec![Kind::Repeated; n]];
    if n > 1 {
        for i in 0..n {
            for other in [Kind::Shared, Kind::Repeated] {
                let mut one = vec![other; n];
                one[i] = Kind::Mapped;
                all.push(one);
                let mut rest = vec![Kind::Mapped; n];
                rest[i] = other;
                all.push(rest);
            }
        }
    }
    all
}
