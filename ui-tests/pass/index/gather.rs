//! Entries picked along an axis, by indices of the same shape elsewhere.

use shapeproof::prelude::*;

fn chosen<const B: usize, const C: usize>(
    scores: &Tensor<2, shape![B, C]>,
    labels: &Indices<2, shape![B, 1], C>,
) -> Tensor<1, shape![B]> {
    scores.gather::<1>(labels).squeeze::<1>()
}

fn one_of_each_row<const B: usize, const N: usize, E: Element>(
    x: &Tensor<2, shape![B, N], E>,
    chosen: &Indices<1, shape![B], N>,
) -> Tensor<1, shape![B], E> {
    x.gather::<1>(&chosen.unsqueeze::<1>()).squeeze::<1>()
}

fn main() {
    let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    let largest = x.argmax_axis::<1>();
    assert_eq!(one_of_each_row(&x, &largest), x.max_axis::<1>());
    let scores = Tensor::from([[1.0, 2.0, 3.0], [6.0, 5.0, 4.0]]);
    let labels = Indices::from_array([[2], [1]]).unwrap();
    assert_eq!(chosen(&scores, &labels).to_array(), [3.0, 5.0]);
}
