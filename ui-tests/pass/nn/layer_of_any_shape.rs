//! A layer of your own for every shape, in a tuple with others.

use shapeproof::nn::{Parameter, ParameterMut};
use shapeproof::prelude::*;

struct Scale<E: Element>(E);

impl<const R: usize, S: Shape<R>, E: Element> Layer<Tensor<R, S, E>> for Scale<E> {
    type Output = Tensor<R, S, E>;
    fn forward(&self, x: &Tensor<R, S, E>) -> Tensor<R, S, E> {
        x * self.0
    }
}

impl<E: Element> Module<E> for Scale<E> {
    fn visit(&self, _: &str, _: &mut dyn FnMut(&str, Parameter<'_, E>)) {}
    fn visit_mut(&mut self, _: &str, _: &mut dyn FnMut(&str, ParameterMut<'_, E>)) {}
}

fn main() {
    let model = (Linear::<4, 2>::new(&mut Rng::seed(0)), Scale(0.0));
    assert_eq!(
        model.forward(&Tensor::<1, shape![4]>::ones()).to_array(),
        [0.0; 2]
    );
    assert_eq!(model.parameter_count(), 10);
}
