//! The checks that users have for their own functions: they pass what is right and find planted errors.

use shapeproof::autograd::{Function, apply, gradcheck, hvpcheck, jvpcheck};
use shapeproof::dual::Dual;
use shapeproof::prelude::*;

type Square<E> = Tensor<2, shape![3, 3], E>;

fn block<E: Element>(x: &Square<E>, w: &Square<E>) -> Square<E> {
    x.matmul(w).tanh() * x.softmax::<1>() + w.exp()
}

fn drawn<E: Element>(seed: u64) -> Square<E> {
    Tensor::randn(&mut Rng::seed(seed))
}

#[test]
fn what_is_right_passes() {
    for seed in 0..20 {
        let (x, w) = (drawn::<f64>(seed), drawn(seed + 100));
        gradcheck(|(x, w)| block(&x, &w), (&x, &w)).unwrap();
        jvpcheck(|(x, w)| block(&x, &w), (&x, &w)).unwrap();
        hvpcheck(|(x, w)| block(&x, &w).square().sum(), (&x, &w)).unwrap();
        let (x, w) = (drawn::<f32>(seed), drawn(seed + 100));
        gradcheck(|(x, w)| block(&x, &w), (&x, &w)).unwrap();
        jvpcheck(|(x, w)| block(&x, &w), (&x, &w)).unwrap();
        hvpcheck(|(x, w)| block(&x, &w).mean(), (&x, &w)).unwrap();
    }
}

/// Large and small numbers, an empty tensor, and an input that is not used.
#[test]
fn scales_and_edges() {
    let x = Tensor::from([1e6f64, 1e-6, -1e3, 0.0]);
    gradcheck(
        |x: Tensor<1, shape![4], f64>| x.square() * 1e-6 + (x * 1e-6).sin(),
        &x,
    )
    .unwrap();
    gradcheck(|x| x.sum(), &Tensor::<1, shape![0], f64>::zeros()).unwrap();
    gradcheck(|(x, _)| x * 2.0, (&drawn::<f64>(0), &drawn::<f64>(1))).unwrap();
    gradcheck(|_: Square<f64>| Tensor::scalar(1.0), &drawn(0)).unwrap();
}

/// x², with a gradient that `wrong` makes of the right one.
struct Planted<E: Element> {
    wrong: fn(Square<E>) -> Square<E>,
}

impl<E: Element> Function for Planted<E> {
    const NAME: &'static str = "planted";
    type Inputs = Square<E>;
    type Output = Square<E>;
    type Saved = Square<E>;

    fn forward(&self, x: Square<E>) -> (Square<E>, Square<E>) {
        (x.square(), x)
    }
    fn backward(&self, x: &Square<E>, grad: Square<E>) -> Square<E> {
        (self.wrong)(grad * x * E::of(2.0))
    }
}

fn planted<E: Element>(wrong: fn(Square<E>) -> Square<E>) -> impl Fn(Square<E>) -> Square<E> {
    move |x| apply(Planted { wrong }, &x)
}

#[test]
fn planted_errors_are_found_where_they_are() {
    gradcheck(planted(|right| right), &drawn::<f64>(0)).unwrap();
    gradcheck(planted(|right| right), &drawn::<f32>(0)).unwrap();
    let wrongs: [fn(Square<f64>) -> Square<f64>; 5] = [
        |right| right * 1.0001,
        |right| -right,
        |right| right.t(),
        |right| right * 0.0,
        |right| right * f64::NAN,
    ];
    for wrong in wrongs {
        assert!(gradcheck(planted(wrong), &drawn(0)).is_err());
    }
    let error = gradcheck(planted(|right: Square<f32>| right * 1.02), &drawn(0)).unwrap_err();
    assert!(
        (error.found() / error.slope() - 1.02).abs() < 1e-3,
        "{error}"
    );

    let error = gradcheck(
        |(w, x)| planted(|right: Square<f64>| at_place_five(&right))(x) * w,
        (&drawn(1), &drawn(0)),
    )
    .unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("the gradient with respect to number 5 of input 1 is "),
        "{text}"
    );
    assert!(text.contains(", but differences say "), "{text}");
}

fn at_place_five(right: &Square<f64>) -> Square<f64> {
    let mut values = right.to_array();
    values[1][2] += 1e-4;
    Tensor::from(values)
}

fn lost(x: Square<Dual<f64>>) -> Square<Dual<f64>> {
    let constant = |x: Dual<f64>| Dual::constant(x.value);
    Square::from_array(x.to_array().map(|row| row.map(constant)))
}

/// A function that loses the tangent, and one whose gradient does.
#[test]
fn lost_tangents_are_found() {
    let error = jvpcheck(|x: Square<Dual<f64>>| x.sin() + lost(x), &drawn::<f64>(0)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the derivative along a direction of number 0 of the result is ")
    );

    hvpcheck(|x| planted(|right| right)(x).sum(), &drawn::<f64>(0)).unwrap();
    let error = hvpcheck(|x| planted(lost)(x).sum(), &drawn::<f64>(0)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the Hessian times a direction, at number 0 of input 0, is 0, but"),
        "{error}"
    );
}

#[test]
fn a_kink_is_mentioned() {
    let error = gradcheck(|x| x.relu(), &Tensor::from([1e-9f64])).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("(Near a kink or a jump, differences prove nothing.)")
    );
}
