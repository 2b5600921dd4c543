//! Optimizers against the formulas they state, written down again and in double precision.

use shapeproof::nn::{Parameter, ParameterMut, Relu};
use shapeproof::optim::{AdamConfig, AdamWConfig, SgdConfig};
use shapeproof::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

const STEPS: usize = 40;

/// Two parameters, of 5 and of 2 × 3 numbers.
type Model<E> = (Param<1, shape![5], E>, Param<2, shape![2, 3], E>);

fn model<E: Element>() -> Model<E> {
    let rng = &mut Rng::seed(11);
    let first = Tensor::<1, shape![5], f64>::randn(rng).cast();
    let second = Tensor::<2, shape![2, 3], f64>::randn(rng).cast();
    (Param::new(first), Param::new(second))
}

/// The gradients of one step: none for the second parameter now and then, and of very different sizes.
fn gradients(step: usize) -> [Option<Vec<f64>>; 2] {
    let rng = &mut Rng::seed(100 + step as u64);
    let size = [1.0, 1e-3, 30.0][step % 3];
    let first = Tensor::<1, shape![5], f64>::randn(rng) * size;
    let second = Tensor::<2, shape![2, 3], f64>::randn(rng) * size;
    let reached = step % 4 != 1;
    [Some(first.to_vec()), reached.then(|| second.to_vec())]
}

fn set_gradients<E: Element>(model: &Model<E>, [first, second]: [Option<Vec<f64>>; 2]) {
    fn tensor<const R: usize, S: Shape<R>, E: Element>(values: Vec<f64>) -> Tensor<R, S, E> {
        Tensor::<R, S, f64>::from_vec(values).unwrap().cast()
    }
    model.0.set_grad(first.map(tensor));
    model.1.set_grad(second.map(tensor));
}

fn values<E: Element>(model: &Model<E>) -> [Vec<f64>; 2] {
    [model.0.cast().to_vec(), model.1.cast().to_vec()]
}

fn all_values<M: Module<f64>>(model: &M) -> Vec<f64> {
    let mut all = Vec::new();
    model.visit("", &mut |_, parameter| {
        all.extend_from_slice(parameter.values())
    });
    all
}

/// Runs an optimizer beside a formula for one parameter, which gets the parameter, its gradient and its
/// own memory.
fn compare<E: Element, M: Clone + Default>(
    label: &str,
    tolerance: f64,
    mut optimizer: impl Optimizer<Model<E>>,
    mut formula: impl FnMut(&mut [f64], &[f64], &mut M),
) {
    let mut trained = model::<E>();
    let mut right = values(&model::<E>());
    let mut memory = [M::default(), M::default()];
    for step in 0..STEPS {
        let grads = gradients(step);
        set_gradients(&trained, grads.clone());
        optimizer.step(&mut trained);
        for ((p, g), memory) in right.iter_mut().zip(&grads).zip(&mut memory) {
            if let Some(g) = g {
                formula(p, g, memory);
            }
        }
        for (got, right) in values(&trained)
            .iter()
            .flatten()
            .zip(right.iter().flatten())
        {
            let bound = tolerance * right.abs().max(1.0);
            assert!(
                (got - right).abs() <= bound,
                "{label}, step {step}: {got} is not {right}"
            );
        }
    }
}

const SWITCH: [bool; 2] = [false, true];

#[test]
fn sgd_with_every_option() {
    fn body<E: Element>(tolerance: f64) {
        for (momentum, dampening, nesterov) in [
            (0.0, 0.0, false),
            (0.9, 0.0, false),
            (0.9, 0.3, false),
            (0.5, 1.0, false),
            (0.9, 0.0, true),
        ] {
            for weight_decay in [0.0, 0.1] {
                for maximize in SWITCH {
                    let config = SgdConfig {
                        lr: 0.01,
                        momentum,
                        dampening,
                        weight_decay,
                        nesterov,
                        maximize,
                    };
                    let sgd = Sgd::new(&model::<E>(), config.clone());
                    let formula = |p: &mut [f64], g: &[f64], buffer: &mut Option<Vec<f64>>| {
                        let d: Vec<f64> = p
                            .iter()
                            .zip(g)
                            .map(|(p, g)| (if maximize { -g } else { *g }) + weight_decay * p)
                            .collect();
                        let direction = if momentum == 0.0 {
                            d
                        } else {
                            let buffer = match buffer {
                                Some(b) => {
                                    for (b, d) in b.iter_mut().zip(&d) {
                                        *b = momentum * *b + (1.0 - dampening) * d;
                                    }
                                    b
                                }
                                none => none.insert(d.clone()),
                            };
                            if nesterov {
                                d.iter()
                                    .zip(&*buffer)
                                    .map(|(d, b)| d + momentum * b)
                                    .collect()
                            } else {
                                buffer.clone()
                            }
                        };
                        for (p, d) in p.iter_mut().zip(direction) {
                            *p -= 0.01 * d;
                        }
                    };
                    compare::<E, _>(&format!("{config:?}"), tolerance, sgd, formula);
                }
            }
        }
    }
    body::<f64>(1e-12);
    body::<f32>(1e-4);
}

/// What Adam remembers of a parameter.
#[derive(Clone, Default)]
struct Moments {
    steps: i32,
    mean: Vec<f64>,
    square: Vec<f64>,
    largest: Vec<f64>,
}

/// Adam's step, with weight decay in the gradient or apart from it.
fn adam_formula(
    config: AdamConfig,
    decoupled: bool,
) -> impl FnMut(&mut [f64], &[f64], &mut Moments) {
    let AdamConfig {
        lr,
        betas: (b1, b2),
        eps,
        weight_decay,
        amsgrad,
        maximize,
    } = config;
    move |p, g, m| {
        for list in [&mut m.mean, &mut m.square, &mut m.largest] {
            list.resize(p.len(), 0.0);
        }
        m.steps += 1;
        let (c1, c2) = (1.0 - b1.powi(m.steps), 1.0 - b2.powi(m.steps));
        for i in 0..p.len() {
            let mut g = if maximize { -g[i] } else { g[i] };
            if decoupled {
                p[i] -= lr * weight_decay * p[i];
            } else {
                g += weight_decay * p[i];
            }
            m.mean[i] = b1 * m.mean[i] + (1.0 - b1) * g;
            m.square[i] = b2 * m.square[i] + (1.0 - b2) * g * g;
            m.largest[i] = m.largest[i].max(m.square[i]);
            let square = if amsgrad { m.largest[i] } else { m.square[i] };
            p[i] -= lr * (m.mean[i] / c1) / ((square / c2).sqrt() + eps);
        }
    }
}

#[test]
fn adam_and_adamw_with_every_option() {
    fn body<E: Element>(tolerance: f64) {
        for betas in [(0.9, 0.999), (0.0, 0.5), (0.8, 0.0)] {
            for (weight_decay, eps) in [(0.0, 1e-8), (0.1, 1e-3)] {
                for (amsgrad, maximize) in
                    [(false, false), (true, false), (false, true), (true, true)]
                {
                    let config = AdamConfig {
                        lr: 0.01,
                        betas,
                        eps,
                        weight_decay,
                        amsgrad,
                        maximize,
                    };
                    let label = format!("{config:?}");
                    let adam = Adam::new(&model::<E>(), config.clone());
                    compare::<E, _>(&label, tolerance, adam, adam_formula(config.clone(), false));
                    let decoupled = AdamWConfig {
                        lr: 0.01,
                        betas,
                        eps,
                        weight_decay,
                        amsgrad,
                        maximize,
                    };
                    let adamw = AdamW::new(&model::<E>(), decoupled);
                    compare::<E, _>(
                        &format!("W{label}"),
                        tolerance,
                        adamw,
                        adam_formula(config, true),
                    );
                }
            }
        }
    }
    body::<f64>(1e-11);
    body::<f32>(1e-3);
}

#[test]
fn defaults_are_pytorchs() {
    assert_eq!(
        SgdConfig::default(),
        SgdConfig {
            lr: 1e-3,
            momentum: 0.0,
            dampening: 0.0,
            weight_decay: 0.0,
            nesterov: false,
            maximize: false
        }
    );
    assert_eq!(
        AdamConfig::default(),
        AdamConfig {
            lr: 1e-3,
            betas: (0.9, 0.999),
            eps: 1e-8,
            weight_decay: 0.0,
            amsgrad: false,
            maximize: false
        }
    );
    assert_eq!(AdamWConfig::default().weight_decay, 1e-2);
}

#[test]
fn settings_change_between_steps() {
    let mut p = Param::<0, (), f64>::zeros();
    let mut sgd = Sgd::new(
        &p,
        SgdConfig {
            lr: 1.0,
            ..Default::default()
        },
    );
    let mut adam = Adam::new(
        &p,
        AdamConfig {
            lr: 1.0,
            ..Default::default()
        },
    );
    (&p * 1.0).backward();
    sgd.step(&mut p);
    sgd.config.lr = 0.5;
    sgd.step(&mut p);
    assert_eq!(p.item(), -1.5);
    adam.step(&mut p);
    adam.config.lr = 0.0;
    let before = p.item();
    adam.step(&mut p);
    assert_eq!(p.item(), before);
}

#[test]
fn a_parameter_without_a_gradient_is_left_alone() {
    fn check<O: Optimizer<Model<f64>>>(make: impl FnOnce(&Model<f64>) -> O) {
        let mut model = model::<f64>();
        let before = values(&model);
        let mut optimizer = make(&model);
        set_gradients(&model, [None, Some(vec![1.0; 6])]);
        for _ in 0..3 {
            optimizer.step(&mut model);
        }
        let after = values(&model);
        assert_eq!(after[0], before[0]);
        assert!(
            after[1]
                .iter()
                .zip(&before[1])
                .all(|(after, before)| after != before)
        );
        // The gradient is only read: it is still there, and so would be its node.
        assert_eq!(model.1.grad().unwrap().to_vec(), [1.0; 6]);
        assert!(model.0.grad().is_none());
    }
    check(|m| {
        Sgd::new(
            m,
            SgdConfig {
                momentum: 0.9,
                weight_decay: 0.1,
                ..Default::default()
            },
        )
    });
    check(|m| {
        Adam::new(
            m,
            AdamConfig {
                weight_decay: 0.1,
                ..Default::default()
            },
        )
    });
    check(|m| AdamW::new(m, AdamWConfig::default()));
}

#[test]
fn a_step_that_finds_no_gradient_anywhere_says_so() {
    let mut model = model::<f64>();
    let before = values(&model);
    let mut sgd = Sgd::new(&model, SgdConfig::default());
    let mut adam = AdamW::new(&model, AdamWConfig::default());
    for text in [
        panic_text(|| sgd.step(&mut model)),
        panic_text(|| adam.step(&mut model)),
    ] {
        assert_eq!(
            text,
            "optimizer step: none of the 2 parameters has a gradient; call `backward` on a loss that depends on them first"
        );
    }
    // Zeroed is none.
    set_gradients(&model, [Some(vec![0.0; 5]), None]);
    sgd.step(&mut model);
    model.zero_grad();
    panic_text(|| sgd.step(&mut model));
    assert_eq!(values(&model), before);

    // Where there is nothing to change there is nothing to say.
    let mut nothing = Relu;
    Sgd::<_, f32>::new(&nothing, SgdConfig::default()).step(&mut nothing);
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let p = Param::<0, (), f64>::zeros();
    let sgd = |config: SgdConfig| panic_text(|| Sgd::new(&p, config));
    let adam = |config: AdamConfig| panic_text(|| Adam::new(&p, config));
    let adamw = |config: AdamWConfig| panic_text(|| AdamW::new(&p, config));
    let refused = [
        (
            sgd(SgdConfig {
                lr: -0.1,
                ..Default::default()
            }),
            "lr is -0.1, which is not 0 or more",
        ),
        (
            sgd(SgdConfig {
                lr: f64::NAN,
                ..Default::default()
            }),
            "lr is NaN, which is not 0 or more",
        ),
        (
            sgd(SgdConfig {
                momentum: -1.0,
                ..Default::default()
            }),
            "momentum is -1, which is not 0 or more",
        ),
        (
            sgd(SgdConfig {
                weight_decay: -1.0,
                ..Default::default()
            }),
            "weight_decay is -1, which is not 0 or more",
        ),
        (
            sgd(SgdConfig {
                nesterov: true,
                ..Default::default()
            }),
            "momentum is 0, which is not above 0, as nesterov needs",
        ),
        (
            sgd(SgdConfig {
                nesterov: true,
                momentum: 0.9,
                dampening: 0.5,
                ..Default::default()
            }),
            "dampening is 0.5, which is not 0, as nesterov needs",
        ),
        (
            adam(AdamConfig {
                lr: -1.0,
                ..Default::default()
            }),
            "lr is -1, which is not 0 or more",
        ),
        (
            adam(AdamConfig {
                eps: -1e-8,
                ..Default::default()
            }),
            "eps is -0.00000001, which is not 0 or more",
        ),
        (
            adam(AdamConfig {
                betas: (1.0, 0.9),
                ..Default::default()
            }),
            "a beta is 1, which is not in 0..1",
        ),
        (
            adam(AdamConfig {
                betas: (0.9, -0.1),
                ..Default::default()
            }),
            "a beta is -0.1, which is not in 0..1",
        ),
        (
            adam(AdamConfig {
                betas: (f64::NAN, 0.9),
                ..Default::default()
            }),
            "a beta is NaN, which is not in 0..1",
        ),
        (
            adamw(AdamWConfig {
                weight_decay: -0.01,
                ..Default::default()
            }),
            "weight_decay is -0.01, which is not 0 or more",
        ),
    ];
    for (text, right) in refused {
        assert_eq!(text, format!("optimizer: {right}"));
    }
}

#[test]
fn a_model_that_grew_or_shrank_is_refused() {
    type Layers = Vec<Param<0, (), f64>>;
    let layers = |n: usize| -> Layers { (0..n).map(|_| Param::ones()).collect() };
    for (then, now) in [(2, 3), (3, 2), (0, 1)] {
        let mut adam = Adam::new(&layers(then), AdamConfig::default());
        let mut changed = layers(now);
        changed.iter().for_each(|p| p.square().backward());
        let text = panic_text(|| adam.step(&mut changed));
        assert_eq!(
            text,
            format!(
                "optimizer step: the model has {now} parameters, but had {then} when the optimizer was made"
            )
        );
    }
}

/// A model whose layers may be exchanged for others.
#[derive(Debug)]
enum Layer {
    Narrow(Param<1, shape![2], f64>),
    Wide(Param<1, shape![3], f64>),
}

impl Module<f64> for Layer {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Parameter<'_, f64>)) {
        match self {
            Layer::Narrow(p) => p.visit(path, visit),
            Layer::Wide(p) => p.visit(path, visit),
        }
    }
    fn visit_mut(&mut self, path: &str, visit: &mut dyn FnMut(&str, ParameterMut<'_, f64>)) {
        match self {
            Layer::Narrow(p) => p.visit_mut(path, visit),
            Layer::Wide(p) => p.visit_mut(path, visit),
        }
    }
}

#[test]
fn a_model_whose_parameters_have_other_sizes_is_refused_before_anything_is_changed() {
    let narrow = || Layer::Narrow(Param::ones());
    let wide = || Layer::Wide(Param::ones());
    let with_gradients = |layers: &Vec<Layer>| {
        for layer in layers {
            match layer {
                Layer::Narrow(p) => p.square().sum().backward(),
                Layer::Wide(p) => p.square().sum().backward(),
            }
        }
    };
    let mut layers = vec![narrow(), narrow(), wide()];
    let sgd = SgdConfig {
        momentum: 0.9,
        ..Default::default()
    };
    let mut sgd = Sgd::<_, f64>::new(&layers, sgd);
    let mut adam = Adam::<_, f64>::new(&layers, AdamConfig::default());
    with_gradients(&layers);
    sgd.step(&mut layers);
    adam.step(&mut layers);
    layers.zero_grad();
    layers[1] = wide();
    with_gradients(&layers);
    let (before, state) = (all_values(&layers), format!("{sgd:?} {adam:?}"));
    for text in [
        panic_text(|| sgd.step(&mut layers)),
        panic_text(|| adam.step(&mut layers)),
    ] {
        assert_eq!(
            text,
            "optimizer step: parameter `1` has the sizes [3], but had [2] when the optimizer was made"
        );
    }
    assert_eq!(all_values(&layers), before);
    assert_eq!(format!("{sgd:?} {adam:?}"), state);
    // One layer more, which has its turn after all others.
    layers[1] = narrow();
    layers.push(narrow());
    with_gradients(&layers);
    let before = all_values(&layers);
    panic_text(|| sgd.step(&mut layers));
    panic_text(|| adam.step(&mut layers));
    assert_eq!(all_values(&layers), before);
    assert_eq!(format!("{sgd:?} {adam:?}"), state);
    layers.pop();
    sgd.step(&mut layers);
    adam.step(&mut layers);
    assert_ne!(all_values(&layers), before);
}

#[test]
fn optimizers_are_chosen_at_run_time() {
    let mut w = Param::<1, shape![2], f64>::ones();
    let mut optimizers: Vec<Box<dyn Optimizer<Param<1, shape![2], f64>>>> = vec![
        Box::new(Sgd::new(
            &w,
            SgdConfig {
                lr: 0.1,
                ..Default::default()
            },
        )),
        Box::new(Adam::new(
            &w,
            AdamConfig {
                lr: 0.1,
                ..Default::default()
            },
        )),
        Box::new(AdamW::new(
            &w,
            AdamWConfig {
                lr: 0.1,
                ..Default::default()
            },
        )),
    ];
    let loss = |w: &Param<1, shape![2], f64>| w.square().sum();
    for _ in 0..20 {
        for optimizer in &mut optimizers {
            let before = loss(&w).item();
            Module::zero_grad(&w);
            loss(&w).backward();
            optimizer.step(&mut w);
            if before > 0.1 {
                assert!(loss(&w).item() < before);
            }
        }
    }
}

/// The text of the panic that `body` ends in.
#[track_caller]
fn panic_text<T>(body: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(body)).err().expect("a panic");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => other.downcast_ref::<&str>().unwrap_or(&"").to_string(),
    }
}
