//! Every operation's gradient is the slope of its own values, and every operation is in the table.

use crate::table::draw::Numbers;
use crate::table::points::{Point, points};
use crate::table::{Outcome, Real, Row, Writes, families, large, writing};
use shapeproof::element::Element;
use shapeproof::graph::detect_anomaly;
use shapeproof::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;

/// How far apart gradient and difference may be, as a part of the largest gradient of the same input.
///
/// Differences of sixth order with this step are good to some 1e-11 on the table's domains, so an
/// error in a formula's last terms shows.
const TOLERANCE: f64 = 1e-9;
const STEP: f64 = 2e-3;
/// f(x + kh) − f(x − kh) for k = 1, 2, 3, in sixtieths of 1/h.
const WEIGHTS: [f64; 3] = [45.0, -9.0, 1.0];

fn rows() -> Vec<Row<f64>> {
    families().into_iter().flat_map(|(_, rows)| rows).collect()
}

fn run(row: &Row<f64>, inputs: &[Vec<f64>], tracked: &[bool], seed: &[f64]) -> Outcome<f64> {
    (row.run)(inputs, tracked, &|n| seed[..n].to_vec())
}

/// More numbers than any row's result has.
const SEEDS: usize = 1000;

#[test]
fn gradients_are_slopes() {
    let mut wrong = Vec::new();
    for row in rows() {
        for round in 0..2 {
            let mut numbers = Numbers::of(&row.name, round);
            let inputs = numbers.inputs(&row.inputs);
            let seed = numbers.seed(SEEDS);
            let all = vec![true; inputs.len()];
            let outcome = run(&row, &inputs, &all, &seed);
            for (i, grad) in outcome.grads.iter().enumerate() {
                let slopes = slopes(&row, &inputs, i, &seed);
                // No gradient is a gradient of zero.
                let grad = grad.clone().unwrap_or(vec![0.0; slopes.len()]);
                if let Some(fault) = compare(&grad, &slopes, &outcome.values) {
                    wrong.push(format!("{} input {i}: {fault}", row.name));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} gradients differ from slopes:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The slope of ⟨seed, row(inputs)⟩ along each number of input `i`.
fn slopes(row: &Row<f64>, inputs: &[Vec<f64>], i: usize, seed: &[f64]) -> Vec<f64> {
    let none = vec![false; inputs.len()];
    (0..inputs[i].len())
        .map(|k| {
            let at = |step: f64| {
                let mut moved = inputs.to_vec();
                moved[i][k] += step;
                run(row, &moved, &none, seed).values
            };
            derivative(at, seed)
        })
        .collect()
}

/// The derivative of ⟨seed, at(step)⟩ at 0.
fn derivative(at: impl Fn(f64) -> Vec<f64>, seed: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (weight, times) in WEIGHTS.iter().zip(1..) {
        let step = STEP * f64::from(times);
        let (above, below) = (at(step), at(-step));
        // Subtracted number by number first: sums would lose digits.
        let parts = above
            .iter()
            .zip(below)
            .zip(seed)
            .map(|((a, b), s)| (a - b) * s);
        sum += weight * parts.sum::<f64>();
    }
    sum / (60.0 * STEP)
}

fn compare(grad: &[f64], slopes: &[f64], values: &[f64]) -> Option<String> {
    let largest = |of: &[f64]| of.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    // Differences of values of size v are no better than v·ε/h.
    let noise = largest(values) * f64::EPSILON / STEP * 10.0;
    let allowed = TOLERANCE * largest(slopes) + noise;
    (0..slopes.len())
        .find(|&k| (grad[k] - slopes[k]).abs() > allowed || grad[k].is_nan() != slopes[k].is_nan())
        .map(|k| format!("[{k}] gradient {:e}, slope {:e}", grad[k], slopes[k]))
}

/// Gradients that many numbers add up to, on several threads: the slope along one random direction,
/// from which no wrong number hides.
#[test]
fn large_gradients_are_slopes() {
    for row in large::whole::rows::<f64>() {
        for i in 0..row.inputs.len() {
            check_along(&row, i);
        }
    }
    // Operands that every row of the result uses; the others' gradients are compared with those of
    // parts, below.
    for pair in large::by_rows::rows::<f64>().chunks_exact(2) {
        for i in 0..pair[0].inputs.len() {
            if pair[0].inputs[i].dims == pair[1].inputs[i].dims {
                check_along(&pair[0], i);
            }
        }
    }
}

fn check_along(row: &Row<f64>, i: usize) {
    let mut numbers = Numbers::of(&row.name, i as u64);
    let inputs = numbers.inputs(&row.inputs);
    let none = vec![false; inputs.len()];
    let seed = numbers.seed(run(row, &inputs, &none, &[]).values.len());
    let all = run(row, &inputs, &vec![true; inputs.len()], &seed);
    let grad = all.grads[i].as_ref().expect("a gradient");
    let direction = numbers.seed(grad.len());
    let at = |step: f64| {
        let mut moved = inputs.clone();
        moved[i]
            .iter_mut()
            .zip(&direction)
            .for_each(|(x, d)| *x += step * d);
        run(row, &moved, &none, &seed).values
    };
    let slope = derivative(at, &seed);
    let parts = grad.iter().zip(&direction).map(|(g, d)| g * d);
    let along: f64 = parts.clone().sum();
    let size = parts.map(|part| part * part).sum::<f64>().sqrt();
    let off = (along - slope).abs() / size;
    assert!(
        off < TOLERANCE,
        "{} input {i}: {along:e} is not {slope:e}, off by {off:e}",
        row.name
    );
}

/// Rows of a large result are the result of those rows, in f64 and f32.
#[test]
fn large_results_are_made_of_small_ones() {
    made_of_parts::<f64>();
    made_of_parts::<f32>();
}

fn made_of_parts<E: Real>() {
    let mut rows = large::by_rows::rows::<E>();
    rows.extend(large::by_rows_kinked::rows());
    for pair in rows.chunks_exact(2) {
        let [whole, part] = pair else { unreachable!() };
        let mut numbers = Numbers::of(&whole.name, 1);
        let of = |values: Vec<f64>| values.into_iter().map(E::of).collect::<Vec<E>>();
        let inputs: Vec<Vec<E>> = numbers.inputs(&whole.inputs).into_iter().map(of).collect();
        let length = (whole.run)(&inputs, &vec![false; inputs.len()], &|_| Vec::new())
            .values
            .len();
        let seed = of(numbers.seed(length));
        let all = (whole.run)(&inputs, &vec![true; inputs.len()], &|_| seed.clone());
        let split: Vec<bool> = whole
            .inputs
            .iter()
            .zip(&part.inputs)
            .map(|(w, p)| w.dims != p.dims)
            .collect();
        let which = split
            .iter()
            .position(|&split| split)
            .expect("an input that is cut");
        let (count, few) = (whole.inputs[which].dims[0], part.inputs[which].dims[0]);
        for start in [0, count / 2, count - few] {
            let cut = |values: &[E]| {
                let width = values.len() / count;
                values[start * width..(start + few) * width].to_vec()
            };
            let inputs: Vec<Vec<E>> = inputs
                .iter()
                .zip(&split)
                .map(|(x, &split)| if split { cut(x) } else { x.clone() })
                .collect();
            let outcome = (part.run)(&inputs, &vec![true; inputs.len()], &|_| cut(&seed));
            let tolerance = E::epsilon() * E::of(64.0);
            assert!(
                close(&outcome.values, &cut(&all.values), tolerance),
                "{} at {start}",
                whole.name
            );
            for (i, (grad, all)) in outcome.grads.iter().zip(&all.grads).enumerate() {
                if split[i] {
                    let (grad, all) = (grad.as_ref().unwrap(), cut(all.as_ref().unwrap()));
                    assert!(
                        close(grad, &all, tolerance),
                        "{}: gradient {i} at {start}",
                        whole.name
                    );
                }
            }
        }
    }
}

/// An input that is not tracked gets no gradient, and takes none away from the others.
#[test]
fn only_tracked_inputs_get_gradients() {
    for row in rows() {
        let mut numbers = Numbers::of(&row.name, 2);
        let inputs = numbers.inputs(&row.inputs);
        let seed = numbers.seed(SEEDS);
        let all = run(&row, &inputs, &vec![true; inputs.len()], &seed);
        let none = run(&row, &inputs, &vec![false; inputs.len()], &seed);
        assert!(
            !none.tracked && none.ops.is_empty(),
            "{}: recorded without need",
            row.name
        );
        assert!(
            none.grads.iter().all(Option::is_none),
            "{}: a gradient from nowhere",
            row.name
        );
        assert!(
            same(&none.values, &all.values),
            "{}: recording changes the values",
            row.name
        );
        for i in 0..inputs.len() {
            let only: Vec<bool> = (0..inputs.len()).map(|k| k == i).collect();
            let outcome = run(&row, &inputs, &only, &seed);
            for (k, grad) in outcome.grads.iter().enumerate() {
                let expected = if k == i { &all.grads[k] } else { &None };
                match (grad, expected) {
                    (None, None) => {}
                    (Some(grad), Some(expected)) => {
                        assert!(
                            close(grad, expected, 1e-13),
                            "{}: {grad:?} is not {expected:?}",
                            row.name
                        );
                    }
                    _ => panic!(
                        "{} with input {i} tracked: input {k} has {grad:?}",
                        row.name
                    ),
                }
            }
        }
    }
}

/// Between forward and backward everything is overwritten that a program holds: inputs, tracked or not, and the result.
/// The gradients are the same to the last bit.
#[test]
fn nothing_that_was_saved_changes_when_tensors_are_written_to() {
    let mut wrong = BTreeSet::new();
    let mut with_gradients = 0;
    for row in rows() {
        let mut numbers = Numbers::of(&row.name, 0);
        let inputs = numbers.inputs(&row.inputs);
        let seed = numbers.seed(SEEDS);
        let mut patterns = vec![vec![true; inputs.len()]];
        if inputs.len() > 1 {
            patterns.extend((0..inputs.len()).map(|i| (0..inputs.len()).map(|k| k == i).collect()));
        }
        for tracked in patterns {
            let right = run(&row, &inputs, &tracked, &seed);
            with_gradients += right.grads.iter().flatten().count();
            for writes in [Writes::Slice, Writes::Operator] {
                let found = writing(writes, || run(&row, &inputs, &tracked, &seed));
                let pairs = found.grads.iter().zip(&right.grads);
                let mut grads = pairs.map(|(a, b)| match (a, b) {
                    (Some(a), Some(b)) => same(a, b),
                    _ => a.is_none() && b.is_none(),
                });
                if !same(&found.values, &right.values) || !grads.all(|same| same) {
                    wrong.insert(row.name.clone());
                }
            }
        }
    }
    assert!(with_gradients > 1000, "{with_gradients}");
    assert!(
        wrong.is_empty(),
        "what they saved was overwritten: {wrong:?}"
    );
}

/// Each operation on an input of NaN, tracked and not: where that shows, it is not said to come of finite operands.
#[test]
fn what_is_given_nan_is_not_blamed_for_it() {
    let mut wrong = BTreeSet::new();
    let mut stops = 0;
    for row in rows() {
        let mut numbers = Numbers::of(&row.name, 0);
        let inputs = numbers.inputs(&row.inputs);
        let seed = numbers.seed(SEEDS);
        // The mean of nothing is NaN by itself.
        let full = row.inputs.iter().all(|input| !input.dims.contains(&0));
        for i in (0..inputs.len()).filter(|_| full) {
            let mut bad = inputs.clone();
            bad[i].fill(f64::NAN);
            for tracked in [true, false] {
                let tracked = vec![tracked; inputs.len()];
                let result = catch_unwind(|| detect_anomaly(|| run(&row, &bad, &tracked, &seed)));
                let Err(panic) = result else { continue };
                stops += 1;
                let text = panic.downcast::<String>().expect("a text");
                if !text.contains("but was given values that are not finite") {
                    wrong.insert(format!("{}: {text}", row.name));
                }
            }
        }
    }
    assert!(stops > 1000, "{stops}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn points_without_a_derivative_f64() {
    check_points(points::<f64>());
}

#[test]
fn points_without_a_derivative_f32() {
    check_points(points::<f32>());
}

fn check_points<E: Element>(points: Vec<Point<E>>) {
    let mut wrong = Vec::new();
    for point in points {
        let tracked = vec![true; point.inputs.len()];
        let outcome = (point.row.run)(&point.inputs, &tracked, &|n| {
            assert_eq!(n, point.seed.len(), "{}", point.row.name);
            point.seed.clone()
        });
        let tolerance = E::epsilon() * E::of(4.0);
        if !close(&outcome.values, &point.values, tolerance) {
            wrong.push(format!(
                "{} gives {:?}, not {:?}",
                point.row.name, outcome.values, point.values
            ));
        }
        for (grad, expected) in outcome.grads.iter().zip(&point.grads) {
            let agree = match (grad, expected) {
                (Some(grad), Some(expected)) => close(grad, expected, tolerance),
                (grad, expected) => grad.is_none() && expected.is_none(),
            };
            if !agree {
                wrong.push(format!(
                    "{} has gradient {grad:?}, not {expected:?}",
                    point.row.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn same<E: Element>(a: &[E], b: &[E]) -> bool {
    close(a, b, E::zero())
}

/// Equal up to `tolerance` of the larger one, or of 1; NaN equals NaN.
fn close<E: Element>(a: &[E], b: &[E], tolerance: E) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(&a, &b)| {
            a == b
                || (a.is_nan() && b.is_nan())
                || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(E::one())
        })
}

/// A parameter is an operand like any other, and both of one that takes part twice are counted.
#[test]
fn parameters_are_leaves() {
    let x = Tensor::from([[1.0f64, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let w = Param::new(Tensor::from([0.5, -1.0, 2.0]));
    let y = &x * &w + &w;
    y.backward_with(&Tensor::from([[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]]));
    assert_eq!(
        w.grad().unwrap().to_array(),
        [1.0 + 8.0 + 3.0, 20.0 + 100.0 + 30.0, 300.0 + 1200.0 + 300.0]
    );
    assert!(x.grad().is_none());
}

/// A new operation without a row is found here: by its name in the sources of src/ops.
#[test]
fn every_operation_has_a_row() {
    let mut recorded = BTreeSet::new();
    for row in rows() {
        let mut numbers = Numbers::of(&row.name, 0);
        let inputs = numbers.inputs(&row.inputs);
        recorded.extend(run(&row, &inputs, &vec![true; inputs.len()], &vec![1.0; SEEDS]).ops);
    }
    recorded.remove("leaf");
    let recorded: BTreeSet<String> = recorded.into_iter().map(String::from).collect();
    let named = named_operations();
    let missing: Vec<_> = named.difference(&recorded).collect();
    assert!(
        missing.is_empty(),
        "without a row in tests/table: {missing:?}"
    );
    // The other way round: a form of naming that the scan does not know.
    let unseen: Vec<_> = recorded.difference(&named).collect();
    assert!(
        unseen.is_empty(),
        "recorded, but not found in src/ops: {unseen:?}"
    );
}

/// Words that stand in quotes in src/ops and name no operation.
const OTHER_WORDS: [&str; 4] = [
    // Positions pass no gradient, so they are recorded nowhere.
    "argmax", "argmin", // Fields that a rule has saved.
    "input", "output",
];

/// The names of the operations in src/ops: every quoted word, `const NAME: &'static str = "add"` or
/// a row of some table, and the rows `exp() saves Output: ..`, whose first word is the name.
fn named_operations() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut folders = vec![PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/ops"
    ))];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = fs::read_to_string(&path).unwrap();
            let code = source.lines().filter(|line| {
                // Comments, and fields shown to whoever inspects a graph.
                !line.trim_start().starts_with("//") && !line.contains("visit(")
            });
            names.extend(code.flat_map(names_in));
        }
    }
    OTHER_WORDS
        .iter()
        .for_each(|word| assert!(names.remove(*word), "{word}"));
    names
}

fn names_in(line: &str) -> Vec<String> {
    let is_word = |text: &&str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let quoted = line.split('"').skip(1).step_by(2).filter(is_word);
    let method = line
        .split_once(" saves ")
        .and_then(|(head, _)| head.trim().split(['(', ' ']).next())
        .filter(is_word);
    quoted.chain(method).map(String::from).collect()
}
