//! Convolutions against their definition, at each level of processors.

use super::*;
use crate::kernel::wide::tests::at_each_level;
use crate::{Rng, Tensor, shape};

fn sweep(input: usize, kernel: usize, [stride, before, dilation]: [usize; 3]) -> Sweep {
    Sweep {
        input,
        kernel,
        output: (input + 2 * before - dilation * (kernel - 1) - 1) / stride + 1,
        stride,
        before,
        dilation,
    }
}

/// Groups with their channels, and both axes.
fn of(images: usize, [groups, inputs, outputs]: [usize; 3], rows: Sweep, columns: Sweep) -> Conv {
    Conv {
        images,
        groups,
        inputs,
        outputs,
        rows,
        columns,
    }
}

fn samples<E: Element>(len: usize, seed: u64) -> Vec<E> {
    let few = Tensor::<1, shape![1009], f64>::randn(&mut Rng::seed(seed)).to_vec();
    few.iter().cycle().take(len).map(|&x| E::of(x)).collect()
}

/// The convolution, and both gradients, from the definition.
fn plainly<E: Element>(conv: &Conv, x: &[E], weight: &[E], grad: &[E]) -> [Vec<f64>; 3] {
    let Conv { rows, columns, .. } = conv;
    let mut found = [x.len(), weight.len(), grad.len()].map(|len| vec![0.0; len]);
    let value = |x: E| x.to_f64().expect("a number");
    for (at, &g) in grad.iter().enumerate() {
        let (place, channel) = (at % conv.area_out(), at / conv.area_out());
        let (item, o) = (channel / conv.outputs, channel % conv.outputs);
        for d in 0..conv.depth() {
            let (c, k) = (d / conv.kernel(), d % conv.kernel());
            let (k, l) = (k / columns.kernel, k % columns.kernel);
            let (i, j) = (place / columns.output, place % columns.output);
            if !rows.inside(k).contains(&i) || !columns.inside(l).contains(&j) {
                continue;
            }
            let (row, column) = (rows.at(i, k), columns.at(j, l));
            let from = ((item * conv.inputs + c) * rows.input + row) * columns.input + column;
            let w = (item % conv.groups * conv.outputs + o) * conv.depth() + d;
            found[0][from] += value(weight[w]) * value(g);
            found[1][w] += value(x[from]) * value(g);
            found[2][at] += value(weight[w]) * value(x[from]);
        }
    }
    found
}

fn check<E: Element>(conv: &Conv, x: &[E], bound: f64) {
    let (weight, grad) = (samples(conv.weight_len(), 1), samples(conv.output_len(), 2));
    let right = plainly(conv, x, &weight, &grad);
    at_each_level(|level| {
        let found = [
            super::conv_input_grad(conv, &grad, &weight),
            super::conv_weight_grad(conv, x, &grad),
            super::conv(conv, x, &weight),
        ];
        for (name, (found, right)) in ["dx", "dw", "y"].iter().zip(found.iter().zip(&right)) {
            for (i, (&found, &right)) in found.iter().zip(right).enumerate() {
                let found = found.to_f64().expect("a number");
                let same = if right.is_finite() {
                    (found - right).abs() <= bound * (1.0 + right.abs())
                } else {
                    !found.is_finite()
                };
                assert!(
                    same,
                    "{level:?}, {name}[{i}]: {found}, not {right}: {conv:?}"
                );
            }
        }
    });
}

/// Edges narrower than a vector and rows of several, padding beyond the image, strides with and without entries between
/// steps, one channel in a group and several, and more weights than are met at once.
fn shapes() -> Vec<Conv> {
    let mut shapes = Vec::new();
    for channels in [[3, 1, 1], [2, 1, 3], [1, 2, 13], [2, 3, 5]] {
        for (height, width) in [(1, 1), (2, 3), (5, 14), (6, 15), (3, 16), (4, 33)] {
            for way in [
                [1, 0, 1],
                [1, 1, 1],
                [1, 5, 2],
                [2, 1, 1],
                [2, 3, 2],
                [3, 2, 1],
                [4, 4, 3],
            ] {
                for (high, wide) in [(1, 1), (3, 3), (2, 5)] {
                    let fits = |input, kernel| input + 2 * way[1] > way[2] * (kernel - 1);
                    if fits(height, high) && fits(width, wide) {
                        let (rows, columns) = (sweep(height, high, way), sweep(width, wide, way));
                        shapes.push(of(2, channels, rows, columns));
                    }
                }
            }
        }
    }
    let same = |input, kernel| sweep(input, kernel, [1, kernel / 2, 1]);
    let every_second = |input, kernel| sweep(input, kernel, [2, kernel / 2, 1]);
    // A matrix has places enough for the gradient from here on.
    shapes.push(of(3, [1, 80, 19], same(14, 3), same(14, 3)));
    shapes.push(of(3, [1, 3, 20], every_second(28, 7), every_second(29, 7)));
    shapes.push(of(2, [1, 5, 9], every_second(27, 3), every_second(27, 3)));
    shapes.push(of(2, [1, 40, 6], every_second(32, 1), every_second(32, 1)));
    // Several blocks of rows.
    shapes.push(of(1, [1, 20, 2], same(65, 3), same(112, 3)));
    shapes.push(of(
        1,
        [1, 2, 20],
        every_second(130, 3),
        every_second(224, 3),
    ));
    shapes
}

#[test]
fn are_what_the_definition_says() {
    for conv in shapes() {
        check(&conv, &samples::<f32>(conv.input_len(), 0), 1e-4);
        if conv.input_len() < 20_000 {
            check(&conv, &samples::<f64>(conv.input_len(), 0), 1e-12);
        }
    }
}

#[test]
fn what_is_infinite_stays_where_it_is_met() {
    for conv in shapes().iter().filter(|conv| conv.input_len() < 1000) {
        let mut x = samples::<f32>(conv.input_len(), 0);
        x[conv.input_len() / 2] = f32::INFINITY;
        check(conv, &x, 1e-4);
    }
}

/// Threads get blocks of other sizes, and the same numbers come out.
#[cfg(feature = "rayon")]
#[test]
fn any_number_of_threads_computes_the_same() {
    let same = |input| sweep(input, 3, [1, 1, 1]);
    let every_second = |input| sweep(input, 3, [2, 1, 1]);
    for conv in [
        of(1, [1, 64, 64], same(28), same(28)),
        of(1, [1, 64, 64], every_second(56), every_second(56)),
        of(3, [64, 1, 1], same(56), same(56)),
    ] {
        let x = samples::<f32>(conv.input_len(), 0);
        let (weight, grad) = (samples(conv.weight_len(), 1), samples(conv.output_len(), 2));
        let of_threads = |threads| {
            let pool = rayon_core::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().expect("threads").install(|| {
                [
                    super::conv_input_grad(&conv, &grad, &weight).to_vec(),
                    super::conv_weight_grad(&conv, &x, &grad).to_vec(),
                    super::conv(&conv, &x, &weight).to_vec(),
                ]
            })
        };
        let alone = of_threads(1);
        assert!(
            [2, 3, 5]
                .iter()
                .all(|&threads| of_threads(threads) == alone)
        );
    }
}
