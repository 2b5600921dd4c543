//! Numbers for the rows' inputs and cotangents: reproducible, and none of the library's making.

use super::{Domain, Input};

/// Steele, Lea & Flood's SplitMix64 (2014).
pub struct Numbers(u64);

impl Numbers {
    /// A stream of its own for each name, so that a new row leaves the others' numbers alone.
    pub fn of(name: &str, round: u64) -> Numbers {
        // FNV-1a
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Numbers(hash ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A cotangent: neither all ones nor all of one sign.
    pub fn seed(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.between(-1.5, 1.5)).collect()
    }

    /// Values for the inputs of a row.
    pub fn inputs(&mut self, inputs: &[Input]) -> Vec<Vec<f64>> {
        let total: usize = inputs.iter().map(Input::numel).sum();
        // A shuffled grid with each point moved a little: no two numbers of the row are close.
        let mut grid: Vec<f64> = (0..total)
            .map(|i| (i as f64 + self.between(0.3, 0.7)) / total as f64 * 4.0 - 2.0)
            .collect();
        for i in (1..total).rev() {
            grid.swap(i, (self.bits() % (i as u64 + 1)) as usize);
        }
        inputs
            .iter()
            .map(|input| match input.domain {
                Domain::Distinct => grid.split_off(grid.len() - input.numel()),
                Domain::Range {
                    low,
                    high,
                    avoid,
                    margin,
                } => (0..input.numel())
                    .map(|_| self.outside(low, high, avoid, margin))
                    .collect(),
            })
            .collect()
    }

    fn outside(&mut self, low: f64, high: f64, avoid: &[f64], margin: f64) -> f64 {
        loop {
            let x = self.between(low, high);
            if avoid.iter().all(|point| (x - point).abs() > margin) {
                return x;
            }
        }
    }
}

impl Input {
    pub fn numel(&self) -> usize {
        self.dims.iter().product()
    }
}
