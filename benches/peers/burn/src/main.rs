//! The works of `compare.py` in burn, but for those that it has not.

mod models;

use burn::nn::loss::CrossEntropyLossConfig;
use burn::tensor::activation::{relu, sigmoid, softmax, tanh};
use burn::tensor::{Device, Int, Tensor, TensorData};
use peer_measure::{measure, numbers, once, run, weight};
use std::hint::black_box;

const M1: [usize; 2] = [1024, 1024];
const M16: [usize; 2] = [4096, 4096];

/// Where nothing is recorded.
fn plain() -> Device {
    Device::flex()
}

/// Where parameters lie: what is computed of them is recorded.
fn recorded() -> Device {
    plain().autodiff()
}

/// The tensor that every peer has for this seed.
fn tensor<const D: usize>(seed: u32, shape: [usize; D], scale: f32) -> Tensor<D> {
    tensor_of(numbers(seed, shape.iter().product(), scale), shape)
}

fn tensor_of<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values, shape), &plain())
}

/// It starts with the values of a tensor, and has gradients.
fn variable<const D: usize>(values: Tensor<D>) -> Tensor<D> {
    Tensor::from_data(values.into_data(), &recorded()).require_grad()
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor
        .into_data()
        .try_into_vec()
        .expect("its numbers are f32")
}

fn all_values<const D: usize, const F: usize>((first, second): (Tensor<D>, Tensor<F>)) -> Vec<f32> {
    [values(first), values(second)].concat()
}

/// A product of two matrices, or of as many pairs.
fn product<const D: usize>(name: &str, a: [usize; D], b: [usize; D]) {
    let (a, b) = (tensor(1, a, 1.0), tensor(2, b, 1.0));
    let call = || black_box(&a).clone().matmul(b.clone());
    measure(name, 1, call, values);
}

/// `matmul_64`, `matmul_nt_64_784_128` and the like, by the numbers in their names.
fn matmul(name: &str, sizes: &str) {
    let (layout, [m, k, n]) = peer_measure::product(sizes);
    match layout {
        "nt" => {
            let (a, b) = (tensor(1, [m, k], 1.0), tensor(2, [n, k], 1.0));
            let call = || black_box(&a).clone().matmul(b.clone().transpose());
            measure(name, 1, call, values);
        }
        "tn" => {
            let (a, b) = (tensor(1, [k, m], 1.0), tensor(2, [k, n], 1.0));
            let call = || black_box(&a).clone().transpose().matmul(b.clone());
            measure(name, 1, call, values);
        }
        _ => product(name, [m, k], [k, n]),
    }
}

/// A function of one tensor.
fn on<const D: usize, const F: usize>(
    name: &str,
    shape: [usize; D],
    work: impl Fn(Tensor<D>) -> Tensor<F>,
) {
    let x = tensor(1, shape, 1.0);
    measure(name, 1, || work(black_box(&x).clone()), values);
}

fn layer_norm(x: Tensor<2>) -> Tensor<2> {
    let (gain, bias) = (
        Tensor::ones([1024], &plain()),
        Tensor::zeros([1024], &plain()),
    );
    burn::tensor::module::layer_norm(x, gain, Some(bias), 1e-5)
}

fn entropy_of_rows(name: &str) {
    let x = variable(tensor(1, M1, 1.0));
    let y = Tensor::<1, Int>::arange(0..1024, &recorded());
    let entropy = CrossEntropyLossConfig::new().init(&recorded());
    let call = || {
        let loss = entropy.forward(x.clone(), y.clone());
        let mut grads = loss.backward();
        let slope = x.grad_remove(&mut grads).expect("x has a gradient");
        (loss, slope)
    };
    measure(name, 1, call, all_values);
}

/// `ops` additions of 32 elements, and backward through them if they are recorded.
fn chain(name: &str, ops: u32, is_recorded: bool) {
    let device = if is_recorded { recorded() } else { plain() };
    let step = Tensor::<1>::from_data(tensor(2, [32], 0.01).into_data(), &device);
    let start = tensor(1, [32], 1.0);
    let start = if is_recorded { variable(start) } else { start };
    let call = || {
        let mut x = start.clone();
        for _ in 0..ops {
            x = x + black_box(&step).clone();
        }
        let sum = x.sum();
        if is_recorded {
            black_box(sum.backward());
        }
        sum
    };
    measure(name, ops, call, values);
}

/// 200 products of 512×512 matrices, forward and backward.
fn deep(name: &str) {
    let weights: Vec<Tensor<2>> = (0..200)
        .map(|i| variable(tensor_of(weight(i, 512, 512), [512, 512])))
        .collect();
    let x = Tensor::from_data(tensor(200, [512, 512], 1.0).into_data(), &recorded());
    let call = || {
        let mut y: Tensor<2> = x.clone();
        for w in &weights {
            y = y.matmul(w.clone());
        }
        let mut grads = y.sum().backward();
        let slope = weights[0].grad_remove(&mut grads);
        slope.expect("it has a gradient")
    };
    measure(name, 1, call, values);
}

/// A work whose name ends in how large it is.
fn sized(name: &str, kind: &str, size: &str) {
    let size = size.parse().expect("a size");
    match kind {
        "nodes" => chain(name, size as u32, true),
        "add" => on(name, [size], |x| x.clone() + x),
        "exp" => on(name, [size], |x| x.exp()),
        "sum" => on(name, [size], |x| x.sum()),
        _ => {}
    }
}

fn main() {
    run(work);
}

fn work(name: &str) {
    match name {
        "matmul_vector_1024" => product(name, [1024, 1024], [1024, 1]),
        "vector_matmul_1024" => product(name, [1, 1024], [1024, 1024]),
        "batch_64_16" => product(name, [64, 16, 16], [64, 16, 16]),
        "batch_32_64_32_64" => product(name, [32, 64, 32], [32, 32, 64]),
        "add_1m" => on(name, M1, |x| x.clone() + x),
        "mul_1m" => on(name, M1, |x| x.clone() * x),
        "row_1m" => {
            let row = tensor(2, [1, 1024], 1.0);
            on(name, M1, |x| x + row.clone())
        }
        "relu_1m" => on(name, M1, relu),
        "exp_1m" => on(name, M1, |x| x.exp()),
        "tanh_1m" => on(name, M1, tanh),
        "sigmoid_1m" => on(name, M1, sigmoid),
        "softmax_1m" => on(name, M1, |x| softmax(x, 1)),
        "sum_1m" => on(name, M1, |x| x.sum()),
        "sum_rows_1m" => on(name, M1, |x| x.sum_dim(0)),
        "sum_last_1m" => on(name, M1, |x| x.sum_dim(1)),
        "layer_norm_1m" => on(name, M1, layer_norm),
        "cross_entropy_grad_1m" => entropy_of_rows(name),
        "fused_6_16m" => on(name, M16, |x| {
            ((x.clone() * 2.0 + 1.0) * x.clone() - 0.5) * x + 0.25
        }),
        "add_16m" => on(name, M16, |x| x.clone() + x),
        "relu_16m" => on(name, M16, relu),
        "exp_16m" => on(name, M16, |x| x.exp()),
        "tanh_16m" => on(name, M16, tanh),
        "sigmoid_16m" => on(name, M16, sigmoid),
        "sum_16m" => on(name, M16, |x| x.sum()),
        "sum_rows_16m" => on(name, M16, |x| x.sum_dim(0)),
        "softmax_16m" => on(name, M16, |x| softmax(x, 1)),
        "chain_32" => chain(name, 1000, true),
        "chain_32_plain" => chain(name, 1000, false),
        "deep_200_512" => deep(name),
        "first_call" => once(name, &values(models::tiny()())),
        "mlp_tiny" => measure(name, 1, models::tiny(), values),
        "mlp_tiny_sgd" => measure(name, 1, models::tiny_sgd(), values),
        "mlp_784_128_10" => measure(name, 1, models::mnist(), values),
        "mlp_784_512_512_10" => measure(name, 1, models::wide(), values),
        "cnn" => measure(name, 1, models::cnn(), values),
        "transformer" => measure(name, 1, models::transformer(), all_values),
        _ => {
            if let Some((kind, size)) = name.split_once('/') {
                sized(name, kind, size);
            } else if let Some(sizes) = name.strip_prefix("matmul_") {
                matmul(name, sizes);
            }
        }
    }
}
