//! Masks of one shape are combined by `!`, `&`, `|` and `^`, in generic code too.

use shapeproof::prelude::*;

fn between<const R: usize, S: Shape<R>>(x: &Tensor<R, S>, low: f32, high: f32) -> Mask<R, S> {
    x.ge(low) & !x.gt(high)
}

fn main() {
    let x = Tensor::from([-1.0, 0.0, 0.5, 2.0]);
    let inside = between(&x, 0.0, 1.0);
    assert_eq!(inside.to_array(), [false, true, true, false]);
    assert!((&inside | &!&inside).all());
}
