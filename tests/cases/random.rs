//! Random numbers: ends of ranges, seeds and threads, bounds of initial weights.

use super::check::{Number, near_within};
use shapeproof::nn::init::{self, Gain};
use shapeproof::prelude::*;
use shapeproof::rand_core::TryRng;
use std::convert::Infallible;
use std::thread;

/// Repeats the given words.
struct Words(Vec<u64>, usize);

impl TryRng for Words {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.try_next_u64()? as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.1 += 1;
        Ok(self.0[(self.1 - 1) % self.0.len()])
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.try_next_u64()?.to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

both! {
    // arrayfire/arrayfire#1610, pytorch/pytorch#16604
    fn one_is_never_drawn<E>() {
        let words: Vec<u64> = [0, 1, (1 << 24) - 1, 1 << 24, (1 << 40) - 1, !0 << 40, !0 << 39, !0 << 11, u64::MAX]
            .into_iter()
            .flat_map(|word: u64| [word, !word])
            .collect();
        let x = Tensor::<1, shape![18], E>::rand(&mut Words(words.clone(), 0));
        assert!(x.iter().all(|x| x >= E::zero() && x < E::one()), "{x}");
        let last = Tensor::<1, shape![1], E>::rand(&mut Words(vec![u64::MAX], 0));
        assert_eq!(last[[0]], E::one() - E::epsilon() / E::of(2.0));
        assert_eq!(Tensor::<1, shape![1], E>::rand(&mut Words(vec![0], 0))[[0]], E::zero());

        // Ranges in which rounding would reach the end.
        let ranges = [
            (E::one(), E::one() + E::epsilon()),
            (-E::one(), E::one()),
            (E::of(-1e6), E::of(1e-6)),
            (E::of(3.0), E::of(3.5)),
        ];
        for (low, high) in ranges {
            let x = Tensor::<1, shape![100], E>::uniform(low, high, &mut Words(words.clone(), 0));
            assert!(x.iter().all(|x| low <= x && x < high), "{low} to {high}: {x}");
        }
        // Normal numbers are finite whatever is drawn.
        let x = Tensor::<1, shape![100], E>::randn(&mut Words(words, 0));
        assert!(x.iter().all(|x| x.is_finite()), "{x}");
    }

    // ml-explore/mlx#4536, tracel-ai/burn#574
    fn fan_in_of_a_grouped_convolution<E>() {
        // 128 channels in 2 groups to 64, kernel 3: each unit sees 64·3. PyTorch's default bound is
        // 1/√(fan-in), which is the gain of a slope of √5.
        let gain = Gain::LeakyRelu { slope: 5f64.sqrt() };
        let w: Tensor<3, shape![64, 64, 3], E> = init::kaiming_uniform(gain, &mut Rng::seed(0));
        largest_in(&w, 0.0715, 0.07216879);
    }

    // pytorch/pytorch#130122, keras-team/keras#2252, tracel-ai/burn#4968
    fn fans_of_both_sides<E>() {
        let rng = &mut Rng::seed(0);
        // Many layers of 5 to 3: the bound is √(6/8).
        let mut largest = E::zero();
        for _ in 0..300 {
            let w: Tensor<2, shape![3, 5], E> = init::xavier_uniform(Gain::Linear, rng);
            largest = largest.max(w.abs().max().item());
        }
        let bound = E::of(0.75f64.sqrt());
        assert!(largest <= bound && largest > bound * E::of(0.999));
        let conv: Tensor<4, shape![16, 8, 3, 3], E> = init::xavier_uniform(Gain::Linear, rng);
        largest_in(&conv, 0.16, 1.0 / 6.0 + 1e-8);
        let mut squares = E::zero();
        for _ in 0..1000 {
            let w: Tensor<2, shape![3, 5], E> = init::kaiming_normal(Gain::Relu, rng);
            squares += w.square().mean().item() / E::of(1000.0);
        }
        near_within([squares.sqrt()], [0.4f64.sqrt()], 0.02);
    }
}

#[track_caller]
fn largest_in<const R: usize, S: Shape<R>, E: Number>(w: &Tensor<R, S, E>, low: f64, high: f64) {
    let largest = w.abs().max().item().to_f64().unwrap();
    assert!(
        low < largest && largest < high,
        "{largest} is not in {low} to {high}"
    );
}

// huggingface/candle#2651, tracel-ai/burn#2923, freenet/freenet-core#2735
#[test]
fn a_seed_gives_the_same_numbers_whatever_other_threads_do() {
    let draw = |seed: u64| {
        let rng = &mut Rng::seed(seed);
        let layer = Linear::<7, 5>::new(rng);
        let x = Tensor::<1, shape![33], f64>::randn(rng);
        let more: Tensor<2, shape![4, 4]> = init::xavier_normal(Gain::Tanh, rng);
        let bits = |v: &[f32]| v.iter().map(|v| u64::from(v.to_bits())).collect::<Vec<_>>();
        [
            bits(layer.weight.as_slice()),
            bits(layer.bias.as_slice()),
            x.iter().map(f64::to_bits).collect(),
            bits(more.as_slice()),
        ]
    };
    let right = [draw(1), draw(2)];
    assert_ne!(right[0], right[1]);
    for _ in 0..100 {
        thread::scope(|scope| {
            let threads = [1, 2].map(|seed| scope.spawn(move || draw(seed)));
            for (thread, right) in threads.into_iter().zip(&right) {
                assert_eq!(&thread.join().unwrap(), right);
            }
        });
    }
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let large = || Tensor::<1, shape![300_000]>::randn(&mut Rng::seed(9));
    assert!(pool(1).install(large) == pool(3).install(large));
}
