//! What the runners in Rust share: the numbers that works start from, the clock, and what they print.
//!
//! `python/measure.py` is the same in Python.

use std::env;
use std::fs;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a work is repeated.
const TIME: Duration = Duration::from_millis(300);

/// A check looks at this many numbers of a result.
const LOOKS: usize = 4096;

/// Numbers between -√3 and √3 times `scale`: mean 0, standard deviation `scale`. They are the same for every peer.
///
/// The bits of `seed` and index are mixed by the hash with the least bias that Wellons' hash-prospector found for two
/// rounds: <https://github.com/skeeto/hash-prospector/issues/19>.
pub fn numbers(seed: u32, len: usize, scale: f32) -> Vec<f32> {
    let factor = scale * 3f32.sqrt();
    (0..len as u32)
        .map(|i| {
            let mut h = i.wrapping_add(seed.wrapping_mul(0x9e37_79b9));
            h = (h ^ (h >> 16)).wrapping_mul(0x21f0_aaad);
            h = (h ^ (h >> 15)).wrapping_mul(0x735a_2d97);
            h ^= h >> 15;
            // 24 bits are exact in a float.
            ((h >> 8) as f32 / (1 << 23) as f32 - 1.0) * factor
        })
        .collect()
}

/// The weight of a linear layer, as all peers start it.
pub fn weight(seed: u32, outputs: usize, inputs: usize) -> Vec<f32> {
    numbers(seed, outputs * inputs, (inputs as f32).sqrt().recip())
}

/// The class of each example of a batch.
pub fn labels(batch: usize) -> Vec<usize> {
    (0..batch).map(|i| i % 10).collect()
}

/// What product `nt_64_784_128` is, or `64`: the operand that lies transposed, if any, and the sizes m, k and n.
pub fn product(name: &str) -> (&str, [usize; 3]) {
    let (layout, sizes) = match name.split_once('_') {
        Some((layout @ ("nt" | "tn"), sizes)) => (layout, sizes),
        _ => ("nn", name),
    };
    let sizes = sizes.split('_').map(|size| size.parse().expect("a size"));
    let sizes: Vec<usize> = sizes.collect();
    (layout, sizes[..].try_into().unwrap_or([sizes[0]; 3]))
}

/// One number that says where and how large the numbers of a result are, to compare peers by.
pub fn check(values: &[f32]) -> f64 {
    let step = (values.len() / LOOKS) | 1;
    let looks = values.iter().step_by(step);
    let weights = numbers(u32::MAX, looks.len(), 1.0);
    looks.zip(weights).map(|(&x, w)| x as f64 * w as f64).sum()
}

/// Does what the command line names, each work in a process of its own: so its memory is its own too.
pub fn run(work: impl Fn(&str)) {
    let names: Vec<String> = env::args().skip(1).collect();
    if let [name] = &names[..] {
        return work(name);
    }
    let runner = env::current_exe().expect("Linux tells of a process");
    for name in names {
        let status = Command::new(&runner).arg(&name).status();
        assert!(status.expect("it runs already").success(), "{name} fails");
    }
}

/// Prints the median time of one of the `per` operations of a call in nanoseconds, the check of the third result, and
/// what the calls needed above what the process held before, in bytes.
pub fn measure<T>(
    name: &str,
    per: u32,
    mut call: impl FnMut() -> T,
    values: impl Fn(T) -> Vec<f32>,
) {
    forget_peak();
    let held = peak();
    call();
    call();
    let third = call();
    let needed = peak() - held;
    let check = check(&values(third));
    let mut times = Vec::new();
    let start = Instant::now();
    while start.elapsed() < TIME || times.len() < 5 {
        let before = Instant::now();
        black_box(call());
        times.push(before.elapsed());
    }
    times.sort();
    let time = times[times.len() / 2].as_nanos() as f64 / per as f64;
    println!("{name} {time} {check} {needed}");
}

/// Prints the check of a work that is done once, in a process whose time is taken from outside, and the memory of all
/// of the process.
pub fn once(name: &str, values: &[f32]) {
    println!("{name} 0 {} {}", check(values), peak());
}

/// The most memory that the process has held since its peak was forgotten, in bytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells of a process");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .expect("and its peak");
    let kilobytes = line.split_whitespace().nth(1).expect("a number");
    kilobytes.parse::<usize>().expect("in kilobytes") << 10
}

/// Sets the peak of memory to what the process holds now: `man 5 proc_pid_clear_refs`.
fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").expect("a process may forget its own peak");
}
