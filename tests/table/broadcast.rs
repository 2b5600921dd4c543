//! Operations on two tensors under every way that shapes stretch.

use super::{ANY, DISTINCT, Domain, NONZERO, POSITIVE};

/// Numbers whose quotients lie between 2 and 3, or -3 and -2: away from the steps of a remainder.
const ABOVE: Domain = Domain::range(2.2, 2.6);
const BELOW: Domain = Domain::range(-2.6, -2.2);
const NEAR_ONE: Domain = Domain::range(0.95, 1.05);

/// Repeats a row over equal shapes, scalars, `One` on either side and on both, and missing axes on
/// either side, up to six axes; some empty.
macro_rules! pairs {
    ($E:ident; $($label:literal ($x:ident in $dx:expr, $y:ident in $dy:expr) => $body:expr;)*
     few: $($few:literal ($fx:ident in $fdx:expr, $fy:ident in $fdy:expr) => $fbody:expr;)*) => {
        super::rows! { $E;
            $($label ($x in $dx, $y in $dy) over [
                [] [],
                [37] [37],
                [3, 4] [3, 4],
                [2, 3, 2, 2] [2, 3, 2, 2],
                [3, 4] [],
                [] [3, 4],
                [3, 4] [4],
                [4] [3, 4],
                [3, 4] [1, 4],
                [3, 1] [3, 4],
                [3, 1] [1, 4],
                [1, 4] [3, 1],
                [3, 1] [4],
                [2, 3, 4] [3, 1],
                [3, 1] [2, 3, 4],
                [1] [5],
                [5] [1],
                [1, 1] [1],
                [2, 1, 4, 1] [3, 1, 5],
                [2, 1, 1, 2, 2, 1] [3, 1, 2, 4],
                [3, 37] [37],
                [3, 37] [3, 1],
                [0, 3] [3],
                [3] [0, 3]
            ] => $body;)*
            $($few ($fx in $fdx, $fy in $fdy) over [
                [] [],
                [37] [37],
                [3, 4] [3, 4],
                [3, 4] [],
                [] [3, 4],
                [3, 4] [4],
                [3, 1] [1, 4],
                [3, 1] [2, 3, 4],
                [0, 3] [3]
            ] => $fbody;)*
        }
    };
}

pairs! { E;
    "add" (a in ANY, b in ANY) => &a + &b;
    "sub" (a in ANY, b in ANY) => &a - &b;
    "mul" (a in ANY, b in ANY) => &a * &b;
    "div" (a in ANY, b in NONZERO) => &a / &b;
    few:
    "maximum" (a in DISTINCT, b in DISTINCT) => a.maximum(&b);
    "minimum" (a in DISTINCT, b in DISTINCT) => a.minimum(&b);
    "pow" (a in POSITIVE, b in ANY) => a.pow(&b);
    "atan2" (a in NONZERO, b in NONZERO) => a.atan2(&b);
    "hypot" (a in NONZERO, b in NONZERO) => a.hypot(&b);
    "logaddexp" (a in ANY, b in ANY) => a.logaddexp(&b);
    "fmod" (a in ABOVE, b in NEAR_ONE) => a.fmod(&b);
    "fmod below 0" (a in BELOW, b in NEAR_ONE) => a.fmod(&b);
    "remainder" (a in ABOVE, b in NEAR_ONE) => a.remainder(&b);
    "remainder below 0" (a in BELOW, b in NEAR_ONE) => a.remainder(&b);
}
