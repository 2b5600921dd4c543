//! Losses.

use super::{ANY, DISTINCT, WIDE};
use shapeproof::prelude::*;

fn labels() -> Indices<1, shape![4], 5> {
    Indices::from_slice(&[2, 0, 2, 4]).expect("below 5")
}

super::rows! { E;
    "cross_entropy 4" (x: [4, 5] in ANY) => x.cross_entropy(&labels());
    "cross_entropy 4 wide" (x: [4, 5] in WIDE) => x.cross_entropy(&labels());
    "cross_entropy (2, 3)" (x: [2, 3, 4] in ANY)
        => x.cross_entropy(&Indices::<2, shape![2, 3], 4>::from_slice(&[0, 3, 1, 1, 1, 2]).expect("below 4"));
    "cross_entropy ()" (x: [3] in ANY) => x.cross_entropy(&Indices::<0, shape![], 3>::from_slice(&[1]).expect("below 3"));
    "cross_entropy 2" (x: [2, 37] in ANY) => x.cross_entropy(&Indices::<1, shape![2], 37>::from_slice(&[36, 5]).expect("below 37"));
    "cross_entropy 3 of one" (x: [3, (Dim<1>)] in ANY)
        => x.cross_entropy(&Indices::<1, shape![3], 1>::from_slice(&[0, 0, 0]).expect("below 1"));
    "mse" (a in ANY, b in ANY) over [[] [], [1] [1], [37] [37], [3, 4] [3, 4], [2, 3, 2, 2] [2, 3, 2, 2]] => a.mse(&b);
    "mae" (a in DISTINCT, b in DISTINCT)
        over [[] [], [1] [1], [37] [37], [3, 4] [3, 4], [2, 3, 2, 2] [2, 3, 2, 2]] => a.mae(&b);
}
