//! Convolutions that others got wrong, number by number, and the whole kind of each.

use shapeproof::prelude::*;
use shapeproof::shape::{Ceil, Groups, Inside, Pool, Same, SameDilated, Slide, Spread, Valid};

/// Stride and dilation must not trade places in the weight's gradient (pytorch#15501).
#[test]
fn stride_and_dilation_of_two() {
    let x = Tensor::from([[[7.0f64, 3.0]], [[3.0, 2.0]]]).tracked();
    let w = Tensor::from([[[3.0f64, 6.0]], [[4.0, 2.0]]]).tracked();
    let y = x.conv1d(&w, Slide::<2, 1, 2>);
    assert_eq!(y.to_array(), [[[18.0], [6.0]], [[12.0], [4.0]]]);
    y.sum().backward();
    assert_eq!(w.grad().unwrap().to_array(), [[[0.0, 5.0]], [[0.0, 5.0]]]);
    assert_eq!(x.grad().unwrap().to_array(), [[[0.0, 8.0]], [[0.0, 8.0]]]);
}

/// Each group's gradient belongs to its own slice of the weight (burn#1891).
#[test]
fn depthwise_with_stride_two() {
    let x = Tensor::<1, shape![64], f64>::arange(0.0, 1.0)
        .reshape::<shape![1, 4, 4, 4]>()
        .tracked();
    let w = Tensor::<1, shape![36], f64>::arange(0.0, 1.0)
        .reshape::<shape![4, 1, 3, 3]>()
        .tracked();
    let b = Tensor::<1, shape![4], f64>::arange(0.0, 1.0).tracked();
    let y = x.conv2d(&w, Groups::<4, _>(Slide::<2, 1>)) + b.unsqueeze::<1>().unsqueeze::<2>();
    let right = [
        [[73.0, 154.0], [279.0, 438.0]],
        [[1124.0, 1763.0], [2035.0, 3121.0]],
        [[3327.0, 5100.0], [5519.0, 8396.0]],
        [[6682.0, 10165.0], [10731.0, 16263.0]],
    ];
    assert_eq!(y.to_array(), [right]);
    y.sum().backward();
    let right = [
        [5.0, 10.0, 12.0, 10.0, 20.0, 24.0, 18.0, 36.0, 40.0],
        [21.0, 42.0, 44.0, 42.0, 84.0, 88.0, 50.0, 100.0, 104.0],
        [37.0, 74.0, 76.0, 74.0, 148.0, 152.0, 82.0, 164.0, 168.0],
        [53.0, 106.0, 108.0, 106.0, 212.0, 216.0, 114.0, 228.0, 232.0],
    ];
    let grad = w.grad().unwrap().reshape::<shape![4, 9]>();
    assert_eq!(grad.to_array(), right);
    assert_eq!(b.grad().unwrap().to_array(), [4.0; 4]);
    let first = [
        [4.0, 8.0, 4.0, 5.0],
        [8.0, 16.0, 8.0, 10.0],
        [4.0, 8.0, 4.0, 5.0],
        [7.0, 14.0, 7.0, 8.0],
    ];
    assert_eq!(x.grad().unwrap().to_array()[0][0], first);
}

/// The convolution as its definition says it, entry by entry.
struct Definition {
    stride: usize,
    before: usize,
    dilation: usize,
    groups: usize,
}

impl Definition {
    /// For each output the input and the weight that make a part of it, all counted in row-major order.
    fn parts(
        &self,
        x: [usize; 3],
        w: [usize; 3],
        length: usize,
        each: &mut dyn FnMut(usize, usize, usize),
    ) {
        let ([images, channels, input], [outputs, inputs, kernel]) = (x, w);
        for n in 0..images {
            for o in 0..outputs {
                let first = o / (outputs / self.groups) * inputs;
                for i in 0..length {
                    for c in 0..inputs {
                        for k in 0..kernel {
                            let at =
                                (i * self.stride + k * self.dilation).wrapping_sub(self.before);
                            if at < input {
                                let x = (n * channels + first + c) * input + at;
                                each(
                                    (n * outputs + o) * length + i,
                                    x,
                                    (o * inputs + c) * kernel + k,
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

fn numbers<const R: usize, S: Shape<R>>(seed: usize) -> Tensor<R, S, f64> {
    let values: Vec<f64> = (0..S::NUMEL)
        .map(|i| ((i * 7 + seed * 5) % 11) as f64 - 5.0)
        .collect();
    Tensor::from_slice(&values).unwrap()
}

/// Every stride, padding, dilation and number of groups up to 3, values and both gradients; whole numbers, so
/// that nothing is rounded.
#[test]
fn all_small_convolutions_are_their_definition() {
    macro_rules! check {
        ($x:tt $w:tt, $way:expr, $stride:expr, $before:expr, $dilation:expr, $groups:expr) => {{
            let x = numbers::<3, shape! $x>(1).tracked();
            let w = numbers::<3, shape! $w>(2).tracked();
            let y = x.conv1d(&w, $way);
            let seed = numbers::<1, shape![5000]>(3).to_vec();
            let seed = Tensor::from_slice(&seed[..y.numel()]).unwrap();
            y.backward_with(&seed);
            let (mut values, mut dx, mut dw) = (
                vec![0.0; y.numel()],
                vec![0.0; x.numel()],
                vec![0.0; w.numel()],
            );
            let definition = Definition {
                stride: $stride,
                before: $before,
                dilation: $dilation,
                groups: $groups,
            };
            definition.parts(x.dims(), w.dims(), y.dims()[2], &mut |o, i, k| {
                values[o] += x.as_slice()[i] * w.as_slice()[k];
                dx[i] += seed.as_slice()[o] * w.as_slice()[k];
                dw[k] += seed.as_slice()[o] * x.as_slice()[i];
            });
            let name = stringify!($x $w $way);
            assert_eq!(y.to_vec(), values, "{name}");
            assert_eq!(x.grad().unwrap().to_vec(), dx, "{name}: input");
            assert_eq!(w.grad().unwrap().to_vec(), dw, "{name}: weight");
        }};
    }
    macro_rules! sweep {
        ($($stride:literal $padding:literal $dilation:literal;)*) => {$(
            check!([2, 3, 11] [2, 3, 3], Slide::<$stride, $padding, $dilation>, $stride, $padding, $dilation, 1);
            check!([1, 2, 8] [3, 2, 4], Slide::<$stride, $padding, $dilation>, $stride, $padding, $dilation, 1);
            check!([2, 1, 5] [2, 1, 1], Slide::<$stride, $padding, $dilation>, $stride, $padding, $dilation, 1);
            check!([2, 4, 10] [6, 2, 3], Groups::<2, _>(Slide::<$stride, $padding, $dilation>), $stride, $padding, $dilation, 2);
            check!([2, 3, 7] [3, 1, 2], Groups::<3, _>(Slide::<$stride, $padding, $dilation>), $stride, $padding, $dilation, 3);
        )*};
    }
    sweep! {
        1 0 1; 2 0 1; 3 0 1; 1 1 1; 2 1 1; 3 1 1; 1 2 1; 2 2 1; 3 2 1; 1 3 1; 2 3 1; 3 3 1;
        1 1 2; 2 1 2; 3 1 2; 1 2 2; 2 2 2; 3 2 2; 1 3 2; 2 3 2; 3 3 2; 1 3 3; 2 3 3; 3 3 3;
        1 0 2; 2 0 2; 3 0 2;
    }
    check!([1, 2, 8] [3, 2, 4], Same, 1, 1, 1, 1);
    check!([1, 2, 8] [3, 2, 5], Same, 1, 2, 1, 1);
    check!([1, 2, 8] [3, 2, 4], SameDilated::<3>, 1, 4, 3, 1);
    check!([1, 2, 8] [3, 2, 1], Same, 1, 0, 1, 1);
    check!([1, 2, 8] [3, 2, 8], Valid, 1, 0, 1, 1);
    // So long that the work is done in parts of a line.
    check!([1, 40, 701] [2, 40, 9], Same, 1, 4, 1, 1);
    check!([1, 40, 701] [2, 40, 9], Valid, 1, 0, 1, 1);
    check!([2, 40, 1403] [2, 40, 9], Slide::<2, 4>, 2, 4, 1, 1);
    check!([2, 80, 811] [2, 40, 9], Groups::<2, _>(Slide::<1, 5, 3>), 1, 5, 3, 2);
}

/// Images of every width up to that of a few vectors, and so wide that the work is done in parts of rows, against the
/// definition.
#[test]
fn convolutions_of_every_width_are_their_definition() {
    macro_rules! check {
        ($($c:literal $h:literal $w:literal, $k:literal $kw:literal, $s:literal $p:literal;)*) => {$({
            let x = numbers::<4, shape![2, $c, $h, $w]>(1).tracked();
            let kernel = numbers::<4, shape![5, $c, $k, $kw]>(2).tracked();
            let y = x.conv2d(&kernel, Slide::<$s, $p>);
            let [_, _, rows, columns] = y.dims();
            let seed: Vec<f64> = (0..y.numel()).map(|i| (i % 7) as f64 - 3.0).collect();
            y.backward_with(&Tensor::from_slice(&seed).unwrap());
            let (xs, ws) = (x.as_slice(), kernel.as_slice());
            let (mut values, mut dx, mut dw) = (vec![0.0; seed.len()], vec![0.0; xs.len()], vec![0.0; ws.len()]);
            for (o, &g) in seed.iter().enumerate() {
                let (row, column) = (o / columns % rows * $s, o % columns * $s);
                let (channel, image) = (o / columns / rows % 5, o / columns / rows / 5);
                for k in 0..$c * $k * $kw {
                    let (c, i, j) = (k / ($k * $kw), row + k / $kw % $k, column + k % $kw);
                    if ($p..$h + $p).contains(&i) && ($p..$w + $p).contains(&j) {
                        let at = ((image * $c + c) * $h + i - $p) * $w + j - $p;
                        let k = channel * $c * $k * $kw + k;
                        values[o] += xs[at] * ws[k];
                        dx[at] += g * ws[k];
                        dw[k] += g * xs[at];
                    }
                }
            }
            let name = stringify!($c $h $w, $k $kw, $s $p);
            assert_eq!(y.to_vec(), values, "{name}");
            assert_eq!(x.grad().unwrap().to_vec(), dx, "{name}: input");
            assert_eq!(kernel.grad().unwrap().to_vec(), dw, "{name}: weight");
        })*};
    }
    check! {
        2 3 1, 2 2, 2 1; 2 3 2, 3 3, 2 1; 2 4 3, 2 3, 1 2; 3 3 4, 3 3, 1 1; 2 5 5, 3 2, 1 0; 2 3 6, 2 3, 2 1; 2 3 7, 3 3, 1 1;
        2 3 8, 3 3, 1 1; 2 3 9, 3 3, 1 1; 2 4 10, 3 3, 1 0; 2 3 13, 3 3, 1 1; 2 3 14, 3 3, 1 1; 2 3 15, 3 3, 1 1;
        2 3 16, 3 3, 1 1; 2 3 17, 3 3, 1 1; 2 3 18, 3 3, 1 0; 2 3 31, 3 3, 1 1; 2 3 32, 3 3, 1 1; 2 3 33, 3 3, 1 1;
        2 3 34, 3 3, 2 1; 2 5 65, 5 5, 1 2; 2 3 100, 3 3, 1 1; 60 3 701, 3 3, 1 1; 50 5 703, 3 3, 2 0; 40 40 41, 3 3, 1 1;
    }
}

/// Dilation makes the result larger (pytorch#14099).
#[test]
fn dilation_enters_the_size_of_a_transposed_convolution() {
    let x = Tensor::<4, shape![1, 1, 10, 10], f64>::ones();
    let w = Tensor::<4, shape![1, 1, 3, 3], f64>::ones();
    let y: Tensor<4, shape![1, 1, 14, 14], f64> = x.conv_transpose2d(&w, Spread::<1, 0, 0, 2>);
    assert_eq!(
        (y.sum().item(), y[[0, 0, 0, 1]], y[[0, 0, 5, 5]]),
        (900.0, 1.0, 9.0)
    );
    macro_rules! size {
        ($($n:literal $k:literal $s:literal $p:literal $o:literal $d:literal: $size:literal;)*) => {$(
            let x = Tensor::<3, shape![1, 1, $n], f64>::ones();
            let w = Tensor::<3, shape![1, 1, $k], f64>::ones();
            let y: Tensor<3, shape![1, 1, $size], f64> = x.conv_transpose1d(&w, Spread::<$s, $p, $o, $d>);
            let named: Tensor<3, shape![1, 1, $size], f64> = x.conv_transpose1d_as(&w, Spread::<$s, $p, $o, $d>);
            assert_eq!(y, named);
        )*};
    }
    size! {
        10 3 1 0 0 1: 12; 10 3 1 0 0 2: 14; 10 3 1 0 0 3: 16; 10 3 2 0 0 2: 23; 10 3 2 1 0 2: 21; 10 3 2 1 1 2: 22;
        10 1 1 0 0 3: 10; 10 1 1 0 2 3: 12; 2 2 1 1 1 3: 4; 2 4 3 2 2 1: 5; 7 5 3 4 2 2: 21;
    }
}

/// Transposed convolutions of every stride, padding, output padding and dilation up to 3 are what a convolution does
/// to a gradient, and their gradients are its other two sums.
#[test]
fn all_small_transposed_convolutions_are_their_definition() {
    macro_rules! check {
        ($x:tt $w:tt, $way:expr, $stride:expr, $before:expr, $dilation:expr, $groups:expr) => {{
            let x = numbers::<3, shape! $x>(1).tracked();
            let w = numbers::<3, shape! $w>(2).tracked();
            let y = x.conv_transpose1d(&w, $way);
            let seed = numbers::<1, shape![1000]>(3).to_vec();
            let seed = Tensor::from_slice(&seed[..y.numel()]).unwrap();
            y.backward_with(&seed);
            let (mut values, mut dx, mut dw) = (
                vec![0.0; y.numel()],
                vec![0.0; x.numel()],
                vec![0.0; w.numel()],
            );
            let definition = Definition {
                stride: $stride,
                before: $before,
                dilation: $dilation,
                groups: $groups,
            };
            definition.parts(y.dims(), w.dims(), x.dims()[2], &mut |i, o, k| {
                values[o] += x.as_slice()[i] * w.as_slice()[k];
                dx[i] += seed.as_slice()[o] * w.as_slice()[k];
                dw[k] += seed.as_slice()[o] * x.as_slice()[i];
            });
            let name = stringify!($x $w $way);
            assert_eq!(y.to_vec(), values, "{name}");
            assert_eq!(x.grad().unwrap().to_vec(), dx, "{name}: input");
            assert_eq!(w.grad().unwrap().to_vec(), dw, "{name}: weight");
        }};
    }
    macro_rules! sweep {
        ($($stride:literal $padding:literal $output:literal $dilation:literal;)*) => {$(
            check!([2, 3, 6] [3, 2, 4], Spread::<$stride, $padding, $output, $dilation>, $stride, $padding, $dilation, 1);
            check!([1, 2, 5] [2, 3, 3], Spread::<$stride, $padding, $output, $dilation>, $stride, $padding, $dilation, 1);
            check!([2, 4, 5] [4, 3, 3], Groups::<2, _>(Spread::<$stride, $padding, $output, $dilation>), $stride, $padding, $dilation, 2);
            check!([2, 3, 4] [3, 1, 4], Groups::<3, _>(Spread::<$stride, $padding, $output, $dilation>), $stride, $padding, $dilation, 3);
        )*};
    }
    sweep! {
        1 0 0 1; 2 0 0 1; 3 0 0 1; 1 1 0 1; 2 1 0 1; 3 1 0 1; 2 2 0 1; 3 2 0 1; 3 3 0 1;
        2 0 1 1; 3 0 1 1; 3 0 2 1; 2 1 1 1; 3 1 1 1; 3 1 2 1; 2 2 1 1; 3 2 2 1; 3 3 2 1;
        1 0 0 2; 2 0 0 2; 1 1 1 2; 2 1 1 2; 1 2 1 2; 3 2 2 2; 3 3 1 2; 1 0 0 3; 1 1 2 3; 2 2 2 3; 3 3 2 3; 1 3 1 3;
    }
}

/// Infinities and NaN reach the results that they take part in, and no others.
#[test]
fn infinities_reach_what_they_touch() {
    let x = Tensor::from([[[0.0f32, f32::INFINITY, 1.0, 2.0, f32::NAN]]]);
    let w = Tensor::from([[[1.0f32, 2.0]]]);
    let y = x.conv1d(&w, Valid).to_vec();
    assert_eq!(y[..3], [f32::INFINITY, f32::INFINITY, 5.0]);
    assert!(y[3].is_nan());
    // Padding is zeros, and 0 · ∞ is NaN, as in PyTorch.
    let w = Tensor::from([[[f32::INFINITY, 1.0, 1.0]]]);
    let x = Tensor::from([[[1.0f32, 2.0]]]);
    assert!(x.conv1d(&w, Same).to_vec()[0].is_nan());
}

/// The forward and the backward pass divide by the same number (burn#5604).
#[test]
fn means_divide_by_what_they_say() {
    let x = Tensor::from([[[1.0f64, 2.0, 3.0, 4.0, 5.0]]]).tracked();
    let y = x.avg_pool1d(Pool::<2>);
    assert_eq!(y.to_array(), [[[1.5, 3.5]]]);
    y.sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [[[0.5, 0.5, 0.5, 0.5, 0.0]]]);

    // The last window lies over one entry alone, both ways.
    x.zero_grad();
    let y = x.avg_pool1d(Ceil(Pool::<2>));
    assert_eq!(y.to_array(), [[[1.5, 3.5, 5.0]]]);
    y.sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [[[0.5, 0.5, 0.5, 0.5, 1.0]]]);

    // Padding counts, what lies beyond does not.
    let six = Tensor::from([[[1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0]]]);
    assert_eq!(
        six.avg_pool1d(Ceil(Pool::<3, 2, 1>)).to_array(),
        [[[1.0, 3.0, 5.0, 3.0]]]
    );
    assert_eq!(
        six.avg_pool1d(Inside(Ceil(Pool::<3, 2, 1>))).to_array(),
        [[[1.5, 3.0, 5.0, 6.0]]]
    );
    assert_eq!(
        six.avg_pool1d(Ceil(Inside(Pool::<3, 2, 1>))),
        six.avg_pool1d(Inside(Ceil(Pool::<3, 2, 1>)))
    );

    x.zero_grad();
    let y = x.avg_pool1d(Inside(Pool::<2, 2, 1>));
    assert_eq!(y.to_array(), [[[1.0, 2.5, 4.5]]]);
    y.sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [[[1.0, 0.5, 0.5, 0.5, 0.5]]]);
}

/// Padding is no number that could win, in images of negative numbers too (pytorch#33384, mxnet#6191).
#[test]
fn padding_never_wins() {
    let x = Tensor::<4, shape![2, 3, 5, 4]>::full(-7.5).tracked();
    let (largest, row, column) = x.max_pool2d_with_indices(Pool::<3, 2, 1>);
    assert!(largest.iter().all(|value| value == -7.5));
    // The first of the entries under each window.
    assert_eq!(row.to_array()[1][2], [[0, 0], [1, 1], [3, 3]]);
    assert_eq!(column.to_array()[1][2], [[0, 1], [0, 1], [0, 1]]);
    largest.sum().backward();
    assert_eq!(x.grad().unwrap().sum().item(), 2.0 * 3.0 * 6.0);
}

/// Every window up to 4 by PyTorch's rule for the last place, in sizes and in values, with sizes named and not.
#[test]
fn all_small_windows_that_reach_beyond() {
    macro_rules! check {
        ($($n:literal $k:literal $s:literal $p:literal: $places:literal;)*) => {$({
            let x = numbers::<3, shape![1, 2, $n]>(1).tracked();
            let largest: Tensor<3, shape![1, 2, $places], f64> = x.max_pool1d(Ceil(Pool::<$k, $s, $p>));
            let mean: Tensor<3, shape![1, 2, $places], f64> = x.avg_pool1d_as(Ceil(Pool::<$k, $s, $p>));
            for (i, (largest, mean)) in largest.iter().zip(&mean).enumerate() {
                let places: usize = $places;
                let (channel, start) = (i / places, i % places * $s);
                let end = usize::min(start + $k, $n + 2 * $p);
                let under: Vec<f64> = (start..end)
                    .filter(|at| ($p..$n + $p).contains(at))
                    .map(|at| x.as_slice()[channel * $n + at - $p])
                    .collect();
                let name = stringify!($n $k $s $p);
                assert_eq!(largest, under.iter().copied().fold(f64::NEG_INFINITY, f64::max), "{name}");
                assert_eq!(mean, under.iter().sum::<f64>() / (end - start) as f64, "{name}");
            }
        })*};
    }
    check! {
        5 1 1 0: 5; 5 1 2 0: 3; 5 1 3 0: 2; 5 2 1 0: 4; 5 2 2 0: 3; 5 2 3 0: 2; 5 2 1 1: 6; 5 2 2 1: 3; 5 2 3 1: 2;
        5 3 1 0: 3; 5 3 2 0: 2; 5 3 3 0: 2; 5 3 1 1: 5; 5 3 2 1: 3; 5 3 3 1: 2; 5 4 1 0: 2; 5 4 2 0: 2; 5 4 3 0: 2;
        5 4 1 2: 6; 5 4 2 2: 4; 5 4 3 2: 3; 6 2 4 0: 2; 6 2 4 1: 2; 6 3 4 1: 2; 6 3 5 1: 2; 6 4 4 2: 2; 7 2 4 0: 2;
        6 2 2 0: 3; 6 3 2 1: 4; 6 3 2 0: 3; 6 4 4 0: 2; 4 4 4 0: 1; 3 4 2 0: 1; 2 3 2 0: 1; 1 2 2 0: 1;
    }
}
