//! Whole numbers next to a number. Exact, so that all processors agree.

use crate::kernel::Single;

/// 2²³: from here on all numbers are whole, and a sum of this size has no digits behind the point.
const WHOLE: f64 = 8_388_608.0;

/// The nearest whole number; of two, the even one.
#[inline(always)]
pub(crate) fn nearest<V: Single>(x: V) -> V {
    let (size, whole) = (x.abs(), V::of(WHOLE));
    let nearest = ((size + whole) - whole).copysign(x);
    size.if_less(whole, nearest, x)
}

/// The largest whole number that is not above x.
#[inline(always)]
pub(crate) fn floor<V: Single>(x: V) -> V {
    let nearest = nearest(x);
    x.if_less(nearest, nearest - V::of(1.0), nearest)
}

/// The smallest whole number that is not below x.
#[inline(always)]
pub(crate) fn ceil<V: Single>(x: V) -> V {
    -floor(-x)
}

/// The whole number next to x towards 0.
#[inline(always)]
pub(crate) fn trunc<V: Single>(x: V) -> V {
    floor(x.abs()).copysign(x)
}
