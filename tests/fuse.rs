//! Fused expressions are the same operations one by one: at special points, of any length, in one node.

use shapeproof::graph::detect_anomaly;
use shapeproof::prelude::*;

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;
const SPECIAL: [f32; 10] = [0.0, -0.0, 1.0, -1.0, 1e-40, -1e-40, 3.4e38, INF, -INF, NAN];
type Line = Tensor<1, shape![10]>;

/// The values and gradients of both agree, bit for bit but for NaN and the sign of 0.
fn same(name: &str, fused: impl Fn(&Line) -> Line, steps: impl Fn(&Line) -> Line) {
    let run = |f: &dyn Fn(&Line) -> Line| {
        let x = Line::from(SPECIAL).tracked();
        let y = f(&x);
        y.backward_with(&Line::full(2.0));
        (y.to_array(), x.grad().unwrap().to_array())
    };
    let ((y, dy), (z, dz)) = (run(&fused), run(&steps));
    for i in 0..SPECIAL.len() {
        let equal = |a: f32, b: f32| a == b || a.is_nan() && b.is_nan();
        assert!(
            equal(y[i], z[i]) && equal(dy[i], dz[i]),
            "{name} at {}: {} with slope {}, not {} with {}",
            SPECIAL[i],
            y[i],
            dy[i],
            z[i],
            dz[i]
        );
    }
}

#[test]
fn special_points() {
    same("relu", |x| fuse(x, |x| x.relu()), |x| x.relu());
    same("abs", |x| fuse(x, |x| x.abs()), |x| x.abs());
    same(
        "clamp",
        |x| fuse(x, |x| x.clamp(-1.0, 1.0)),
        |x| x.clamp(-1.0, 1.0),
    );
    same("square", |x| fuse(x, |x| x.square()), |x| x.square());
    same("exp", |x| fuse(x, |x| x.exp()), |x| x.exp());
    same("tanh", |x| fuse(x, |x| x.tanh()), |x| x.tanh());
    same("sigmoid", |x| fuse(x, |x| x.sigmoid()), |x| x.sigmoid());
    same("erf", |x| fuse(x, |x| x.erf()), |x| x.erf());
    same("ln", |x| fuse(x, |x| x.ln()), |x| x.ln());
    same("ln_1p", |x| fuse(x, |x| x.ln_1p()), |x| x.ln_1p());
    same("powi", |x| fuse(x, |x| x.powi(3)), |x| x.powi(3));
    same("powi", |x| fuse(x, |x| x.powi(-2)), |x| x.powi(-2));
    same("sqrt", |x| fuse(x, |x| x.sqrt()), |x| x.sqrt());
    same("recip", |x| fuse(x, |x| x.recip()), |x| x.recip());
    same("div", |x| fuse(x, |x| 1.0 / x), |x| 1.0 / x);
}

/// Every pair of special numbers, ties among them.
#[test]
fn the_larger_and_the_smaller_of_special_numbers() {
    type Column = Tensor<2, shape![10, 1]>;
    type Table = Tensor<2, shape![10, 10]>;
    fn run(f: impl Fn(&Column, &Line) -> Table) -> (Vec<f32>, Vec<f32>) {
        let (a, b) = (Line::from(SPECIAL).tracked(), Line::from(SPECIAL).tracked());
        let y = f(&a.unsqueeze::<1>(), &b);
        y.backward_with(&Table::full(2.0));
        let grads = [a.grad().unwrap().to_vec(), b.grad().unwrap().to_vec()].concat();
        (y.to_vec(), grads)
    }
    for (fused, steps) in [
        (
            run(|a, b| fuse((a, b), |(a, b)| a.maximum(b))),
            run(|a, b| a.maximum(b)),
        ),
        (
            run(|a, b| fuse((a, b), |(a, b)| a.minimum(b))),
            run(|a, b| a.minimum(b)),
        ),
    ] {
        let equal = |(a, b): (&f32, &f32)| a == b || a.is_nan() && b.is_nan();
        assert!(fused.0.iter().zip(&steps.0).all(equal));
        assert_eq!(fused.1, steps.1);
    }
}

/// Lengths around those of vectors, strips, blocks and pieces, with what is stretched along rows and columns.
#[test]
fn all_lengths() {
    fn check<const M: usize, const N: usize>() {
        let rng = &mut Rng::seed(N as u64);
        let x = Tensor::<2, shape![M, N]>::randn(rng).tracked();
        let row = Tensor::<1, shape![N]>::randn(rng).tracked();
        let column = Tensor::<2, shape![M, 1]>::randn(rng).tracked();
        let seed = Tensor::<2, shape![M, N]>::randn(rng);
        let grads = |y: Tensor<2, shape![M, N]>| {
            y.backward_with(&seed);
            let grads = [
                y.to_vec(),
                x.grad().unwrap().to_vec(),
                row.grad().unwrap().to_vec(),
                column.grad().unwrap().to_vec(),
            ];
            x.zero_grad();
            row.zero_grad();
            column.zero_grad();
            grads.concat()
        };
        let fused = grads(fuse((&x, &row, &column), |(x, row, column)| {
            (x - row) * column + row
        }));
        let steps = grads((&x - &row) * &column + &row);
        for (a, b) in fused.iter().zip(&steps) {
            assert!(
                (a - b).abs() <= 1e-4 * (1.0 + b.abs()),
                "{M}×{N}: {a}, not {b}"
            );
        }
    }
    check::<3, 1>();
    check::<3, 15>();
    check::<3, 16>();
    check::<3, 17>();
    check::<3, 63>();
    check::<3, 65>();
    check::<3, 511>();
    check::<3, 513>();
    check::<3, 1030>();
    check::<3, 40_000>();
    check::<3, 100_003>();
    // Several pieces, whose sums are added up.
    check::<700, 100>();
    check::<30_000, 3>();
}

#[test]
fn one_node_that_saves_its_inputs() {
    let x = Tensor::<1, shape![3]>::ones().tracked();
    let m = Tensor::<1, shape![3]>::zeros();
    let y = fuse((&x, &m), |(x, m)| ((x - m) * 2.0).tanh().square());
    let node = y.node().unwrap();
    assert_eq!(
        (node.op(), node.saved().len(), node.parents().len()),
        ("fuse", 2, 1)
    );
    assert!(!no_grad(|| fuse(&x, |x| x * 2.0)).is_tracked());
}

#[test]
#[should_panic(expected = "`fuse` returned -inf of finite operands, at number 1")]
fn anomalies_are_named() {
    let x = Tensor::from([1.0f32, 0.0]).tracked();
    detect_anomaly(|| fuse(&x, |x| x.ln() * 2.0));
}

#[test]
fn the_lowest_whole_power() {
    let x = Tensor::from([1.0f32, 2.0]).tracked();
    fuse((&x,), |(x,)| x.powi(i32::MIN)).sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [i32::MIN as f32, -0.0]);
}

#[test]
fn silu_at_both_ends() {
    let ends = [INF, -INF, f32::MAX, f32::MIN, 0.0, -0.0];
    let x = Tensor::from(ends).tracked();
    let y = fuse(&x, |x| x.silu());
    assert_eq!(y.to_array(), [INF, 0.0, f32::MAX, 0.0, 0.0, 0.0]);
    y.sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [1.0, 0.0, 1.0, 0.0, 0.5, 0.5]);
    assert!(fuse(&Tensor::scalar(NAN), |x| x.silu()).item().is_nan());
}
