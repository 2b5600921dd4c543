//! What all elementwise operations on one tensor share, and the table form in which they are written.

use super::Operand;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel;
use crate::shape::Dims;
use crate::storage::Buffer;
use crate::tensor::Raw;

/// What backward needs of an elementwise operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Saves {
    /// Nothing: the derivative is a constant.
    Nothing,
    /// The operand.
    Input,
    /// The result, where the derivative is cheaper in terms of it.
    Output,
}

/// An elementwise operation on one tensor.
pub(crate) trait Unary<E: Element>: Copy + Send + Sync + 'static {
    const NAME: &'static str;
    const SAVES: Saves;
    /// Whether the loops call the operation by a pointer, one pair of loops for all such operations: for
    /// those that spend their time in a function of the maths library, and would not be vectorised anyway.
    const CALLED: bool = false;
    /// The result at one element.
    fn forward(self, x: E) -> E;
    /// The gradient `g` of the result turned into that of the operand. `saved` is what [`Unary::SAVES`]
    /// names, or zero.
    fn backward(self, g: E, saved: E) -> E;
    /// Shows the operation's parameters.
    fn numbers(self, _: &mut dyn FnMut(&'static str, f64)) {}
}

struct UnaryRule<E: Element, U> {
    op: U,
    saved: Option<Buffer<E>>,
}

impl<E: Element, U: Unary<E>> Rule<E> for UnaryRule<E, U> {
    fn name(&self) -> &'static str {
        U::NAME
    }

    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let op = self.op;
        // Decided by a constant, so that only one of the two loops is compiled.
        let grad = if U::SAVES == Saves::Nothing {
            let grad = kernel::Source::Owned(grad);
            let f = |g| op.backward(g, E::zero());
            if U::CALLED {
                kernel::map_called(grad, &f)
            } else {
                kernel::map(grad, f)
            }
        } else {
            let saved = self.saved.as_ref().expect("what is recorded has saved");
            let f = |g, saved| op.backward(g, saved);
            if U::CALLED {
                kernel::map_with_called(grad, saved, &f)
            } else {
                kernel::map_with(grad, saved, f)
            }
        };
        to.give(0, grad);
    }

    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        if let Some(saved) = &self.saved {
            let name = if U::SAVES == Saves::Input {
                "input"
            } else {
                "output"
            };
            visit(name, Saved::Values(saved));
        }
        self.op
            .numbers(&mut |name, value| visit(name, Saved::Number(value)));
    }
}

/// Applies `op` to every element and records it where the operand is tracked.
pub(crate) fn unary<E: Element, U: Unary<E>>(x: Operand<'_, E>, dims: Dims, op: U) -> Raw<E> {
    let parents = parents([x.node()]);
    let input = match (&parents, U::SAVES) {
        (Some(_), Saves::Input) => Some(x.save()),
        _ => None,
    };
    let values = if U::CALLED {
        kernel::map_called(x.source(), &|x| op.forward(x))
    } else {
        kernel::map(x.source(), |x| op.forward(x))
    };
    let node = parents.map(|parents| {
        let saved = if U::SAVES == Saves::Output {
            Some(values.clone())
        } else {
            input
        };
        parents.record(dims, UnaryRule { op, saved })
    });
    Raw { values, node }
}

/// A table of elementwise operations, one row each:
///
/// ```text
/// /// docs
/// name(parameters) saves what: |x| result, |g, saved| gradient;
/// ```
///
/// A row becomes a method of `Tensor` and the untyped function behind it, with its rule. The operations of a
/// `called trait` are [`Unary::CALLED`].
macro_rules! unary_ops {
    ($(#[$family_doc:meta])* trait $Family:ident; $($rows:tt)*) => {
        $crate::ops::unary::unary_ops! { @called false; $(#[$family_doc])* $Family; $($rows)* }
    };
    ($(#[$family_doc:meta])* called trait $Family:ident; $($rows:tt)*) => {
        $crate::ops::unary::unary_ops! { @called true; $(#[$family_doc])* $Family; $($rows)* }
    };
    (@called $called:literal; $(#[$family_doc:meta])* $Family:ident;
    $($(#[$doc:meta])* $name:ident($($p:ident: $P:ty),*) saves $saves:ident:
        |$x:ident| $forward:expr, |$g:ident, $s:pat_param| $backward:expr;)*) => {
        impl<const R: usize, S: $crate::shape::Shape<R>, E: $crate::element::Element>
            $crate::tensor::Tensor<R, S, E>
        {$(
            $(#[$doc])*
            pub fn $name(&self $(, $p: $P)*) -> Self {
                Self::from_raw(<E::Ops as $Family<E>>::$name(&self.raw, S::DIMS $(, $p)*))
            }
        )*}

        $crate::ops::compiled::compiled! {
            $(#[$family_doc])*
            trait $Family {
                $(fn $name(x: &$crate::tensor::Raw<E>, dims: $crate::shape::Dims $(, $p: $P)*) -> $crate::tensor::Raw<E>;)*
            }
        }

        $(
            fn $name<E: $crate::element::Element>(
                x: &$crate::tensor::Raw<E>,
                dims: $crate::shape::Dims
                $(, $p: $P)*
            ) -> $crate::tensor::Raw<E> {
                #[derive(Clone, Copy)]
                struct Op<E> {
                    $($p: $P,)*
                    element: std::marker::PhantomData<E>,
                }
                impl<E: $crate::element::Element> $crate::ops::unary::Unary<E> for Op<E> {
                    const NAME: &'static str = stringify!($name);
                    const SAVES: $crate::ops::unary::Saves = $crate::ops::unary::Saves::$saves;
                    const CALLED: bool = $called;
                    #[inline(always)]
                    fn forward(self, $x: E) -> E {
                        let Op { $($p,)* .. } = self;
                        $forward
                    }
                    #[inline(always)]
                    fn backward(self, $g: E, $s: E) -> E {
                        #[allow(unused_variables)] // the derivative may do without a parameter
                        let Op { $($p,)* .. } = self;
                        $backward
                    }
                    fn numbers(self, _visit: &mut dyn FnMut(&'static str, f64)) {
                        $(_visit(stringify!($p), num_traits::ToPrimitive::to_f64(&self.$p).unwrap_or(f64::NAN));)*
                    }
                }
                let op = Op { $($p,)* element: std::marker::PhantomData };
                $crate::ops::unary::unary($crate::ops::Operand::Shared(x), dims, op)
            }
        )*
    };
}
pub(super) use unary_ops;
