//! What the machine itself can do: the measures that works are held against.

use peer_measure::{measure, numbers};
use std::cell::RefCell;
use std::env;
use std::hint::black_box;

/// One read and one write of as many numbers as the large works have.
pub fn copy(name: &str) {
    let x = numbers(1, 1 << 24, 1.0);
    // Not zeros, which the system would hand out at the first write.
    let to = RefCell::new(vec![1.0; x.len()]);
    let call = || to.borrow_mut().copy_from_slice(black_box(&x));
    measure(name, 1, call, |()| to.borrow().clone());
}

/// Multiplications with an addition: as many as `compare.py` says, and so few that nothing else comes between.
const MULTIPLY_ADDS: usize = 12 << 18;

/// Multiplies and adds in registers alone, on one thread, in the widest vectors that there are.
pub fn multiply_adds(name: &str) {
    let one_thread = env::var("THREADS").is_ok_and(|threads| threads == "1");
    if let Some((lanes, chains)) = chains().filter(|_| one_thread) {
        let steps = MULTIPLY_ADDS / (CHAINS * lanes);
        measure(name, 1, || chains(black_box(steps)), |sum| vec![sum]);
    }
}

/// Sums that do not wait for each other: more than two units need for their latency of four cycles or five, and few
/// enough for sixteen registers.
const CHAINS: usize = 12;

/// Numbers in a vector, and the function that does so many steps of [`CHAINS`] vectors.
type Chains = (usize, fn(usize) -> f32);

#[cfg(not(target_arch = "x86_64"))]
fn chains() -> Option<Chains> {
    None
}

#[cfg(target_arch = "x86_64")]
fn chains() -> Option<Chains> {
    use std::arch::x86_64::*;

    macro_rules! chains {
        ($feature:literal, $set:ident, $multiply_add:ident, $first:ident) => {{
            #[target_feature(enable = $feature)]
            fn chains(steps: usize) -> f32 {
                let (factor, summand) = ($set(black_box(0.999)), $set(black_box(0.001)));
                let mut sums = [summand; CHAINS];
                // Equal sums would become one.
                for sum in &mut sums {
                    *sum = $set(black_box(0.5));
                }
                for _ in 0..steps {
                    for sum in &mut sums {
                        *sum = $multiply_add(*sum, factor, summand);
                    }
                }
                sums.map(|sum| $first(sum)).iter().sum()
            }
            // SAFETY: it is taken only where the processor has been asked for the feature.
            |steps| unsafe { chains(steps) }
        }};
    }

    if is_x86_feature_detected!("avx512f") {
        Some((
            16,
            chains!("avx512f", _mm512_set1_ps, _mm512_fmadd_ps, _mm512_cvtss_f32),
        ))
    } else if is_x86_feature_detected!("fma") {
        Some((
            8,
            chains!("avx,fma", _mm256_set1_ps, _mm256_fmadd_ps, _mm256_cvtss_f32),
        ))
    } else {
        None
    }
}
