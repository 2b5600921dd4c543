//! The works of `compare.py` in dfdx, but for those that it has not, or on nightly Rust alone.

mod models;

use dfdx::data::OneHotEncode;
use dfdx::prelude::*;
use peer_measure::{measure, numbers, once, run, weight};
use std::hint::black_box;

type Array<S> = Tensor<S, f32, Cpu>;
type Square<const N: usize> = Rank2<N, N>;

/// The tensor that every peer has for this seed.
fn tensor<S: ConstShape>(seed: u32, scale: f32) -> Array<S> {
    tensor_of(numbers(seed, S::NUMEL, scale))
}

fn tensor_of<S: ConstShape>(values: Vec<f32>) -> Array<S> {
    Cpu::default().tensor_from_vec(values, S::default())
}

/// A product of two tensors that lie as their shapes say.
fn product<A: ConstShape, B: ConstShape, C: Shape>(
    name: &str,
    work: impl Fn(Array<A>, Array<B>) -> Array<C>,
) {
    let (a, b) = (tensor(1, 1.0), tensor(2, 1.0));
    measure(
        name,
        1,
        || work(black_box(&a).clone(), b.clone()),
        |c| c.as_vec(),
    );
}

fn matmul<const M: usize, const K: usize, const N: usize>(name: &str) {
    product::<Rank2<M, K>, Rank2<K, N>, _>(name, |a, b| a.matmul(b));
}

fn matmul_t<const M: usize, const K: usize, const N: usize>(name: &str) {
    product::<Rank2<M, K>, Rank2<N, K>, _>(name, |a, b| a.matmul(b.permute::<Rank2<K, N>, _>()));
}

fn t_matmul<const M: usize, const K: usize, const N: usize>(name: &str) {
    product::<Rank2<K, M>, Rank2<K, N>, _>(name, |a, b| a.permute::<Rank2<M, K>, _>().matmul(b));
}

/// A function of a tensor.
fn on<S: ConstShape, T: Shape>(name: &str, work: impl Fn(Array<S>) -> Array<T>) {
    let x = tensor::<S>(1, 1.0);
    measure(name, 1, || work(black_box(&x).clone()), |y| y.as_vec());
}

/// dfdx takes probabilities for targets.
fn entropy_of_rows(name: &str) {
    let x = tensor::<Square<1024>>(1, 1.0);
    let classes = (0..1024).collect::<Vec<_>>();
    let targets = Cpu::default().one_hot_encode(Const::<1024>, classes);
    let targets: Array<Square<1024>> = targets.realize();
    let call = || {
        let loss = cross_entropy_with_logits_loss(x.leaky_trace(), targets.clone());
        (loss.retaped::<NoneTape>(), loss.backward().get(&x))
    };
    measure(name, 1, call, |(loss, slope)| {
        [loss.as_vec(), slope.as_vec()].concat()
    });
}

/// `ops` additions of 32 elements, and backward through them if they are recorded.
fn chain(name: &str, ops: u32, recorded: bool) {
    let (start, step) = (tensor::<Rank1<32>>(1, 1.0), tensor::<Rank1<32>>(2, 0.01));
    let call = || {
        if recorded {
            let mut x = start.leaky_trace();
            for _ in 0..ops {
                x = x + black_box(&step).clone();
            }
            let sum = x.sum::<Rank0, _>();
            let value = sum.retaped::<NoneTape>();
            black_box(sum.backward().get(&start));
            value
        } else {
            let mut x = start.clone();
            for _ in 0..ops {
                x = x + black_box(&step).clone();
            }
            x.sum()
        }
    };
    measure(name, ops, call, |sum| sum.as_vec());
}

/// 200 products of 512×512 matrices, forward and backward.
fn deep(name: &str) {
    let weights: Vec<Array<Square<512>>> =
        (0..200).map(|i| tensor_of(weight(i, 512, 512))).collect();
    let x = tensor::<Square<512>>(200, 1.0);
    let call = || {
        let first = x.leaky_trace().matmul(weights[0].clone());
        let last = weights[1..].iter().fold(first, |x, w| x.matmul(w.clone()));
        last.sum::<Rank0, _>().backward().get(&weights[0])
    };
    measure(name, 1, call, |grad| grad.as_vec());
}

/// A work whose name ends in how large it is.
fn sized(name: &str, kind: &str, size: &str) {
    let size = size.parse().expect("a size");
    let x = || Cpu::default().tensor_from_vec(numbers(1, size, 1.0), (size,));
    match kind {
        "nodes" => chain(name, size as u32, true),
        "add" => {
            let x = x();
            let call = || black_box(&x).clone() + x.clone();
            measure(name, 1, call, |y| y.as_vec());
        }
        "exp" => {
            let x = x();
            measure(name, 1, || black_box(&x).clone().exp(), |y| y.as_vec());
        }
        "sum" => {
            let x = x();
            let call = || black_box(&x).clone().sum::<Rank0, _>();
            measure(name, 1, call, |y| y.as_vec());
        }
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
        "matmul_vector_1024" => product::<Square<1024>, Rank1<1024>, _>(name, |a, b| a.matmul(b)),
        "vector_matmul_1024" => product::<Rank1<1024>, Square<1024>, _>(name, |a, b| a.matmul(b)),
        "batch_64_16" => {
            product::<Rank3<64, 16, 16>, Rank3<64, 16, 16>, _>(name, |a, b| a.matmul(b))
        }
        "batch_32_64_32_64" => {
            product::<Rank3<32, 64, 32>, Rank3<32, 32, 64>, _>(name, |a, b| a.matmul(b))
        }
        "add_1m" => on::<Square<1024>, _>(name, |x| x.clone() + x),
        "mul_1m" => on::<Square<1024>, _>(name, |x| x.clone() * x),
        "row_1m" => {
            let row = tensor::<Rank1<1024>>(2, 1.0);
            on::<Square<1024>, _>(name, |x| x + row.clone().broadcast::<_, Axis<0>>())
        }
        "relu_1m" => on::<Square<1024>, _>(name, |x| x.relu()),
        "exp_1m" => on::<Square<1024>, _>(name, |x| x.exp()),
        "tanh_1m" => on::<Square<1024>, _>(name, |x| x.tanh()),
        "sigmoid_1m" => on::<Square<1024>, _>(name, |x| x.sigmoid()),
        "softmax_1m" => on::<Square<1024>, _>(name, |x| x.softmax::<Axis<1>>()),
        "sum_1m" => on::<Square<1024>, _>(name, |x| x.sum::<Rank0, _>()),
        "sum_rows_1m" => on::<Square<1024>, _>(name, |x| x.sum::<Rank1<1024>, Axis<0>>()),
        "sum_last_1m" => on::<Square<1024>, _>(name, |x| x.sum::<Rank1<1024>, Axis<1>>()),
        "layer_norm_1m" => on::<Square<1024>, _>(name, |x| x.normalize::<Axis<1>>(1e-5)),
        "cross_entropy_grad_1m" => entropy_of_rows(name),
        "fused_6_16m" => on::<Square<4096>, _>(name, |x| {
            ((x.clone() * 2.0 + 1.0) * x.clone() - 0.5) * x + 0.25
        }),
        "add_16m" => on::<Square<4096>, _>(name, |x| x.clone() + x),
        "relu_16m" => on::<Square<4096>, _>(name, |x| x.relu()),
        "exp_16m" => on::<Square<4096>, _>(name, |x| x.exp()),
        "tanh_16m" => on::<Square<4096>, _>(name, |x| x.tanh()),
        "sigmoid_16m" => on::<Square<4096>, _>(name, |x| x.sigmoid()),
        "sum_16m" => on::<Square<4096>, _>(name, |x| x.sum::<Rank0, _>()),
        "sum_rows_16m" => on::<Square<4096>, _>(name, |x| x.sum::<Rank1<4096>, Axis<0>>()),
        "softmax_16m" => on::<Square<4096>, _>(name, |x| x.softmax::<Axis<1>>()),
        "chain_32" => chain(name, 1000, true),
        "chain_32_plain" => chain(name, 1000, false),
        "deep_200_512" => deep(name),
        "first_call" => once(name, &models::tiny()().as_vec()),
        "mlp_tiny" => measure(name, 1, models::tiny(), |loss| loss.as_vec()),
        "mlp_tiny_sgd" => measure(name, 1, models::tiny_sgd(), |loss| loss.as_vec()),
        "mlp_784_128_10" => measure(name, 1, models::mnist(), |loss| loss.as_vec()),
        "mlp_784_512_512_10" => measure(name, 1, models::wide(), |loss| loss.as_vec()),
        _ => {
            if let Some((kind, size)) = name.split_once('/') {
                sized(name, kind, size);
            }
        }
    }
}
