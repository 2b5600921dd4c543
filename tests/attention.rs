//! Attention in blocks is attention, at any length; what sees nothing is zero.

use shapeproof::prelude::*;

/// The largest difference of two results, as a part of the largest number where that exceeds 1.
fn off<const R: usize, S: Shape<R>>(a: &Tensor<R, S, f64>, b: &Tensor<R, S, f64>) -> f64 {
    (a - b).abs().max().item() / b.abs().max().item().max(1.0)
}

/// Blocks, and the same composed of products and a softmax: values and gradients.
fn agrees<const Q: usize, const K: usize, const D: usize, const V: usize>(causal: bool) {
    let rng = &mut Rng::seed((Q * 1000 + K) as u64);
    let q = Tensor::<3, shape![2, Q, D], f64>::randn(rng).tracked();
    let k = Tensor::<3, shape![2, K, D], f64>::randn(rng).tracked();
    let v = Tensor::<3, shape![2, K, V], f64>::randn(rng).tracked();
    let bias = Tensor::<2, shape![Q, K], f64>::randn(rng).tracked();
    let seed = Tensor::<3, shape![2, Q, V], f64>::randn(rng);

    let blocks = q.scaled_dot_product_attention(&k, &v, &bias, causal);
    blocks.backward_with(&seed);
    let grads = || {
        (
            q.grad().unwrap(),
            k.grad().unwrap(),
            v.grad().unwrap(),
            bias.grad().unwrap(),
        )
    };
    let of_blocks = grads();
    q.zero_grad();
    k.zero_grad();
    v.zero_grad();
    bias.zero_grad();

    let scores = q.matmul_t(&k) / (D as f64).sqrt() + &bias;
    let mut hidden = vec![0.0; Q * K];
    if causal {
        for (i, place) in hidden.iter_mut().enumerate() {
            if i % K > i / K {
                *place = f64::NEG_INFINITY;
            }
        }
    }
    let hidden = Tensor::<2, shape![Q, K], f64>::from_slice(&hidden).unwrap();
    let whole = (scores + hidden).softmax::<2>().matmul(&v);
    whole.backward_with(&seed);
    let of_whole = grads();

    let size = format!("{Q} queries, {K} keys, causal {causal}");
    assert!(off(&blocks, &whole) < 1e-13, "values of {size}");
    assert!(off(&of_blocks.0, &of_whole.0) < 1e-12, "queries of {size}");
    assert!(off(&of_blocks.1, &of_whole.1) < 1e-12, "keys of {size}");
    assert!(
        off(&of_blocks.2, &of_whole.2) < 1e-12,
        "values' gradient of {size}"
    );
    assert!(off(&of_blocks.3, &of_whole.3) < 1e-12, "bias of {size}");
}

/// Around the sizes of a block (64 queries, 128 keys), and across several.
#[test]
fn blocks_are_the_whole() {
    for causal in [false, true] {
        agrees::<5, 7, 3, 2>(causal);
        agrees::<63, 127, 4, 3>(causal);
        agrees::<64, 128, 4, 3>(causal);
        agrees::<65, 129, 4, 3>(causal);
        agrees::<130, 260, 2, 1>(causal);
        agrees::<200, 33, 1, 2>(causal);
        agrees::<1, 300, 8, 8>(causal);
    }
}

/// Scores far apart, and far from 0, neither overflow nor lose the weights: a maximum that comes late
/// corrects what came before it.
#[test]
fn the_largest_score_may_come_last() {
    let scores: Vec<f32> = (0..300).map(|i| i as f32 * 10.0 - 1500.0).collect();
    let bias = Tensor::<2, shape![1, 300]>::from_slice(&scores).unwrap();
    let (q, k) = (
        Tensor::<2, shape![1, 1]>::zeros(),
        Tensor::<2, shape![300, 1]>::zeros(),
    );
    let v = Tensor::<1, shape![300]>::arange(0.0, 1.0).unsqueeze::<1>();
    let last = q.scaled_dot_product_attention(&k, &v, &bias, false);
    let expected: f64 = (0..300)
        .map(|i| f64::from(i) * (f64::from(i - 299) * 10.0).exp())
        .sum();
    let total: f64 = (0..300).map(|i| (f64::from(i - 299) * 10.0).exp()).sum();
    assert!((f64::from(last.to_vec()[0]) - expected / total).abs() < 1e-4);
}

/// A query that sees no key gets zeros and passes none of its gradient on, whatever hides the keys
/// (tracel-ai/burn#4697, pytorch/pytorch#131060).
#[test]
fn a_query_that_sees_nothing_is_zero() {
    let q = Tensor::<2, shape![3, 2], f64>::from([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]).tracked();
    let k = Tensor::<2, shape![3, 2], f64>::from([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]]).tracked();
    let v = Tensor::<2, shape![3, 2], f64>::from([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).tracked();
    let mask = Mask::<2, shape![3, 3]>::from_array([[true, true, false], [false; 3], [true; 3]]);
    let hidden = mask.select(&Tensor::scalar(0.0), &Tensor::scalar(f64::NEG_INFINITY));
    let by_mask = q.scaled_dot_product_attention(&k, &v, &mask, false);
    let by_bias = q.scaled_dot_product_attention(&k, &v, &hidden, false);
    for y in [by_mask, by_bias] {
        let near = |a: Vec<f64>, b: [f64; 6]| {
            let far = a.iter().zip(b).find(|(a, b)| (*a - b).abs() > 1e-7);
            assert!(far.is_none(), "{a:?} is not {b:?}");
        };
        near(
            y.to_vec(),
            [1.6604769, 2.6604769, 0.0, 0.0, 2.59332744, 3.59332744],
        );
        y.sum().backward();
        let dq = [-0.62559439, 0.62559439, 0.0, 0.0, -0.23068833, -0.44245134];
        near(q.grad().unwrap().to_vec(), dq);
        let dv = [
            1.07087364, 1.07087364, 0.73135054, 0.73135054, 0.19777581, 0.19777581,
        ];
        near(v.grad().unwrap().to_vec(), dv);
        assert!(k.grad().unwrap().to_vec().iter().all(|g| g.is_finite()));
        assert_eq!(q.grad().unwrap().to_array()[1], [0.0, 0.0]);
        [&q, &k, &v].iter().for_each(|x| x.zero_grad());
    }
}

/// Whatever the masked block: the first, the last, all of them.
#[test]
fn whole_blocks_may_be_hidden() {
    let rng = &mut Rng::seed(3);
    let q = Tensor::<2, shape![3, 4]>::randn(rng).tracked();
    let k = Tensor::<2, shape![300, 4]>::randn(rng).tracked();
    let v = Tensor::<2, shape![300, 2]>::randn(rng).tracked();
    for seen in [0..0, 0..1, 0..128, 128..300, 256..300, 299..300, 127..129] {
        let flags: Vec<f32> = (0..300)
            .map(|i| f32::from(u8::from(seen.contains(&i))))
            .collect();
        let mask = Tensor::<1, shape![300]>::from_slice(&flags)
            .unwrap()
            .gt(0.0);
        let y = q.scaled_dot_product_attention(&k, &v, &mask, false);
        y.sum().backward();
        for (i, grad) in v.grad().unwrap().to_vec().chunks(2).enumerate() {
            assert_eq!(grad[0] != 0.0, seen.contains(&i), "value {i} of {seen:?}");
        }
        let total: f32 = v.grad().unwrap().sum().item();
        let expected = if seen.is_empty() { 0.0 } else { 6.0 };
        assert!((total - expected).abs() < 1e-5, "{seen:?}: {total}");
        v.zero_grad();
        k.zero_grad();
        q.zero_grad();
    }
}

/// The diagonal starts at the top left, whatever the lengths (pytorch/pytorch#103082).
#[test]
fn causal_attention_starts_at_the_top_left() {
    fn means<const L: usize, const S: usize>() -> Vec<f32> {
        let (q, k) = (
            Tensor::<2, shape![L, 1]>::zeros(),
            Tensor::<2, shape![S, 1]>::zeros(),
        );
        let v = Tensor::<1, shape![S]>::arange(1.0, 1.0);
        let v = v.reshape::<(Dim<S>, One)>();
        q.scaled_dot_product_attention(&k, &v, (), true).to_vec()
    }
    assert_eq!(means::<2, 5>(), [1.0, 1.5]);
    assert_eq!(means::<1, 16>(), [1.0]);
    assert_eq!(means::<5, 2>(), [1.0, 1.5, 1.5, 1.5, 1.5]);
}

/// NaN and infinite scores come out as from a softmax; hidden ones stay out.
#[test]
fn what_is_not_finite() {
    let row = |score: f32, hide: bool| {
        let q = Tensor::from([[1.0f32]]);
        let k = Tensor::from([[0.0], [score]]);
        let v = Tensor::from([[1.0f32], [3.0]]);
        let mask = Mask::<1, shape![2]>::from_array([true, !hide]);
        q.scaled_dot_product_attention(&k, &v, &mask, false)
            .to_vec()[0]
    };
    assert!(row(f32::NAN, false).is_nan());
    assert!(row(f32::INFINITY, false).is_nan());
    assert_eq!(row(f32::NEG_INFINITY, false), 1.0);
    assert_eq!(row(f32::NAN, true), 1.0);
    assert_eq!(row(f32::INFINITY, true), 1.0);
}
