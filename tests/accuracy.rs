//! How far `f32` functions are from their exact values, in units in the last place (ulp), over samples of all
//! finite numbers. The bounds are those that the docs of `Tensor` promise.

use shapeproof::{Tensor, shape};

const BLOCK: usize = 1 << 12;
type Block<E> = Tensor<1, shape![BLOCK], E>;

/// Every how many-th number is tried. Prime, so that all mantissas have their turn.
const STRIDE: usize = 4001;

/// The largest error of `single` against `double`, and where it is.
fn worst(
    single: impl Fn(&Block<f32>) -> Block<f32>,
    double: impl Fn(&Block<f64>) -> Block<f64>,
) -> (f64, f32) {
    let mut numbers = (0..=u32::MAX)
        .step_by(STRIDE)
        .map(f32::from_bits)
        .filter(|x| x.is_finite());
    let mut worst = (0.0, 0.0);
    loop {
        let block: Vec<f32> = numbers.by_ref().take(BLOCK).collect();
        if block.is_empty() {
            return worst;
        }
        let x =
            Block::from_vec((0..BLOCK).map(|i| block[i.min(block.len() - 1)]).collect()).unwrap();
        for ((x, found), right) in x.iter().zip(&single(&x)).zip(&double(&x.cast::<f64>())) {
            let error = ulps(found, right);
            if error > worst.0 {
                worst = (error, x);
            }
        }
    }
}

/// The distance from `found` to the exact `right`, in steps of the `f32` grid at `right`.
fn ulps(found: f32, right: f64) -> f64 {
    let nearest = right as f32;
    if found == nearest || found.is_nan() && nearest.is_nan() {
        return 0.0;
    }
    if !found.is_finite() || !nearest.is_finite() {
        // One step beyond the largest number is infinity.
        let clamp = |x: f64| x.clamp(-f64::from(f32::MAX), f64::from(f32::MAX));
        return (clamp(f64::from(found)) - clamp(right)).abs() / 2f64.powi(104);
    }
    let exponent = nearest.abs().max(f32::MIN_POSITIVE).log2().floor() as i32;
    (f64::from(found) - right).abs() / 2f64.powi(exponent - 23)
}

macro_rules! bounds {
    ($($name:ident: $bound:literal, |$x:ident| $function:expr;)*) => {$(
        #[test]
        fn $name() {
            let (error, x) = worst(|$x: &Block<f32>| $function, |$x: &Block<f64>| $function);
            println!("{}: {error:.2} ulp at {x:e}", stringify!($name));
            assert!(error <= $bound, "{}: {error:.2} ulp at {x:e}, more than {}", stringify!($name), $bound);
        }
    )*};
}
bounds! {
    exp: 2.0, |x| x.exp();
    exp_m1: 2.0, |x| x.exp_m1();
    ln: 2.0, |x| x.ln();
    ln_1p: 2.0, |x| x.ln_1p();
    sin: 2.0, |x| x.sin();
    cos: 2.0, |x| x.cos();
    tan: 2.0, |x| x.tan();
    tanh: 2.0, |x| x.tanh();
    sigmoid: 2.0, |x| x.sigmoid();
    sqrt: 2.0, |x| x.sqrt();
    rsqrt: 2.0, |x| x.rsqrt();
    gelu: 2.0, |x| x.gelu();
    gelu_tanh: 4.0, |x| x.gelu_tanh();
    silu: 4.0, |x| x.silu();
    softplus: 2.0, |x| x.softplus();
    elu: 4.0, |x| x.elu(1.0);
    erf: 2.0, |x| x.erf();
    erfc: 2.0, |x| x.erfc();
    log2: 2.0, |x| x.log2();
    log10: 2.0, |x| x.log10();
    exp2: 2.0, |x| x.exp2();
    sinh: 2.0, |x| x.sinh();
    cosh: 2.0, |x| x.cosh();
    asin: 2.0, |x| x.asin();
    acos: 2.0, |x| x.acos();
    atan: 2.0, |x| x.atan();
    asinh: 2.0, |x| x.asinh();
    acosh: 2.0, |x| x.acosh();
    atanh: 2.0, |x| x.atanh();
    logit: 4.0, |x| x.logit();
    log_sigmoid: 2.0, |x| x.log_sigmoid();
    mish: 4.0, |x| x.mish();
    celu: 4.0, |x| x.celu(2.0);
    selu: 4.0, |x| x.selu();
    softsign: 2.0, |x| x.softsign();
    hardswish: 4.0, |x| x.hardswish();
    hardsigmoid: 4.0, |x| x.hardsigmoid();
    softplus_beta: 4.0, |x| x.softplus_beta(3.0);
    floor: 0.0, |x| x.floor();
    ceil: 0.0, |x| x.ceil();
    round: 0.0, |x| x.round();
    trunc: 0.0, |x| x.trunc();
    fract: 0.0, |x| x.fract();
    square: 2.0, |x| x.square();
    recip: 2.0, |x| x.recip();
    powi: 4.0, |x| x.powi(3);
    powf: 2.0, |x| x.powf(2.5);
    powf_falling: 2.0, |x| x.powf(-0.375);
    pow_of_two: 2.0, |x| (x.ones_like() * 2.0).pow(x);
    pow_of_near_one: 2.0, |x| (x.ones_like() * 0.996_093_75).pow(x);
    logaddexp_of_zero: 4.0, |x| x.logaddexp(&x.zeros_like());
    logaddexp_of_one: 4.0, |x| x.logaddexp(&x.ones_like());
    logaddexp_of_its_negative: 4.0, |x| x.logaddexp(&-x);
    hypot_with_one: 2.0, |x| x.hypot(&x.ones_like());
    atan2_with_one: 2.0, |x| x.atan2(&x.ones_like());
    atan2_under_minus_one: 2.0, |x| (-x.ones_like()).atan2(x);
}
