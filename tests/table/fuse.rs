//! Fused expressions: each function that they have, and several operands that stretch.

use super::{ANY, DISTINCT, Domain, NONZERO, POSITIVE};
use shapeproof::fusion::fuse;

/// Repeats each row over a scalar, more entries than any SIMD register has, and no entries.
macro_rules! functions {
    ($E:ident; $($label:literal ($x:ident in $domain:expr) => $body:expr;)* rest: $($rest:tt)*) => {
        super::rows! { $E;
            $($label ($x in $domain) over [[], [3, 37], [0, 3]] => fuse(&$x, |$x| $body);)*
            $($rest)*
        }
    };
}

functions! { E;
    "fuse -x" (x in ANY) => -x;
    "fuse abs" (x in NONZERO) => x.abs();
    "fuse square" (x in ANY) => x.square();
    "fuse recip" (x in NONZERO) => x.recip();
    "fuse powi(3)" (x in ANY) => x.powi(3);
    "fuse powi(-2)" (x in NONZERO) => x.powi(-2);
    "fuse powi(0)" (x in NONZERO) => x.powi(0);
    "fuse sqrt" (x in POSITIVE) => x.sqrt();
    "fuse exp" (x in ANY) => x.exp();
    "fuse ln" (x in POSITIVE) => x.ln();
    "fuse ln_1p" (x in Domain::range(-0.7, 3.0)) => x.ln_1p();
    "fuse sin" (x in ANY) => x.sin();
    "fuse cos" (x in ANY) => x.cos();
    "fuse tanh" (x in ANY) => x.tanh();
    "fuse sigmoid" (x in ANY) => x.sigmoid();
    "fuse silu" (x in ANY) => x.silu();
    "fuse relu" (x in NONZERO) => x.relu();
    "fuse erf" (x in ANY) => x.erf();
    "fuse clamp(-0.5, 1)" (x in ANY.avoiding(&[-0.5, 1.0])) => x.clamp(-0.5, 1.0);
    "fuse numbers" (x in NONZERO) => 1.5 - (2.0 * x + 0.25) / 4.0 - 3.0 / x + (0.5 + x) * 2.0;
    rest:
    "fuse arithmetic" (a in ANY, b in NONZERO) over [[3, 4] [3, 4], [3, 4] [4], [] [3, 4], [3, 1] [2, 1, 4], [0, 3] [3], [2, 37] [2, 1]] =>
        fuse((&a, &b), |(a, b)| (a + b) * (a - b) / b);
    "fuse maximum and minimum" (a in DISTINCT, b in DISTINCT) over [[3, 4] [4], [37] []] =>
        fuse((&a, &b), |(a, b)| a.maximum(b) - 2.0 * a.minimum(b));
    "fuse three" (x: [5, 37] in ANY, m: [37] in ANY, s: [5, 1] in ANY) =>
        fuse((&x, &m, &s), |(x, m, s)| ((x - m) * s).tanh());
    "fuse three" (x: [2, 3, 4] in ANY, m: [3, 1] in ANY, s: [] in ANY) =>
        fuse((&x, &m, &s), |(x, m, s)| ((x - m) * s).tanh());
    "fuse one twice" (x: [3, 4] in ANY, y: [4] in ANY) =>
        fuse((&x, &y, &x), |(x, y, z)| { let p = x * y; p * p.tanh() + z });
    "fuse six" (a: [2, 3] in ANY, b: [3] in ANY, c: [] in ANY, d: [2, 1] in ANY, f: [1, 3] in ANY, g: [4, 1, 1] in NONZERO) =>
        fuse((&a, &b, &c, &d, &f, &g), |(a, b, c, d, f, g)| (a * b + c).sigmoid() * (d - f) / g);
}
