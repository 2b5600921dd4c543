//! Dual numbers carry the derivative of every operation, and of every operation's gradient.

use crate::table::draw::Numbers;
use crate::table::{Real, Row, families};
use shapeproof::autograd::{grad, hvp, jvp, value_and_grad};
use shapeproof::dual::Dual;
use shapeproof::prelude::*;

/// More numbers than any row's result has.
const SEEDS: usize = 1000;
const STEP: f64 = 1e-3;

fn all<E: Real>() -> Vec<Row<E>> {
    families().into_iter().flat_map(|(_, rows)| rows).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The inputs moved by a multiple of the directions.
fn moved(inputs: &[Vec<f64>], directions: &[Vec<f64>], step: f64) -> Vec<Vec<f64>> {
    let along = |(x, v): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
        x.iter().zip(v).map(|(x, v)| x + step * v).collect()
    };
    inputs.iter().zip(directions).map(along).collect()
}

/// For each row: ⟨seed, J·v⟩ forward is ⟨Jᵀ·seed, v⟩ backward; and the tangents of the gradients are the difference
/// of the gradients at two points, of sixth order.
#[test]
fn every_operation_and_every_gradient_has_its_derivative() {
    let mut wrong = Vec::new();
    for (row, dual) in all::<f64>().iter().zip(all::<Dual<f64>>()) {
        assert_eq!(row.name, dual.name);
        let mut numbers = Numbers::of(&row.name, 7);
        let inputs = numbers.inputs(&row.inputs);
        let seed = numbers.seed(SEEDS);
        let directions: Vec<_> = inputs.iter().map(|x| numbers.seed(x.len())).collect();
        let tracked = vec![true; inputs.len()];
        let at = |inputs: &[Vec<f64>]| (row.run)(inputs, &tracked, &|n| seed[..n].to_vec());
        let duals: Vec<Vec<_>> = inputs
            .iter()
            .zip(&directions)
            .map(|(x, v)| x.iter().zip(v).map(|(&x, &v)| Dual::new(x, v)).collect())
            .collect();
        let constant = |n| seed[..n].iter().map(|&s| Dual::constant(s)).collect();
        let (plain, forward) = (at(&inputs), (dual.run)(&duals, &tracked, &constant));

        let size = plain
            .grads
            .iter()
            .flatten()
            .flatten()
            .fold(1.0, |max: f64, g| max.max(g.abs()));
        let values: Vec<_> = forward.values.iter().map(|y| y.value).collect();
        let near = |a: f64, b: f64, tolerance: f64| {
            a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance * size.max(b.abs())
        };
        if !values
            .iter()
            .zip(&plain.values)
            .all(|(&a, &b)| near(a, b, 1e-12))
        {
            wrong.push(format!(
                "{}: values {values:?}, not {:?}",
                row.name, plain.values
            ));
        }
        let tangents: Vec<_> = forward.values.iter().map(|y| y.tangent).collect();
        let forwards = dot(&tangents, &seed);
        let none = Vec::new();
        let backwards: f64 = plain
            .grads
            .iter()
            .zip(&directions)
            .map(|(grad, v)| dot(grad.as_ref().unwrap_or(&none), v))
            .sum();
        if !near(forwards, backwards, 1e-10 * tangents.len() as f64) {
            wrong.push(format!(
                "{}: forward {forwards}, backward {backwards}",
                row.name
            ));
        }

        for (i, grad) in forward.grads.iter().enumerate() {
            let Some(grad) = grad else { continue };
            let difference = |k: usize| -> f64 {
                let weights = [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)];
                let at = |step: f64| {
                    at(&moved(&inputs, &directions, step)).grads[i]
                        .as_ref()
                        .unwrap()[k]
                };
                let sum = |(n, weight): (f64, f64)| weight * (at(n * STEP) - at(-n * STEP));
                weights.map(sum).iter().sum::<f64>() / (60.0 * STEP)
            };
            // A few places of each: every one costs six runs.
            for k in (0..grad.len()).step_by(grad.len().div_ceil(3).max(1)) {
                let (found, right) = (grad[k].tangent, difference(k));
                if !near(found, right, 1e-6) {
                    wrong.push(format!(
                        "{} gradient {i} at {k}: {found}, not {right}",
                        row.name
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// L(w) = Σ relu(Xw)²: H·v against the formula 2·Xᵀ·diag(Xw > 0)·X·v.
#[test]
fn the_hessian_of_a_squared_relu() {
    fn loss<E: Element>(x: &[[f64; 3]; 5], w: &Tensor<1, shape![3], E>) -> Tensor<0, (), E> {
        let x = Tensor::<2, shape![5, 3], E>::from_array(x.map(|row| row.map(E::of)));
        x.matmul(w).relu().square().sum()
    }
    let rng = &mut Rng::seed(3);
    let rows = Tensor::<2, shape![5, 3], f64>::randn(rng);
    let (w, v) = (
        Tensor::<1, shape![3], f64>::randn(rng),
        Tensor::<1, shape![3], f64>::randn(rng),
    );
    let x = rows.to_array();
    let (gradient, product) = hvp(|w| loss(&x, &w), &w, &v);
    let (_, right) = value_and_grad(|w| loss(&x, &w), &w);
    assert_eq!(gradient, right);

    let active = rows
        .matmul(&w)
        .gt(0.0)
        .select(&rows.matmul(&v), &Tensor::<1, shape![5], f64>::zeros());
    let formula = active.matmul(&rows) * 2.0;
    assert!((&product - formula).abs().max().item() < 1e-12);
    let at = |step: f64| value_and_grad(|w| loss(&x, &w), &(&w + &v * step)).1;
    let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
    assert!((product - difference).abs().max().item() < 1e-8);
}

/// d/dx (x · d/dy (x + y) at y = 1) is 1; a library that mixes the two directions up says 2 (Siskind & Pearlmutter 2005).
#[test]
fn nested_directions_stay_apart() {
    fn number<E: Element>(x: E) -> Tensor<0, (), E> {
        Tensor::scalar(x)
    }
    let (_, change) = jvp(
        |x: Tensor<0, (), Dual<f64>>| {
            let one = number(Dual::constant(1.0));
            let inner = |y: Tensor<0, (), Dual<Dual<f64>>>| number(Dual::constant(x.item())) + y;
            let (_, slope) = jvp(inner, &one, &one);
            &x * slope
        },
        &number(1.0),
        &number(1.0),
    );
    assert_eq!(change.item(), 1.0);
}

/// The derivatives of x⁵, one level of duals each.
#[test]
fn any_order() {
    fn up<E: Element>(
        x: Tensor<0, (), E>,
        f: impl FnOnce(Tensor<0, (), Dual<E>>) -> Tensor<0, (), Dual<E>>,
    ) -> Tensor<0, (), E> {
        jvp(f, &x, &Tensor::ones()).1
    }
    let x = Tensor::scalar(2.0f64);
    let third = up(x, |x| up(x, |x| up(x, |x| x.powi(5))));
    assert_eq!(third.item(), 60.0 * 4.0);
}

/// A direction of an input that is tracked, several inputs, and one that is not used.
#[test]
fn several_inputs() {
    fn loss<E: Element>(
        x: &Tensor<1, shape![2], E>,
        w: &Tensor<2, shape![2, 3], E>,
    ) -> Tensor<0, (), E> {
        x.matmul(w).tanh().square().sum()
    }
    let rng = &mut Rng::seed(1);
    let (x, w, unused) = (
        Tensor::randn(rng).tracked(),
        Param::new(Tensor::randn(rng)),
        Tensor::<0, (), f64>::ones(),
    );
    let (dx, dw) = (Tensor::randn(rng), Param::new(Tensor::randn(rng)));
    let (value, change) = jvp(
        |(x, w, _)| loss(&x, &w),
        (&x, &w, &unused),
        (&dx, &dw, &unused),
    );
    let right = loss(&x, &w);
    let (gx, gw) = grad(&right, (&x, &w));
    assert!((value - right.detach()).abs().item() < 1e-15);
    assert!((change - (gx * &dx).sum() - (gw * &dw).sum()).abs().item() < 1e-13);
    let (_, (_, _, none)) = hvp(
        |(x, w, _)| loss(&x, &w),
        (&x, &w, &unused),
        (&dx, &dw, &unused),
    );
    assert_eq!(none.item(), 0.0);
    assert!(x.grad().is_none() && w.grad().is_none());
}
