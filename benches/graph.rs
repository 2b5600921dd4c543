//! What a node of the graph costs, however large the graph is, and what is paid for tools that are not in use.
//!
//! `cargo bench --bench graph`. Times are medians, in nanoseconds for each node; a column that grows with the size of
//! the graph would be a fault. Absolute times drift with the machine: compare within one run.

use shapeproof::autograd::checkpoint;
use shapeproof::graph::detect_anomaly;
use shapeproof::nn::Hooked;
use shapeproof::prelude::*;
use std::hint::black_box;
use std::time::{Duration, Instant};

type Number = Tensor<0, ()>;

/// As long as a size is measured, but three times at least.
const PATIENCE: Duration = Duration::from_millis(300);

fn main() {
    sizes();
    tools();
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Makes a graph, goes back through it, and drops it, again and again; the times of the three.
fn times(make: impl Fn() -> Number) -> [f64; 3] {
    let (start, mut times) = (Instant::now(), [const { Vec::new() }; 3]);
    while start.elapsed() < PATIENCE || times[0].len() < 3 {
        let begin = Instant::now();
        let result = black_box(make());
        let made = Instant::now();
        result.backward_retaining();
        let gone_back = Instant::now();
        drop(result);
        let dropped = Instant::now();
        for (times, span) in
            times
                .iter_mut()
                .zip([made - begin, gone_back - made, dropped - gone_back])
        {
            times.push(span.as_nanos() as f64);
        }
    }
    times.map(median)
}

fn sizes() {
    println!(
        "nanoseconds a node        chain                     uses of one leaf          uses of one result"
    );
    println!(
        "     nodes   forward  backward  drop   forward  backward  drop   forward  backward  drop"
    );
    let x = Number::scalar(1.0).tracked();
    for power in 1..=6 {
        let nodes = 10usize.pow(power);
        let chain = times(|| (0..nodes).fold(x.clone(), |y, _| y + 1.0));
        // Each use is a node of its own, and so is each sum.
        let leaf = times(|| (0..nodes / 2).fold(x.clone(), |sum, _| sum + &x * 1.0));
        let result = times(|| {
            let y = x.square();
            (0..nodes).fold(y.clone(), |sum, _| sum + &y)
        });
        print!("{nodes:>10}");
        for times in [chain, leaf, result] {
            let [forward, backward, drop] = times.map(|time| time / nodes as f64);
            print!("{forward:>10.1}{backward:>10.1}{drop:>6.1}");
        }
        println!();
    }
}

type Batch = Tensor<2, shape![8, 16]>;
type Layers<A> = (A, Tanh, Linear<16, 16>);

fn tools() {
    let rng = &mut Rng::seed(0);
    let x = Batch::randn(rng).tracked();
    let plain: Layers<Linear<16, 16>> = (Linear::new(rng), Tanh, Linear::new(rng));
    let wrapped = (Hooked::new(plain.0.clone()), Tanh, plain.2.clone());
    let hooked = wrapped.clone();
    hooked.0.register_forward_hook(|_: &Batch, y| {
        black_box(y);
    });
    hooked
        .0
        .register_full_backward_hook(|_: Option<&Batch>, dy| {
            black_box(dy);
        });
    let step = |forward: &dyn Fn() -> Batch| {
        let [forward, backward, _] = times(|| forward().sum());
        format!("{:>8.2} {:>8.2}", forward / 1000.0, backward / 1000.0)
    };
    println!(
        "\nmicroseconds           forward backward   (two layers of 16, a batch of 8; interleaved twice)"
    );
    for _ in 0..2 {
        println!("plain                 {}", step(&|| plain.forward(&x)));
        println!("wrapped, no hook      {}", step(&|| wrapped.forward(&x)));
        println!("two hooks that look   {}", step(&|| hooked.forward(&x)));
        println!(
            "a checkpoint          {}",
            step(&|| {
                let (first, last) = (plain.0.clone(), plain.2.clone());
                checkpoint(move |x: Batch| last.forward(&first.forward(&x).tanh()), &x)
            })
        );
        println!(
            "anomalies looked for  {}",
            detect_anomaly(|| step(&|| plain.forward(&x)))
        );
    }
}
