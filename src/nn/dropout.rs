//! Dropout as a layer.

use super::{Layer, Module, Parameter, ParameterMut};
use crate::element::Element;
use crate::random::Rng;
use crate::shape::Shape;
use crate::tensor::Tensor;
use std::sync::{Mutex, PoisonError};

/// While a model trains, each number is 0 with probability `p`, and the others are divided by 1 − `p`; afterwards
/// nothing is done. PyTorch: `Dropout`.
///
/// A new layer trains; [`set_training(false)`](Module::set_training) on it, or on the model that it is part of, ends
/// that. It draws from a generator of its own, so a model made from one seed drops the same numbers each time it
/// is run from the start. A clone draws what the original would.
///
/// ```
/// use shapeproof::nn::Dropout;
/// use shapeproof::prelude::*;
///
/// let rng = &mut Rng::seed(0);
/// let mut model = (Linear::<4, 100>::new(rng), Dropout::new(0.5, rng));
/// let x = Tensor::<1, shape![4]>::ones();
/// let y = model.forward(&x);
/// assert!(y.iter().any(|y| y == 0.0) && y.iter().any(|y| y != 0.0));
///
/// Module::<f32>::set_training(&mut model, false);
/// assert_eq!(model.forward(&x), model.0.forward(&x));
/// ```
#[derive(Debug)]
pub struct Dropout {
    p: f64,
    training: bool,
    /// Forward has no other access to the layer than a shared one.
    rng: Mutex<Rng>,
}

impl Dropout {
    /// A layer that drops with probability `p`. Its generator is seeded with a number drawn from `rng`.
    ///
    /// # Panics
    /// If `p` is not from 0 to 1.
    #[track_caller]
    pub fn new(p: f64, rng: &mut impl rand_core::Rng) -> Self {
        assert!(
            (0.0..=1.0).contains(&p),
            "dropout: a probability of {p}, which is not in 0..=1"
        );
        Dropout {
            p,
            training: true,
            rng: Mutex::new(Rng::seed(rng.next_u64())),
        }
    }
}

impl Clone for Dropout {
    fn clone(&self) -> Self {
        let rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        Dropout {
            p: self.p,
            training: self.training,
            rng: Mutex::new(rng.clone()),
        }
    }
}

impl<E: Element> Module<E> for Dropout {
    fn visit(&self, _: &str, _: &mut dyn FnMut(&str, Parameter<'_, E>)) {}
    fn visit_mut(&mut self, _: &str, _: &mut dyn FnMut(&str, ParameterMut<'_, E>)) {}
    fn visit_modes(&mut self, path: &str, visit: &mut dyn FnMut(&str, &mut bool)) {
        visit(path, &mut self.training);
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Layer<Tensor<R, S, E>> for Dropout {
    type Output = Tensor<R, S, E>;
    fn forward(&self, input: &Tensor<R, S, E>) -> Tensor<R, S, E> {
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        input.dropout(self.p, self.training, &mut *rng)
    }
}
