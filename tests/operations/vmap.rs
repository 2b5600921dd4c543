//! Mapped functions, against loops over their examples.

use crate::table::draw::Numbers;
use crate::table::mapped::{self, EXAMPLES, Kind};
use crate::table::{Row, families};
use approx::assert_abs_diff_eq;
use shapeproof::autograd::{
    Function, apply, checkpoint, checkpoint_with_rng, grad, hessian, hvp, jacfwd, jacrev, jvp,
    value_and_grad, vjp, vmap,
};
use shapeproof::dual::Dual;
use shapeproof::nn::{Hooked, Tanh};
use shapeproof::prelude::*;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

type Number = Tensor<0, (), f64>;
type Vector<const N: usize> = Tensor<1, shape![N], f64>;
type Matrix<const M: usize, const N: usize> = Tensor<2, shape![M, N], f64>;

fn matrix<const M: usize, const N: usize>(seed: u64) -> Matrix<M, N> {
    Tensor::randn(&mut Rng::seed(seed))
}

fn row<const M: usize, const N: usize>(x: &Matrix<M, N>, i: usize) -> Vector<N> {
    x.select_at::<0>(i).unwrap()
}

/// What a panic says.
fn message<T>(body: impl FnOnce() -> T) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(body)) else {
        panic!("it went well");
    };
    panic.downcast_ref::<String>().map_or_else(
        || (*panic.downcast_ref::<&str>().expect("a message")).to_string(),
        String::clone,
    )
}

// Every operation.

/// More numbers than the results of any row have together.
const SEEDS: usize = 10_000;

fn near(a: &[f64], b: &[f64]) -> bool {
    let size = b.iter().fold(1.0, |max: f64, b| max.max(b.abs()));
    let close =
        |a: f64, b: f64| a == b || !a.is_finite() && !b.is_finite() || (a - b).abs() <= 1e-9 * size;
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| close(a, b))
}

/// What a row gives that is mapped over inputs of these kinds and is not what it gives example by example.
fn differences(
    row: &Row<f64>,
    examples: &[Vec<Vec<f64>>],
    seed: &[f64],
    kinds: &[Kind],
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut compare = |what: &str, found: &[f64], right: &[f64]| {
        if !near(found, right) {
            wrong.push(format!(
                "{} {kinds:?}: {what} is {found:?}, not {right:?}",
                row.name
            ));
        }
    };
    let mapped = mapped::run(row, examples, kinds, &|n| seed[..n].to_vec());
    let inputs = |k: usize| -> Vec<Vec<f64>> {
        let own = |i: usize| if kinds[i] == Kind::Mapped { k } else { 0 };
        (0..kinds.len())
            .map(|i| examples[own(i)][i].clone())
            .collect()
    };
    let zeros = |i: usize| vec![0.0; examples[0][i].len()];
    let mut sums: Vec<_> = (0..kinds.len()).map(zeros).collect();
    for k in 0..EXAMPLES {
        let inputs = inputs(k);
        let one = (row.run)(&inputs, &vec![true; kinds.len()], &|n| {
            seed[k * n..][..n].to_vec()
        });
        compare(&format!("value {k}"), &mapped.values[k], &one.values);
        for (i, right) in one.grads.into_iter().enumerate() {
            let right = right.unwrap_or(zeros(i));
            if kinds[i] == Kind::Shared {
                sums[i]
                    .iter_mut()
                    .zip(&right)
                    .for_each(|(sum, g)| *sum += g);
            } else {
                let found = mapped.grads[i][k].clone().unwrap_or(zeros(i));
                compare(&format!("gradient {i} of {k}"), &found, &right);
            }
        }
    }
    for (i, sum) in sums.iter().enumerate() {
        if kinds[i] == Kind::Shared {
            let found = mapped.grads[i][0].clone().unwrap_or(zeros(i));
            compare(&format!("gradient {i} of all"), &found, sum);
        }
    }
    wrong
}

/// Each row of the table, with every input mapped, shared, or shared with a gradient for each example, against three
/// runs with one example each.
#[test]
fn every_operation_is_mapped() {
    let mut wrong = Vec::new();
    for row in families::<f64>().into_iter().flat_map(|(_, rows)| rows) {
        // These look at values, or draw other numbers for each example.
        if ["argmax[", "argmin[", "dropout"]
            .iter()
            .any(|name| row.name.starts_with(name))
        {
            continue;
        }
        let mut numbers = Numbers::of(&row.name, 11);
        let seed = numbers.seed(SEEDS);
        let examples: Vec<_> = (0..EXAMPLES).map(|_| numbers.inputs(&row.inputs)).collect();
        for kinds in mapped::kinds(&row.inputs) {
            wrong.extend(differences(&row, &examples, &seed, &kinds));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

// Products, whose mapped form is another product.

#[test]
fn products_of_shared_matrices_are_one_product() {
    let (w, xs) = (matrix::<4, 3>(0), matrix::<5, 3>(1));
    let right = xs.matmul_t(&w);
    assert_abs_diff_eq!(vmap(|x| w.matmul(&x), &xs), right, epsilon = 1e-12);
    assert_abs_diff_eq!(vmap(|x| x.matmul_t(&w), &xs), right, epsilon = 1e-12);
    let turned = w.t();
    assert_abs_diff_eq!(vmap(|x| x.matmul(&turned), &xs), right, epsilon = 1e-12);
    assert_abs_diff_eq!(
        vmap(|x| turned.t_matmul(&x.unsqueeze::<1>()), &xs).squeeze::<2>(),
        right,
        epsilon = 1e-12
    );
}

// Gradients.

/// Weights of two layers.
type Weights<E = f64> = (
    Tensor<2, shape![4, 3], E>,
    Tensor<1, shape![4], E>,
    Tensor<2, shape![2, 4], E>,
);

/// Two layers.
fn loss<E: Element>((w, b, v): &Weights<E>, x: &Tensor<1, shape![3], E>) -> Tensor<0, (), E> {
    v.matmul(&(x.matmul_t(w) + b).tanh()).square().sum()
}

#[test]
fn gradients_of_each_example() {
    let weights = (
        matrix::<4, 3>(0),
        row(&matrix::<1, 4>(1), 0),
        matrix::<2, 4>(2),
    );
    let (w, b, v) = &weights;
    let xs = matrix::<5, 3>(3);
    let one = |x: Vector<3>| value_and_grad(|weights| loss(&weights, &x), (w, b, v));
    let (losses, (dw, db, dv)) = vmap(one, &xs);
    assert_eq!((losses.dims(), dw.dims()), ([5], [5, 4, 3]));
    for i in 0..5 {
        let (right, (rw, rb, rv)) = one(row(&xs, i));
        assert_abs_diff_eq!(losses.select_at::<0>(i).unwrap(), right, epsilon = 1e-12);
        assert_abs_diff_eq!(dw.select_at::<0>(i).unwrap(), rw, epsilon = 1e-12);
        assert_abs_diff_eq!(db.select_at::<0>(i).unwrap(), rb, epsilon = 1e-12);
        assert_abs_diff_eq!(dv.select_at::<0>(i).unwrap(), rv, epsilon = 1e-12);
    }
}

#[test]
fn backward_inside_and_outside_adds_up_at_what_is_shared() {
    let (w, xs) = (matrix::<4, 3>(0).tracked(), matrix::<5, 3>(1).tracked());
    let batched = xs.matmul_t(&w).sin();
    batched.sum().backward();
    let right = (w.grad().unwrap(), xs.grad().unwrap());
    let again = |inside: bool| {
        w.zero_grad();
        xs.zero_grad();
        let losses = vmap(
            |x| {
                let loss = w.matmul(&x).sin().sum();
                if inside {
                    loss.backward_retaining();
                }
                loss
            },
            &xs,
        );
        if !inside {
            losses.sum().backward();
        }
        (w.grad().unwrap(), xs.grad().unwrap())
    };
    for inside in [false, true] {
        let (dw, dx) = again(inside);
        assert_abs_diff_eq!(dw, right.0, epsilon = 1e-12);
        assert_abs_diff_eq!(dx, right.1, epsilon = 1e-12);
    }
}

/// `grad` by what the function was mapped over is each example's own; by what they share it would be ambiguous.
#[test]
fn gradients_by_captured_tensors() {
    let (w, xs) = (row(&matrix::<1, 3>(0), 0).tracked(), matrix::<4, 3>(1));
    let dx = vmap(
        |x| {
            let x = x.tracked();
            grad(&x.dot(&w).square(), &x)
        },
        &xs,
    );
    for i in 0..4 {
        let right = &w * (row(&xs, i).dot(&w) * 2.0);
        assert_abs_diff_eq!(row(&dx, i), right.detach(), epsilon = 1e-12);
    }
    let said = message(|| vmap(|x| grad(&x.dot(&w), &w), &xs));
    assert!(
        said.contains("input 0 is shared by the examples") && said.contains("value_and_grad"),
        "{said}"
    );
}

#[test]
fn an_input_that_is_not_used_has_gradient_zero() {
    let (w, xs) = (matrix::<2, 3>(0), matrix::<4, 3>(1));
    let (values, (dw, dx)) = vmap(|x| value_and_grad(|(_, x)| x.sum(), (&w, &x)), &xs);
    assert_eq!(values.dims(), [4]);
    assert_eq!(dw.to_array(), [[[0.0; 3]; 2]; 4]);
    assert_eq!(dx.to_array(), [[1.0; 3]; 4]);
}

/// A result that does not depend on the example is the same for all.
#[test]
fn constants_are_repeated() {
    let (w, xs) = (row(&matrix::<1, 3>(0), 0).tracked(), matrix::<4, 2>(1));
    let ys = vmap(|_| w.sin(), &xs);
    assert_eq!(ys.to_array(), [w.sin().to_array(); 4]);
    ys.sum().backward();
    assert_abs_diff_eq!(w.grad().unwrap(), (w.cos() * 4.0).detach(), epsilon = 1e-12);
    assert_eq!(vmap(|x| x, &xs), xs);
}

// Nesting, and other transformations.

#[test]
fn maps_nest() {
    let (xs, ys, w) = (matrix::<4, 3>(0), matrix::<5, 3>(1), matrix::<3, 3>(2));
    let table: Matrix<4, 5> = vmap(|x| vmap(|y| x.matmul(&w).dot(&y).tanh(), &ys), &xs);
    let right = xs.matmul(&w).matmul_t(&ys).tanh();
    assert_abs_diff_eq!(table, right, epsilon = 1e-12);
    // What is mapped by the outer map alone, by the inner one alone, by both, by neither.
    let both = Tensor::<3, shape![4, 5, 3], f64>::randn(&mut Rng::seed(3));
    let all: Tensor<3, shape![4, 5, 3], f64> = vmap(
        |(x, b)| {
            vmap(
                |(y, b)| (&x * &y + b.exp()).matmul(&w) - x.cumsum::<0>(),
                (&ys, &b),
            )
        },
        (&xs, &both),
    );
    let wide = (xs.unsqueeze::<1>() * ys.unsqueeze::<0>() + both.exp()).matmul(&w)
        - xs.cumsum::<1>().unsqueeze::<1>();
    assert_abs_diff_eq!(all, wide, epsilon = 1e-12);
}

/// Gradients of each pair of examples, of which each has its own loss.
#[test]
fn gradients_in_nested_maps() {
    let (xs, ys, w) = (matrix::<2, 3>(0), matrix::<4, 3>(1), matrix::<3, 3>(2));
    let one = |x: &Vector<3>, y: &Vector<3>| {
        value_and_grad(|(w, x)| x.matmul(&w).dot(y).tanh() * x.sum(), (&w, x)).1
    };
    let (dw, dx) = vmap(|x| vmap(|y| one(&x, &y), &ys), &xs);
    for i in 0..2 {
        for j in 0..4 {
            let (rw, rx) = one(&row(&xs, i), &row(&ys, j));
            let dw = dw.select_at::<0>(i).unwrap().select_at::<0>(j).unwrap();
            let dx = dx.select_at::<0>(i).unwrap().select_at::<0>(j).unwrap();
            assert_abs_diff_eq!(dw, rw, epsilon = 1e-12);
            assert_abs_diff_eq!(dx, rx, epsilon = 1e-12);
        }
    }
    // A map in a function whose gradient each example has.
    let outer =
        |x: Vector<3>| value_and_grad(|w| vmap(|y| x.matmul(&w).dot(&y).sin(), &ys).sum(), &w).1;
    let dw = vmap(outer, &xs);
    for i in 0..2 {
        assert_abs_diff_eq!(
            dw.select_at::<0>(i).unwrap(),
            outer(row(&xs, i)),
            epsilon = 1e-12
        );
    }
}

#[test]
fn forward_mode_of_each_example() {
    let weights = (
        matrix::<4, 3>(0),
        row(&matrix::<1, 4>(1), 0),
        matrix::<2, 4>(2),
    );
    let (w, b, v) = (
        weights.0.cast::<Dual<f64>>(),
        weights.1.cast::<Dual<f64>>(),
        weights.2.cast::<Dual<f64>>(),
    );
    let constant = (w, b, v);
    let (xs, vs) = (matrix::<5, 3>(3), matrix::<5, 3>(4));
    let along = |x: &Vector<3>, v: &Vector<3>| jvp(|x| loss(&constant, &x), x, v).1;
    let product = |x: &Vector<3>, v: &Vector<3>| hvp(|x| loss(&constant, &x), x, v).1;
    let first = vmap(|(x, v)| along(&x, &v), (&xs, &vs));
    let second = vmap(|(x, v)| product(&x, &v), (&xs, &vs));
    // One direction for all.
    let shared = row(&vs, 0);
    let one = vmap(|x| product(&x, &shared), &xs);
    let jacobians = vmap(|x| jacfwd(|x| loss(&constant, &x), &x), &xs);
    let hessians = vmap(|x| hessian(|x| loss(&constant, &x), &x), &xs);
    let back = vmap(|x| jacrev(|x| loss(&weights, &x), &x), &xs);
    for i in 0..5 {
        let (x, v) = (row(&xs, i), row(&vs, i));
        assert_abs_diff_eq!(
            first.select_at::<0>(i).unwrap(),
            along(&x, &v),
            epsilon = 1e-12
        );
        assert_abs_diff_eq!(row(&second, i), product(&x, &v), epsilon = 1e-12);
        assert_abs_diff_eq!(row(&one, i), product(&x, &shared), epsilon = 1e-12);
        assert_abs_diff_eq!(
            row(&jacobians, i),
            jacrev(|x| loss(&weights, &x), &x),
            epsilon = 1e-12
        );
        assert_abs_diff_eq!(row(&back, i), row(&jacobians, i), epsilon = 1e-12);
        let right = hessian(|x| loss(&constant, &x), &x);
        assert_abs_diff_eq!(hessians.select_at::<0>(i).unwrap(), right, epsilon = 1e-12);
    }
}

/// The tangent of a mapped function, and a pullback that is mapped over its seeds.
#[test]
fn maps_inside_other_transformations() {
    let (xs, vs) = (matrix::<4, 3>(0), matrix::<4, 3>(1));
    let (values, changes) = jvp(|xs| vmap(|x| x.square().sum(), &xs), &xs, &vs);
    assert_abs_diff_eq!(values, xs.square().sum_axis::<1>(), epsilon = 1e-12);
    assert_abs_diff_eq!(changes, (&xs * &vs * 2.0).sum_axis::<1>(), epsilon = 1e-12);
    let (_, pullback) = vmap_pullback(&xs);
    assert_abs_diff_eq!(pullback, &xs * 2.0, epsilon = 1e-12);
}

fn vmap_pullback(xs: &Matrix<4, 3>) -> (Vector<4>, Matrix<4, 3>) {
    vmap(
        |x| {
            let (y, pullback) = vjp(|x| x.square().sum(), &x);
            (y, pullback(&Number::scalar(1.0)))
        },
        xs,
    )
}

#[test]
fn checkpoints_compute_again_when_the_map_has_ended() {
    let (w, xs) = (matrix::<3, 3>(0).tracked(), matrix::<4, 3>(1).tracked());
    let block = |x: &Vector<3>, w: &Matrix<3, 3>| x.matmul(w).tanh() * x;
    vmap(|x| block(&x, &w), &xs).square().sum().backward();
    let right = (w.grad().unwrap(), xs.grad().unwrap());
    w.zero_grad();
    xs.zero_grad();
    let captured = w.clone();
    let part = move |x: Vector<3>| block(&x, &captured);
    let ys = vmap(|x| checkpoint(part.clone(), &x), &xs);
    ys.square().sum().backward();
    assert_abs_diff_eq!(w.grad().unwrap(), right.0, epsilon = 1e-12);
    assert_abs_diff_eq!(xs.grad().unwrap(), right.1, epsilon = 1e-12);
    // Random numbers too.
    xs.zero_grad();
    let rng = &mut Rng::seed(5);
    let ys = vmap(
        |x| checkpoint_with_rng(|x: Vector<3>, rng| x.dropout(0.5, true, rng), &x, rng),
        &xs,
    );
    ys.sum().backward();
    assert_eq!(xs.grad().unwrap() * &xs, ys.detach());
}

/// x·sin(w) with rules of its own.
struct Scaled;

impl Function for Scaled {
    const NAME: &'static str = "scaled";
    type Inputs = (Vector<3>, Number);
    type Output = Vector<3>;
    type Saved = (Vector<3>, Number);

    fn forward(&self, (x, w): Self::Inputs) -> (Vector<3>, Self::Saved) {
        (&x * w.sin(), (x, w))
    }
    fn backward(&self, (x, w): &Self::Saved, grad: Vector<3>) -> Self::Inputs {
        (&grad * w.sin(), (grad * x).sum() * w.cos())
    }
}

#[test]
fn operations_of_ones_own_are_mapped() {
    let xs = matrix::<4, 3>(0).tracked();
    let ws = row(&matrix::<1, 4>(1), 0).tracked();
    let shared = Number::scalar(0.7).tracked();
    vmap(
        |(x, w)| apply(Scaled, (&x, &w)) + apply(Scaled, (&x, &shared)),
        (&xs, &ws),
    )
    .square()
    .sum()
    .backward();
    let found = (
        xs.grad().unwrap(),
        ws.grad().unwrap(),
        shared.grad().unwrap(),
    );
    ws.zero_grad();
    xs.zero_grad();
    shared.zero_grad();
    (&xs * ws.sin().unsqueeze::<1>() + &xs * shared.sin())
        .square()
        .sum()
        .backward();
    assert_abs_diff_eq!(found.0, xs.grad().unwrap(), epsilon = 1e-12);
    assert_abs_diff_eq!(found.1, ws.grad().unwrap(), epsilon = 1e-12);
    assert_abs_diff_eq!(found.2, shared.grad().unwrap(), epsilon = 1e-12);
    // Its gradient for each example, by what they share.
    let (_, each) = vmap(
        |x| value_and_grad(|w| apply(Scaled, (&x, &w)).sum(), &shared),
        &xs,
    );
    assert_abs_diff_eq!(
        each,
        xs.sum_axis::<1>().detach() * shared.cos().detach(),
        epsilon = 1e-12
    );
}

#[test]
fn hooks_see_all_examples() {
    let xs = matrix::<4, 3>(0).tracked();
    let seen = Arc::new(Mutex::new(0.0));
    let ys = vmap(
        |x| {
            let y = &x * 2.0;
            let norm = seen.clone();
            y.register_hook(move |grad| {
                // Each example's gradient, made as long as 1.
                vmap_sum(&norm, grad);
                grad / grad.square().sum().sqrt()
            });
            y.square().sum()
        },
        &xs,
    );
    ys.sum().backward();
    for i in 0..4 {
        let x = row(&xs, i);
        let right = x.detach() * (2.0 / x.square().sum().sqrt().item());
        assert_abs_diff_eq!(row(&xs.grad().unwrap(), i), right, epsilon = 1e-12);
    }
    assert!(*seen.lock().unwrap() > 0.0);
}

/// Hooks cannot read what stands for many examples; they can print it.
fn vmap_sum(seen: &Arc<Mutex<f64>>, grad: &Vector<3>) {
    let printed = format!("{grad:?}");
    assert!(
        printed.starts_with("Tensor(input, shape (4, 3), [["),
        "{printed}"
    );
    *seen.lock().unwrap() += 1.0;
}

/// Hooks of a layer see all examples too, and what they return is each example's own.
#[test]
fn layers_with_hooks_are_mapped() {
    let rng = &mut Rng::seed(0);
    let layer = Hooked::new(Linear::<3, 2, f64>::new(rng));
    layer.register_forward_hook(|_: &Vector<3>, y: &Vector<2>| y.sin());
    layer.register_full_backward_pre_hook::<Vector<3>, _, _>(|dy: &Vector<2>| dy / dy.norm(2.0));
    layer.register_full_backward_hook(|dx: Option<&Vector<3>>, dy: &Vector<2>| {
        dx.map(|dx| dx * dy.sum())
    });
    let xs = matrix::<4, 3>(1).tracked();
    vmap(|x| layer.forward(&x).exp().sum(), &xs)
        .sum()
        .backward();
    let found = (xs.grad().unwrap(), layer.weight.grad().unwrap());
    layer.zero_grad();
    let mut rows = Vec::new();
    for i in 0..4 {
        let x = row(&xs, i).detach().tracked();
        layer.forward(&x).exp().sum().backward();
        rows.extend(x.grad().unwrap().to_vec());
    }
    assert_abs_diff_eq!(
        found.0,
        Matrix::<4, 3>::from_vec(rows).unwrap(),
        epsilon = 1e-12
    );
    assert_abs_diff_eq!(found.1, layer.weight.grad().unwrap(), epsilon = 1e-12);
}

// Masks, indices, random numbers.

#[test]
fn masks_and_indices_are_mapped() {
    let (xs, others) = (matrix::<4, 3>(0), matrix::<4, 3>(1));
    let mask = xs.gt(&others) & xs.gt(0.0);
    let same = vmap(|(x, y)| x.gt(&y) & x.gt(0.0), (&xs, &others));
    assert_eq!(same, mask);
    assert_eq!(vmap(|m| !m, &mask), !&mask);
    assert_eq!(vmap(|m| m.any_axis::<0>(), &mask), mask.any_axis::<1>());
    assert_eq!(
        vmap(|m| m.count_axis::<0, f64>(), &mask),
        mask.count_axis::<1, f64>()
    );
    assert_eq!(vmap(|m| m.to_tensor::<f64>(), &mask), mask.to_tensor());
    assert_eq!(
        vmap(|(m, x)| m.select(&x, &Number::scalar(0.0)), (&mask, &xs)),
        mask.select(&xs, &Number::scalar(0.0))
    );
    let wide = vmap(|m| m.broadcast_to::<shape![2, 3]>(), &mask);
    assert_eq!(wide.dims(), [4, 2, 3]);
    assert_eq!(vmap(|x| x.argmax_axis::<0>(), &xs), xs.argmax_axis::<1>());
    assert_eq!(vmap(|x| x.is_finite(), &xs), xs.is_finite());

    let table = matrix::<5, 3>(2);
    let rows = Indices::<2, shape![4, 2], 5>::from_array([[0, 1], [4, 4], [2, 0], [3, 1]]).unwrap();
    let found: Tensor<3, shape![4, 2, 3], f64> = vmap(|rows| table.embedding(&rows), &rows);
    assert_eq!(found, table.embedding(&rows));
    let (values, at) = vmap(|x| x.topk::<0, 2>(), &xs);
    assert_eq!((values, at), xs.topk::<1, 2>());
    let labels = xs.argmax_axis::<1>();
    let losses = vmap(|(x, label)| x.cross_entropy(&label), (&xs, &labels));
    assert_abs_diff_eq!(losses, xs.cross_entropy_none(&labels), epsilon = 1e-12);
    let others = xs.argmin_axis::<1>();
    assert_eq!(
        vmap(|(a, b)| a.eq(&b), (&labels, &others)),
        labels.eq(&others)
    );
    let picked = vmap(
        |(x, a)| x.gather::<0>(&a.unsqueeze::<0>()).sum(),
        (&xs, &labels),
    );
    assert_eq!(picked, xs.max_axis::<1>());
    let one = Indices::<0, (), 3>::from_array(2).unwrap();
    let shared = Indices::<1, shape![4], 3>::from_array([2; 4]).unwrap();
    assert_eq!(vmap(|a| one.eq(&a), &labels), labels.eq(&shared));
    let counts = vmap(|rows| rows.bincount::<f64>(), &rows);
    assert_eq!(counts.to_array()[1], [0.0, 0.0, 0.0, 0.0, 2.0]);
}

#[test]
fn random_numbers_differ_between_examples() {
    let xs = Tensor::<2, shape![8, 64], f64>::ones();
    let ys = vmap(|x| x.dropout(0.5, true, &mut Rng::seed(0)), &xs);
    assert_eq!(ys, xs.dropout(0.5, true, &mut Rng::seed(0)));
    assert_ne!(ys.select_at::<0>(0).unwrap(), ys.select_at::<0>(1).unwrap());
    // What is shared is drawn once.
    let shared = Tensor::<1, shape![64], f64>::ones();
    let ys = vmap(|x| x * shared.dropout(0.5, true, &mut Rng::seed(0)), &xs);
    assert_eq!(ys.select_at::<0>(0).unwrap(), ys.select_at::<0>(1).unwrap());
}

/// The type says which axis is mapped over: another one is brought to the front.
#[test]
fn another_axis() {
    let x = matrix::<3, 5>(0);
    let columns = vmap(|column| column.sum(), &x.t());
    assert_abs_diff_eq!(columns, x.sum_axis::<0>(), epsilon = 1e-12);
}

#[test]
fn models_are_shared() {
    let rng = &mut Rng::seed(0);
    let model: (Linear<3, 4>, Tanh, Linear<4, 2>) = (Linear::new(rng), Tanh, Linear::new(rng));
    let xs = Tensor::<2, shape![6, 3]>::randn(rng);
    let ys: Tensor<2, shape![6, 2]> =
        vmap(|x| model.forward(&x.unsqueeze::<0>()).squeeze::<0>(), &xs);
    assert_abs_diff_eq!(ys, model.forward(&xs), epsilon = 1e-6);
}

// What cannot be.

#[test]
fn values_are_not_there_one_by_one() {
    let xs = matrix::<4, 3>(0);
    let looks: [(&str, &dyn Fn(Vector<3>)); 8] = [
        ("item", &|x| _ = x.sum().item()),
        ("to_array", &|x| _ = x.to_array()),
        ("as_slice", &|x| _ = x.as_slice().len()),
        ("index", &|x| _ = x[[0]]),
        ("==", &|x| _ = x == x),
        ("write", &|mut x| x.as_mut_slice()[0] = 1.0),
        ("any", &|x| _ = x.gt(0.0).any()),
        ("argmax", &|x| _ = x.argmax()),
    ];
    for (what, look) in looks {
        let said = message(|| {
            vmap(
                |x| {
                    look(x.clone());
                    x
                },
                &xs,
            )
        });
        assert!(
            said.starts_with("values are read inside `vmap`"),
            "{what}: {said}"
        );
    }
    // The thread is as before.
    assert_eq!(vmap(|x| x * 2.0, &xs), &xs * 2.0);
}

#[test]
fn tensors_do_not_leave_but_as_results() {
    let xs = matrix::<4, 3>(0);
    let kept = RefCell::new(None);
    vmap(|x| kept.replace(Some(x.exp())).unwrap_or(x), &xs);
    let x = kept.take().unwrap();
    let outside = message(|| &x + 1.0);
    assert!(
        outside.starts_with("a tensor made inside `vmap` is used outside"),
        "{outside}"
    );
    let elsewhere = message(|| vmap(|y| y + &x, &xs));
    assert!(
        elsewhere.starts_with("a tensor made inside `vmap` is used outside"),
        "{elsewhere}"
    );
}

#[test]
fn a_panic_inside_leaves_the_thread_as_it_was() {
    let xs = matrix::<4, 3>(0);
    let said = message(|| vmap(|x| vmap(|_: Number| -> Number { panic!("stop") }, &x), &xs));
    assert_eq!(said, "stop");
    let (x, y) = (row(&xs, 0), row(&xs, 1));
    assert_eq!((&x + &y).dims(), [3]);
}
