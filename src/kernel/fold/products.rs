//! Products along an axis.

use super::{Cut, Folding, Place, State, fold};
use crate::element::Element;
use crate::kernel::lanes::Lanes;
use crate::shape::Split;
use crate::storage::Buffer;

/// The state: the product; the rest is unused.
struct Product;

impl<E: Element> Folding<E> for Product {
    fn start(&self, _: E) -> State<E> {
        [E::one(); 3]
    }
    #[inline(always)]
    fn take<V: Lanes<Element = E>, const N: usize>(
        &self,
        [product, a, b]: State<V>,
        mut values: [V; N],
        _: Place<V>,
    ) -> State<V> {
        let mut step = 1;
        while step < N {
            for i in (0..N).step_by(2 * step) {
                values[i] = values[i] * values[i + step];
            }
            step *= 2;
        }
        [product * values[0], a, b]
    }
    #[inline(always)]
    fn join<V: Lanes<Element = E>>(
        &self,
        [product, a, b]: State<V>,
        [other, ..]: State<V>,
    ) -> State<V> {
        [product * other, a, b]
    }
}

/// The product over the middle axis.
pub(crate) fn product<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    let mut out = Buffer::dirty(split.outer * split.inner);
    let products = out.fresh();
    fold(x, Cut::new(split), &Product, &mut |at, [product, ..]| {
        products[at..][..product.len()].copy_from_slice(product);
    });
    out
}
