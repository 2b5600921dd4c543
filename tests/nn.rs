//! Modules and layers: names, counts, tuples, starting values, the affine layer against its formula.

use shapeproof::nn::init::{self, Gain};
use shapeproof::nn::{
    AvgPool1d, AvgPool2d, Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d, Dropout, Flatten, Gelu,
    MaxPool1d, MaxPool2d, Relu, Sigmoid, Silu, Tanh,
};
use shapeproof::optim::SgdConfig;
use shapeproof::prelude::*;
use shapeproof::shape::{Ceil, Groups, Pool, Same, Slide, Spread};
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
    fn tuples_of_many_layers() {
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
        let twelve = (
            Relu,
            Tanh,
            Linear::<4, 5, f64>::new(rng),
            Relu,
            Linear::<5, 5, f64>::new(rng),
            Relu,
            Linear::<5, 5, f64>::new(rng),
            Relu,
            Linear::<5, 5, f64>::new(rng),
            Relu,
            Gelu,
            Linear::<5, 3, f64>::new(rng),
        );
        let (first, last) = (&twelve.2, &twelve.11);
        let hidden = first.forward(&x.relu().tanh()).relu();
        let hidden = twelve.6.forward(&twelve.4.forward(&hidden).relu()).relu();
        let hidden = twelve.8.forward(&hidden).relu().gelu();
        assert_eq!(twelve.forward(&x), last.forward(&hidden));
        assert_eq!(twelve.parameter_names()[9], "11.bias");
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

mod layer_norm {
    use super::*;
    use shapeproof::nn::LayerNorm;

    /// Against torch.nn.functional.layer_norm in f64.
    #[test]
    fn every_form_of_input_and_the_gradients() {
        let mut layer = LayerNorm::<3, f64>::new();
        layer.weight = Param::new(Tensor::from([2.0, -1.0, 0.5]));
        layer.bias = Param::new(Tensor::from([0.25, 0.0, -1.0]));
        let rows = [[1.0, 2.0, 4.0], [-3.0, 0.5, 0.0]];
        let right = [
            [
                -1.8880830629005954,
                0.26726038286257453,
                -0.3318490428435641,
            ],
            [-2.553646235198769, -0.8626603800611595, -0.7304186312308877],
        ];
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        let all_close = |a: [[f64; 3]; 2], b: [[f64; 3]; 2]| {
            for (a, b) in a.as_flattened().iter().zip(b.as_flattened()) {
                close(*a, *b);
            }
        };
        let x = Tensor::from(rows).tracked();
        let y = layer.forward(&x);
        all_close(y.to_array(), right);
        let one = |row: [f64; 3]| layer.forward(&Tensor::from(row)).to_array();
        all_close(rows.map(one), right);
        all_close(layer.forward(&Tensor::from([rows])).to_array()[0], right);

        y.backward_with(&Tensor::from([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]]));
        all_close(
            x.grad().unwrap().to_array(),
            [
                [1.3172111506406525, -1.9758180145295412, 0.6586068638888887],
                [-0.0902820964703445, -0.5416682037528984, 0.6319503002232431],
            ],
        );
        let weight = layer.weight.grad().unwrap().to_array();
        for (a, b) in
            weight
                .into_iter()
                .zip([0.3327815861490864, -0.10319057569456946, 5.087231218015065])
        {
            close(a, b);
        }
        assert_eq!(layer.bias.grad().unwrap().to_array(), [0.0, 2.5, 5.0]);
        assert_eq!(layer.parameter_names(), ["weight", "bias"]);
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

mod images {
    use super::*;

    #[test]
    fn convolutions_are_the_operations_and_a_bias_for_each_channel() {
        let rng = &mut Rng::seed(7);
        let x = Tensor::<3, shape![2, 4, 9], f64>::randn(rng);
        let layer = Conv1d::<2, 6, 3, Groups<2, Slide<2, 1>>, f64>::new(rng);
        let right = x.conv1d(&layer.weight, layer.way) + layer.bias.unsqueeze::<1>();
        assert_eq!(layer.forward(&x), right);
        let layer = ConvTranspose1d::<4, 3, 2, Spread<3, 0, 1>, f64>::new(rng);
        let right =
            x.conv_transpose1d(&layer.weight, Spread::<3, 0, 1>) + layer.bias.unsqueeze::<1>();
        assert_eq!(layer.forward(&x), right);
        assert_eq!(right.dims(), [2, 3, 27]);
        // Two groups of two channels make three each.
        let layer = ConvTranspose1d::<4, 3, 2, Groups<2, Spread<3, 0, 1>>, f64>::new(rng);
        let right = x.conv_transpose1d(&layer.weight, layer.way) + layer.bias.unsqueeze::<1>();
        assert_eq!(layer.forward(&x), right);
        assert_eq!((layer.bias.dims(), right.dims()), ([6], [2, 6, 27]));

        let x = Tensor::<4, shape![2, 4, 5, 6], f64>::randn(rng);
        let (layer, bias) = (
            Conv2d::<4, 3, 3, Same, f64>::new(rng),
            |b: &Param<1, shape![3], f64>| b.unsqueeze::<1>().unsqueeze::<2>(),
        );
        let right = x.conv2d(&layer.weight, Same) + bias(&layer.bias);
        assert_eq!(layer.forward(&x), right);
        let layer = ConvTranspose2d::<4, 3, 4, (Spread<2, 1>, Spread<1>), f64>::new(rng);
        let right = x.conv_transpose2d(&layer.weight, layer.way) + bias(&layer.bias);
        assert_eq!(layer.forward(&x), right);
        assert_eq!(right.dims(), [2, 3, 10, 9]);
        let depthwise = ConvTranspose2d::<4, 1, 2, Groups<4, Spread<2>>, f64>::new(rng);
        let y: Tensor<4, shape![2, 4, 10, 12], f64> = depthwise.forward(&x);
        // Its fourth channel is that of the input times the fourth kernel.
        let kernel = depthwise.weight.narrow::<0, 3, 1>();
        let alone = x.narrow::<0, 0, 1>().narrow::<1, 3, 1>();
        let alone = alone.conv_transpose2d(&kernel, Spread::<2>) + depthwise.bias.select::<0, 3>();
        assert_eq!(
            y.narrow::<0, 0, 1>().narrow::<1, 3, 1>().to_vec(),
            alone.to_vec()
        );
        right.sum().backward();
        assert_eq!(layer.bias.grad().unwrap().to_array(), [2.0 * 10.0 * 9.0; 3]);
        assert_eq!(layer.parameter_names(), ["weight", "bias"]);
    }

    /// Fan-in is what one entry of axis 0 of the weight has, transposed or not (PyTorch's rule).
    #[test]
    fn convolutions_start_uniformly_by_their_fan_in() {
        let rng = &mut Rng::seed(8);
        let bound = |entries: f64| entries.sqrt().recip();
        bounds(
            &Conv1d::<32, 64, 5, Same, f64>::new(rng).weight,
            bound(32.0 * 5.0),
        );
        bounds(
            &Conv2d::<16, 64, 3, Same, f64>::new(rng).weight,
            bound(16.0 * 9.0),
        );
        bounds(
            &ConvTranspose1d::<64, 32, 5, Spread, f64>::new(rng).weight,
            bound(32.0 * 5.0),
        );
        let layer = ConvTranspose2d::<64, 16, 3, Spread, f64>::new(rng);
        bounds(&layer.weight, bound(16.0 * 9.0));
        let bias = layer.bias.abs().max().item();
        assert!(bias < bound(16.0 * 9.0) && bias > 0.7 * bound(16.0 * 9.0));
    }

    #[test]
    fn pools_are_the_methods_of_their_names() {
        let rng = &mut Rng::seed(9);
        let x = Tensor::<3, shape![2, 3, 7]>::randn(rng);
        assert_eq!(MaxPool1d(Pool::<2>).forward(&x), x.max_pool1d(Pool::<2>));
        assert_eq!(
            AvgPool1d(Ceil(Pool::<2>)).forward(&x),
            x.avg_pool1d(Ceil(Pool::<2>))
        );
        let x = Tensor::<4, shape![2, 3, 7, 8]>::randn(rng);
        assert_eq!(
            MaxPool2d(Pool::<3, 2, 1>).forward(&x),
            x.max_pool2d(Pool::<3, 2, 1>)
        );
        let window = (Pool::<2>, Pool::<3>);
        assert_eq!(AvgPool2d(window).forward(&x), x.avg_pool2d(window));
        assert!(Module::<f32>::parameter_names(&MaxPool2d(Pool::<2>)).is_empty());
    }

    #[test]
    fn one_image_alone_is_as_good_as_a_batch() {
        let rng = &mut Rng::seed(4);
        let x = Tensor::<3, shape![2, 9, 8]>::randn(rng);
        let model = (
            Conv2d::<2, 4, 3>::new(rng),
            MaxPool2d(Pool::<2>),
            ConvTranspose2d::<4, 2, 3, Spread<2>>::new(rng),
            AvgPool2d(Ceil(Pool::<2>)),
        );
        let batch = model.forward(&x.unsqueeze::<0>());
        let single: Tensor<3, shape![2, 4, 4]> = model.forward(&x);
        assert_eq!(single.to_vec(), batch.to_vec());
        let x = Tensor::<2, shape![2, 9]>::randn(rng);
        let model = (
            Conv1d::<2, 4, 3>::new(rng),
            MaxPool1d(Pool::<2>),
            ConvTranspose1d::<4, 2, 3, Spread<2>>::new(rng),
            AvgPool1d(Pool::<2>),
        );
        let single: Tensor<2, shape![2, 3]> = model.forward(&x);
        assert_eq!(single.to_vec(), model.forward(&x.unsqueeze::<0>()).to_vec());
    }

    #[test]
    fn flatten_keeps_the_first_axis() {
        let x = Tensor::<4, shape![2, 3, 4, 5]>::randn(&mut Rng::seed(1)).tracked();
        let y: Tensor<2, shape![2, 60]> = Flatten::<60>.forward(&x);
        assert_eq!(y.to_vec(), x.to_vec());
        y.sum().backward();
        assert_eq!(x.grad().unwrap(), Tensor::ones());
        let one: Tensor<2, shape![1, 6]> = Flatten.forward(&Tensor::<3, shape![1, 2, 3]>::ones());
        assert_eq!(one.dims(), [1, 6]);
        let vector: Tensor<2, shape![4, 1]> = Flatten
            .forward(&Tensor::<1, shape![4]>::ones())
            .stretch::<1>();
        assert_eq!(vector.dims(), [4, 1]);
    }

    /// A network of each layer learns to tell two textures apart.
    #[test]
    fn a_small_network_learns() {
        let rng = &mut Rng::seed(2);
        let mut model = (
            (
                Conv2d::<1, 4, 3, Same>::new(rng),
                Relu,
                MaxPool2d(Pool::<2>),
            ),
            (
                Conv2d::<4, 8, 3, Same>::new(rng),
                Relu,
                AvgPool2d(Pool::<2>),
            ),
            Flatten::<32>,
            Dropout::new(0.2, rng),
            Linear::<32, 2>::new(rng),
        );
        // Stripes one way or the other, and noise.
        type Images = Tensor<4, shape![32, 1, 8, 8]>;
        let noise = Images::randn(rng) * 0.3;
        let stripes: Vec<f32> = (0..noise.numel())
            .map(|i| if i / 64 % 2 == 0 { i % 2 } else { i / 8 % 2 } as f32)
            .collect();
        let x = noise + Images::from_slice(&stripes).unwrap();
        let kinds: Vec<usize> = (0..32).map(|i| i % 2).collect();
        let kinds = Indices::<1, shape![32], 2>::from_slice(&kinds).unwrap();
        let mut adam = Adam::new(
            &model,
            AdamConfig {
                lr: 0.01,
                ..Default::default()
            },
        );
        for _ in 0..30 {
            model.zero_grad();
            model.forward(&x).cross_entropy(&kinds).backward();
            adam.step(&mut model);
        }
        Module::<f32>::set_training(&mut model, false);
        let loss = model.forward(&x).cross_entropy(&kinds).item();
        assert!(loss < 0.1, "{loss}");
    }
}

mod embedding {
    use super::*;
    use shapeproof::nn::Embedding;

    #[test]
    fn any_shape_of_tokens_and_the_gradient() {
        let rng = &mut Rng::seed(4);
        let layer = Embedding::<5, 3, f64>::new(rng);
        assert_eq!(layer.parameter_names(), ["weight"]);
        let tokens = Indices::<2, shape![2, 2], 5>::from_array([[4, 0], [4, 1]]).unwrap();
        assert_eq!(layer.forward(&tokens), layer.weight.embedding(&tokens));
        let one = Indices::<0, shape![], 5>::from_array(2).unwrap();
        assert_eq!(layer.forward(&one).to_vec(), layer.weight.to_array()[2]);

        let model = (layer, Linear::<3, 1, f64>::new(rng));
        model.forward(&tokens).sum().backward();
        let grad = model.0.weight.grad().unwrap();
        let row = |k: f64| model.1.weight.to_array()[0].map(|w| k * w);
        assert_eq!(
            grad.to_array(),
            [row(1.0), row(1.0), row(0.0), row(0.0), row(2.0)]
        );
    }
}

mod dropout {
    use super::*;

    type Line = Tensor<1, shape![1000]>;

    struct Model {
        first: Dropout,
        rest: (Linear<2, 2>, Dropout),
        heads: [Dropout; 2],
    }
    impl Module for Model {
        fields!(first, rest, heads);
    }

    #[test]
    fn one_seed_drops_the_same_numbers() {
        let draw = |seed| {
            let layer = Dropout::new(0.3, &mut Rng::seed(seed));
            let x = Line::ones();
            [layer.forward(&x), layer.forward(&x)]
        };
        let [first, second] = draw(5);
        assert_eq!([first.clone(), second.clone()], draw(5));
        assert_ne!(first, second);
        assert_ne!(first, draw(6)[0]);
        // Each number is 0 or 1/0.7, about three of ten are 0.
        let dropped = first.iter().filter(|&x| x == 0.0).count();
        assert!((250..350).contains(&dropped), "{dropped}");
        assert!(
            first
                .iter()
                .all(|x| x == 0.0 || (x - 1.0 / 0.7).abs() < 1e-6)
        );
        // What is dropped passes no gradient; what is not, its factor.
        let x = Line::ones().tracked();
        let y = Dropout::new(0.3, &mut Rng::seed(5)).forward(&x);
        y.sum().backward();
        assert_eq!(x.grad().unwrap(), y.detach());
    }

    #[test]
    fn a_clone_draws_what_the_original_would() {
        let layer = Dropout::new(0.5, &mut Rng::seed(1));
        let x = Line::ones();
        layer.forward(&x);
        let copy = layer.clone();
        assert_eq!(copy.forward(&x), layer.forward(&x));
    }

    #[test]
    fn modes_are_reached_by_name() {
        let rng = &mut Rng::seed(3);
        let mut model = Model {
            first: Dropout::new(1.0, rng),
            rest: (Linear::new(rng), Dropout::new(1.0, rng)),
            heads: [Dropout::new(1.0, rng), Dropout::new(1.0, rng)],
        };
        let mut names = Vec::new();
        model.visit_modes("", &mut |name, mode| names.push((name.to_string(), *mode)));
        let right = ["first", "rest.1", "heads.0", "heads.1"];
        assert_eq!(names, right.map(|name| (name.to_string(), true)));
        let x = Line::ones();
        let sums = |model: &Model| {
            [
                &model.first,
                &model.rest.1,
                &model.heads[0],
                &model.heads[1],
            ]
            .map(|d| d.forward(&x).sum().item())
        };
        assert_eq!(sums(&model), [0.0; 4]);
        model.set_training(false);
        assert_eq!(sums(&model), [1000.0; 4]);
        model.visit_modes("", &mut |name, mode| *mode = name.starts_with("heads"));
        assert_eq!(sums(&model), [1000.0, 1000.0, 0.0, 0.0]);
        model.set_training(true);
        assert_eq!(sums(&model), [0.0; 4]);
    }

    #[test]
    fn a_probability_is_from_0_to_1() {
        for p in [-0.1, 1.5, f64::NAN] {
            let text = panic_text(|| Dropout::new(p, &mut Rng::seed(0)));
            assert_eq!(
                text,
                format!("dropout: a probability of {p}, which is not in 0..=1")
            );
        }
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
