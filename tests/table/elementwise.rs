//! Operations on one tensor, element by element, and arithmetic with a number.

use super::{ANY, Domain, NONZERO, POSITIVE, WIDE};

/// Repeats each row over a scalar, one entry, more entries than any SIMD register has, four axes,
/// and no entries at all.
macro_rules! elementwise {
    ($E:ident; $($label:literal ($x:ident in $domain:expr) => $body:expr;)*
     far: $($far:literal ($fx:ident in $fdomain:expr) => $fbody:expr;)*) => {
        super::rows! { $E;
            $($label ($x in $domain) over [[], [1], [37], [2, 3, 1, 4], [0, 3]] => $body;)*
            $($far ($fx in $fdomain) over [[37]] => $fbody;)*
        }
    };
}

elementwise! { E;
    "neg" (x in ANY) => -&x;
    "powf(2.5)" (x in POSITIVE) => x.powf(E::of(2.5));
    "powf(-1.5)" (x in POSITIVE) => x.powf(E::of(-1.5));
    "powf(3)" (x in NONZERO) => x.powf(E::of(3.0));
    "powf(0)" (x in NONZERO) => x.powf(E::of(0.0));
    "powi(0)" (x in NONZERO) => x.powi(0);
    "powi(1)" (x in ANY) => x.powi(1);
    "powi(2)" (x in ANY) => x.powi(2);
    "powi(3)" (x in ANY) => x.powi(3);
    "powi(7)" (x in ANY) => x.powi(7);
    "powi(-2)" (x in NONZERO) => x.powi(-2);
    "square" (x in ANY) => x.square();
    "sqrt" (x in POSITIVE) => x.sqrt();
    "rsqrt" (x in POSITIVE) => x.rsqrt();
    "recip" (x in NONZERO) => x.recip();
    "exp" (x in ANY) => x.exp();
    "exp_m1" (x in ANY) => x.exp_m1();
    "ln" (x in POSITIVE) => x.ln();
    "ln_1p" (x in Domain::range(-0.7, 3.0)) => x.ln_1p();
    "abs" (x in NONZERO) => x.abs();
    "sin" (x in Domain::range(-4.0, 4.0)) => x.sin();
    "cos" (x in Domain::range(-4.0, 4.0)) => x.cos();
    "tan" (x in Domain::range(-1.2, 1.2)) => x.tan();
    "tanh" (x in ANY) => x.tanh();
    "sigmoid" (x in ANY) => x.sigmoid();
    "relu" (x in NONZERO) => x.relu();
    "leaky_relu(0.1)" (x in NONZERO) => x.leaky_relu(E::of(0.1));
    "elu(1.3)" (x in NONZERO) => x.elu(E::of(1.3));
    "gelu" (x in Domain::range(-4.0, 4.0)) => x.gelu();
    "gelu_tanh" (x in Domain::range(-4.0, 4.0)) => x.gelu_tanh();
    "silu" (x in Domain::range(-4.0, 4.0)) => x.silu();
    "softplus" (x in Domain::range(-4.0, 4.0)) => x.softplus();
    "softplus_beta(2.5)" (x in ANY) => x.softplus_beta(E::of(2.5));
    "clamp(-0.5, 1)" (x in ANY.avoiding(&[-0.5, 1.0])) => x.clamp(E::of(-0.5), E::of(1.0));
    "clamp_min(-0.5)" (x in ANY.avoiding(&[-0.5])) => x.clamp_min(E::of(-0.5));
    "clamp_max(0.5)" (x in ANY.avoiding(&[0.5])) => x.clamp_max(E::of(0.5));
    "x + 1.75" (x in ANY) => &x + E::of(1.75);
    "x - 1.75" (x in ANY) => &x - E::of(1.75);
    "x * 1.75" (x in ANY) => &x * E::of(1.75);
    "x / 1.75" (x in ANY) => &x / E::of(1.75);
    "1.75 + x" (x in ANY) => E::of(1.75).plus(&x);
    "1.75 - x" (x in ANY) => E::of(1.75).minus(&x);
    "1.75 * x" (x in ANY) => E::of(1.75).times(&x);
    "1.75 / x" (x in NONZERO) => E::of(1.75).over(&x);
    far:
    "tanh wide" (x in WIDE) => x.tanh();
    "sigmoid wide" (x in WIDE) => x.sigmoid();
    "softplus wide" (x in WIDE) => x.softplus();
    "silu wide" (x in WIDE) => x.silu();
    "gelu wide" (x in WIDE) => x.gelu();
    "gelu_tanh wide" (x in WIDE) => x.gelu_tanh();
    "exp wide" (x in WIDE) => x.exp();
    "ln wide" (x in Domain::range(0.5, 100.0)) => x.ln();
    "sin wide" (x in WIDE) => x.sin();
    "cos wide" (x in WIDE) => x.cos();
    "exp_m1 narrow" (x in Domain::range(-1e-5, 1e-5)) => x.exp_m1();
    "ln_1p narrow" (x in Domain::range(-1e-5, 1e-5)) => x.ln_1p();
}
