//! Gradients of the largest entry under a window: they go where the value came from, once.

use shapeproof::prelude::*;
use shapeproof::shape::{Along, Ceil, Pool, Pooling};

/// An entry that wins under several windows is credited by each, one that lost by none (ocannl#512), and of several
/// equal ones exactly one is (tensorflow#51682).
#[test]
fn overlapping_windows_and_ties() {
    let x = Tensor::from([[[5.0f64, 3.0, 1.0, 2.0, 5.0]]]).tracked();
    let y = x.max_pool1d(Pool::<2, 1>);
    assert_eq!(y.to_array(), [[[5.0, 3.0, 2.0, 5.0]]]);
    y.sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [[[1.0, 1.0, 0.0, 1.0, 1.0]]]);

    let x = Tensor::from([[[0.6f32, 0.6, 0.3]]]).tracked();
    x.max_pool1d(Pool::<3>).sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [[[1.0, 0.0, 0.0]]]);
}

/// NaN is the largest there is, here as in a maximum (pytorch#7670).
#[test]
fn nan_under_a_window() {
    let x = Tensor::from([[[1.0f32, f32::NAN, 3.0, 2.0]]]).tracked();
    let y = x.max_pool1d(Pool::<2>);
    assert!(y[[0, 0, 0]].is_nan() && y[[0, 0, 1]] == 3.0);
    y.sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [[[0.0, 1.0, 1.0, 0.0]]]);
}

/// Values of few kinds, so that most windows hold ties, and now and then a NaN or an infinity.
fn few(i: usize, kinds: usize) -> f64 {
    match i * 7919 % 31 % kinds {
        0 => f64::NEG_INFINITY,
        1 => f64::NAN,
        k => k as f64,
    }
}

/// Where the largest of the window stands: the first of equal ones, and the first NaN before all numbers.
fn first_largest(entries: impl Iterator<Item = (usize, f64)>) -> usize {
    let mut best: Option<(usize, f64)> = None;
    for (at, x) in entries {
        if best.is_none_or(|(_, most)| x > most || (x.is_nan() && !most.is_nan())) {
            best = Some((at, x));
        }
    }
    best.expect("a window over the axis").0
}

/// The size may be named, with the same results.
fn named<L: Axis, Out: Axis, P: Along<Way: Pooling>>(
    x: &Tensor<3, (Dim<2>, Dim<3>, L), f64>,
    window: P,
    largest: &Tensor<3, (Dim<2>, Dim<3>, Out), f64>,
    place: &L::Indices<(Dim<2>, Dim<3>, Out)>,
) where
    L::Indices<(Dim<2>, Dim<3>, Out)>: PartialEq + std::fmt::Debug,
{
    let (values, at) = x.max_pool1d_with_indices_as::<P, Out>(window);
    let bits = |x: &Tensor<3, (Dim<2>, Dim<3>, Out), f64>| -> Vec<u64> {
        x.iter().map(f64::to_bits).collect()
    };
    assert_eq!(bits(&values), bits(largest));
    assert_eq!(&at, place);
}

/// Every small window over rows, with padding, gaps and a last one that reaches beyond: values, places and gradients
/// entry by entry, with ties, NaN and infinities among them.
#[test]
fn every_small_window_credits_the_first_of_the_largest() {
    macro_rules! check {
        ($($n:literal: $k:literal $s:literal $p:literal $d:literal;)*) => {$({
            for kinds in [3, 4, 6, 31] {
                let values: Vec<f64> = (0..2 * 3 * $n).map(|i| few(i, kinds)).collect();
                let x = Tensor::<3, shape![2, 3, $n], f64>::from_slice(&values).unwrap().tracked();
                let (largest, place) = x.max_pool1d_with_indices(Pool::<$k, $s, $p, $d>);
                named(&x, Pool::<$k, $s, $p, $d>, &largest, &place);
                let seed: Vec<f64> = (0..largest.numel()).map(|i| (1 << (i % 20)) as f64).collect();
                let windows = largest.numel() / 6;
                let mut credit = vec![0.0; values.len()];
                for (i, (y, place)) in largest.iter().zip(place.iter()).enumerate() {
                    let (row, start) = (i / windows, i % windows * $s);
                    let under = (0..$k)
                        .map(|k| start + k * $d)
                        .filter(|at| ($p..$n + $p).contains(at))
                        .map(|at| (at - $p, values[row * $n + at - $p]));
                    let right = first_largest(under);
                    let name = format!("{} {kinds}, window {i}", stringify!($n: $k $s $p $d));
                    assert_eq!(place, right, "{name}");
                    assert_eq!(y.to_bits(), values[row * $n + right].to_bits(), "{name}");
                    credit[row * $n + right] += seed[i];
                }
                largest.backward_with(&Tensor::from_slice(&seed).unwrap());
                assert_eq!(x.grad().unwrap().to_vec(), credit, "{}", stringify!($n: $k $s $p $d));
            }
        })*};
    }
    check! {
        1: 1 1 0 1; 2: 2 1 1 1; 5: 2 1 0 1; 5: 2 1 1 1; 5: 2 2 0 1; 5: 2 2 1 1; 5: 3 1 0 1; 5: 3 1 1 1; 5: 3 2 0 1;
        5: 3 2 1 1; 5: 3 3 1 1; 5: 4 1 2 1; 5: 4 3 2 1; 5: 5 1 0 1; 6: 2 1 0 2; 6: 3 1 1 2; 6: 3 2 0 2; 6: 2 1 1 3;
        9: 2 4 0 1; 9: 4 2 2 1; 17: 3 1 1 1; 33: 3 2 1 1; 33: 2 2 0 1; 40: 8 8 0 1;
    }
}

/// The same across rows and columns.
#[test]
fn every_small_plane_credits_the_first_of_the_largest() {
    macro_rules! check {
        ($($h:literal $w:literal: $k:literal $s:literal $p:literal, $kw:literal $sw:literal $pw:literal;)*) => {$({
            for kinds in [3, 4, 31] {
                let values: Vec<f64> = (0..2 * 2 * $h * $w).map(|i| few(i, kinds)).collect();
                let x = Tensor::<4, shape![2, 2, $h, $w], f64>::from_slice(&values).unwrap().tracked();
                let way = (Ceil(Pool::<$k, $s, $p>), Pool::<$kw, $sw, $pw>);
                let (y, row, column) = x.max_pool2d_with_indices(way);
                let (same, row_as, column_as) = x.max_pool2d_with_indices_as(way);
                assert!(same.iter().zip(&y).all(|(a, b)| a.to_bits() == b.to_bits()));
                assert_eq!((&row, &column), (&row_as, &column_as));
                let seed: Vec<f64> = (0..y.numel()).map(|i| (1 << (i % 20)) as f64).collect();
                let [_, _, rows, columns] = y.dims();
                let mut credit = vec![0.0; values.len()];
                for (i, y) in y.iter().enumerate() {
                    let plane = i / (rows * columns) * $h * $w;
                    let (top, left) = (i / columns % rows * $s, i % columns * $sw);
                    let under = (0..$k * $kw)
                        .map(|k| (top + k / $kw, left + k % $kw))
                        .filter(|(r, c)| ($p..$h + $p).contains(r) && ($pw..$w + $pw).contains(c))
                        .map(|(r, c)| plane + (r - $p) * $w + c - $pw)
                        .map(|at| (at, values[at]));
                    let right = first_largest(under);
                    assert_eq!(y.to_bits(), values[right].to_bits(), "{}", stringify!($h $w $k $s $p $kw $sw $pw));
                    let place = (row.as_slice()[i] * $w + column.as_slice()[i], right - plane);
                    assert_eq!(place.0, place.1, "{}", stringify!($h $w $k $s $p $kw $sw $pw));
                    credit[right] += seed[i];
                }
                y.backward_with(&Tensor::from_slice(&seed).unwrap());
                assert_eq!(x.grad().unwrap().to_vec(), credit, "{}", stringify!($h $w $k $s $p $kw $sw $pw));
            }
        })*};
    }
    check! {
        1 1: 1 1 0, 2 1 1; 4 5: 2 2 0, 2 2 0; 5 4: 3 1 1, 3 1 1; 5 5: 3 2 1, 2 1 0; 7 6: 2 1 1, 3 3 0; 5 33: 3 2 0, 3 2 1;
    }
}
