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
    /// The result at each element.
    fn forward(params: Self::Params, x: kernel::Source<'_, E>) -> Buffer<E>;
    /// The gradient of the result turned into that of the operand. `saved` is what [`Unary::SAVES`] names.
    fn backward(params: Self::Params, grad: Buffer<E>, saved: &[E]) -> Buffer<E>;
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
            forward: U::forward,
            backward: U::backward,
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
/// `in lanes` before the colon: both are functions of [`Lanes`](kernel::Lanes) `V`, without branches and calls, and
/// their loops are compiled for the widest vectors, which takes time: for functions that are slower than memory.
///
/// `in lanes within limit` for functions without parameters that are right in lanes up to a limit, and are computed as
/// without lanes beyond it. `; forward in lanes`: the result alone is a function of lanes.
///
/// A row becomes a method of `Tensor` and the untyped function behind it, with its rule.
macro_rules! unary_ops {
    ($(#[$family_doc:meta])* trait $Family:ident;
    $($(#[$doc:meta])* $name:ident($($p:ident: $P:ty),*) saves $saves:ident $(, in $lanes:ident $(within $limit:ident)?)? $(; forward in $forward_lanes:ident)?:
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
                    fn forward(
                        params: Self::Params,
                        x: $crate::kernel::Source<'_, E>
                    ) -> $crate::storage::Buffer<E> {
                        let f = $crate::ops::unary::unary_ops! { @function E [$($p: $P),*] params, 1 [$x] $forward $(, in $lanes $(within $limit)?)? $(, in $forward_lanes)? };
                        $crate::kernel::map(x, &f)
                    }
                    #[allow(unused_variables)] // the derivative may do without a parameter, or what is saved
                    fn backward(
                        params: Self::Params,
                        grad: $crate::storage::Buffer<E>,
                        saved: &[E]
                    ) -> $crate::storage::Buffer<E> {
                        let f = $crate::ops::unary::unary_ops! { @function E [$($p: $P),*] params, 2 [$g, $s] $backward $(, in $lanes $(within $limit)?)? };
                        $crate::ops::unary::unary_ops! { @backward $saves E grad, saved, f }
                    }
                    fn numbers(($($p,)*): ($($P,)*), _visit: &mut dyn FnMut(&'static str, f64)) {
                        $(_visit(stringify!($p), num_traits::ToPrimitive::to_f64(&$p).unwrap_or(f64::NAN));)*
                    }
                }
                $crate::ops::unary::unary::<E, Op>($crate::ops::Operand::Shared(x), dims, ($($p,)*))
            }
        )*
    };
    (@function $E:ident [$($p:ident: $P:ty),*] $params:ident, $n:literal [$($x:pat_param),*] $result:expr) => {{
        let ($($p,)*) = $params;
        move |$($x: $E),*| -> $E { $result }
    }};
    (@function $E:ident [$($p:ident: $P:ty),*] $params:ident, $n:literal [$($x:pat_param),*] $result:expr, in lanes) => {{
        struct InLanes<P>(P);
        impl<$E: $crate::element::Element> $crate::kernel::Pointwise<$E, $n> for InLanes<($($P,)*)> {
            #[inline(always)]
            fn at<V: $crate::kernel::Lanes<Element = $E>>(&self, [$($x),*]: [V; $n]) -> V {
                let ($($p,)*) = self.0;
                $result
            }
        }
        $crate::kernel::Widest(InLanes($params))
    }};
    (@function $E:ident [] $params:ident, $n:literal [$($x:pat_param),*] $result:expr, in lanes within $limit:ident) => {{
        let lanes = $crate::ops::unary::unary_ops! { @function $E [] $params, $n [$($x),*] $result, in lanes };
        let beyond = $crate::ops::unary::unary_ops! { @function $E [] $params, $n [$($x),*] $result };
        $crate::kernel::Within { lanes, limit: $limit, beyond }
    }};
    (@backward Nothing $E:ident $grad:ident, $saved:ident, $f:ident) => {
        $crate::kernel::map_owned($grad, &|g| $f(g, $E::zero()))
    };
    (@backward $saves:ident $E:ident $grad:ident, $saved:ident, $f:ident) => {
        $crate::kernel::map_with($grad, $saved, &$f)
    };
}
pub(super) use unary_ops;
