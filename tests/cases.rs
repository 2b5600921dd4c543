//! What went wrong in other libraries, with the right numbers. Each test names the report it comes from, and
//! goes beyond its one input: other sizes, axes, ties, special values, both element types.

mod cases {
    #[macro_use]
    mod check;

    mod activation;
    mod broadcast;
    mod clamp;
    mod conv;
    mod dropout;
    mod engine;
    mod entropy;
    mod extrema;
    mod graph;
    mod higher_order;
    mod index;
    mod layout;
    mod loss;
    mod matmul;
    mod normalise;
    mod optim;
    mod order;
    mod pool;
    mod power;
    mod random;
    mod reduce;
    mod reuse;
    mod scan;
    mod select;
    mod softmax;
    mod statistics;
    mod threads;
}
