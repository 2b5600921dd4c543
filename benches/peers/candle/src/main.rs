//! The works of `compare.py` in candle, but for those that it has not.

mod models;

use candle_core::{Device, Result, Tensor, Var};
use candle_nn::{loss, ops};
use peer_measure::{measure, numbers, once, run, weight};
use std::hint::black_box;

const M1: &[usize] = &[1024, 1024];
const M16: &[usize] = &[4096, 4096];

/// The tensor that every peer has for this seed.
fn tensor(seed: u32, shape: &[usize], scale: f32) -> Tensor {
    tensor_of(numbers(seed, shape.iter().product(), scale), shape)
}

fn tensor_of(values: Vec<f32>, shape: &[usize]) -> Tensor {
    Tensor::from_vec(values, shape, &Device::Cpu).expect("as many numbers as the shape has places")
}

/// It starts with the values of a tensor, and has gradients.
fn variable(values: &Tensor) -> Var {
    Var::from_tensor(values).expect("a tensor can be copied")
}

fn values(tensor: Tensor) -> Vec<f32> {
    let flat = tensor.flatten_all().and_then(|flat| flat.to_vec1());
    flat.expect("its numbers are f32")
}

fn all_values((first, second): (Tensor, Tensor)) -> Vec<f32> {
    [values(first), values(second)].concat()
}

/// Works never meet shapes that do not fit.
fn timed(name: &str, per: u32, call: impl Fn() -> Result<Tensor>) {
    measure(name, per, || call().expect("shapes fit"), values);
}

/// A product of two matrices; `nt` and `tn` say which operand lies transposed.
fn product(name: &str, layout: &str, a: &[usize], b: &[usize]) {
    let (a, b) = (tensor(1, a, 1.0), tensor(2, b, 1.0));
    timed(name, 1, || match layout {
        "nt" => black_box(&a).matmul(&b.t()?),
        "tn" => black_box(&a).t()?.matmul(&b),
        _ => black_box(&a).matmul(&b),
    });
}

/// `matmul_64`, `matmul_nt_64_784_128` and the like, by the numbers in their names.
fn matmul(name: &str, sizes: &str) {
    let (layout, [m, k, n]) = peer_measure::product(sizes);
    match layout {
        "nt" => product(name, layout, &[m, k], &[n, k]),
        "tn" => product(name, layout, &[k, m], &[k, n]),
        _ => product(name, layout, &[m, k], &[k, n]),
    }
}

/// A function of one tensor.
fn on(name: &str, shape: &[usize], work: impl Fn(&Tensor) -> Result<Tensor>) {
    let x = tensor(1, shape, 1.0);
    timed(name, 1, || work(black_box(&x)));
}

fn entropy_of_rows(name: &str) {
    let x = variable(&tensor(1, M1, 1.0));
    let y = Tensor::arange(0u32, 1024, &Device::Cpu).expect("a range");
    let call = || {
        let loss = loss::cross_entropy(&x, &y)?;
        let slope = loss.backward()?.remove(&x).expect("x has a gradient");
        Ok::<_, candle_core::Error>((loss, slope))
    };
    measure(name, 1, || call().expect("shapes fit"), all_values);
}

/// `ops` additions of 32 elements, and backward through them if they are recorded.
fn chain(name: &str, ops: u32, recorded: bool) {
    let (start, step) = (tensor(1, &[32], 1.0), tensor(2, &[32], 0.01));
    let variable = variable(&start);
    timed(name, ops, || {
        let mut x = if recorded {
            variable.as_tensor().clone()
        } else {
            start.clone()
        };
        for _ in 0..ops {
            x = (x + black_box(&step))?;
        }
        let sum = x.sum_all()?;
        if recorded {
            black_box(sum.backward()?);
        }
        Ok(sum)
    });
}

/// 200 products of 512×512 matrices, forward and backward.
fn deep(name: &str) {
    let weights: Vec<Var> = (0..200)
        .map(|i| variable(&tensor_of(weight(i, 512, 512), &[512, 512])))
        .collect();
    let x = tensor(200, &[512, 512], 1.0);
    timed(name, 1, || {
        let mut y = x.clone();
        for w in &weights {
            y = y.matmul(w)?;
        }
        let mut grads = y.sum_all()?.backward()?;
        Ok(grads.remove(&weights[0]).expect("it has a gradient"))
    });
}

/// A work whose name ends in how large it is.
fn sized(name: &str, kind: &str, size: &str) {
    let size = size.parse().expect("a size");
    match kind {
        // candle walks a graph, and frees it, by calling itself for each node.
        "nodes" if size <= 10_000 => chain(name, size as u32, true),
        "add" => on(name, &[size], |x| x + x),
        "exp" => on(name, &[size], |x| x.exp()),
        "sum" => on(name, &[size], |x| x.sum_all()),
        _ => {}
    }
}

fn main() {
    run(work);
}

fn work(name: &str) {
    match name {
        "matmul_vector_1024" => product(name, "nn", &[1024, 1024], &[1024, 1]),
        "vector_matmul_1024" => product(name, "nn", &[1, 1024], &[1024, 1024]),
        "batch_64_16" => product(name, "nn", &[64, 16, 16], &[64, 16, 16]),
        "batch_32_64_32_64" => product(name, "nn", &[32, 64, 32], &[32, 32, 64]),
        "add_1m" => on(name, M1, |x| x + x),
        "mul_1m" => on(name, M1, |x| x * x),
        "row_1m" => {
            let row = tensor(2, &[1024], 1.0);
            on(name, M1, |x| x.broadcast_add(&row))
        }
        "relu_1m" => on(name, M1, |x| x.relu()),
        "exp_1m" => on(name, M1, |x| x.exp()),
        "tanh_1m" => on(name, M1, |x| x.tanh()),
        "sigmoid_1m" => on(name, M1, ops::sigmoid),
        "softmax_1m" => on(name, M1, ops::softmax_last_dim),
        "sum_1m" => on(name, M1, |x| x.sum_all()),
        "sum_rows_1m" => on(name, M1, |x| x.sum(0)),
        "sum_last_1m" => on(name, M1, |x| x.sum(1)),
        "layer_norm_1m" => {
            let (gain, bias) = models::unit_norm(1024);
            on(name, M1, |x| ops::layer_norm(x, &gain, &bias, 1e-5))
        }
        "cross_entropy_grad_1m" => entropy_of_rows(name),
        "fused_6_16m" => on(name, M16, |x| {
            (((((x * 2.0)? + 1.0)? * x)? - 0.5)? * x)? + 0.25
        }),
        "add_16m" => on(name, M16, |x| x + x),
        "relu_16m" => on(name, M16, |x| x.relu()),
        "exp_16m" => on(name, M16, |x| x.exp()),
        "tanh_16m" => on(name, M16, |x| x.tanh()),
        "sigmoid_16m" => on(name, M16, ops::sigmoid),
        "sum_16m" => on(name, M16, |x| x.sum_all()),
        "sum_rows_16m" => on(name, M16, |x| x.sum(0)),
        "softmax_16m" => on(name, M16, ops::softmax_last_dim),
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
