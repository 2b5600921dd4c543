//! Dropout: scaling, the same mask backward, everything dropped, nothing drawn.

use super::check::{exactly, grad, of, panic_text};
use shapeproof::prelude::*;

both! {
    // pytorch/pytorch#5752
    fn what_is_kept_is_scaled_and_its_gradient_too<E>() {
        for p in [0.1, 0.3, 0.5, 0.9] {
            let x: Tensor<1, shape![30], E> = of(&(0..30).map(f64::from).collect::<Vec<_>>());
            let x = x.tracked();
            let y = x.dropout(p, true, &mut Rng::seed(3));
            let keep = E::of(1.0 - p);
            y.backward_with(&Tensor::full(E::of(3.0)));
            for ((x, y), g) in x.iter().zip(&y).zip(&grad(&x)) {
                let kept = g != E::zero();
                assert_eq!(y, if kept { x / keep } else { E::zero() });
                assert_eq!(g, if kept { E::of(3.0) / keep } else { E::zero() });
            }
        }
    }

    // pytorch/pytorch#5752
    fn without_training_or_with_a_p_of_0_nothing_happens<E>() {
        let x: Tensor<1, shape![4], E> = of(&[1.0, -0.0, f64::INFINITY, 3.0]);
        for (p, training) in [(0.3, false), (1.0, false), (0.0, false), (0.0, true)] {
            let mut rng = Rng::seed(1);
            let y = x.dropout(p, training, &mut rng);
            assert!(y.iter().zip(&x).all(|(y, x)| y == x && y.is_sign_negative() == x.is_sign_negative()));
            assert_eq!(rng, Rng::seed(1), "numbers were drawn");
        }
    }

    // google/flax#2055, #2510
    fn everything_is_dropped<E>() {
        let x: Tensor<1, shape![4], E> = of(&[1.0, 2.0, f64::INFINITY, f64::NAN]);
        let x = x.tracked();
        let y = x.dropout(1.0, true, &mut Rng::seed(0));
        exactly(&y, [0.0; 4]);
        y.sum().backward();
        exactly(&grad(&x), [0.0; 4]);
    }

    fn a_probability_out_of_range_is_refused<E>() {
        for p in [-0.1, 1.5, f64::NAN, f64::INFINITY] {
            for training in [false, true] {
                let x = Tensor::<1, shape![3], E>::ones();
                let text = panic_text(|| x.dropout(p, training, &mut Rng::seed(0)));
                assert!(text.contains(&format!("a probability of {p}")), "{text}");
            }
        }
    }
}

#[test]
fn as_many_are_dropped_as_should_be() {
    let y = Tensor::<1, shape![100000]>::ones().dropout(0.3, true, &mut Rng::seed(5));
    let dropped = y.eq(0.0).count();
    assert!((29_000..31_000).contains(&dropped), "{dropped}");
}
