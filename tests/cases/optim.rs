//! Optimizers: the order of their operations, first steps, skipped and shared parameters, resuming.

use super::check::{exactly, near, near_within, of, panic_text};
use shapeproof::optim::{AdamConfig, AdamWConfig, SgdConfig};
use shapeproof::prelude::*;

type Number<E> = Param<0, (), E>;

fn at<E: Element>(value: f64) -> Number<E> {
    Param::new(Tensor::scalar(E::of(value)))
}

/// The parameter's value after each step with these gradients.
fn steps<E: Element>(
    p: &mut Number<E>,
    mut optimizer: impl Optimizer<Number<E>>,
    grads: &[f64],
) -> Vec<E> {
    let step = |&g: &f64| {
        p.set_grad(Some(Tensor::scalar(E::of(g))));
        optimizer.step(p);
        p.item()
    };
    grads.iter().map(step).collect()
}

both! {
    // pytorch/pytorch#22628, aiqm/torchani#261
    fn adam_adds_epsilon_after_correcting<E>() {
        let mut p = at::<E>(0.0);
        let adam = Adam::new(&p, AdamConfig::default());
        near_within(steps(&mut p, adam, &[1e-8]), [-5.0e-4], E::RELATIVE);
    }

    // frgfm/holocron#1
    fn adam_does_not_store_what_it_corrected<E>() {
        let config = AdamConfig { lr: 0.1, ..Default::default() };
        let mut p = at::<E>(0.0);
        let adam = Adam::new(&p, config.clone());
        let got = steps(&mut p, adam, &[1.0; 5]);
        // 1e-8: epsilon shows in the ninth digit.
        near_within(got, [-0.1, -0.2, -0.3, -0.4, -0.5], E::RELATIVE.max(1e-8));
        let mut p = at::<E>(1.0);
        let adam = Adam::new(&p, config);
        let got = steps(&mut p, adam, &[1.0, -0.5, 0.25, 2.0]);
        near_within(got, [0.900000001, 0.87336630, 0.83932338, 0.77503419], E::RELATIVE.max(1e-8));
    }

    // huggingface/transformers#14539, bitsandbytes-foundation/bitsandbytes#2010
    fn adamw_shrinks_the_old_parameter<E>() {
        let config = AdamWConfig { lr: 0.1, weight_decay: 0.1, ..Default::default() };
        let mut p = at::<E>(1.0);
        let adam = AdamW::new(&p, config);
        let got = steps(&mut p, adam, &[0.5, 0.5, -1.0]);
        near_within(got, [0.890000002, 0.78110000, 0.78085394], E::RELATIVE.max(1e-8));
    }

    // ml-explore/mlx#473
    fn sgd_does_not_dampen_the_first_step<E>() {
        let config = SgdConfig { lr: 0.1, momentum: 0.9, dampening: 0.5, ..Default::default() };
        let mut p = at::<E>(0.0);
        let sgd = Sgd::new(&p, config);
        near(steps(&mut p, sgd, &[1.0; 3]), [-0.1, -0.24, -0.416]);
        // Weight decay without momentum.
        let config = SgdConfig { lr: 0.1, weight_decay: 0.1, ..Default::default() };
        let mut p = at::<E>(1.0);
        let sgd = Sgd::new(&p, config);
        near(steps(&mut p, sgd, &[0.0; 2]), [0.99, 0.9801]);
    }

    // pytorch/pytorch#83769, #42754
    fn no_gradient_is_not_a_gradient_of_zero<E>() {
        type Two<E> = (Number<E>, Number<E>);
        for decay in [0.0, 0.1] {
            let config = SgdConfig { lr: 0.1, momentum: 0.9, weight_decay: decay, ..Default::default() };
            let mut model: Two<E> = (at(0.0), at(0.0));
            let mut sgd = Sgd::new(&model, config);
            let gradients = |model: &Two<E>, a: Option<f64>, b: Option<f64>| {
                model.0.set_grad(a.map(|g| Tensor::scalar(E::of(g))));
                model.1.set_grad(b.map(|g| Tensor::scalar(E::of(g))));
            };
            gradients(&model, Some(1.0), Some(1.0));
            sgd.step(&mut model);
            near([model.0.item(), model.1.item()], [-0.1, -0.1]);
            gradients(&model, Some(0.0), None);
            sgd.step(&mut model);
            // Zero: momentum and decay act. None: the parameter is skipped, and its momentum kept.
            let zero = -0.1 - 0.1 * (0.9 - decay * 0.1);
            near([model.0.item(), model.1.item()], [zero, -0.1]);
            gradients(&model, None, Some(0.0));
            sgd.step(&mut model);
            near([model.0.item(), model.1.item()], [zero, zero]);
        }
    }

    // NVIDIA-NeMo/Automodel#763, torch-points3d/torch-points3d#630, NVlabs/stylegan2-ada-pytorch#108
    fn a_clone_of_model_and_optimizer_goes_on_where_they_stopped<E>() {
        fn resumes<E: Element, O: Optimizer<Linear<3, 2, E>> + Clone>(
            make: impl FnOnce(&Linear<3, 2, E>) -> O,
            decay: impl Fn(&mut O),
        ) {
            let mut model = Linear::<3, 2, E>::new(&mut Rng::seed(1));
            let x: Tensor<2, shape![2, 3], E> = of(&[0.1, 0.2, -0.3, 0.4, -0.5, 0.6]);
            let mut optimizer = make(&model);
            let step = |model: &mut Linear<3, 2, E>, optimizer: &mut O| {
                model.zero_grad();
                model.forward(&x).square().sum().backward();
                optimizer.step(model);
                decay(optimizer);
            };
            for _ in 0..5 {
                step(&mut model, &mut optimizer);
            }
            let (mut fresh, mut resumed) = (model.clone(), optimizer.clone());
            for _ in 0..5 {
                step(&mut model, &mut optimizer);
            }
            assert_ne!(fresh.weight.to_vec(), model.weight.to_vec());
            for _ in 0..5 {
                step(&mut fresh, &mut resumed);
            }
            assert_eq!(fresh.weight.to_vec(), model.weight.to_vec());
            assert_eq!(fresh.bias.to_vec(), model.bias.to_vec());
        }
        resumes::<E, _>(|m| Adam::new(m, AdamConfig { amsgrad: true, ..Default::default() }), |o| o.config.lr *= 0.9);
        resumes::<E, _>(
            |m| Sgd::new(m, SgdConfig { lr: 0.1, momentum: 0.9, ..Default::default() }),
            |o| o.config.lr *= 0.9,
        );
    }
}

// torch/torch7#716, FluxML/Optimisers.jl#97, pytorch/pytorch#18497
#[test]
fn a_parameter_that_is_listed_twice_is_refused() {
    struct Tied {
        weight: Param<0, ()>,
    }
    impl Module for Tied {
        fields!(weight, weight);
    }
    let tied = Tied { weight: at(1.0) };
    for text in [
        panic_text(|| Sgd::new(&tied, SgdConfig::default())),
        panic_text(|| Adam::new(&tied, AdamConfig::default())),
        panic_text(|| AdamW::new(&tied, AdamWConfig::default())),
    ] {
        assert!(
            text.contains("`weight`") && text.contains("twice"),
            "{text}"
        );
    }

    // Used twice and listed once: its gradient is the sum, and it moves once.
    struct Shared {
        weight: Param<0, ()>,
    }
    impl Module for Shared {
        fields!(weight);
    }
    let mut shared = Shared { weight: at(1.0) };
    let mut sgd = Sgd::new(
        &shared,
        SgdConfig {
            lr: 0.1,
            ..Default::default()
        },
    );
    (&shared.weight * 0.25 + &shared.weight * 0.75).backward();
    exactly(&shared.weight.grad().unwrap(), [1.0]);
    sgd.step(&mut shared);
    near(&*shared.weight, [0.9]);
}

// pytorch/pytorch#46849, #53843
#[test]
fn clipping_neither_overflows_nor_spreads_what_is_not_finite() {
    fn clipped<const N: usize, E: Element>(grads: [E; N], largest: f64) -> (f64, [E; N])
    where
        (Dim<N>,): Shape<1, Array<E> = [E; N]>,
    {
        let p = Param::<1, shape![N], E>::zeros();
        p.set_grad(Some(Tensor::from(grads)));
        let norm = p.clip_grad_norm(largest);
        (norm, p.grad().unwrap().to_array())
    }
    let (norm, grads) = clipped([1e20f32; 100], 1.0);
    assert!((norm / 1e21 - 1.0).abs() < 1e-6);
    assert!(grads.iter().all(|g| (g - 0.1).abs() < 1e-6));
    // The norm is beyond the numbers of the gradient's type.
    let (norm, grads) = clipped([f32::MAX; 100], 10.0);
    assert!((norm / (10.0 * f64::from(f32::MAX)) - 1.0).abs() < 1e-6);
    assert!(grads.iter().all(|g| (g - 1.0).abs() < 1e-6));
    let (norm, grads) = clipped([3e200f64, -4e200], 1.0);
    assert!((norm / 5e200 - 1.0).abs() < 1e-12);
    assert!((grads[0] - 0.6).abs() < 1e-6 && (grads[1] + 0.8).abs() < 1e-6);
    let (norm, grads) = clipped([3e-200f64, 4e-200], 1.0);
    assert!((norm / 5e-200 - 1.0).abs() < 1e-12);
    assert_eq!(grads, [3e-200, 4e-200]);

    for odd in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        for grads in [[odd, 3.0], [3.0, odd]] {
            let (norm, left) = clipped(grads, 1.0);
            assert_eq!(norm.is_nan(), odd.is_nan());
            assert!(!norm.is_finite());
            assert_eq!(left.map(f32::to_bits), grads.map(f32::to_bits));
        }
    }
    assert_eq!(clipped([0.0f32; 3], 1.0), (0.0, [0.0; 3]));
    assert_eq!(clipped([3.0f32, 4.0], 5.0), (5.0, [3.0, 4.0]));
    assert_eq!(clipped([3.0f32, 4.0], f64::INFINITY), (5.0, [3.0, 4.0]));
}

#[test]
fn clipping_looks_at_all_parameters_together() {
    let model = (
        Param::<1, shape![2]>::ones(),
        Param::<0, ()>::ones(),
        Param::<0, ()>::ones(),
    );
    assert_eq!(model.clip_grad_norm(1.0), 0.0); // no gradient yet
    model.0.set_grad(Some(Tensor::from([3.0, 0.0])));
    model.2.set_grad(Some(Tensor::from(-4.0)));
    assert_eq!(model.clip_grad_norm(2.5), 5.0);
    near(&model.0.grad().unwrap(), [1.5, 0.0]);
    near(&model.2.grad().unwrap(), [-2.0]);
    assert!(model.1.grad().is_none());
    model.clip_grad_value(1.75);
    near(&model.0.grad().unwrap(), [1.5, 0.0]);
    near(&model.2.grad().unwrap(), [-1.75]);
    model.0.set_grad(Some(Tensor::from([f32::NAN, 0.0])));
    model.clip_grad_value(1.0);
    assert!(model.0.grad().unwrap().to_array()[0].is_nan());
}
