//! Products and norms of everything, of an axis, and with the axis kept.

use super::{ANY, DISTINCT, NONZERO, POSITIVE};

super::rows! { E;
    "prod" (x in POSITIVE) over [[5], [3, 4], [2, 3, 2, 2], []] => x.prod();
    "prod" (x in ANY) over [[0, 3]] => x.prod();
    "prod_axis 0" (x in POSITIVE) over [[5], [3, 4], [2, 3, 4]] => x.prod_axis::<0>();
    "prod_axis 0" (x in ANY) over [[0, 3]] => x.prod_axis::<0>();
    "prod_axis 1" (x in POSITIVE) over [[3, 4], [2, 3, 4], [3, 1]] => x.prod_axis::<1>();
    "prod_axis 1" (x in ANY) over [[0, 3]] => x.prod_axis::<1>();
    "prod_keepdim 1" (x in POSITIVE) over [[3, 4], [2, 3, 4]] => x.prod_keepdim::<1>();
    "norm(2)" (x in NONZERO) over [[37], [3, 4], []] => x.norm(E::of(2.0));
    "norm_axis 0(2)" (x in NONZERO) over [[5], [37, 3]] => x.norm_axis::<0>(E::of(2.0));
    "norm_axis 1(2)" (x in NONZERO) over [[3, 4], [2, 3, 4], [3, 1], [0, 3]] => x.norm_axis::<1>(E::of(2.0));
    "norm_keepdim 1(2)" (x in NONZERO) over [[3, 4], [2, 3, 4]] => x.norm_keepdim::<1>(E::of(2.0));
    "norm_axis 1(1)" (x in NONZERO) over [[3, 4], [2, 3, 4]] => x.norm_axis::<1>(E::one());
    "norm_axis 1(3)" (x in NONZERO) over [[3, 4], [2, 3, 4]] => x.norm_axis::<1>(E::of(3.0));
    "norm_axis 1(0.5)" (x in NONZERO) over [[3, 4]] => x.norm_axis::<1>(E::of(0.5));
    "norm_axis 1(-2)" (x in NONZERO) over [[3, 4]] => x.norm_axis::<1>(E::of(-2.0));
    "norm_axis 1(inf)" (x in DISTINCT) over [[3, 4], [2, 3, 4]] => x.norm_axis::<1>(E::infinity());
    "norm_axis 1(-inf)" (x in DISTINCT) over [[3, 4]] => x.norm_axis::<1>(E::neg_infinity());
}
