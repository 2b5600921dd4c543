//! Normalisation: constant rows, zero input, and gradients for what comes before.

use super::check::{Number, by_place, exactly, grad, near, near_within, of};
use shapeproof::prelude::*;

/// x/√(mean x² + eps) along the last axis.
fn rms_norm<A: Axis, B: Axis, E: Element>(
    x: &Tensor<2, (A, B), E>,
    eps: f64,
) -> Tensor<2, (A, B), E> {
    x / (x.square().mean_keepdim::<1>() + E::of(eps)).sqrt()
}

both! {
    // tracel-ai/burn#1992, VeriSilicon/TIM-VX#589
    fn layer_norm_of_constant_rows<E>() {
        let x: Tensor<2, shape![4, 6], E> = of(&[
            -2.0, 2.0, -2.0, 2.0, -2.0, 2.0, //
            -2.0, 0.0, 2.0, -2.0, 0.0, 2.0, //
            2.0, 2.0, 2.0, 2.0, 2.0, 2.0, //
            0.0, 1.0, 2.0, 3.0, 4.0, 5.0,
        ]);
        let x = x.tracked();
        let y = x.layer_norm::<1>(E::of(1e-5));
        let (a, b) = (0.99999875, 1.22474258);
        near_within(&y, [
            -a, a, -a, a, -a, a, //
            -b, 0.0, b, -b, 0.0, b, //
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, //
            -1.46384760, -0.87830856, -0.29276952, 0.29276952, 0.87830856, 1.46384760,
        ], E::RELATIVE.max(1e-8));
        let up: Tensor<2, shape![4, 6], E> = by_place(|i| f64::from(i == 12));
        y.backward_with(&up);
        let mut right = [0.0; 24];
        right[12..18].fill(-52.7046277);
        right[12] = 263.523138;
        near(&grad(&x), right);
    }

    // Dao-AILab/flash-attention#781
    fn rms_norm_of_zeros<E>() {
        for _ in 0..10 {
            let x = Tensor::<2, shape![1, 4], E>::zeros().tracked();
            let gain = Tensor::<1, shape![4], E>::ones().tracked();
            let out = rms_norm(&x, 1e-5) * &gain;
            exactly(&out, [0.0; 4]);
            (-out.sum()).backward();
            exactly(&grad(&gain), [0.0; 4]);
            near(&grad(&x), [-316.227766; 4]);
        }
        let x: Tensor<2, shape![1, 2], E> = of(&[3.0, 4.0]);
        let (x, gain) = (x.tracked(), Tensor::<1, shape![2], E>::ones().tracked());
        let out = rms_norm(&x, 1e-6) * &gain;
        near(&out, [0.8485281, 1.1313708].map(digits::<E>()));
        out.backward_with(&of(&[1.0, 0.0]));
        let g = grad(&x);
        for (g, right) in g.iter().zip([0.18101934, -0.13576449]) {
            assert!((g.to_f64().unwrap() - right).abs() < 1e-7);
        }
    }
}

/// The right numbers above have 8 digits; the last one follows from 3/√(12.5 + 10⁻⁶).
fn digits<E: Number>() -> impl Fn(f64) -> f64 {
    |value| {
        if value < 1.0 {
            3.0 / 12.500001f64.sqrt()
        } else {
            4.0 / 12.500001f64.sqrt()
        }
    }
}

// huggingface/candle#2168
#[test]
fn gradients_reach_what_comes_before_a_norm() {
    type Input = Tensor<2, shape![5, 3], f64>;
    type Weight = Tensor<2, shape![3, 4], f64>;
    type Result = Tensor<2, shape![5, 4], f64>;
    type Product = fn(&Input, &Weight) -> Result;
    let x: Input = by_place(|i| ((i * 7) % 11) as f64 / 5.0 - 1.0);
    let c: Result = by_place(|i| ((i * 5) % 13) as f64 / 6.0 - 1.0);
    let w: Weight = by_place(|i| ((i * 3) % 7) as f64 / 3.0 - 1.0);
    let norms: [fn(&Result) -> Result; 2] = [|x| x.layer_norm::<1>(1e-5), |x| rms_norm(x, 1e-5)];
    for norm in norms {
        // The product as it comes, and turned round twice.
        let products: [Product; 2] = [|x, w| x.matmul(w), |x, w| w.t().matmul_t(x).t()];
        for product in products {
            let loss = |w: &Weight| (norm(&product(&x, w)) * &c).sum();
            let tracked = w.clone().tracked();
            loss(&tracked).backward();
            let g = grad(&tracked);
            for i in 0..12 {
                let moved = |h: f64| {
                    let mut w = w.clone();
                    w.as_mut_slice()[i] += h;
                    loss(&w).item()
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                let got = g.as_slice()[i];
                assert!(
                    got != 0.0 && (got - slope).abs() < 1e-8,
                    "{got} is not {slope}"
                );
            }
        }
    }
}
