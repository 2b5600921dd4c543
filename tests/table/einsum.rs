//! Sums of products over named axes: each way a label can stand in operands and result.

use super::ANY;
use shapeproof::{Tensordot, einsum};

super::rows! { E;
    // One operand: in order, rearranged, summed, along a diagonal.
    "einsum ij->ij" (x: [3, 4] in ANY) => einsum!(<i, j> (i, j) -> (i, j); x);
    "einsum ijk->kij" (x: [2, 3, 4] in ANY) => einsum!(<i, j, k> (i, j, k) -> (k, i, j); x);
    "einsum ij->" (x in ANY) over [[3, 4], [0, 3], [1, 1]] => einsum!(<i, j> (i, j) -> (); x);
    "einsum ijk->j" (x in ANY) over [[2, 3, 4], [2, 3, 0], [2, 0, 4]] => einsum!(<i, j, k> (i, j, k) -> (j); x);
    "einsum ijk->ki" (x: [2, 3, 4] in ANY) => einsum!(<i, j, k> (i, j, k) -> (k, i); x);
    "einsum ii->i" (x in ANY) over [[3, 3], [1, 1], [0, 0]] => einsum!(<i> (i, i) -> (i); x);
    "einsum ii->" (x: [3, 3] in ANY) => einsum!(<i> (i, i) -> (); x);
    "einsum iji->ji" (x: [3, 2, 3] in ANY) => einsum!(<i, j> (i, j, i) -> (j, i); x);
    "einsum iii->i" (x: [3, 3, 3] in ANY) => einsum!(<i> (i, i, i) -> (i); x);
    "einsum ->" (x: [] in ANY) => einsum!(<> () -> (); x);
    // Two operands.
    "einsum ,->" (x: [] in ANY, y: [] in ANY) => einsum!(<> (), () -> (); x, y);
    "einsum i,->i" (x: [3] in ANY, y: [] in ANY) => einsum!(<i> (i), () -> (i); x, y);
    "einsum i,i->" (x: [5] in ANY, y: [5] in ANY) => einsum!(<i> (i), (i) -> (); x, y);
    "einsum i,i->i" (x: [5] in ANY, y: [5] in ANY) => einsum!(<i> (i), (i) -> (i); x, y);
    "einsum i,j->ij" (x: [3] in ANY, y: [4] in ANY) => einsum!(<i, j> (i), (j) -> (i, j); x, y);
    "einsum i,j->ji" (x: [3] in ANY, y: [4] in ANY) => einsum!(<i, j> (i), (j) -> (j, i); x, y);
    "einsum ij,j->i" (x: [3, 4] in ANY, y: [4] in ANY) => einsum!(<i, j> (i, j), (j) -> (i); x, y);
    "einsum ij,jk->ik" (x in ANY, y in ANY) over [
        [3, 4] [4, 2], [19, 37] [37, 9], [1, 4] [4, 1], [3, 0] [0, 2], [0, 4] [4, 2]
    ] => einsum!(<i, j, k> (i, j), (j, k) -> (i, k); x, y);
    "einsum ij,jk->ki" (x: [3, 4] in ANY, y: [4, 2] in ANY) => einsum!(<i, j, k> (i, j), (j, k) -> (k, i); x, y);
    "einsum ij,kj->ik" (x: [3, 4] in ANY, y: [2, 4] in ANY) => einsum!(<i, j, k> (i, j), (k, j) -> (i, k); x, y);
    "einsum ji,jk->ik" (x: [4, 3] in ANY, y: [4, 2] in ANY) => einsum!(<i, j, k> (j, i), (j, k) -> (i, k); x, y);
    "einsum ji,kj->ik" (x: [4, 3] in ANY, y: [2, 4] in ANY) => einsum!(<i, j, k> (j, i), (k, j) -> (i, k); x, y);
    "einsum bij,bjk->bik" (x: [2, 3, 4] in ANY, y: [2, 4, 5] in ANY)
        => einsum!(<b, i, j, k> (b, i, j), (b, j, k) -> (b, i, k); x, y);
    "einsum bij,bkj->bik" (x: [2, 3, 4] in ANY, y: [2, 5, 4] in ANY)
        => einsum!(<b, i, j, k> (b, i, j), (b, k, j) -> (b, i, k); x, y);
    "einsum ibj,jkb->kbi" (x: [3, 2, 4] in ANY, y: [4, 5, 2] in ANY)
        => einsum!(<b, i, j, k> (i, b, j), (j, k, b) -> (k, b, i); x, y);
    "einsum bihd,bjhd->bhij" (x: [2, 3, 2, 4] in ANY, y: [2, 5, 2, 4] in ANY)
        => einsum!(<b, h, i, j, d> (b, i, h, d), (b, j, h, d) -> (b, h, i, j); x, y);
    "einsum ijkl,lkm->mij" (x: [2, 3, 2, 4] in ANY, y: [4, 2, 3] in ANY)
        => einsum!(<i, j, k, l, m> (i, j, k, l), (l, k, m) -> (m, i, j); x, y);
    // Axes of one operand alone are summed; a diagonal meets another operand.
    "einsum ij,k->k" (x: [3, 4] in ANY, y: [2] in ANY) => einsum!(<i, j, k> (i, j), (k) -> (k); x, y);
    "einsum ijk,lk->i" (x: [2, 3, 4] in ANY, y: [5, 4] in ANY) => einsum!(<i, j, k, l> (i, j, k), (l, k) -> (i); x, y);
    "einsum ik,k->" (x: [0, 4] in ANY, y: [4] in ANY) => einsum!(<i, k> (i, k), (k) -> (); x, y);
    "einsum iij,jk->ik" (x: [3, 3, 4] in ANY, y: [4, 2] in ANY)
        => einsum!(<i, j, k> (i, i, j), (j, k) -> (i, k); x, y);
    "einsum ij,kjk->ik" (x: [3, 4] in ANY, y: [2, 4, 2] in ANY)
        => einsum!(<i, j, k> (i, j), (k, j, k) -> (i, k); x, y);
    "einsum ii,ii->" (x: [3, 3] in ANY, y: [3, 3] in ANY) => einsum!(<i> (i, i), (i, i) -> (); x, y);
    "einsum same" (x: [3, 4] in ANY) => einsum!(<i, j, k> (i, j), (k, j) -> (i, k); x, x);
    // Three operands.
    "einsum i,ij,j->" (x: [3] in ANY, a: [3, 4] in ANY, y: [4] in ANY)
        => einsum!(<i, j> (i), (i, j), (j) -> (); x, a, y);
    "einsum bi,ij,bj->b" (x: [2, 3] in ANY, a: [3, 4] in ANY, y: [2, 4] in ANY)
        => einsum!(<b, i, j> (b, i), (i, j), (b, j) -> (b); x, a, y);
    "einsum ij,jk,kl->li" (x: [2, 3] in ANY, y: [3, 4] in ANY, z: [4, 5] in ANY)
        => einsum!(<i, j, k, l> (i, j), (j, k), (k, l) -> (l, i); x, y, z);
    "einsum ir,jr,kr->ijk" (x: [2, 3] in ANY, y: [4, 3] in ANY, z: [5, 3] in ANY)
        => einsum!(<i, j, k, r> (i, r), (j, r), (k, r) -> (i, j, k); x, y, z);
    "einsum i,j,k->" (x: [2] in ANY, y: [3] in ANY, z: [4] in ANY) => einsum!(<i, j, k> (i), (j), (k) -> (); x, y, z);
    "tensordot (1, 0)" (x in ANY, y in ANY) over [[3, 4] [4, 2], [2, 3] [3, 4, 5], [3, 1] [1, 2], [2, 0] [0, 3]]
        => x.tensordot::<1, 0>(&y);
    "tensordot (1, 1)" (x: [2, 3, 4] in ANY, y: [5, 3] in ANY) => x.tensordot::<1, 1>(&y);
    "tensordot (0, 2)" (x: [3, 2, 2] in ANY, y: [2, 4, 3, 1] in ANY) => x.tensordot::<0, 2>(&y);
    "tensordot (0, 0)" (x: [5] in ANY, y: [5] in ANY) => x.tensordot::<0, 0>(&y);
}
