//! Losses.

use super::{ANY, DISTINCT, Domain, NONZERO, POSITIVE, WIDE};
use shapeproof::loss::CrossEntropy;
use shapeproof::prelude::*;

fn labels() -> Indices<1, shape![4], 5> {
    Indices::from_slice(&[2, 0, 2, 4]).expect("below 5")
}

/// The second of four does not count.
fn second() -> Mask<1, shape![4]> {
    Mask::from_array([false, true, false, false])
}

fn weights<E: Element>() -> [E; 5] {
    [0.5, 1.0, 2.0, 0.25, 1.5].map(E::of)
}

const PROBABILITY: Domain = Domain::range(0.15, 0.85);
const FAR: Domain = Domain::range(-4.0, 4.0);
/// A prediction, and a target near 0, whose difference is nowhere near 0.7.
const OFF: Domain = ANY.avoiding(&[-0.7, 0.7]);
const NEAR_0: Domain = Domain::range(-0.05, 0.05);
const NEAR_1: Domain = Domain::range(0.97, 1.03);

super::rows! { E;
    "mse_sum" (a in ANY, b in ANY) over [[37] [37], [3, 4] [3, 4], [0, 3] [0, 3]] => a.mse_sum(&b);
    "mse_none" (a in ANY, b in ANY) over [[] [], [37] [37], [3, 4] [3, 4], [0, 3] [0, 3]] => a.mse_none(&b);
    "mae_sum" (a in DISTINCT, b in DISTINCT) over [[37] [37], [3, 4] [3, 4]] => a.mae_sum(&b);
    "mae_none" (a in DISTINCT, b in DISTINCT) over [[] [], [3, 4] [3, 4]] => a.mae_none(&b);
    "huber(0.7)" (a in OFF, b in NEAR_0) over [[] [], [37] [37], [3, 4] [3, 4]] => a.huber(&b, E::of(0.7));
    "huber_sum(0.7)" (a in OFF, b in NEAR_0) over [[3, 4] [3, 4]] => a.huber_sum(&b, E::of(0.7));
    "huber_none(0.7)" (a in OFF, b in NEAR_0) over [[3, 4] [3, 4], [0, 3] [0, 3]] => a.huber_none(&b, E::of(0.7));
    "smooth_l1(0.7)" (a in OFF, b in NEAR_0) over [[] [], [37] [37], [3, 4] [3, 4]] => a.smooth_l1(&b, E::of(0.7));
    "smooth_l1_sum(0.7)" (a in OFF, b in NEAR_0) over [[3, 4] [3, 4]] => a.smooth_l1_sum(&b, E::of(0.7));
    "smooth_l1_none(0.7)" (a in OFF, b in NEAR_0) over [[3, 4] [3, 4]] => a.smooth_l1_none(&b, E::of(0.7));
    "bce" (x in PROBABILITY, t in PROBABILITY) over [[] [], [37] [37], [3, 4] [3, 4]] => x.bce(&t);
    "bce_sum" (x in PROBABILITY, t in PROBABILITY) over [[3, 4] [3, 4]] => x.bce_sum(&t);
    "bce_none" (x in PROBABILITY, t in PROBABILITY) over [[3, 4] [3, 4], [0, 3] [0, 3]] => x.bce_none(&t);
    "bce_with_logits" (x in FAR, t in PROBABILITY) over [[] [], [37] [37], [3, 4] [3, 4]] => x.bce_with_logits(&t);
    "bce_with_logits wide" (x in WIDE, t in PROBABILITY) over [[37] [37]] => x.bce_with_logits(&t);
    "bce_with_logits_sum" (x in FAR, t in PROBABILITY) over [[3, 4] [3, 4]] => x.bce_with_logits_sum(&t);
    "bce_with_logits_none" (x in FAR, t in PROBABILITY) over [[3, 4] [3, 4]] => x.bce_with_logits_none(&t);
    "bce_with_logits_weighted" (x: [3, 4] in FAR, t: [3, 4] in PROBABILITY, w: [4] in POSITIVE)
        => x.bce_with_logits_weighted(&t, &w);
    "bce_with_logits_weighted_sum" (x: [3, 4] in FAR, t: [3, 4] in PROBABILITY, w: [3, 1] in POSITIVE)
        => x.bce_with_logits_weighted_sum(&t, &w);
    "bce_with_logits_weighted_none" (x: [3, 4] in FAR, t: [3, 4] in PROBABILITY, w: [] in POSITIVE)
        => x.bce_with_logits_weighted_none(&t, &w);
    "kl_div" (x in ANY, t in PROBABILITY) over [[] [], [37] [37], [3, 4] [3, 4]] => x.kl_div(&t);
    "kl_div_sum" (x in ANY, t in PROBABILITY) over [[3, 4] [3, 4]] => x.kl_div_sum(&t);
    "kl_div_none" (x in ANY, t in PROBABILITY) over [[3, 4] [3, 4]] => x.kl_div_none(&t);
    "kl_div_batchmean" (x in ANY, t in PROBABILITY) over [[3, 4] [3, 4], [5] [5]] => x.kl_div_batchmean(&t);
    "hinge" (x in ANY.avoiding(&[1.0]), t in NEAR_1) over [[] [], [37] [37], [3, 4] [3, 4]] => x.hinge(&t);
    "hinge_sum" (x in ANY.avoiding(&[1.0]), t in NEAR_1) over [[3, 4] [3, 4]] => x.hinge_sum(&t);
    "hinge_none" (x in ANY.avoiding(&[1.0]), t in NEAR_1) over [[3, 4] [3, 4]] => x.hinge_none(&t);
    "cross_entropy_sum" (x: [4, 5] in ANY) => x.cross_entropy_sum(&labels());
    "cross_entropy_none" (x: [4, 5] in ANY) => x.cross_entropy_none(&labels());
    "cross_entropy_none (2, 3)" (x: [2, 3, 4] in ANY)
        => x.cross_entropy_none(&Indices::<2, shape![2, 3], 4>::from_slice(&[0, 3, 1, 1, 1, 2]).expect("below 4"));
    "cross_entropy_with nothing" (x: [4, 5] in ANY) => x.cross_entropy_with(&labels(), Default::default());
    "cross_entropy_with weights" (x: [4, 5] in ANY)
        => x.cross_entropy_with(&labels(), CrossEntropy { weights: Some(&weights()), ..Default::default() });
    "cross_entropy_with smoothing" (x: [4, 5] in ANY)
        => x.cross_entropy_with(&labels(), CrossEntropy { smoothing: E::of(0.1), ..Default::default() });
    "cross_entropy_with ignored" (x: [4, 5] in ANY)
        => x.cross_entropy_with(&labels(), CrossEntropy { ignored: Some(&second()), ..Default::default() });
    "cross_entropy_with all" (x: [4, 5] in ANY) => x.cross_entropy_with(
        &labels(),
        CrossEntropy { weights: Some(&weights()), smoothing: E::of(0.1), ignored: Some(&second()) },
    );
    "cross_entropy_with_sum all" (x: [4, 5] in ANY) => x.cross_entropy_with_sum(
        &labels(),
        CrossEntropy { weights: Some(&weights()), smoothing: E::of(0.1), ignored: Some(&second()) },
    );
    "cross_entropy_with_none all" (x: [4, 5] in ANY) => x.cross_entropy_with_none(
        &labels(),
        CrossEntropy { weights: Some(&weights()), smoothing: E::of(0.1), ignored: Some(&second()) },
    );
    "nll" (x: [4, 5] in ANY) => x.nll(&labels());
    "nll_sum" (x: [4, 5] in ANY) => x.nll_sum(&labels());
    "nll_none" (x: [4, 5] in ANY) => x.nll_none(&labels());
    "cross_entropy_soft" (x in ANY, t in PROBABILITY) over [[5] [5], [4, 5] [4, 5], [2, 3, 4] [2, 3, 4]] => x.cross_entropy_soft(&t);
    "cross_entropy_soft_sum" (x in ANY, t in PROBABILITY) over [[4, 5] [4, 5]] => x.cross_entropy_soft_sum(&t);
    "cross_entropy_soft_none" (x in ANY, t in PROBABILITY) over [[4, 5] [4, 5]] => x.cross_entropy_soft_none(&t);
    "cosine_similarity 0" (x in NONZERO, y in NONZERO) over [[5] [5], [3, 4] [3, 4]] => x.cosine_similarity::<0>(&y);
    "cosine_similarity 1" (x in NONZERO, y in NONZERO) over [[3, 4] [3, 4], [3, 37] [3, 37], [2, 3, 2] [2, 3, 2]] => x.cosine_similarity::<1>(&y);
    "cosine_embedding" (x in NONZERO, y in NONZERO) over [[4, 5] [4, 5]] => x.cosine_embedding(&y, &second(), E::of(-0.95));
    "cosine_embedding_sum" (x in NONZERO, y in NONZERO) over [[4, 5] [4, 5]] => x.cosine_embedding_sum(&y, &second(), E::of(-0.95));
    "cosine_embedding_none" (x in NONZERO, y in NONZERO) over [[4, 5] [4, 5]] => x.cosine_embedding_none(&y, &second(), E::of(-0.95));
    "triplet_margin" (a: [3, 4] in DISTINCT, p: [3, 4] in DISTINCT, n: [3, 4] in DISTINCT) => a.triplet_margin(&p, &n, E::of(5.0));
    "triplet_margin_sum" (a: [3, 4] in DISTINCT, p: [3, 4] in DISTINCT, n: [3, 4] in DISTINCT) => a.triplet_margin_sum(&p, &n, E::of(5.0));
    "triplet_margin_none" (a: [3, 4] in DISTINCT, p: [3, 4] in DISTINCT, n: [3, 4] in DISTINCT) => a.triplet_margin_none(&p, &n, E::of(5.0));
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
