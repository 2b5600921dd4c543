//! What has parameters: they are visited in order, with their names.

use crate::element::Element;
use crate::graph::level::read;
use crate::shape::Shape;
use crate::storage::Buffer;
use crate::tensor::{Param, Raw};

/// A parameter of any shape, as a model shows it.
pub struct Parameter<'a, E: Element> {
    raw: &'a Raw<E>,
    dims: &'static [usize],
}

/// A parameter of any shape, as a model hands it to an optimizer.
pub struct ParameterMut<'a, E: Element> {
    raw: &'a mut Raw<E>,
    dims: &'static [usize],
}

impl<'a, E: Element> Parameter<'a, E> {
    /// The sizes of the axes, outermost first.
    pub fn dims(&self) -> &'static [usize] {
        self.dims
    }

    /// The values in row-major order.
    pub fn values(&self) -> &'a [E] {
        read(&self.raw.values)
    }

    /// The gradient in row-major order, if there is one.
    pub fn grad(&self) -> Option<Vec<E>> {
        self.grad_buffer().map(|grad| grad.to_vec())
    }

    /// Forgets the gradient.
    pub fn zero_grad(&self) {
        if let Some(node) = &self.raw.node {
            node.set_grad(None);
        }
    }

    pub(crate) fn grad_buffer(&self) -> Option<Buffer<E>> {
        self.raw.node.as_ref()?.grad()
    }

    pub(crate) fn has_grad(&self) -> bool {
        self.grad_buffer().is_some()
    }

    /// The largest number of the gradient by amount, or `other` if that is larger; NaN if either is.
    fn largest_grad(&self, other: f64) -> f64 {
        let grad = self.grad_buffer();
        let numbers = grad.iter().flat_map(|grad| grad.iter());
        numbers.fold(other, |largest, &g| {
            let size = plain(g).abs();
            // A NaN is not at most anything, and stays.
            if largest.is_nan() || size <= largest {
                largest
            } else {
                size
            }
        })
    }

    /// The sum of the squares of the gradient's numbers, in multiples of `unit`.
    fn squared_grad(&self, unit: f64) -> f64 {
        let grad = self.grad_buffer();
        let numbers = grad.iter().flat_map(|grad| grad.iter());
        numbers.map(|&g| (plain(g) / unit).powi(2)).sum()
    }

    /// Changes each number of the gradient, if there is one.
    fn map_grad(&self, change: &dyn Fn(f64) -> f64) {
        if let (Some(node), Some(grad)) = (&self.raw.node, self.grad_buffer()) {
            let changed = Buffer::from_fn(grad.len(), |i| E::of(change(plain(grad[i]))));
            node.set_grad(Some(changed));
        }
    }

    /// A number that no other parameter has: that of its [node](crate::graph::NodeView::id).
    pub fn id(&self) -> Option<u64> {
        self.raw.node.as_ref().map(|node| node.id())
    }
}

/// The value of a number, without what a dual number has beside it.
fn plain<E: Element>(number: E) -> f64 {
    number.to_f64().unwrap_or(f64::NAN)
}

impl<E: Element> ParameterMut<'_, E> {
    /// The sizes of the axes, outermost first.
    pub fn dims(&self) -> &'static [usize] {
        self.dims
    }

    /// The values in row-major order, for writing. Graphs recorded before keep what they saw.
    pub fn values_mut(&mut self) -> &mut [E] {
        read(&self.raw.values);
        self.raw.values.make_mut()
    }

    pub(crate) fn grad_buffer(&self) -> Option<Buffer<E>> {
        self.raw.node.as_ref()?.grad()
    }
}

/// What has parameters: a model, a layer, a parameter, or a tuple, array or vector of them.
///
/// A struct implements it by listing its fields: see [`fields!`](crate::fields). Fields that are no
/// modules, such as settings, are left out.
///
/// ```
/// use shapeproof::prelude::*;
///
/// struct Scale {
///     factor: Param<1, shape![3]>,
///     steps: usize, // no parameter
/// }
/// impl Module for Scale {
///     fields!(factor);
/// }
/// let scale = Scale { factor: Param::ones(), steps: 4 };
/// assert_eq!((scale.parameter_count(), scale.steps), (3, 4));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a module: it lists no parameters",
    label = "not a module with elements `{E}`",
    note = "a struct is a module once it lists its fields: `impl Module for Model {{ fields!(hidden, output); }}`",
    note = "one that is generic in its elements: `impl<E: Element> Module<E> for Model<E> {{ fields!(E: hidden, output); }}`"
)]
pub trait Module<E: Element = f32> {
    /// Visits every parameter in order. PyTorch: `named_parameters`, `state_dict`. `path` is the name so far.
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Parameter<'_, E>));

    /// Visits every parameter in the same order, for changing it. PyTorch: `load_state_dict`.
    fn visit_mut(&mut self, path: &str, visit: &mut dyn FnMut(&str, ParameterMut<'_, E>));

    /// Visits whether each layer that works otherwise while a model trains, such as [`Dropout`](super::Dropout), takes
    /// it that it does. Without such layers there is nothing to visit.
    fn visit_modes(&mut self, path: &str, visit: &mut dyn FnMut(&str, &mut bool)) {
        let _ = (path, visit);
    }

    /// Says to all layers whether the model trains. They take it that it does from the start. PyTorch: `train`, `eval`.
    fn set_training(&mut self, training: bool) {
        self.visit_modes("", &mut |_, mode| *mode = training);
    }

    /// Forgets all gradients. PyTorch: `zero_grad`.
    fn zero_grad(&self) {
        self.visit("", &mut |_, parameter| parameter.zero_grad());
    }

    /// The norm of all gradients together, √Σg² over every number of every parameter; if it is above `largest`, all are
    /// multiplied by `largest`/(norm + 1e-6), so that their direction stays. PyTorch: `nn.utils.clip_grad_norm_`.
    ///
    /// The norm returned is that before. It does not overflow on the way; if it is infinite or NaN, because a gradient
    /// is, the gradients stay as they are. Call it between `backward` and an optimizer's step:
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let model = Param::<1, shape![2]>::ones();
    /// (&model * Tensor::from([3.0, 4.0])).sum().backward();
    /// assert_eq!(model.clip_grad_norm(1.0), 5.0);
    /// let [x, y] = model.grad().unwrap().to_array();
    /// assert!((x - 0.6).abs() < 1e-6 && (y - 0.8).abs() < 1e-6);
    /// ```
    fn clip_grad_norm(&self, largest: f64) -> f64 {
        let (mut unit, mut squares) = (0.0, 0.0);
        self.visit("", &mut |_, parameter| unit = parameter.largest_grad(unit));
        if unit == 0.0 || !unit.is_finite() {
            return unit;
        }
        self.visit("", &mut |_, parameter| {
            squares += parameter.squared_grad(unit)
        });
        let norm = unit * f64::sqrt(squares);
        if norm > largest {
            let factor = largest / (norm + 1e-6);
            self.visit("", &mut |_, parameter| parameter.map_grad(&|g| g * factor));
        }
        norm
    }

    /// Limits every number of every gradient to ±`largest`. PyTorch: `nn.utils.clip_grad_value_`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let model = Param::<1, shape![2]>::ones();
    /// (&model * Tensor::from([0.5, -4.0])).sum().backward();
    /// model.clip_grad_value(1.0);
    /// assert_eq!(model.grad().unwrap().to_array(), [0.5, -1.0]);
    /// ```
    fn clip_grad_value(&self, largest: f64) {
        let limited = |g: f64| {
            if g.abs() > largest {
                largest.copysign(g)
            } else {
                g
            }
        };
        self.visit("", &mut |_, parameter| parameter.map_grad(&limited));
    }

    /// The names of all parameters, in order: field names joined by points.
    fn parameter_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.visit("", &mut |name, _| names.push(name.to_string()));
        names
    }

    /// The number of trainable numbers.
    fn parameter_count(&self) -> usize {
        let mut count = 0;
        self.visit("", &mut |_, parameter| count += parameter.values().len());
        count
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Module<E> for Param<R, S, E> {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Parameter<'_, E>)) {
        let parameter = Parameter {
            raw: &self.raw,
            dims: S::DIMS,
        };
        visit(path, parameter);
    }

    fn visit_mut(&mut self, path: &str, visit: &mut dyn FnMut(&str, ParameterMut<'_, E>)) {
        let parameter = ParameterMut {
            raw: self.raw_mut(),
            dims: S::DIMS,
        };
        visit(path, parameter);
    }
}

/// Lists the fields that hold parameters, inside `impl Module for …`.
///
/// ```
/// use shapeproof::prelude::*;
///
/// struct Block<const N: usize> {
///     inner: Linear<N, N>,
///     gain: Param<1, shape![N]>,
/// }
/// impl<const N: usize> Module for Block<N> {
///     fields!(inner, gain);
/// }
/// let block = Block::<4> { inner: Linear::new(&mut Rng::seed(0)), gain: Param::ones() };
/// assert_eq!(block.parameter_names(), ["inner.weight", "inner.bias", "gain"]);
/// ```
///
/// In an `impl<E: Element> Module<E> for …` the element type comes first: `fields!(E: inner, gain)`.
#[macro_export]
macro_rules! fields {
    // All methods come out of one repetition, so that a field which is no module is one error, not three.
    (@methods $E:ty: $({ $visit:ident $Visited:ty, $this:ident [$($receiver:tt)*] [$($field:tt)*] })*) => {$(
        fn $visit($($receiver)*, path: &str, visit: &mut dyn FnMut(&str, $Visited)) {
            let _ = (path, &visit);
            $(
                let Self { $field: field, .. } = $this;
                $crate::nn::Module::<$E>::$visit(field, &$crate::nn::join(path, stringify!($field)), visit);
            )*
        }
    )*};
    ($($field:tt),* $(,)?) => { $crate::fields!(f32: $($field),*); };
    ($E:ty: $($field:tt),* $(,)?) => {
        $crate::fields! { @methods $E:
            { visit $crate::nn::Parameter<'_, $E>, self [&self] [$($field)*] }
            { visit_mut $crate::nn::ParameterMut<'_, $E>, self [&mut self] [$($field)*] }
            { visit_modes &mut bool, self [&mut self] [$($field)*] }
        }
    };
}

/// The name of a field inside what `path` names.
#[doc(hidden)]
pub fn join(path: &str, field: &str) -> String {
    if path.is_empty() {
        field.to_string()
    } else {
        format!("{path}.{field}")
    }
}

macro_rules! tuples {
    ($(($($M:ident $i:tt),*);)*) => {$(
        impl<E: Element, $($M: Module<E>),*> Module<E> for ($($M,)*) {
            fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Parameter<'_, E>)) {
                $(self.$i.visit(&join(path, stringify!($i)), visit);)*
            }
            fn visit_mut(&mut self, path: &str, visit: &mut dyn FnMut(&str, ParameterMut<'_, E>)) {
                $(self.$i.visit_mut(&join(path, stringify!($i)), visit);)*
            }
            fn visit_modes(&mut self, path: &str, visit: &mut dyn FnMut(&str, &mut bool)) {
                $(self.$i.visit_modes(&join(path, stringify!($i)), visit);)*
            }
        }
    )*};
}
tuples! {
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, F 4);
    (A 0, B 1, C 2, D 3, F 4, G 5);
    (A 0, B 1, C 2, D 3, F 4, G 5, H 6);
    (A 0, B 1, C 2, D 3, F 4, G 5, H 6, I 7);
    (A 0, B 1, C 2, D 3, F 4, G 5, H 6, I 7, J 8);
    (A 0, B 1, C 2, D 3, F 4, G 5, H 6, I 7, J 8, K 9);
    (A 0, B 1, C 2, D 3, F 4, G 5, H 6, I 7, J 8, K 9, L 10);
    (A 0, B 1, C 2, D 3, F 4, G 5, H 6, I 7, J 8, K 9, L 10, M 11);
}

macro_rules! sequences {
    ($([$($generics:tt)*] $Sequence:ty;)*) => {$(
        impl<E: Element, M: Module<E>, $($generics)*> Module<E> for $Sequence {
            fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Parameter<'_, E>)) {
                for (i, module) in self.iter().enumerate() {
                    module.visit(&join(path, &i.to_string()), visit);
                }
            }
            fn visit_mut(&mut self, path: &str, visit: &mut dyn FnMut(&str, ParameterMut<'_, E>)) {
                for (i, module) in self.iter_mut().enumerate() {
                    module.visit_mut(&join(path, &i.to_string()), visit);
                }
            }
            fn visit_modes(&mut self, path: &str, visit: &mut dyn FnMut(&str, &mut bool)) {
                for (i, module) in self.iter_mut().enumerate() {
                    module.visit_modes(&join(path, &i.to_string()), visit);
                }
            }
        }
    )*};
}
sequences! {
    [] Vec<M>;
    [const N: usize] [M; N];
}
