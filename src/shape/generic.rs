//! Code generic over shapes, axes and sizes compiles without bounds beyond `Shape<R>` and `Axis`.
//!
//! These functions are proofs: that they compile is the test.

// The types are spelled out because they are what is proven.
#![allow(clippy::type_complexity)]

use super::*;
use crate::element::Element;
use crate::shape;
use std::marker::PhantomData as P;

/// Two types are one.
pub(super) fn same<A>(_: P<A>, _: P<A>) {}

type Combined<A, B> = P<<A as Broadcast<B>>::Output>;
type Times<A, B> = P<<A as MatMul<B>>::Output>;

fn of_any_rank<const R: usize, S: Shape<R>, E: Element>() {
    let with_itself: Combined<S, S> = P::<S>;
    let with_a_scalar: Combined<S, ()> = P::<S>;
    let a_scalar_with_it: Combined<(), S> = P::<S>;
    let _ = (with_itself, with_a_scalar, a_scalar_with_it);

    fn stretches<S: BroadcastTo<T>, T>() {}
    stretches::<S, S>();
    stretches::<(), S>();

    let _: fn(crate::tensor::Tensor<R, S, E>) -> TensorOf<S, E> = |x| x;
    let _: fn(IndicesOf<S, 7>) -> crate::tensor::Indices<R, S, 7> = |x| x;
    let _: [usize; R] = S::SIZES;
}

fn of_any_axes<B: Axis, N: Axis, K: Axis, E: Element>() {
    let centred: Combined<(B, N), <(B, N) as HasAxis<1>>::Keepdim> = P::<(B, N)>;
    let kept_on_the_left: Combined<(B, One), (B, N)> = P::<(B, N)>;
    let with_a_bias: Combined<(B, N), (N,)> = P::<(B, N)>;
    let a_bias_with_it: Combined<(N,), (B, N)> = P::<(B, N)>;
    let outer: Combined<(B, One), (One, N)> = P::<(B, N)>;
    let _ = (
        centred,
        kept_on_the_left,
        with_a_bias,
        a_bias_with_it,
        outer,
    );

    let layer: Combined<<(B, K) as MatMul<(K, N)>>::Output, (N,)> = P::<(B, N)>;
    let layer_t: P<<(B, K) as MatMulT<(N, K)>>::Output> = P::<(B, N)>;
    let scores: Times<(B, N, K), <(B, N, K) as Transpose<1, 2>>::Output> = P::<(B, N, N)>;
    let scores_t: Times<(B, N, K), <(B, N, K) as TransposeLast>::Output> = P::<(B, N, N)>;
    let shared: Times<(B, N, K), (K, N)> = P::<(B, N, N)>;
    let inner: Times<(K,), (K,)> = P::<()>;
    let _ = (layer, layer_t, scores, scores_t, shared, inner);

    let _: fn(crate::tensor::Tensor<1, (B,), E>) -> TensorOf<<(B, N) as HasAxis<1>>::Without, E> =
        |x| x;

    fn stretches<S: BroadcastTo<T>, T>() {}
    stretches::<(B, One), (B, N)>();
    stretches::<(N,), (B, N)>();

    fn positions<S: ArgAxis<AXIS>, const AXIS: usize>() {}
    positions::<(B, N), 1>();
}

fn of_any_sizes<const B: usize, const N: usize, const K: usize, E: Element>() {
    let centred: Combined<shape![B, N], <shape![B, N] as HasAxis<1>>::Keepdim> = P::<shape![B, N]>;
    let kept_on_the_left: Combined<shape![B, 1], shape![B, N]> = P::<shape![B, N]>;
    let layer: Combined<<shape![B, K] as MatMul<shape![K, N]>>::Output, shape![N]> =
        P::<shape![B, N]>;
    let _ = (centred, kept_on_the_left, layer);

    let argmax: P<<shape![B, N] as ArgAxis<1>>::Indices> =
        P::<crate::tensor::Indices<1, shape![B], N>>;
    let targets: P<<shape![B, N] as Classes<N>>::Batch> = P::<shape![B]>;
    let embedded: P<<shape![B] as Append<Dim<K>>>::Output> = P::<shape![B, K]>;
    let _ = (argmax, targets, embedded);

    fn gathers<S: Gather<AXIS, Idx, BOUND>, const AXIS: usize, Idx, const BOUND: usize>() {}
    gathers::<shape![B, N], 1, shape![B, K], N>();

    let _: fn(crate::tensor::Tensor<2, shape![B, N], E>) -> TensorOf<shape![B, N], E> = |x| x;
}

fn of_any_axis_number<const R: usize, const AXIS: usize, S: Shape<R> + HasAxis<AXIS>>() -> Split {
    let _: P<<S as HasAxis<AXIS>>::Keepdim> = P;
    let _: P<<S as ArgAxis<AXIS>>::Indices> = P;
    S::SPLIT
}

#[test]
fn generic_code_needs_no_further_bounds() {
    of_any_rank::<2, shape![2, 3], f32>();
    of_any_axes::<Dim<2>, One, Dim<3>, f32>();
    of_any_sizes::<2, 3, 4, f32>();
    assert_eq!(
        of_any_axis_number::<2, 1, shape![2, 3]>(),
        Split {
            outer: 2,
            len: 3,
            inner: 1
        }
    );
}
