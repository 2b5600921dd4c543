//! A tensor that takes part twice, results that are used again, and operators that write in place.

// The same operand on both sides is the point.
#![allow(clippy::eq_op)]

use super::{ANY, NONZERO, POSITIVE};
use shapeproof::prelude::*;

super::rows! { E;
    "add same" (x: [3, 4] in ANY) => &x + &x;
    "sub same" (x: [3, 4] in ANY) => &x - &x;
    "mul same" (x: [3, 4] in ANY) => &x * &x;
    "div same" (x: [3, 4] in NONZERO) => &x / &x;
    "pow same" (x: [3, 4] in POSITIVE) => x.pow(&x);
    // Each element is a tie, and the two halves add up.
    "maximum same" (x: [3, 4] in ANY) => x.maximum(&x);
    "minimum same" (x: [3, 4] in ANY) => x.minimum(&x);
    "select same" (x: [3, 4] in ANY) => x.gt(E::of(0.0)).select(&x, &x);
    "matmul same" (x in ANY) over [[3, 3], [5], [2, 3, 3]] => x.matmul(&x);
    "matmul_t same" (x: [3, 4] in ANY) => x.matmul_t(&x);
    "matmul own transpose" (x: [3, 4] in ANY) => x.t().matmul(&x);
    "mse same" (x: [3, 4] in ANY) => x.mse(&x);
    "add own row sums" (x: [3, 4] in ANY) => &x + x.sum_keepdim::<1>();
    // `exp` saves its result; nothing that follows may write to it.
    "exp twice" (a: [3, 4] in ANY, b: [3, 4] in ANY) => {
        let e = a.exp();
        &e * &b + e
    };
    "exp by value" (a: [3, 4] in ANY, b: [4] in ANY) => (a.exp() * &b - &b) * a.exp();
    "add by value" (a: [3, 4] in ANY, b: [3, 4] in ANY) => {
        let product = &a * &b;
        (product.clone() + a.clone()) * (b.clone() - product)
    };
    "add by value" (a: [3, 1] in ANY, b: [4] in ANY) => (&a * E::of(2.0) + &b * E::of(3.0)) * (a.clone() + b.clone());
    "unary by value" (x: [37] in ANY) => ((-&x * E::of(2.0)).exp() + E::of(1.0)).ln() / E::of(2.0) - &x;
    "assign" (a: [3, 4] in ANY, b: [4] in ANY) => {
        let mut y = a.square();
        y += &b;
        y *= &a;
        y -= b.clone();
        y /= b.square() + E::of(1.5);
        y
    };
    "assign" (a: [3, 4] in ANY, b: [] in ANY) => {
        let mut y = a.square();
        y += &b;
        y *= &a;
        y -= b.clone();
        y /= b.square() + E::of(1.5);
        y
    };
    "assign scalar" (x: [3, 4] in ANY) => {
        let mut y = x.square();
        y += E::of(0.5);
        y *= E::of(3.0);
        y -= E::of(1.25);
        y /= E::of(1.5);
        y * &x
    };
    "assign to itself" (x: [3, 4] in ANY) => {
        let square = x.square();
        let mut y = square.clone();
        y += &square;
        y *= square;
        y
    };
    "diamond" (x: [4] in ANY) => {
        let (sin, cos) = (x.sin(), x.cos());
        &sin * &cos + &sin / (E::of(1.5).plus(&cos))
    };
    "layer norm" (x: [4, 5] in ANY, gain: [5] in ANY, bias: [5] in ANY) => {
        let centred = &x - x.mean_keepdim::<1>();
        centred * (x.var_keepdim::<1>(0) + E::of(1e-5)).rsqrt() * &gain + &bias
    };
    "attention" (q: [2, 3, 4] in ANY, k: [2, 5, 4] in ANY, v: [2, 5, 3] in ANY)
        => (q.matmul(&k.t()) * E::of(0.5)).softmax::<2>().matmul(&v);
    "two layers" (x: [4, 3] in ANY, w: [5, 3] in ANY, b: [5] in ANY, v: [2, 5] in ANY)
        => (x.matmul_t(&w) + &b).tanh().matmul_t(&v).square().mean();
    "chain of views" (x: [2, 3, 4] in ANY)
        => x.permute::<2, 0, 1>().reshape::<shape![4, 6]>().t() * x.reshape::<shape![6, 4]>();
}
