//! The engine: hooks, parts that are computed again, derivatives forward and of higher order, and checks.

use super::check::{exactly, grad, near, of};
use shapeproof::autograd::{
    Function, apply, checkpoint, checkpoint_with_rng, gradcheck, hessian, hvp, hvpcheck, jacfwd,
    jacrev, jvp, jvpcheck, vjp,
};
use shapeproof::dual::Dual;
use shapeproof::prelude::*;
use shapeproof::rand_core::Rng as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

type Scalar<E> = Tensor<0, (), E>;

both! {
    // pytorch/pytorch#85849, #36372
    fn hooks_run_in_order_and_are_removed<E>() {
        let run = |remove: [bool; 2], uses: usize| {
            let x = Scalar::scalar(E::of(2.0)).tracked();
            let y = &x * E::of(3.0);
            let seen = Arc::new(Mutex::new(Vec::new()));
            let log = seen.clone();
            y.register_hook(move |g| log.lock().unwrap().push(g.item()));
            let hooks = [y.register_hook(|g| g * E::of(2.0)), y.register_hook(|g| g + E::one())];
            for (hook, remove) in hooks.iter().zip(remove) {
                if remove {
                    hook.remove();
                }
            }
            let mut loss = y.clone();
            for _ in 1..uses {
                loss += &y;
            }
            loss.backward();
            let seen = seen.lock().unwrap().clone();
            // Once, with the complete gradient.
            exactly(seen, [uses as f64]);
            grad(&x)
        };
        for uses in 1..4 {
            let g = uses as f64;
            exactly(&run([false, false], uses), [3.0 * (2.0 * g + 1.0)]);
            exactly(&run([true, false], uses), [3.0 * (g + 1.0)]);
            exactly(&run([false, true], uses), [3.0 * 2.0 * g]);
            exactly(&run([true, true], uses), [3.0 * g]);
        }
    }

    // openai/guided-diffusion#167, allenai/OLMo-core#828
    fn a_checkpoint_draws_the_same_numbers_again<E>() {
        type Long<E> = Tensor<1, shape![1000], E>;
        let x = Long::<E>::randn(&mut Rng::seed(0)).tracked();
        let c = Long::<E>::randn(&mut Rng::seed(1));
        for (p, depth) in [(0.5, 1), (0.1, 1), (0.9, 3), (0.0, 2), (1.0, 1)] {
            let block = move |mut x: Long<E>, rng: &mut Rng| {
                for _ in 0..depth {
                    x = x.dropout(p, true, rng).sin();
                }
                x
            };
            let run = |checkpointed: bool| {
                x.zero_grad();
                let rng = &mut Rng::seed(7);
                let y = if checkpointed {
                    checkpoint_with_rng(block, &x, rng)
                } else {
                    block(x.clone(), rng)
                };
                let loss = (y * &c).sum();
                loss.backward();
                (loss.item(), grad(&x), rng.next_u64())
            };
            let (again, kept) = (run(true), run(false));
            assert!(again.0 == kept.0 && again.1 == kept.1 && again.2 == kept.2, "{p} {depth}");
        }
    }

    // pytorch/pytorch#7617, #6884, InternLM/xtuner#2048
    fn a_checkpoint_of_constants_with_tracked_parameters<E>() {
        let x: Tensor<2, shape![3, 2], E> = of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let w = Arc::new(Param::<2, shape![2, 2], E>::new(of(&[0.5, -1.0, 2.0, 0.25])));
        let plain = x.matmul(&w).tanh().sum();
        plain.backward();
        let right = grad(&w);
        w.zero_grad();
        let captured = w.clone();
        let y = checkpoint(move |x: Tensor<2, shape![3, 2], E>| x.matmul(&captured).tanh(), &x);
        assert!(y.is_tracked());
        y.sum().backward();
        assert_eq!(grad(&w).to_vec(), right.to_vec());
        // As an input, and in a checkpoint in a checkpoint.
        w.zero_grad();
        type Pair<E> = (Tensor<2, shape![3, 2], E>, Tensor<2, shape![2, 2], E>);
        let inner = |(x, w): Pair<E>| x.matmul(&w).tanh();
        checkpoint(move |(x, w)| checkpoint(inner, (&x, &w)), (&x, &**w)).sum().backward();
        assert_eq!(grad(&w).to_vec(), right.to_vec());
    }

    // JuliaDiff/ReverseDiff.jl#45, YingboMa/ForwardDiff2.jl#37
    fn derivatives_in_derivatives_are_not_mixed_up<E>() {
        fn at<E: Element>(x: f64) -> Scalar<E> {
            Scalar::scalar(E::of(x))
        }
        // d/dx of x·(d/dy of x·y at 1), for several x: forward in forward, reverse in forward, forward in reverse.
        for x in [4.0, -1.5, 0.0] {
            let (_, forward_in_forward) = jvp(
                |x: Scalar<Dual<E>>| {
                    let (_, inner) = jvp(|y| lift(&x) * y, &at(1.0), &at(1.0));
                    x * inner
                },
                &at::<E>(x),
                &at::<E>(1.0),
            );
            exactly(&forward_in_forward, [2.0 * x]);
            let reverse_in_forward = jacfwd(
                |x: Scalar<Dual<E>>| {
                    let constant = x.clone();
                    let inner = jacrev(|y| &constant * y, &at(1.0));
                    x * inner
                },
                &at::<E>(x),
            );
            exactly(&reverse_in_forward, [2.0 * x]);
        }
        // d/db of (d/da of (a − b)² at 1)
        for b in [5.0, 1.0, -2.0] {
            let mixed = jacfwd(
                |b: Scalar<Dual<E>>| jacrev(|a| (a - &b).square(), &at(1.0)),
                &at::<E>(b),
            );
            exactly(&mixed, [-2.0]);
            // As an entry of one Hessian.
            let (a, b) = (at::<E>(1.0), at::<E>(b));
            let ((aa, ab), (ba, bb)) = hessian(|(a, b): (Scalar<Dual<E>>, Scalar<Dual<E>>)| (a - b).square(), (&a, &b));
            exactly([aa, ab, ba, bb].map(|x| x.item()), [2.0, -2.0, -2.0, 2.0]);
        }
    }
}

/// The same number one level up, where it does not move.
fn lift<E: Element>(x: &Scalar<E>) -> Scalar<Dual<E>> {
    Scalar::scalar(Dual::constant(x.item()))
}

// pytorch/pytorch#6959
#[test]
fn thousands_of_checkpoints_side_by_side_and_in_a_row() {
    const PARTS: usize = 5000;
    type Line = Tensor<1, shape![2], f64>;
    let body = || {
        let x = Line::from([0.3, 0.7]).tracked();
        let part = |x: Line| x.sin() * 1.5;
        let run = |f: &dyn Fn(&Line) -> Line| {
            x.zero_grad();
            let side: Vec<_> = (0..PARTS).map(|_| f(&x)).collect();
            let stacked: Tensor<2, shape![5000, 2], f64> =
                <[Line; PARTS]>::try_from(side).ok().unwrap().stack::<0>();
            stacked.mean().backward();
            let side = grad(&x);
            x.zero_grad();
            (0..PARTS).fold(x.clone(), |x, _| f(&x)).sum().backward();
            (side, grad(&x))
        };
        assert!(run(&|x| checkpoint(part, x)) == run(&|x| part(x.clone())));
    };
    thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(body)
        .unwrap()
        .join()
        .unwrap();
}

// pytorch/pytorch#7343, #3818, #4661
#[test]
fn ten_thousand_iterations_keep_nothing() {
    /// Counts itself as long as a graph holds it.
    struct Alive(Arc<AtomicUsize>);
    impl Drop for Alive {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let alive = Arc::new(AtomicUsize::new(0));
    let w = Param::<1, shape![3], f64>::ones();
    for i in 0..10_000 {
        let y = w.exp();
        let counted = Alive(alive.clone());
        alive.fetch_add(1, Ordering::Relaxed);
        y.register_hook(move |_| {
            let _held = &counted;
        });
        match i % 3 {
            0 => y.sum().backward(),
            1 => y.sum().backward_retaining(),
            _ => drop(w.grad()),
        }
        drop(y);
        assert_eq!(alive.load(Ordering::Relaxed), 0, "{i}");
    }
}

// pytorch/pytorch#5351, chainer/chainer#3046
#[test]
fn a_check_in_single_precision_raises_no_false_alarm() {
    fn affine<E: Element>(
        x: &Tensor<2, shape![1, 2], E>,
        w: &Tensor<2, shape![1, 2], E>,
        b: &Tensor<1, shape![1], E>,
    ) -> Tensor<2, shape![1, 1], E> {
        x.matmul_t(w) + b
    }
    fn check<E: Element>(seed: u64) {
        let rng = &mut Rng::seed(seed);
        let x = Tensor::<2, shape![1, 2], E>::randn(rng);
        let w = Tensor::<2, shape![1, 2], E>::randn(rng);
        let b = Tensor::<1, shape![1], E>::randn(rng);
        gradcheck(|(x, w, b)| affine(&x, &w, &b), (&x, &w, &b)).unwrap();
        jvpcheck(|(x, w, b)| affine(&x, &w, &b), (&x, &w, &b)).unwrap();
        hvpcheck(|(x, w, b)| affine(&x, &w, &b).square().sum(), (&x, &w, &b)).unwrap();
        // An error of two hundredths is found, at each of several sizes.
        for scale in [0.1, 1.0, 30.0] {
            let x = &x * E::of(scale);
            assert!(gradcheck(|x| apply(Off::<E>(E::of(1.02)), &x) * E::of(2.0), &x).is_err());
            gradcheck(|x| apply(Off::<E>(E::one()), &x) * E::of(2.0), &x).unwrap();
        }
    }
    /// The same number, with a gradient that is off by a factor.
    struct Off<E>(E);
    impl<E: Element> Function for Off<E> {
        const NAME: &'static str = "off";
        type Inputs = Tensor<2, shape![1, 2], E>;
        type Output = Tensor<2, shape![1, 2], E>;
        type Saved = ();
        fn forward(&self, x: Self::Inputs) -> (Self::Output, ()) {
            (x, ())
        }
        fn backward(&self, (): &(), grad: Self::Output) -> Self::Inputs {
            grad * self.0
        }
    }
    for seed in 0..50 {
        check::<f32>(seed);
        check::<f64>(seed);
    }
}

// pytorch/pytorch#38586
#[test]
fn a_check_moves_the_leaf_and_not_what_it_is_stretched_to() {
    let m = Tensor::<2, shape![2, 2], f64>::from([[1.0, 2.0], [3.0, 4.0]]);
    let v = Tensor::<1, (One,), f64>::from_array([0.5]);
    let f = |v: Tensor<1, (One,), f64>| m.matmul(&v.broadcast_to::<shape![2]>()).sum();
    gradcheck(f, &v).unwrap();
    let tracked = v.clone().tracked();
    f(tracked.clone()).backward();
    exactly(&grad(&tracked), [10.0]);
    exactly(&jacrev(f, &v), [10.0]);
    gradcheck(|v: Tensor<1, (One,), f64>| &m * v + &m, &v).unwrap();
    gradcheck(|v: Scalar<f64>| &m * v, &Scalar::scalar(0.5)).unwrap();
}

// google-research/dex-lang#713
#[test]
fn every_way_to_a_product_with_the_hessian() {
    fn f<E: Element>(x: &Tensor<1, shape![3], E>) -> Scalar<E> {
        (x.square().sum() * E::of(0.5)).exp()
    }
    let x = Tensor::from([0.1, 0.2, 0.3]);
    let v = Tensor::from([0.2, 0.3, 0.4]);
    // ∇f = f·x, H = f·(1 + xxᵀ)
    let size = 0.07f64.exp();
    let along = 0.1 * 0.2 + 0.2 * 0.3 + 0.3 * 0.4;
    let right: Vec<_> = (0..3)
        .map(|i| size * (v.as_slice()[i] + along * x.as_slice()[i]))
        .collect();
    assert!((right[0] - 0.23595180).abs() < 1e-8 && (right[2] - 0.49335376).abs() < 1e-8);
    let (gradient, product) = hvp(|x| f(&x), &x, &v);
    near(gradient.to_vec(), [0.1 * size, 0.2 * size, 0.3 * size]);
    near(product.to_vec(), &right);
    near(hessian(|x| f(&x), &x).matmul(&v).to_vec(), &right);
    // The gradient's own derivative along v, forward and by a pullback.
    let slope = |x: Tensor<1, shape![3], Dual<f64>>| jacrev(|x| f(&x), &x);
    near(jvp(slope, &x, &v).1.to_vec(), &right);
    let along = |x: Tensor<1, shape![3], f64>| {
        let direction = Tensor::from([0.2, 0.3, 0.4]);
        // d/dx of ⟨∇f(x), v⟩, where ⟨∇f, v⟩ = f·⟨x, v⟩.
        f(&x) * (x * direction).sum()
    };
    near(vjp(along, &x).1(&Scalar::ones()).to_vec(), &right);
}

// raven-ml/raven#153
#[test]
fn a_tangent_through_products_choices_and_joins() {
    type Square<E> = Tensor<2, shape![2, 2], E>;
    let x = Square::from([[1.0, 2.0], [3.0, 4.0]]);
    let v = Square::from([[1.0, 0.0], [0.0, -1.0]]);
    let (value, change) = jvp(|x: Square<Dual<f64>>| x.matmul(&x.t()).sum(), &x, &v);
    exactly([value.item(), change.item()], [52.0, -4.0]);
    macro_rules! both_ways {
        ($($x:ident => $body:expr;)*) => {$({
            fn f<E: Element>($x: Square<E>) -> Scalar<E> {
                ($body).square().sum()
            }
            let (_, forward) = jvp(f::<Dual<f64>>, &x, &v);
            let backward = vjp(f::<f64>, &x).1(&Scalar::ones());
            near([forward.item()], [(backward * &v).sum().item()]);
            assert!(forward.item() != 0.0, stringify!($body));
        })*};
    }
    both_ways! {
        x => x.matmul(&x);
        x => x.gt(E::of(2.5)).select(&x, &(&x * E::of(3.0)));
        x => x.gather::<1>(&Indices::<2, shape![2, 3], 2>::from_array([[0, 0, 1], [1, 0, 0]]).unwrap());
        x => (&x, &x.exp()).concat::<0>();
        x => (&x, &x.sin()).stack::<1>();
        x => x.narrow::<0, 1, 1>();
        x => x.embedding(&Indices::<1, shape![3], 2>::from_array([1, 1, 0]).unwrap());
        x => x.sort::<1>().0;
        x => x.cumprod::<0>();
        x => x.max_axis::<1>();
        x => x.softmax::<0>();
        x => x.flip::<1>();
    }
}
