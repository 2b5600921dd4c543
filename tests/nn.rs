//! Modules and layers: names, counts, tuples, starting values, the affine layer against its formula.

use shapeproof::nn::init::{self, Gain};
use shapeproof::nn::{Gelu, Relu, Sigmoid, Silu, Tanh};
use shapeproof::optim::SgdConfig;
use shapeproof::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[track_caller]
fn panic_text<T>(body: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(body)).err().expect("a panic");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => other.downcast_ref::<&str>().unwrap_or(&"").to_string(),
    }
}

mod modules {
    use super::*;

    struct Block<const N: usize, E: Element> {
        inner: Linear<N, N, E>,
        gain: Param<1, shape![N], E>,
    }

    impl<const N: usize, E: Element> Module<E> for Block<N, E> {
        fields!(E: inner, gain);
    }

    impl<const N: usize, E: Element> Block<N, E> {
        fn new(rng: &mut Rng) -> Self {
            Block {
                inner: Linear::new(rng),
                gain: Param::ones(),
            }
        }
    }

    struct Model<E: Element> {
        blocks: Vec<Block<3, E>>,
        pair: [Param<0, (), E>; 2],
        head: (Linear<3, 2, E>, Relu, Param<1, shape![2], E>),
        steps: usize,
    }

    impl<E: Element> Module<E> for Model<E> {
        fields!(E: blocks, pair, head);
    }

    fn model<E: Element>() -> Model<E> {
        let rng = &mut Rng::seed(0);
        Model {
            blocks: vec![Block::new(rng), Block::new(rng)],
            pair: [Param::zeros(), Param::ones()],
            head: (Linear::new(rng), Relu, Param::ones()),
            steps: 7,
        }
    }

    const NAMES: [&str; 11] = [
        "blocks.0.inner.weight",
        "blocks.0.inner.bias",
        "blocks.0.gain",
        "blocks.1.inner.weight",
        "blocks.1.inner.bias",
        "blocks.1.gain",
        "pair.0",
        "pair.1",
        "head.0.weight",
        "head.0.bias",
        "head.2",
    ];
    const COUNT: usize = 2 * (9 + 3 + 3) + 2 + (6 + 2) + 2;

    #[test]
    fn names_join_fields_and_numbers() {
        let model = model::<f64>();
        assert_eq!(model.parameter_names(), NAMES);
        assert_eq!((model.parameter_count(), model.steps), (COUNT, 7));
        assert_eq!(super::modules::model::<f32>().parameter_names(), NAMES);
        // A parameter by itself has no name, and what has none lists none.
        let p = Param::<2, shape![2, 3]>::zeros();
        assert_eq!(
            (p.parameter_names(), p.parameter_count()),
            (vec![String::new()], 6)
        );
        assert!(Module::<f32>::parameter_names(&Relu).is_empty());
        assert!(Module::<f32>::parameter_names(&Vec::<Linear<1, 1>>::new()).is_empty());
        struct Empty;
        impl Module for Empty {
            fields!();
        }
        assert_eq!(Empty.parameter_count(), 0);
    }

    #[test]
    fn both_visits_go_in_the_same_order() {
        let mut model = model::<f64>();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        model.visit("at", &mut |name, p| {
            first.push((name.to_string(), p.dims(), p.values().to_vec()))
        });
        model.visit_mut("at", &mut |name, mut p| {
            let dims = p.dims();
            second.push((name.to_string(), dims, p.values_mut().to_vec()));
        });
        assert_eq!(first, second);
        assert_eq!(
            (first[0].0.as_str(), first[0].1),
            ("at.blocks.0.inner.weight", &[3, 3][..])
        );
        assert_eq!((first[6].0.as_str(), first[6].1), ("at.pair.0", &[][..]));
    }

    #[test]
    fn gradients_and_values_are_reached_by_visiting() {
        let mut model = model::<f64>();
        (model.pair[1].square() + model.head.2.sum()).backward();
        let mut found = Vec::new();
        model.visit("", &mut |name, p| {
            if let Some(grad) = p.grad() {
                found.push((name.to_string(), grad));
            }
        });
        let right = [
            ("pair.1".to_string(), vec![2.0]),
            ("head.2".to_string(), vec![1.0, 1.0]),
        ];
        assert_eq!(found, right);
        model.zero_grad();
        model.visit("", &mut |name, p| assert!(p.grad().is_none(), "{name}"));

        let loss = model.pair[1].square();
        model.visit_mut("", &mut |_, mut p| p.values_mut().fill(5.0));
        assert_eq!(model.pair[1].item(), 5.0);
        // A graph recorded before keeps what it saw.
        loss.backward();
        assert_eq!(model.pair[1].grad().unwrap().item(), 2.0);
        model.visit("", &mut |_, p| p.zero_grad());
        assert!(model.pair[1].grad().is_none());
    }

    #[test]
    fn tuples_of_up_to_eight_layers() {
        let rng = &mut Rng::seed(1);
        let model = (
            Linear::<4, 8, f64>::new(rng),
            Tanh,
            Linear::<8, 8, f64>::new(rng),
            Gelu,
            Linear::<8, 8, f64>::new(rng),
            Silu,
            Linear::<8, 2, f64>::new(rng),
            Sigmoid,
        );
        let x = Tensor::<2, shape![5, 4], f64>::randn(rng);
        let (a, b, c, d) = (&model.0, &model.2, &model.4, &model.6);
        let hidden = c.forward(&b.forward(&a.forward(&x).tanh()).gelu()).silu();
        let right: Tensor<2, shape![5, 2], f64> = d.forward(&hidden).sigmoid();
        assert_eq!(model.forward(&x), right);
        assert_eq!(
            model.parameter_names(),
            [
                "0.weight", "0.bias", "2.weight", "2.bias", "4.weight", "4.bias", "6.weight",
                "6.bias"
            ]
        );
        // Any batch, and tuples in tuples.
        assert_eq!(
            model.forward(&Tensor::<1, shape![4], f64>::ones()).dims(),
            [2]
        );
        assert_eq!(
            model
                .forward(&Tensor::<3, shape![2, 1, 4], f64>::ones())
                .dims(),
            [2, 1, 2]
        );
        let nested = (
            (Linear::<4, 3>::new(rng), Relu),
            (Linear::<3, 2>::new(rng),),
        );
        assert_eq!(
            nested.forward(&Tensor::<2, shape![7, 4]>::ones()).dims(),
            [7, 2]
        );
        assert_eq!(
            nested.parameter_names(),
            ["0.0.weight", "0.0.bias", "1.0.weight", "1.0.bias"]
        );
    }

    #[test]
    fn activations_are_the_methods_of_their_names() {
        let x = Tensor::<2, shape![3, 3], f64>::randn(&mut Rng::seed(2));
        assert_eq!(Relu.forward(&x), x.relu());
        assert_eq!(Tanh.forward(&x), x.tanh());
        assert_eq!(Sigmoid.forward(&x), x.sigmoid());
        assert_eq!(Gelu.forward(&x), x.gelu());
        assert_eq!(Silu.forward(&x), x.silu());
    }

    #[test]
    fn training_reaches_every_parameter() {
        let mut model = model::<f64>();
        let mut sgd = Sgd::new(
            &model,
            SgdConfig {
                lr: 0.1,
                ..Default::default()
            },
        );
        let loss = |model: &Model<f64>| {
            let mut x = Tensor::from([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]]);
            for block in &model.blocks {
                x = block.inner.forward(&x).tanh() * &block.gain;
            }
            let head = model.head.0.forward(&(x * &model.pair[1] + &model.pair[0]));
            (head.tanh() * &model.head.2 - 1.0).square().mean()
        };
        let (mut before, first) = (Vec::new(), loss(&model).item());
        model.visit("", &mut |_, p| before.push(p.values().to_vec()));
        for _ in 0..20 {
            model.zero_grad();
            loss(&model).backward();
            sgd.step(&mut model);
        }
        assert!(loss(&model).item() < first / 2.0);
        let mut number = 0;
        model.visit("", &mut |name, p| {
            assert_ne!(p.values(), before[number], "{name}");
            number += 1;
        });
    }
}

mod linear {
    use super::*;

    type Layer3x2 = Linear<3, 2, f64>;

    fn layer() -> Layer3x2 {
        Layer3x2 {
            weight: Param::new(Tensor::from([[1.0, -2.0, 0.5], [3.0, 0.0, -1.0]])),
            bias: Param::new(Tensor::from([0.25, -0.5])),
        }
    }

    #[test]
    fn forward_and_gradients_of_a_batch() {
        let layer = layer();
        let x = Tensor::from([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]]).tracked();
        let y = layer.forward(&x);
        assert_eq!(y.to_array(), [[-1.25, -0.5], [-0.75, -5.5]]);
        y.backward_with(&Tensor::from([[1.0, 10.0], [2.0, 20.0]]));
        assert_eq!(layer.bias.grad().unwrap().to_array(), [3.0, 30.0]);
        assert_eq!(
            layer.weight.grad().unwrap().to_array(),
            [[-1.0, 3.0, 7.0], [-10.0, 30.0, 70.0]]
        );
        assert_eq!(
            x.grad().unwrap().to_array(),
            [[31.0, -2.0, -9.5], [62.0, -4.0, -19.0]]
        );
    }

    #[test]
    fn every_form_of_input_agrees() {
        let layer = layer();
        let rows = [[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]];
        let one = |row: [f64; 3]| layer.forward(&Tensor::from(row)).to_array();
        let right = rows.map(one);
        assert_eq!(layer.forward(&Tensor::from(rows)).to_array(), right);
        assert_eq!(
            layer.forward(&Tensor::from([rows, rows])).to_array(),
            [right, right]
        );
        let column = Tensor::from(rows).unsqueeze::<1>();
        let right_column: Tensor<3, shape![2, 1, 2], f64> = Tensor::from(right).unsqueeze::<1>();
        assert_eq!(layer.forward(&column), right_column);
        let single = Tensor::<2, shape![1, 3], f64>::from_array([rows[0]]);
        assert_eq!(layer.forward(&single).to_array(), [right[0]]);
        // No rows at all.
        let none = Tensor::<2, shape![0, 3], f64>::zeros();
        let y = layer.forward(&none);
        assert_eq!(y.dims(), [0, 2]);
        y.sum().backward();
        assert_eq!(layer.weight.grad().unwrap().to_array(), [[0.0; 3]; 2]);
        assert_eq!(layer.bias.grad().unwrap().to_array(), [0.0; 2]);
    }

    #[test]
    fn a_clone_is_a_layer_of_its_own() {
        let layer = layer();
        let mut copy = layer.clone();
        copy.bias.as_mut_slice()[0] = 9.0;
        copy.forward(&Tensor::<1, shape![3], f64>::ones())
            .sum()
            .backward();
        assert_eq!(layer.bias.to_array(), [0.25, -0.5]);
        assert!(layer.bias.grad().is_none() && copy.bias.grad().is_some());
    }

    #[test]
    fn starts_uniformly_within_one_over_the_root_of_its_inputs() {
        let layer = Linear::<100, 200, f64>::new(&mut Rng::seed(0));
        bounds(&layer.weight, 0.1);
        let bias = layer.bias.abs().max().item();
        assert!(bias < 0.1 && bias > 0.09);
        let kaiming = Linear::<100, 200, f64>::kaiming(&mut Rng::seed(0));
        moments(&kaiming.weight, (2.0f64 / 100.0).sqrt());
        assert_eq!(kaiming.bias.to_array(), [0.0; 200]);
        let text = panic_text(|| Linear::<0, 2>::new(&mut Rng::seed(0)));
        assert!(text.contains("uniform: no finite range"), "{text}");
    }
}

/// Uniform in ±bound: no number is outside, some are near the ends, mean and variance are right.
#[track_caller]
fn bounds<const R: usize, S: Shape<R>>(w: &Tensor<R, S, f64>, bound: f64) {
    let n = w.numel() as f64;
    assert!(w.max().item() < bound && w.max().item() > 0.999 * bound);
    assert!(w.min().item() >= -bound && w.min().item() < -0.999 * bound);
    moments(w, bound / 3f64.sqrt());
    // A uniform distribution has kurtosis 9/5, a normal one 3.
    let kurtosis = w.powi(4).mean().item() / w.var(0).item().powi(2);
    assert!((kurtosis - 1.8).abs() < 20.0 / n.sqrt(), "{kurtosis}");
}

/// Mean 0 and this standard deviation, within five standard errors.
#[track_caller]
fn moments<const R: usize, S: Shape<R>>(w: &Tensor<R, S, f64>, std: f64) {
    let n = w.numel() as f64;
    let (mean, got) = (w.mean().item(), w.std(1).item());
    assert!(mean.abs() < 5.0 * std / n.sqrt(), "mean {mean}");
    assert!(
        (got / std - 1.0).abs() < 5.0 / (2.0 * n).sqrt(),
        "{got} is not {std}"
    );
}

mod initialisation {
    use super::*;

    /// 128 outputs, 160 inputs; and a convolution of 32 to 64 channels with a kernel of 3 × 3.
    type Weight = Tensor<2, shape![128, 160], f64>;
    type Kernel = Tensor<4, shape![64, 32, 3, 3], f64>;

    const GAINS: [(Gain, f64); 5] = [
        (Gain::Linear, 1.0),
        (Gain::Tanh, 5.0 / 3.0),
        (Gain::Relu, std::f64::consts::SQRT_2),
        (Gain::LeakyRelu { slope: 0.5 }, 1.2649110640673518),
        (Gain::Selu, 0.75),
    ];

    #[test]
    fn gains() {
        for (gain, value) in GAINS {
            assert!((gain.value() - value).abs() < 1e-15, "{gain:?}");
        }
        assert_eq!(Gain::LeakyRelu { slope: 0.0 }.value(), Gain::Relu.value());
    }

    #[test]
    fn kaiming_looks_at_the_inputs() {
        let rng = &mut Rng::seed(5);
        for (gain, factor) in GAINS {
            let w: Weight = init::kaiming_uniform(gain, rng);
            bounds(&w, factor * (3.0f64 / 160.0).sqrt());
            let w: Weight = init::kaiming_normal(gain, rng);
            moments(&w, factor / 160f64.sqrt());
        }
        let w: Kernel = init::kaiming_uniform(Gain::Relu, rng);
        bounds(&w, (6.0f64 / 288.0).sqrt());
        let w: Kernel = init::kaiming_normal(Gain::Relu, rng);
        moments(&w, (2.0f64 / 288.0).sqrt());
    }

    #[test]
    fn xavier_looks_at_both_sides() {
        let rng = &mut Rng::seed(6);
        for (gain, factor) in GAINS {
            let w: Weight = init::xavier_uniform(gain, rng);
            bounds(&w, factor * (6.0f64 / 288.0).sqrt());
            let w: Weight = init::xavier_normal(gain, rng);
            moments(&w, factor * (2.0f64 / 288.0).sqrt());
        }
        let w: Kernel = init::xavier_uniform(Gain::Linear, rng);
        bounds(&w, (6.0f64 / (96.0 * 9.0)).sqrt());
        let w: Kernel = init::xavier_normal(Gain::Linear, rng);
        moments(&w, (2.0f64 / (96.0 * 9.0)).sqrt());
    }

    #[test]
    fn a_weight_of_one_axis_has_no_fans() {
        let rng = &mut Rng::seed(0);
        let text = panic_text(|| init::xavier_uniform::<1, shape![3], f32>(Gain::Linear, rng));
        assert_eq!(
            text,
            "fan-in and fan-out need a weight of at least two axes, not one of shape [3]"
        );
        panic_text(|| init::kaiming_normal::<0, (), f32>(Gain::Linear, rng));
    }

    #[test]
    fn single_precision_draws_the_same_numbers() {
        let single: Tensor<2, shape![20, 30]> = init::kaiming_normal(Gain::Relu, &mut Rng::seed(3));
        let double: Tensor<2, shape![20, 30], f64> =
            init::kaiming_normal(Gain::Relu, &mut Rng::seed(3));
        for (single, double) in single.iter().zip(&double) {
            assert!((f64::from(single) - double).abs() <= 1e-6 * double.abs());
        }
    }
}
