//! Attention compares each query with each key and mixes the values that belong to the keys.
//!
//! ```text
//! queries   (B.., Q, D)        scores   (B.., Q, K)
//! keys      (B.., K, D)        result   (B.., Q, V)
//! values    (B.., K, V)
//! ```
//!
//! The axes `B..` before the last two, such as batch and heads, are the same in all three and do not stretch.

use super::axis::Axis;
use super::tuple::AnyShape;

/// A batch axis of the queries, equal to that of the keys or values.
#[diagnostic::on_unimplemented(
    message = "the queries have a batch axis `{Self}` where the keys or the values have `{Other}`",
    label = "`{Self}` stands opposite `{Other}`",
    note = "attention takes queries `(B.., Q, D)`, keys `(B.., K, D)` and values `(B.., K, V)`; the axes `B..` are equal and do not stretch"
)]
pub trait SameBatch<Other> {}

/// The last axis of the queries, equal to that of the keys.
#[diagnostic::on_unimplemented(
    message = "queries of width `{Self}` do not meet keys of width `{Other}`",
    label = "the queries have `{Self}` where the keys have `{Other}`",
    note = "attention takes queries `(B.., Q, D)`, keys `(B.., K, D)` and values `(B.., K, V)`"
)]
pub trait SameWidth<Other> {}

/// The second-to-last axis of the keys, equal to that of the values.
#[diagnostic::on_unimplemented(
    message = "there are `{Self}` keys and `{Other}` values",
    label = "the keys have `{Self}` where the values have `{Other}`",
    note = "attention takes queries `(B.., Q, D)`, keys `(B.., K, D)` and values `(B.., K, V)`"
)]
pub trait SameCount<Other> {}

/// Every axis equals itself, known or generic.
macro_rules! reflexive {
    ($($Rule:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<A: Axis> $Rule<A> for A {}
        // A rule with a single impl is told as a mismatch of types, without its text.
        #[diagnostic::do_not_recommend]
        impl $Rule<()> for () {}
    )*};
}
reflexive! { SameBatch SameWidth SameCount }

/// The sizes of an attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// The product of the axes before the last two: how many attentions there are.
    pub count: usize,
    /// Queries of each.
    pub queries: usize,
    /// Keys of each, and values.
    pub keys: usize,
    /// The width of a query and of a key.
    pub width: usize,
    /// The width of a value.
    pub values: usize,
}

/// Queries of this shape can attend to keys of shape `K` and values of shape `V`.
#[diagnostic::on_unimplemented(
    message = "queries `{Self}` cannot attend to keys `{K}` and values `{V}`",
    label = "`{Self}`, `{K}` and `{V}`",
    note = "attention takes queries `(B.., Q, D)`, keys `(B.., K, D)` and values `(B.., K, V)`"
)]
pub trait Attend<K, V> {
    /// The shape of the result.
    type Attended: AnyShape;
    /// The shape of the scores, one for each query and key. They are never held all at once.
    type Scores: AnyShape;
    /// The sizes.
    const HEADS: Heads;
}

macro_rules! attend {
    ($([$($A:ident $B:ident $C:ident),*])*) => {$(
        impl<
            $($A: Axis + SameBatch<$B> + SameBatch<$C>, $B: Axis, $C: Axis,)*
            Q: Axis,
            D: Axis + SameWidth<D2>,
            D2: Axis,
            K: Axis + SameCount<K2>,
            K2: Axis,
            V: Axis,
        > Attend<($($B,)* K, D2), ($($C,)* K2, V)> for ($($A,)* Q, D) {
            type Attended = ($($A,)* Q, V);
            type Scores = ($($A,)* Q, K);
            const HEADS: Heads = Heads {
                count: 1 $(* $A::SIZE)*,
                queries: Q::SIZE,
                keys: K::SIZE,
                width: D::SIZE,
                values: V::SIZE,
            };
        }
    )*};
}
attend! {
    []
    [A1 B1 C1]
    [A1 B1 C1, A2 B2 C2]
    [A1 B1 C1, A2 B2 C2, A3 B3 C3]
    [A1 B1 C1, A2 B2 C2, A3 B3 C3, A4 B4 C4]
}

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    #[test]
    fn queries_attend_to_keys_and_values() {
        type Q = shape![2, 8, 5, 16];
        type K = shape![2, 8, 7, 16];
        type V = shape![2, 8, 7, 3];
        same(P::<<Q as Attend<K, V>>::Attended>, P::<shape![2, 8, 5, 3]>);
        same(P::<<Q as Attend<K, V>>::Scores>, P::<shape![2, 8, 5, 7]>);
        let heads = Heads {
            count: 16,
            queries: 5,
            keys: 7,
            width: 16,
            values: 3,
        };
        assert_eq!(<Q as Attend<K, V>>::HEADS, heads);
    }
}
