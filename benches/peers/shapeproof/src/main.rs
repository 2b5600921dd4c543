//! The works of `compare.py` in shapeproof.

use shapeproof::autograd::{value_and_grad, vmap};
use shapeproof::nn::{Conv2d, Flatten, MaxPool2d, Relu, Tanh};
use shapeproof::optim::{AdamConfig, SgdConfig};
use shapeproof::prelude::*;
use shapeproof::shape::Pool;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long a work is repeated.
const TIME: Duration = Duration::from_millis(300);

/// Prints the median time of a call, in nanoseconds.
fn measure<T>(name: &str, mut call: impl FnMut() -> T) {
    let mut times = Vec::new();
    for _ in 0..3 {
        black_box(call());
    }
    let start = Instant::now();
    while start.elapsed() < TIME || times.len() < 5 {
        let before = Instant::now();
        black_box(call());
        times.push(before.elapsed());
    }
    times.sort();
    println!("{name} {}", times[times.len() / 2].as_nanos());
}

/// A product of an M×K and a K×N matrix, by a function of two matrices that lie as their shapes say.
macro_rules! product {
    ($name:ident, $a:ty, $b:ty, $method:ident) => {{
        let rng = &mut Rng::seed(0);
        let (a, b) = (<$a>::randn(rng), <$b>::randn(rng));
        measure($name, || black_box(&a).$method(&b))
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

/// A square matrix of N² elements and a function of it.
fn on_square<const N: usize, T>(name: &str, work: impl Fn(&Tensor<2, shape![N, N]>) -> T) {
    let x = Tensor::<2, shape![N, N]>::randn(&mut Rng::seed(0));
    measure(name, || work(black_box(&x)));
}

type Square = Tensor<2, shape![1024, 1024]>;

/// A function of a square matrix, and its backward.
fn graded(name: &str, work: impl Fn(&Square) -> Square) {
    let rng = &mut Rng::seed(0);
    let (x, g) = (Square::randn(rng).tracked(), Square::randn(rng));
    measure(name, || {
        work(black_box(&x)).backward_with(&g);
        x.zero_grad();
    });
}

fn layer_norm(x: &Square) -> Square {
    let [variance, mean] = x.var_mean_keepdim::<1>(0);
    (x - mean) / (variance + 1e-5).sqrt()
}

fn entropy_of_rows(name: &str) {
    let x = Square::randn(&mut Rng::seed(0)).tracked();
    let targets = Indices::<1, shape![1024], 1024>::from_vec((0..1024).collect());
    let targets = targets.expect("all are below 1024");
    measure(name, || {
        black_box(&x).cross_entropy(&targets).backward();
        x.zero_grad();
    });
}

/// The most memory that the process has held so far, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells of a process");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .expect("and its peak");
    let kilobytes = line.split_whitespace().nth(1).expect("a number");
    kilobytes.parse::<usize>().expect("in kilobytes") << 10
}

/// 200 products of 512×512 matrices, forward and backward: prints the time, and with `memory` the peak above what the
/// process held before, in bytes.
fn deep(memory: bool) {
    type Square = Tensor<2, shape![512, 512]>;
    let rng = &mut Rng::seed(0);
    let weights: Vec<_> = (0..200)
        .map(|_| Param::new(Square::randn(rng) * (1.0 / 512f32.sqrt())))
        .collect();
    let x = Square::randn(rng);
    let pass = || {
        let first = x.matmul(&weights[0]);
        let last = weights[1..].iter().fold(first, |x, w| x.matmul(w));
        last.sum().backward();
        weights.iter().for_each(|w| w.zero_grad());
    };
    if memory {
        let before = peak();
        pass();
        println!("memory_200_512 {}", peak() - before);
    } else {
        measure("deep_200_512", pass);
    }
}

fn chain() {
    const OPS: u32 = 1000;
    let rng = &mut Rng::seed(0);
    let (start, step) = (
        Tensor::<1, shape![32]>::randn(rng).tracked(),
        Tensor::<1, shape![32]>::randn(rng),
    );
    let mut times = Vec::new();
    for _ in 0..300 {
        let before = Instant::now();
        let mut x = start.clone();
        for _ in 0..OPS {
            x += black_box(&step);
        }
        x.sum().backward();
        start.zero_grad();
        times.push(before.elapsed() / OPS);
    }
    times.sort();
    println!("chain_32 {}", times[times.len() / 2].as_nanos());
}

fn tiny() {
    let rng = &mut Rng::seed(0);
    let mut model = (
        Linear::<2, 16>::new(rng),
        Tanh,
        Linear::<16, 16>::new(rng),
        Tanh,
        Linear::<16, 1>::new(rng),
    );
    let mut adam = Adam::new(&model, AdamConfig::default());
    let x = Tensor::<2, shape![32, 2]>::randn(rng);
    let y = Tensor::<2, (Dim<32>, Dim<1>)>::randn(rng);
    measure("mlp_tiny", || {
        model.zero_grad();
        model.forward(&x).mse(&y).backward();
        adam.step(&mut model);
    });
}

fn mnist() {
    let rng = &mut Rng::seed(0);
    let mut model = (
        Linear::<784, 128>::new(rng),
        Relu,
        Linear::<128, 10>::new(rng),
    );
    let mut adam = Adam::new(&model, AdamConfig::default());
    let x = Tensor::<2, shape![64, 784]>::randn(rng);
    let y = labels::<64>();
    measure("mlp_784_128_10", || {
        model.zero_grad();
        model.forward(&x).cross_entropy(&y).backward();
        adam.step(&mut model);
    });
}

fn wide() {
    let rng = &mut Rng::seed(0);
    let mut model = (
        Linear::<784, 512>::new(rng),
        Relu,
        Linear::<512, 512>::new(rng),
        Relu,
        Linear::<512, 10>::new(rng),
    );
    let mut adam = Adam::new(&model, AdamConfig::default());
    let x = Tensor::<2, shape![128, 784]>::randn(rng);
    let y = labels::<128>();
    measure("mlp_784_512_512_10", || {
        model.zero_grad();
        model.forward(&x).cross_entropy(&y).backward();
        adam.step(&mut model);
    });
}

fn cnn() {
    let rng = &mut Rng::seed(0);
    let mut model = (
        Conv2d::<1, 16, 5>::new(rng),
        Relu,
        MaxPool2d(Pool::<2>),
        Conv2d::<16, 32, 5>::new(rng),
        Relu,
        MaxPool2d(Pool::<2>),
        Flatten::<512>,
        Linear::<512, 10>::new(rng),
    );
    let mut sgd = Sgd::new(&model, SgdConfig::default());
    let x = Tensor::<4, shape![64, 1, 28, 28]>::randn(rng);
    let y = labels::<64>();
    measure("cnn", || {
        model.zero_grad();
        model.forward(&x).cross_entropy(&y).backward();
        sgd.step(&mut model);
    });
}

fn labels<const N: usize>() -> Indices<1, shape![N], 10> {
    Indices::from_vec((0..N).map(|i| i % 10).collect()).expect("all are below 10")
}

fn per_example() {
    let rng = &mut Rng::seed(0);
    let (w, b) = (
        Tensor::<2, shape![128, 784]>::randn(rng) * 0.05,
        Tensor::<1, shape![128]>::zeros(),
    );
    let (v, c) = (
        Tensor::<2, shape![10, 128]>::randn(rng) * 0.1,
        Tensor::<1, shape![10]>::zeros(),
    );
    let x = Tensor::<2, shape![64, 784]>::randn(rng);
    let y = labels::<64>();
    measure("per_example_gradients", || {
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
    });
}

fn main() {
    let works: Vec<String> = std::env::args().skip(1).collect();
    for work in &works {
        let name = work.as_str();
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
            "add_1m" => on_square::<1024, _>(name, |x| x + x),
            "mul_1m" => on_square::<1024, _>(name, |x| x * x),
            "row_1m" => {
                let row = Tensor::<1, shape![1024]>::randn(&mut Rng::seed(1));
                on_square::<1024, _>(name, |x| x + &row)
            }
            "relu_1m" => on_square::<1024, _>(name, |x| x.relu()),
            "exp_1m" => on_square::<1024, _>(name, |x| x.exp()),
            "tanh_1m" => on_square::<1024, _>(name, |x| x.tanh()),
            "sigmoid_1m" => on_square::<1024, _>(name, |x| x.sigmoid()),
            "softmax_1m" => on_square::<1024, _>(name, |x| x.softmax::<1>()),
            "sum_1m" => on_square::<1024, _>(name, |x| x.sum()),
            "sum_rows_1m" => on_square::<1024, _>(name, |x| x.sum_axis::<0>()),
            "sum_last_1m" => on_square::<1024, _>(name, |x| x.sum_axis::<1>()),
            "layer_norm_1m" => on_square::<1024, _>(name, layer_norm),
            "softmax_grad_1m" => graded(name, |x| x.softmax::<1>()),
            "log_softmax_grad_1m" => graded(name, |x| x.log_softmax::<1>()),
            "layer_norm_grad_1m" => graded(name, layer_norm),
            "cross_entropy_grad_1m" => entropy_of_rows(name),
            "add_16m" => on_square::<4096, _>(name, |x| x + x),
            "relu_16m" => on_square::<4096, _>(name, |x| x.relu()),
            "exp_16m" => on_square::<4096, _>(name, |x| x.exp()),
            "tanh_16m" => on_square::<4096, _>(name, |x| x.tanh()),
            "sigmoid_16m" => on_square::<4096, _>(name, |x| x.sigmoid()),
            "sum_16m" => on_square::<4096, _>(name, |x| x.sum()),
            "sum_rows_16m" => on_square::<4096, _>(name, |x| x.sum_axis::<0>()),
            "softmax_16m" => on_square::<4096, _>(name, |x| x.softmax::<1>()),
            "chain_32" => chain(),
            "deep_200_512" => deep(false),
            "memory_200_512" => deep(true),
            "mlp_tiny" => tiny(),
            "mlp_784_128_10" => mnist(),
            "mlp_784_512_512_10" => wide(),
            "cnn" => cnn(),
            "per_example_gradients" => per_example(),
            _ => {}
        }
    }
}
