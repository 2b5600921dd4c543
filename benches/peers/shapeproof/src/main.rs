//! The works of `compare.py` in shapeproof.

mod machine;
mod models;
mod transformer;

use peer_measure::{labels, measure, numbers, once, run, weight};
use shapeproof::autograd::{value_and_grad, vmap};
use shapeproof::graph::no_grad;
use shapeproof::prelude::*;
use shapeproof::shape::Shape;
use std::hint::black_box;

type Square<const N: usize> = Tensor<2, shape![N, N]>;

/// The tensor that every peer has for this seed.
fn tensor<const R: usize, S: Shape<R>>(seed: u32, scale: f32) -> Tensor<R, S> {
    tensor_of(numbers(seed, S::DIMS.iter().product(), scale))
}

fn tensor_of<const R: usize, S: Shape<R>>(values: Vec<f32>) -> Tensor<R, S> {
    Tensor::from_vec(values).expect("as many numbers as the shape has places")
}

/// A product of an M×K and a K×N matrix, by a function of two matrices that lie as their shapes say.
macro_rules! product {
    ($name:ident, $a:ty, $b:ty, $method:ident) => {{
        let (a, b): ($a, $b) = (tensor(1, 1.0), tensor(2, 1.0));
        measure($name, 1, || black_box(&a).$method(&b), |c| c.to_vec())
    }};
}

type Vector<const N: usize> = Tensor<1, shape![N]>;
type Matrix<const M: usize, const N: usize> = Tensor<2, shape![M, N]>;
type Matrices<const B: usize, const M: usize, const N: usize> = Tensor<3, shape![B, M, N]>;

fn matmul<const M: usize, const K: usize, const N: usize>(name: &str) {
    product!(name, Matrix<M, K>, Matrix<K, N>, matmul);
}

fn matmul_t<const M: usize, const K: usize, const N: usize>(name: &str) {
    product!(name, Matrix<M, K>, Matrix<N, K>, matmul_t);
}

fn t_matmul<const M: usize, const K: usize, const N: usize>(name: &str) {
    product!(name, Matrix<K, M>, Matrix<K, N>, t_matmul);
}

/// A function of a square matrix of N² elements.
fn on_square<const N: usize, const R: usize, S: Shape<R>>(
    name: &str,
    work: impl Fn(&Square<N>) -> Tensor<R, S>,
) {
    let x = tensor(1, 1.0);
    measure(name, 1, || work(black_box(&x)), |y| y.to_vec());
}

/// A function of a square matrix, and its backward.
fn graded(name: &str, work: impl Fn(&Square<1024>) -> Square<1024>) {
    let (x, g) = (tensor(1, 1.0).tracked(), tensor(2, 1.0));
    let call = || {
        let y = work(black_box(&x));
        y.backward_with(&g);
        (y, slope(&x))
    };
    measure(name, 1, call, |(y, slope)| {
        [y.as_slice(), slope.as_slice()].concat()
    });
}

fn entropy_of_rows(name: &str) {
    let x: Square<1024> = tensor(1, 1.0).tracked();
    let targets = Indices::<1, shape![1024], 1024>::from_vec((0..1024).collect());
    let targets = targets.expect("all are below 1024");
    let call = || {
        let loss = black_box(&x).cross_entropy(&targets);
        loss.backward();
        (loss, slope(&x))
    };
    measure(name, 1, call, |(loss, slope)| {
        [loss.as_slice(), slope.as_slice()].concat()
    });
}

/// The gradient, which the tensor then forgets.
fn slope<const N: usize>(x: &Square<N>) -> Square<N> {
    let slope = x.grad().expect("backward has been there");
    x.zero_grad();
    slope
}

fn layer_norm(x: &Square<1024>) -> Square<1024> {
    x.layer_norm::<1>(1e-5)
}

/// Six operations as one.
fn polynomial(x: &Square<4096>) -> Square<4096> {
    fuse(x, |x| ((x * 2.0 + 1.0) * x - 0.5) * x + 0.25)
}

/// A function of `N` elements, for the picture of how cost grows with their number.
fn elements<const N: usize>(name: &str, function: &str) {
    let x = tensor::<1, shape![N]>(1, 1.0);
    match function {
        "add" => measure(name, 1, || black_box(&x) + &x, |y| y.to_vec()),
        "exp" => measure(name, 1, || black_box(&x).exp(), |y| y.to_vec()),
        "sum" => measure(name, 1, || black_box(&x).sum(), |y| y.to_vec()),
        _ => {}
    }
}

/// `ops` additions of 32 elements, and backward through them if they are recorded.
fn chain(name: &str, ops: u32, recorded: bool) {
    let (start, step) = (
        tensor::<1, shape![32]>(1, 1.0).tracked(),
        tensor::<1, shape![32]>(2, 0.01),
    );
    let sum = || {
        let mut x = start.clone();
        for _ in 0..ops {
            x += black_box(&step);
        }
        x.sum()
    };
    let call = || {
        if recorded {
            let sum = sum();
            sum.backward();
            start.zero_grad();
            sum
        } else {
            no_grad(sum)
        }
    };
    measure(name, ops, call, |sum| sum.to_vec());
}

/// 200 products of 512×512 matrices, forward and backward.
fn deep(name: &str) {
    let weights: Vec<_> = (0..200)
        .map(|i| Param::new(tensor_of::<2, shape![512, 512]>(weight(i, 512, 512))))
        .collect();
    let x: Square<512> = tensor(200, 1.0);
    let pass = || {
        let first = x.matmul(&weights[0]);
        let last = weights[1..].iter().fold(first, |x, w| x.matmul(w));
        last.sum().backward();
        let grad = weights[0].grad();
        weights.iter().for_each(|w| w.zero_grad());
        grad.expect("backward has been there")
    };
    measure(name, 1, pass, |grad| grad.to_vec());
}

fn per_example(name: &str) {
    let (w, b) = (
        tensor_of::<2, shape![128, 784]>(weight(1, 128, 784)),
        Tensor::<1, shape![128]>::zeros(),
    );
    let (v, c) = (
        tensor_of::<2, shape![10, 128]>(weight(2, 10, 128)),
        Tensor::<1, shape![10]>::zeros(),
    );
    let x = tensor::<2, shape![64, 784]>(3, 1.0);
    let y = Indices::<1, shape![64], 10>::from_vec(labels(64)).expect("all are below 10");
    let call = || {
        vmap(
            |(x, y)| {
                value_and_grad(
                    |(w, b, v, c)| (v.matmul(&(w.matmul(&x) + b).relu()) + c).cross_entropy(&y),
                    (&w, &b, &v, &c),
                )
                .1
            },
            (&x, &y),
        )
    };
    measure(name, 1, call, |(w, ..)| w.to_vec());
}

/// A work whose name ends in how large it is.
fn sized(name: &str, kind: &str, size: &str) {
    match (kind, size) {
        ("nodes", size) => chain(name, size.parse().expect("a number of nodes"), true),
        (function, "1000") => elements::<1_000>(name, function),
        (function, "4000") => elements::<4_000>(name, function),
        (function, "16000") => elements::<16_000>(name, function),
        (function, "64000") => elements::<64_000>(name, function),
        (function, "250000") => elements::<250_000>(name, function),
        (function, "1000000") => elements::<1_000_000>(name, function),
        (function, "4000000") => elements::<4_000_000>(name, function),
        (function, "16000000") => elements::<16_000_000>(name, function),
        (function, "64000000") => elements::<64_000_000>(name, function),
        _ => {}
    }
}

fn main() {
    run(work);
}

fn work(name: &str) {
    match name {
        "matmul_32" => matmul::<32, 32, 32>(name),
        "matmul_64" => matmul::<64, 64, 64>(name),
        "matmul_128" => matmul::<128, 128, 128>(name),
        "matmul_256" => matmul::<256, 256, 256>(name),
        "matmul_512" => matmul::<512, 512, 512>(name),
        "matmul_1024" => matmul::<1024, 1024, 1024>(name),
        "matmul_2048" => matmul::<2048, 2048, 2048>(name),
        "matmul_64_784_128" => matmul::<64, 784, 128>(name),
        "matmul_nt_256" => matmul_t::<256, 256, 256>(name),
        "matmul_nt_512" => matmul_t::<512, 512, 512>(name),
        "matmul_nt_1024" => matmul_t::<1024, 1024, 1024>(name),
        "matmul_tn_256" => t_matmul::<256, 256, 256>(name),
        "matmul_tn_512" => t_matmul::<512, 512, 512>(name),
        "matmul_tn_1024" => t_matmul::<1024, 1024, 1024>(name),
        "matmul_nt_64_784_128" => matmul_t::<64, 784, 128>(name),
        "matmul_nt_128_784_512" => matmul_t::<128, 784, 512>(name),
        "matmul_nt_128_512_10" => matmul_t::<128, 512, 10>(name),
        "matmul_nt_32_2_16" => matmul_t::<32, 2, 16>(name),
        "matmul_nt_32_16_16" => matmul_t::<32, 16, 16>(name),
        "matmul_nt_32_16_1" => matmul_t::<32, 16, 1>(name),
        "matmul_64_128_784" => matmul::<64, 128, 784>(name),
        "matmul_tn_128_64_784" => t_matmul::<128, 64, 784>(name),
        "matmul_vector_1024" => product!(name, Matrix<1024, 1024>, Vector<1024>, matmul),
        "vector_matmul_1024" => product!(name, Vector<1024>, Matrix<1024, 1024>, matmul),
        "batch_64_16" => product!(name, Matrices<64, 16, 16>, Matrices<64, 16, 16>, matmul),
        "batch_32_64_32_64" => {
            product!(name, Matrices<32, 64, 32>, Matrices<32, 32, 64>, matmul)
        }
        "add_1m" => on_square::<1024, _, _>(name, |x| x + x),
        "mul_1m" => on_square::<1024, _, _>(name, |x| x * x),
        "row_1m" => {
            let row = tensor::<1, shape![1024]>(2, 1.0);
            on_square::<1024, _, _>(name, |x| x + &row)
        }
        "relu_1m" => on_square::<1024, _, _>(name, |x| x.relu()),
        "exp_1m" => on_square::<1024, _, _>(name, |x| x.exp()),
        "tanh_1m" => on_square::<1024, _, _>(name, |x| x.tanh()),
        "sigmoid_1m" => on_square::<1024, _, _>(name, |x| x.sigmoid()),
        "softmax_1m" => on_square::<1024, _, _>(name, |x| x.softmax::<1>()),
        "sum_1m" => on_square::<1024, _, _>(name, |x| x.sum()),
        "sum_rows_1m" => on_square::<1024, _, _>(name, |x| x.sum_axis::<0>()),
        "sum_last_1m" => on_square::<1024, _, _>(name, |x| x.sum_axis::<1>()),
        "layer_norm_1m" => on_square::<1024, _, _>(name, layer_norm),
        "softmax_grad_1m" => graded(name, |x| x.softmax::<1>()),
        "log_softmax_grad_1m" => graded(name, |x| x.log_softmax::<1>()),
        "layer_norm_grad_1m" => graded(name, layer_norm),
        "cross_entropy_grad_1m" => entropy_of_rows(name),
        "multiply_adds" => machine::multiply_adds(name),
        "copy_16m" => machine::copy(name),
        "fused_6_16m" => on_square::<4096, _, _>(name, polynomial),
        "add_16m" => on_square::<4096, _, _>(name, |x| x + x),
        "relu_16m" => on_square::<4096, _, _>(name, |x| x.relu()),
        "exp_16m" => on_square::<4096, _, _>(name, |x| x.exp()),
        "tanh_16m" => on_square::<4096, _, _>(name, |x| x.tanh()),
        "sigmoid_16m" => on_square::<4096, _, _>(name, |x| x.sigmoid()),
        "sum_16m" => on_square::<4096, _, _>(name, |x| x.sum()),
        "sum_rows_16m" => on_square::<4096, _, _>(name, |x| x.sum_axis::<0>()),
        "softmax_16m" => on_square::<4096, _, _>(name, |x| x.softmax::<1>()),
        "chain_32" => chain(name, 1000, true),
        "chain_32_plain" => chain(name, 1000, false),
        "deep_200_512" => deep(name),
        "first_call" => once(name, &models::tiny()().to_vec()),
        "mlp_tiny" => measure(name, 1, models::tiny(), |loss| loss.to_vec()),
        "mlp_tiny_sgd" => measure(name, 1, models::tiny_sgd(), |loss| loss.to_vec()),
        "mlp_784_128_10" => measure(name, 1, models::mnist(), |loss| loss.to_vec()),
        "mlp_784_512_512_10" => measure(name, 1, models::wide(), |loss| loss.to_vec()),
        "cnn" => measure(name, 1, models::cnn(), |loss| loss.to_vec()),
        "transformer" => transformer::measured(name),
        "per_example_gradients" => per_example(name),
        _ => {
            if let Some((kind, size)) = name.split_once('/') {
                sized(name, kind, size);
            }
        }
    }
}
