//! Jacobians and Hessians: against differences, each other, and what is known.

use shapeproof::autograd::{grad, hessian, hvp, jacfwd, jacrev, jvp, value_and_grad, vjp};
use shapeproof::dual::Dual;
use shapeproof::prelude::*;
use std::cell::Cell;

type Vector<const N: usize, E = f64> = Tensor<1, shape![N], E>;
type Number<E = f64> = Tensor<0, (), E>;

fn near(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!(
            (a - b).abs() <= tolerance * (1.0 + b.abs()),
            "{i}: {a}, not {b}"
        );
    }
}

/// (Out, In) by central differences of fourth order.
fn differences<const R: usize, S: Shape<R>, const Q: usize, T: Shape<Q>>(
    f: impl Fn(&Tensor<R, S, f64>) -> Tensor<Q, T, f64>,
    x: &Tensor<R, S, f64>,
) -> Vec<f64> {
    let (inputs, outputs, h) = (x.numel(), f(x).numel(), 1e-3);
    let mut jacobian = vec![0.0; outputs * inputs];
    for i in 0..inputs {
        let at = |step: f64| {
            let mut moved = x.detach();
            moved.as_mut_slice()[i] += step;
            f(&moved).to_vec()
        };
        let (a, b, c, d) = (at(-2.0 * h), at(-h), at(h), at(2.0 * h));
        for o in 0..outputs {
            jacobian[o * inputs + i] = (a[o] - 8.0 * b[o] + 8.0 * c[o] - d[o]) / (12.0 * h);
        }
    }
    jacobian
}

fn block<E: Element>(x: &Tensor<2, shape![3, 4], E>) -> Tensor<2, shape![3, 3], E> {
    x.matmul(&x.t()).tanh().softmax::<1>() * x.sum_axis::<1>().exp()
}

#[test]
fn both_ways_are_the_differences() {
    let x = Tensor::<2, shape![3, 4], f64>::randn(&mut Rng::seed(1)) * 0.5;
    let reverse: Tensor<4, shape![3, 3, 3, 4], f64> = jacrev(|x| block(&x), &x);
    let forward: Tensor<4, shape![3, 3, 3, 4], f64> = jacfwd(|x| block(&x), &x);
    near(reverse.as_slice(), forward.as_slice(), 1e-13);
    near(reverse.as_slice(), &differences(block, &x), 1e-9);
}

#[test]
fn several_inputs_have_a_tuple() {
    fn f<E: Element>(
        w: &Tensor<2, shape![2, 3], E>,
        x: &Vector<3, E>,
        c: &Number<E>,
    ) -> Vector<2, E> {
        (w.matmul(x) * c).sin()
    }
    let rng = &mut Rng::seed(2);
    let w = Param::<2, shape![2, 3], f64>::new(Tensor::randn(rng));
    let (x, c) = (Vector::<3>::randn(rng), Number::scalar(0.7));
    let (by_w, by_x, by_c) = jacrev(|(w, x, c)| f(&w, &x, &c), (&w, &x, &c));
    let (w_forward, x_forward, c_forward) = jacfwd(|(w, x, c)| f(&w, &x, &c), (&w, &x, &c));
    let _: [&dyn std::any::Any; 3] = [
        &by_w as &Tensor<3, shape![2, 2, 3], f64>,
        &by_x as &Tensor<2, shape![2, 3], f64>,
        &by_c as &Vector<2>,
    ];
    near(by_w.as_slice(), w_forward.as_slice(), 1e-14);
    near(by_x.as_slice(), x_forward.as_slice(), 1e-14);
    near(by_c.as_slice(), c_forward.as_slice(), 1e-14);
    near(
        by_w.as_slice(),
        &differences(|w| f(w, &x, &c), &w.detach()),
        1e-9,
    );
    near(by_x.as_slice(), &differences(|x| f(&w, x, &c), &x), 1e-9);
    near(by_c.as_slice(), &differences(|c| f(&w, &x, c), &c), 1e-9);
    assert!(w.grad().is_none());
}

/// Rows are pullbacks of unit vectors, columns derivatives along them.
#[test]
fn rows_and_columns() {
    fn f<E: Element>(x: &Vector<3, E>) -> Vector<2, E> {
        let products = x.square() * E::of(3.0);
        (products.sum(), x.exp().select::<0, 1>()).stack::<0>()
    }
    let x = Tensor::from([0.1, 0.2, 0.3]);
    let jacobian = jacrev(|x| f(&x), &x).to_array();
    let (_, pullback) = vjp(|x| f(&x), &x);
    assert_eq!(pullback(&Tensor::from([1.0, 0.0])).to_array(), jacobian[0]);
    assert_eq!(pullback(&Tensor::from([0.0, 1.0])).to_array(), jacobian[1]);
    let (_, column) = jvp(|x| f(&x), &x, &Tensor::from([0.0, 1.0, 0.0]));
    near(column.as_slice(), &[jacobian[0][1], jacobian[1][1]], 1e-15);
}

#[test]
fn reverse_runs_the_function_once_and_forward_once_for_many_numbers() {
    let calls = Cell::new(0);
    let x = Vector::<70>::ones();
    jacrev(
        |x| {
            calls.set(calls.get() + 1);
            x.exp()
        },
        &x,
    );
    assert_eq!(calls.take(), 1);
    jacfwd(
        |x| {
            calls.set(calls.get() + 1);
            x.sum()
        },
        &x,
    );
    assert_eq!(calls.take(), 3);
}

/// More columns than are computed at once, and a last part that is smaller.
#[test]
fn many_columns() {
    fn function<E: Element>(x: &Tensor<1, shape![70], E>) -> Tensor<1, shape![3], E> {
        let (first, last) = (x.narrow::<0, 0, 3>(), x.narrow::<0, 67, 3>());
        first.exp() * last.square() * x.sum()
    }
    let x = Vector::<70>::from_vec((0..70).map(|i| f64::from(i) / 70.0).collect()).unwrap();
    let forward = jacfwd(|x| function(&x), &x);
    let reverse = jacrev(|x| function(&x), &x);
    near(forward.as_slice(), reverse.as_slice(), 1e-12);
    let second = hessian(|x| function(&x).sum(), &x);
    let slopes = differences(|x| value_and_grad(|x| function(&x).sum(), x).1, &x);
    near(second.as_slice(), &slopes, 1e-8);
}

#[test]
fn rank_zero_size_one_and_nothing() {
    let two = Number::scalar(2.0);
    let slope: Number = jacrev(|x| x.powi(3), &two);
    assert_eq!(
        (slope.item(), jacfwd(|x| x.powi(3), &two).item()),
        (12.0, 12.0)
    );
    assert_eq!(hessian(|x| x.powi(3), &two).item(), 12.0);

    let one = Tensor::<2, shape![1, 1], f64>::from_array([[2.0]]);
    let slope: Tensor<4, shape![1, 1, 1, 1], f64> = jacrev(|x| x.square(), &one);
    assert_eq!(slope.to_array(), [[[[4.0]]]]);
    assert_eq!(jacfwd(|x| x.square(), &one), slope);
    assert_eq!(hessian(|x| x.square().sum(), &one).to_array(), [[[[2.0]]]]);

    let empty = Tensor::<2, shape![2, 0], f64>::zeros();
    let by_nothing: Tensor<3, shape![2, 2, 0], f64> = jacrev(|x| x.sum_axis::<1>(), &empty);
    assert_eq!(by_nothing.numel(), 0);
    assert_eq!(jacfwd(|x| x.sum_axis::<1>(), &empty), by_nothing);
    assert_eq!(hessian(|x| x.sum(), &empty).numel(), 0);
    let of_nothing: Tensor<2, shape![0, 3], f64> =
        jacrev(|x| x.narrow::<0, 0, 0>(), &Vector::<3>::ones());
    assert_eq!(of_nothing.numel(), 0);
    assert_eq!(
        jacfwd(|x| x.narrow::<0, 0, 0>(), &Vector::<3>::ones()),
        of_nothing
    );
}

#[test]
fn what_is_ignored_has_zeros() {
    let (x, y) = (Vector::<2>::ones(), Vector::<3>::ones());
    let (by_x, by_y) = jacrev(|(_, y): (Vector<2>, Vector<3>)| y.square(), (&x, &y));
    assert_eq!(by_x.to_array(), [[0.0; 2]; 3]);
    assert_eq!(
        by_y.to_array(),
        [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]
    );
    assert_eq!(
        jacrev(|_| Vector::<2>::ones(), &x).to_array(),
        [[0.0; 2]; 2]
    );
    assert_eq!(
        jacfwd(|_| Tensor::<1, shape![2], Dual<f64>>::ones(), &x).to_array(),
        [[0.0; 2]; 2]
    );
    assert_eq!(
        hessian(|_| Number::<Dual<f64>>::ones(), &x).to_array(),
        [[0.0; 2]; 2]
    );
    // A result that is the input itself, and one that is a constant of a captured parameter.
    assert_eq!(jacrev(|x| x, &x).to_array(), [[1.0, 0.0], [0.0, 1.0]]);
    let p = Param::<1, shape![2], f64>::ones();
    assert_eq!(jacrev(|_| p.square(), &x).to_array(), [[0.0; 2]; 2]);
}

#[test]
fn nothing_outside_changes() {
    let x = Vector::<2>::ones().tracked();
    let w = Param::<1, shape![2], f64>::ones();
    let y = &x * &w;
    let jacobian = jacrev(|x| x * &w, &y);
    assert_eq!(jacobian.to_array(), [[1.0, 0.0], [0.0, 1.0]]);
    assert!(!jacobian.is_tracked() && x.grad().is_none() && w.grad().is_none());
    // Where nothing is recorded, the function is.
    assert_eq!(
        no_grad(|| jacrev(|x| x.square(), &x)).to_array(),
        [[2.0, 0.0], [0.0, 2.0]]
    );
    y.sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [1.0; 2]);
}

/// f(x, y) = (1 − x)² + 100(y − x²)²
#[test]
fn the_hessian_of_rosenbrocks_function() {
    fn rosenbrock<E: Element>(x: &Vector<2, E>) -> Number<E> {
        let (x, y) = (x.select::<0, 0>(), x.select::<0, 1>());
        (&x - E::one()).square() + (y - x.square()).square() * E::of(100.0)
    }
    for (x, y) in [(1.0, 1.0), (-1.2, 1.0), (0.0, 0.0), (3.0, -2.0)] {
        let found = hessian(|x| rosenbrock(&x), &Tensor::from([x, y]));
        let mixed = -400.0 * x;
        near(
            found.as_slice(),
            &[1200.0 * x * x - 400.0 * y + 2.0, mixed, mixed, 200.0],
            1e-14,
        );
    }
}

/// L(w) = Σ relu(Xw)² has the Hessian 2 Xᵀ diag(Xw > 0) X.
#[test]
fn the_hessian_of_a_squared_relu() {
    fn loss<E: Element>(x: &[[f64; 3]; 5], w: &Vector<3, E>) -> Number<E> {
        let x = Tensor::<2, shape![5, 3], E>::from(x.map(|row| row.map(E::of)));
        x.matmul(w).relu().square().sum()
    }
    let x = Tensor::<2, shape![5, 3], f64>::randn(&mut Rng::seed(4)).to_array();
    let w = Vector::<3>::randn(&mut Rng::seed(5));
    let mut right = [0.0; 9];
    for row in x {
        if row
            .iter()
            .zip(w.as_slice())
            .map(|(x, w)| x * w)
            .sum::<f64>()
            > 0.0
        {
            for (i, right) in right.iter_mut().enumerate() {
                *right += 2.0 * row[i / 3] * row[i % 3];
            }
        }
    }
    let found = hessian(|w| loss(&x, &w), &w);
    near(found.as_slice(), &right, 1e-13);
    let (_, product) = hvp(|w| loss(&x, &w), &w, &Tensor::from([1.0, -2.0, 3.0]));
    near(
        found.matmul(&Tensor::from([1.0, -2.0, 3.0])).as_slice(),
        product.as_slice(),
        1e-13,
    );
}

#[test]
fn hessians_are_jacobians_of_gradients() {
    fn loss<E: Element>(x: &Tensor<2, shape![2, 3], E>) -> Number<E> {
        x.softmax::<1>().matmul(&x.t()).exp().mean()
    }
    fn gradient<E: Element>(x: &Tensor<2, shape![2, 3], E>) -> Tensor<2, shape![2, 3], E> {
        let x = x.detach().tracked();
        grad(&loss(&x), &x)
    }
    let x = Tensor::<2, shape![2, 3], f64>::randn(&mut Rng::seed(6));
    let found: Tensor<4, shape![2, 3, 2, 3], f64> = hessian(|x| loss(&x), &x);
    // Reverse in forward, and forward in reverse.
    near(
        found.as_slice(),
        jacfwd(|x| gradient(&x), &x).as_slice(),
        1e-13,
    );
    let forward_in_forward = jacfwd(
        |x: Tensor<2, shape![2, 3], Dual<f64>>| jacfwd(|x| loss(&x), &x),
        &x,
    );
    near(found.as_slice(), forward_in_forward.as_slice(), 1e-13);
    near(found.as_slice(), &differences(gradient, &x), 1e-9);
    for i in 0..6 {
        for j in 0..6 {
            let (a, b) = (found.as_slice()[i * 6 + j], found.as_slice()[j * 6 + i]);
            assert!((a - b).abs() < 1e-13, "not symmetric at {i}, {j}");
        }
    }
}

#[test]
fn blocks_of_a_hessian() {
    fn loss<E: Element>(x: &Vector<2, E>, w: &Tensor<2, shape![3, 2], E>) -> Number<E> {
        w.matmul(x).sin().sum() + x.powi(3).sum()
    }
    let rng = &mut Rng::seed(7);
    let (x, w) = (
        Vector::<2>::randn(rng),
        Tensor::<2, shape![3, 2], f64>::randn(rng),
    );
    let ((xx, xw), (wx, ww)) = hessian(|(x, w)| loss(&x, &w), (&x, &w));
    let _: [&dyn std::any::Any; 4] = [
        &xx as &Tensor<2, shape![2, 2], f64>,
        &xw as &Tensor<3, shape![2, 3, 2], f64>,
        &wx as &Tensor<3, shape![3, 2, 2], f64>,
        &ww as &Tensor<4, shape![3, 2, 3, 2], f64>,
    ];
    let gradients = |x: &Vector<2>, w: &Tensor<2, shape![3, 2], f64>| {
        let (x, w) = (x.detach().tracked(), w.detach().tracked());
        grad(&loss(&x, &w), (&x, &w))
    };
    near(
        xx.as_slice(),
        &differences(|x| gradients(x, &w).0, &x),
        1e-9,
    );
    near(
        xw.as_slice(),
        &differences(|w| gradients(&x, w).0, &w),
        1e-9,
    );
    near(
        wx.as_slice(),
        &differences(|x| gradients(x, &w).1, &x),
        1e-9,
    );
    near(
        ww.as_slice(),
        &differences(|w| gradients(&x, w).1, &w),
        1e-9,
    );
}

/// x³ has the third derivative 6, and Π xᵢ a mixed one of 1.
#[test]
fn third_derivatives() {
    fn product<E: Element>(x: &Vector<3, E>) -> Number<E> {
        x.prod()
    }
    let third: Tensor<3, shape![3, 3, 3], f64> = jacfwd(
        |x: Vector<3, Dual<f64>>| hessian(|x| product(&x), &x),
        &Tensor::from([2.0, 3.0, 5.0]),
    );
    for (i, &found) in third.as_slice().iter().enumerate() {
        let (a, b, c) = (i / 9, i / 3 % 3, i % 3);
        let right = if a != b && b != c && a != c { 1.0 } else { 0.0 };
        assert_eq!(found, right, "{a} {b} {c}");
    }
}

#[test]
fn in_single_precision() {
    let x = Tensor::from([1.0f32, 2.0]);
    assert_eq!(
        jacrev(|x| x.square(), &x).to_array(),
        [[2.0, 0.0], [0.0, 4.0]]
    );
    assert_eq!(
        jacfwd(|x| x.square(), &x).to_array(),
        [[2.0, 0.0], [0.0, 4.0]]
    );
}
