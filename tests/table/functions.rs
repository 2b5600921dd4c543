//! Operations on one tensor, element by element: functions of angles, special functions, rounding, and
//! activation functions of pieces.

use super::{ANY, Domain, NONZERO, POSITIVE, WIDE};

/// Repeats each row over a scalar, more entries than any SIMD register has, two axes, and no entries.
macro_rules! functions {
    ($E:ident; $($label:literal ($x:ident in $domain:expr) => $body:expr;)*
     far: $($far:literal ($fx:ident in $fdomain:expr) => $fbody:expr;)*) => {
        super::rows! { $E;
            $($label ($x in $domain) over [[], [37], [2, 3], [0, 3]] => $body;)*
            $($far ($fx in $fdomain) over [[37]] => $fbody;)*
        }
    };
}

/// Away from the steps of rounding down, up and towards 0.
const BETWEEN: Domain = ANY.avoiding(&[-2.0, -1.0, 0.0, 1.0, 2.0]);
/// Away from the steps of rounding to the nearest.
const NEAR: Domain = ANY.avoiding(&[-1.5, -0.5, 0.5, 1.5]);
const INSIDE: Domain = Domain::range(-0.8, 0.8);
const FAR: Domain = Domain::range(-4.0, 4.0);

functions! { E;
    "asin" (x in INSIDE) => x.asin();
    "acos" (x in INSIDE) => x.acos();
    "atan" (x in FAR) => x.atan();
    "sinh" (x in ANY) => x.sinh();
    "cosh" (x in ANY) => x.cosh();
    "asinh" (x in FAR) => x.asinh();
    "acosh" (x in Domain::range(1.3, 5.0)) => x.acosh();
    "atanh" (x in INSIDE) => x.atanh();
    "erf" (x in ANY) => x.erf();
    "erfc" (x in ANY) => x.erfc();
    "log2" (x in POSITIVE) => x.log2();
    "log10" (x in POSITIVE) => x.log10();
    "exp2" (x in ANY) => x.exp2();
    "logit" (x in Domain::range(0.15, 0.85)) => x.logit();
    "log_sigmoid" (x in FAR) => x.log_sigmoid();
    "floor" (x in BETWEEN) => x.floor();
    "ceil" (x in BETWEEN) => x.ceil();
    "round" (x in NEAR) => x.round();
    "trunc" (x in BETWEEN) => x.trunc();
    "fract" (x in BETWEEN) => x.fract();
    "sign" (x in NONZERO) => x.sign();
    "softsign" (x in NONZERO) => x.softsign();
    "hardtanh(-0.5, 1)" (x in ANY.avoiding(&[-0.5, 1.0])) => x.hardtanh(E::of(-0.5), E::of(1.0));
    "relu6" (x in Domain::range(-2.0, 8.0).avoiding(&[0.0, 6.0])) => x.relu6();
    "hardsigmoid" (x in Domain::range(-5.0, 5.0).avoiding(&[-3.0, 3.0])) => x.hardsigmoid();
    "hardswish" (x in Domain::range(-5.0, 5.0).avoiding(&[-3.0, 3.0])) => x.hardswish();
    "threshold(0.5, -3)" (x in ANY.avoiding(&[0.5])) => x.threshold(E::of(0.5), E::of(-3.0));
    "nan_to_num" (x in ANY) => x.nan_to_num(E::of(0.0), E::of(1e30), E::of(-1e30));
    "mish" (x in FAR) => x.mish();
    "selu" (x in NONZERO) => x.selu();
    "celu(0.7)" (x in NONZERO) => x.celu(E::of(0.7));
    far:
    "atan wide" (x in WIDE) => x.atan();
    "asinh wide" (x in WIDE) => x.asinh();
    "asinh narrow" (x in Domain::range(-1e-5, 1e-5)) => x.asinh();
    "acosh wide" (x in Domain::range(1.5, 1e3)) => x.acosh();
    "atanh narrow" (x in Domain::range(-1e-5, 1e-5)) => x.atanh();
    "erf narrow" (x in Domain::range(-1e-5, 1e-5)) => x.erf();
    "erfc wide" (x in Domain::range(0.5, 8.0)) => x.erfc();
    "log_sigmoid wide" (x in WIDE) => x.log_sigmoid();
    "mish wide" (x in WIDE) => x.mish();
    "softsign wide" (x in WIDE) => x.softsign();
}
