//! What all elementwise operations on one tensor share, and the table form in which they are written.

use super::Operand;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved};
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
pub(crate) trait Unary<E: Element> {
    /// Numbers that the operation depends on, as a tuple.
    type Params: Params;
    const NAME: &'static str;
    const SAVES: Saves;
    /// Whether the forward loop is also compiled for the widest vectors, which takes time: for functions without
    /// branches and calls that are slower than memory.
    const WIDE: bool = false;
    /// The result at one element.
    fn forward(params: Self::Params, x: E) -> E;
    /// The gradient `g` of the result turned into that of the operand. `saved` is what [`Unary::SAVES`]
    /// names, or zero.
    fn backward(params: Self::Params, g: E, saved: E) -> E;
    /// Shows the parameters.
    fn numbers(_: Self::Params, _: &mut dyn FnMut(&'static str, f64)) {}
}

/// The parameters of an elementwise operation.
pub(crate) trait Params: Copy + Send + Sync + 'static {}
impl<P: Copy + Send + Sync + 'static> Params for P {}

/// An elementwise operation behind pointers, so that [`unary`] and [`UnaryRule`] are compiled once for all of them.
struct Table<E: Element, P> {
    name: &'static str,
    saves: Saves,
    forward: fn(P, kernel::Source<'_, E>) -> Buffer<E>,
    /// Of a gradient, and of what was saved, if anything.
    backward: fn(P, Buffer<E>, &[E]) -> Buffer<E>,
    numbers: fn(P, &mut dyn FnMut(&'static str, f64)),
}

const fn table<E: Element, U: Unary<E>>() -> &'static Table<E, U::Params> {
    const {
        &Table {
            name: U::NAME,
            saves: U::SAVES,
            forward: if U::WIDE {
                |params, x| kernel::map(x, &kernel::Widest(|x| U::forward(params, x)))
            } else {
                |params, x| kernel::map(x, &|x| U::forward(params, x))
            },
            // Decided by a constant, so that only one of the two loops is compiled.
            backward: match U::SAVES {
                Saves::Nothing => |params, grad, _| {
                    kernel::map_owned(grad, &|g| U::backward(params, g, E::zero()))
                },
                _ => |params, grad, saved| {
                    kernel::map_with(grad, saved, &|g, saved| U::backward(params, g, saved))
                },
            },
            numbers: U::numbers,
        }
    }
}

struct UnaryRule<E: Element, P: 'static> {
    table: &'static Table<E, P>,
    params: P,
    saved: Option<Buffer<E>>,
}

impl<E: Element, P: Params> Rule<E> for UnaryRule<E, P> {
    fn name(&self) -> &'static str {
        self.table.name
    }

    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let saved = self.saved.as_deref().unwrap_or_default();
        let grad = (self.table.backward)(self.params, grad, saved);
        to.give(0, grad);
    }

    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        if let Some(saved) = &self.saved {
            let name = if self.table.saves == Saves::Input {
                "input"
            } else {
                "output"
            };
            visit(name, Saved::Values(saved));
        }
        (self.table.numbers)(self.params, &mut |name, value| {
            visit(name, Saved::Number(value));
        });
    }
}

/// Applies the operation `U` to every element and records it where the operand is tracked.
pub(crate) fn unary<E: Element, U: Unary<E>>(
    x: Operand<'_, E>,
    dims: Dims,
    params: U::Params,
) -> Raw<E> {
    apply(x, dims, table::<E, U>(), params)
}

fn apply<E: Element, P: Params>(
    x: Operand<'_, E>,
    dims: Dims,
    table: &'static Table<E, P>,
    params: P,
) -> Raw<E> {
    // The common case apart, so that it pays nothing for the other.
    if x.node().is_none() {
        return Raw::input((table.forward)(params, x.source()));
    }
    recorded(x, dims, table, params)
}

#[inline(never)]
fn recorded<E: Element, P: Params>(
    mut x: Operand<'_, E>,
    dims: Dims,
    table: &'static Table<E, P>,
    params: P,
) -> Raw<E> {
    let parents = Operand::parents([&mut x]);
    let input = match (&parents, table.saves) {
        (Some(_), Saves::Input) => Some(x.save()),
        _ => None,
    };
    let values = (table.forward)(params, x.source());
    let node = parents.map(|parents| {
        let saved = if table.saves == Saves::Output {
            Some(values.clone())
        } else {
            input
        };
        let rule = UnaryRule {
            table,
            params,
            saved,
        };
        parents.record(dims, rule)
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
/// `in wide loops` before the colon: see [`Unary::WIDE`].
///
/// A row becomes a method of `Tensor` and the untyped function behind it, with its rule.
macro_rules! unary_ops {
    ($(#[$family_doc:meta])* trait $Family:ident;
    $($(#[$doc:meta])* $name:ident($($p:ident: $P:ty),*) saves $saves:ident $(, in $wide:ident loops)?:
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
                struct Op;
                impl<E: $crate::element::Element> $crate::ops::unary::Unary<E> for Op {
                    type Params = ($($P,)*);
                    const NAME: &'static str = stringify!($name);
                    const SAVES: $crate::ops::unary::Saves = $crate::ops::unary::Saves::$saves;
                    $(
                        #[doc = stringify!($wide)]
                        const WIDE: bool = true;
                    )?
                    #[inline(always)]
                    fn forward(($($p,)*): ($($P,)*), $x: E) -> E {
                        $forward
                    }
                    #[inline(always)]
                    #[allow(unused_variables)] // the derivative may do without a parameter
                    fn backward(($($p,)*): ($($P,)*), $g: E, $s: E) -> E {
                        $backward
                    }
                    fn numbers(($($p,)*): ($($P,)*), _visit: &mut dyn FnMut(&'static str, f64)) {
                        $(_visit(stringify!($p), num_traits::ToPrimitive::to_f64(&$p).unwrap_or(f64::NAN));)*
                    }
                }
                $crate::ops::unary::unary::<E, Op>($crate::ops::Operand::Shared(x), dims, ($($p,)*))
            }
        )*
    };
}
pub(super) use unary_ops;
