//! Matrix products of all combinations of ranks, batched and stretched.

use super::ANY;

super::rows! { E;
    "matmul" (a in ANY, b in ANY) over [
        // Vectors and matrices; sizes of 1; more than a register and more than a tile.
        [5] [5],
        [37] [37],
        [1] [1],
        [3, 5] [5],
        [5] [5, 4],
        [3, 5] [5, 4],
        [1, 5] [5, 1],
        [5, 1] [1, 5],
        [1, 1] [1, 1],
        [19, 37] [37, 9],
        // Batches: equal, missing on one side, stretched on either side and on both.
        [2, 3, 5] [2, 5, 4],
        [2, 3, 5] [5, 4],
        [3, 5] [2, 5, 4],
        [1, 3, 5] [4, 5, 2],
        [4, 3, 5] [1, 5, 2],
        [2, 1, 3, 4] [3, 4, 2],
        [3, 1, 4] [2, 3, 4, 2],
        [2, 2, 3, 4] [2, 2, 4, 3],
        [2, 1, 2, 3] [1, 4, 3, 2],
        [1, 2, 1, 2, 3, 2] [2, 1, 2, 2],
        // Batches of matrices with a vector.
        [2, 3, 5] [5],
        [5] [2, 5, 4],
        [2, 3, 2, 5] [5],
        [5] [2, 3, 5, 2],
        // A sum of no products, and no products at all.
        [3, 0] [0, 4],
        [0, 3] [3, 4],
        [0, 2, 3] [3, 4],
        [2, 3] [0, 3, 4]
    ] => a.matmul(&b);
    "matmul_t" (x in ANY, w in ANY) over [
        [5] [4, 5],
        [3, 5] [4, 5],
        [1, 5] [1, 5],
        [3, 37] [9, 37],
        [2, 3, 5] [4, 5],
        [2, 2, 3, 5] [4, 5],
        [2, 1, 2, 1, 3, 2] [4, 2],
        [0, 5] [4, 5],
        [3, 0] [4, 0],
        // Batches on the right.
        [2, 3, 5] [2, 4, 5],
        [3, 5] [2, 4, 5],
        [5] [2, 4, 5],
        [1, 3, 5] [2, 4, 5],
        [2, 3, 5] [1, 4, 5],
        [2, 1, 2, 3] [1, 4, 5, 3],
        [2, 9, 37] [2, 19, 37],
        [2, 3, 0] [2, 4, 0]
    ] => x.matmul_t(&w);
    "t_matmul" (x in ANY, y in ANY) over [
        [5, 3] [5, 4],
        [1, 3] [1, 4],
        [5, 1] [5, 1],
        [37, 19] [37, 9],
        [2, 5, 3] [2, 5, 4],
        [2, 5, 3] [5, 4],
        [5, 3] [2, 5, 4],
        [1, 5, 3] [2, 5, 4],
        [2, 1, 5, 3] [1, 4, 5, 2],
        [0, 3] [0, 4],
        [2, 5, 3] [2, 5, 0]
    ] => x.t_matmul(&y);
    "dot" (a in ANY, b in ANY) over [[5] [5], [37] [37], [1] [1], [0] [0]] => a.dot(&b);
    "outer" (a in ANY, b in ANY) over [[5] [3], [1] [4], [19] [37], [0] [3]] => a.outer(&b);
    "trace" (x in ANY) over [[3, 3], [1, 1], [2, 4, 4], [2, 1, 3, 2, 2], [0, 0], [0, 3, 3]] => x.trace();
    "diag" (x in ANY) over [[3], [1], [2, 4], [2, 1, 3, 2], [0], [2, 0]] => x.diag();
}
