//! Elementwise expressions as types: what a closure over [`Expr`]s returns says in its type what is to be computed.
//!
//! A node of an expression has one function for its value and one for its slopes, both of a few [`Lanes`] at once;
//! the compiler makes one loop of all of them.

use crate::kernel::Lanes;
use num_traits::Float;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A function of the numbers at one place of several tensors.
///
/// It is sealed: expressions are made of [`Expr`]s.
pub trait Expression: Copy + Send + Sync + 'static {
    /// The values of the parts, which the slopes are made of.
    #[doc(hidden)]
    type Values<L: Lanes>: Copy;

    /// The value where the tensors' are `x`, and those of the parts.
    #[doc(hidden)]
    fn value<L: Lanes>(self, x: &[L]) -> (L, Self::Values<L>);

    /// Adds to `slopes` the product of `g` and the derivative for each tensor.
    #[doc(hidden)]
    fn slopes<L: Lanes>(self, values: Self::Values<L>, g: L, slopes: &mut [L]);
}

/// A number that stands for those of a tensor, or for what is computed of such numbers, in a closure for
/// [`fuse`](super::fuse).
#[derive(Clone, Copy, Debug)]
pub struct Expr<X>(pub(super) X);

/// The tensor at this place among the inputs.
#[derive(Clone, Copy, Debug)]
pub struct Variable<const I: usize>;

impl<const I: usize> Expression for Variable<I> {
    type Values<L: Lanes> = ();
    #[inline(always)]
    fn value<L: Lanes>(self, x: &[L]) -> (L, ()) {
        (x[I], ())
    }
    #[inline(always)]
    fn slopes<L: Lanes>(self, (): (), g: L, slopes: &mut [L]) {
        slopes[I] = slopes[I] + g;
    }
}

/// A number in an expression.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no part of a fused expression",
    label = "neither one of the closure's arguments nor a number",
    note = "tensors go into the tuple that is fused, and the closure gets one argument for each",
    note = "numbers in the closure are `f32` or `f64`; one of a generic type goes into the tuple, as `&Tensor::scalar(x)`"
)]
pub trait Constant {
    #[doc(hidden)]
    fn value(self) -> f64;
}

#[diagnostic::do_not_recommend]
impl Constant for f32 {
    #[inline]
    fn value(self) -> f64 {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl Constant for f64 {
    #[inline]
    fn value(self) -> f64 {
        self
    }
}

/// The same number at all places.
#[derive(Clone, Copy, Debug)]
pub struct Number(f64);

impl Expression for Number {
    type Values<L: Lanes> = ();
    #[inline(always)]
    fn value<L: Lanes>(self, _: &[L]) -> (L, ()) {
        (L::of(self.0), ())
    }
    #[inline(always)]
    fn slopes<L: Lanes>(self, (): (), _: L, _: &mut [L]) {}
}

/// Functions of one expression, a row each: its parameters, its value `y` at `x`, and the product of `g` and its slope.
macro_rules! functions {
    ($($(#[$doc:meta])* $Node:ident $name:ident($($p:ident: $P:ty),*) = |$L:ident, $x:ident| $value:expr, |$g:ident, $y:ident| $slope:expr;)*) => {$(
        #[doc = concat!("[`", stringify!($name), "`](Expr::", stringify!($name), ") of an expression.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $Node<X> {
            of: X,
            $($p: $P,)*
        }

        impl<X: Expression> Expression for $Node<X> {
            type Values<L: Lanes> = (X::Values<L>, L, L);
            #[inline(always)]
            fn value<$L: Lanes>(self, x: &[$L]) -> ($L, Self::Values<$L>) {
                $(let $p = self.$p;)*
                let ($x, values) = self.of.value(x);
                let y: $L = $value;
                (y, (values, $x, y))
            }
            #[inline(always)]
            #[allow(unused_variables)] // a slope may do without its argument or its value
            fn slopes<$L: Lanes>(self, (values, $x, $y): Self::Values<$L>, $g: $L, slopes: &mut [$L]) {
                $(let $p = self.$p;)*
                let slope: $L = $slope;
                self.of.slopes(values, slope, slopes);
            }
        }

        impl<X: Expression> Expr<X> {
            $(#[$doc])*
            #[inline]
            pub fn $name(self $(, $p: $P)*) -> Expr<$Node<X>> {
                Expr($Node { of: self.0, $($p,)* })
            }
        }
    )*};
}

functions! {
    /// −x
    Negated negate() = |L, x| -x, |g, y| -g;
    /// |x|; its slope at 0 is 0.
    Abs abs() = |L, x| x.abs(), |g, y| {
        let (zero, one) = (L::of(0.0), L::of(1.0));
        // In the end x is 0, which stands still, or NaN.
        g * zero.if_less(x, one, x.if_less(zero, -one, x.tied(-x)))
    };
    /// x²
    Square square() = |L, x| x * x, |g, y| g * (x + x);
    /// 1/x
    Recip recip() = |L, x| L::of(1.0) / x, |g, y| -(g * y * y);
    /// xⁿ for a whole number n.
    Powi powi(n: i32) = |L, x| power(x, n.into()), |g, y| if n == 0 { g * L::of(0.0) } else { g * L::of(n.into()) * power(x, i64::from(n) - 1) };
    /// √x
    Sqrt sqrt() = |L, x| x.each(|x| x.sqrt()), |g, y| g / (y + y);
    /// eˣ
    Exp exp() = |L, x| x.exp(), |g, y| g * y;
    /// The natural logarithm.
    Ln ln() = |L, x| x.ln(), |g, y| g / x;
    /// ln(1 + x), also for small x.
    Ln1p ln_1p() = |L, x| x.ln_1p(), |g, y| g / (x + L::of(1.0));
    /// sin x
    Sin sin() = |L, x| x.each(|x| x.sin()), |g, y| g * x.each(|x| x.cos());
    /// cos x
    Cos cos() = |L, x| x.each(|x| x.cos()), |g, y| -(g * x.each(|x| x.sin()));
    /// tanh x
    Tanh tanh() = |L, x| x.tanh(), |g, y| g * ((L::of(1.0) - y) * (L::of(1.0) + y));
    /// 1/(1 + e⁻ˣ)
    Sigmoid sigmoid() = |L, x| x.logistic(), |g, y| g * (y * (L::of(1.0) - y));
    /// max(x, 0); its slope at 0 is 0.
    Relu relu() = |L, x| {
        let zero = L::of(0.0);
        // Not smaller than 0: x itself, also if it is NaN; at 0, where either side ends, it stands still.
        x.if_less(zero, zero, zero.if_less(x, x, x.tied(-x)))
    }, |g, y| {
        let (zero, one) = (L::of(0.0), L::of(1.0));
        // In the end x is at most 0, or NaN.
        zero.if_less(x, g, x.if_less(one, zero, g))
    };
    /// The error function.
    Erf erf() = |L, x| x.erf(), |g, y| g * L::of(std::f64::consts::FRAC_2_SQRT_PI) * (-(x * x)).exp();
    /// At least `least` and at most `most`; its slope is 1 there and at both.
    Clamp clamp(least: f64, most: f64) = |L, x| {
        let (least, most) = (L::of(least), L::of(most));
        let x = x.if_less(least, least, x);
        most.if_less(x, most, x)
    }, |g, y| {
        let inside = x.if_less(L::of(least), L::of(0.0), g);
        L::of(most).if_less(x, L::of(0.0), inside)
    };
}

/// [`silu`](Expr::silu) of an expression.
#[derive(Clone, Copy, Debug)]
pub struct Silu<X>(X);

/// Where σ is 0 or 1 to the last digit, x need not be larger than this: an infinite one would be ∞·0.
const SATURATED: f64 = 1e4;

impl<X: Expression> Expression for Silu<X> {
    type Values<L: Lanes> = (X::Values<L>, L, L);
    #[inline(always)]
    fn value<L: Lanes>(self, x: &[L]) -> (L, Self::Values<L>) {
        let (x, values) = self.0.value(x);
        let share = x.logistic();
        (L::of(-SATURATED).or_larger(x) * share, (values, x, share))
    }
    #[inline(always)]
    fn slopes<L: Lanes>(self, (values, x, share): Self::Values<L>, g: L, slopes: &mut [L]) {
        let (one, most) = (L::of(1.0), L::of(SATURATED));
        let x = most.or_smaller((-most).or_larger(x));
        let slope = share * (one + x * (one - share));
        self.0.slopes(values, g * slope, slopes);
    }
}

impl<X: Expression> Expr<X> {
    /// x·sigmoid(x)
    #[inline]
    pub fn silu(self) -> Expr<Silu<X>> {
        Expr(Silu(self.0))
    }
}

/// xⁿ by squaring.
#[inline(always)]
fn power<L: Lanes>(x: L, n: i64) -> L {
    let (mut left, mut base, mut product) = (n.unsigned_abs(), x, L::of(1.0));
    while left > 0 {
        if left & 1 == 1 {
            product = product * base;
        }
        base = base * base;
        left >>= 1;
    }
    if n < 0 { L::of(1.0) / product } else { product }
}

/// Functions of two expressions, a row each: the value at `a` and `b`, and the products of `g` and either slope.
macro_rules! pairs {
    ($($(#[$doc:meta])* $Node:ident $name:ident = |$L:ident, $a:ident, $b:ident| $value:expr, |$g:ident| $left:expr, $right:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Node<X, Y>(X, Y);

        impl<X: Expression, Y: Expression> Expression for $Node<X, Y> {
            type Values<L: Lanes> = (X::Values<L>, Y::Values<L>, L, L);
            #[inline(always)]
            fn value<$L: Lanes>(self, x: &[$L]) -> ($L, Self::Values<$L>) {
                let (($a, left), ($b, right)) = (self.0.value(x), self.1.value(x));
                ($value, (left, right, $a, $b))
            }
            #[inline(always)]
            #[allow(unused_variables)] // as above
            fn slopes<$L: Lanes>(self, (left, right, $a, $b): Self::Values<$L>, $g: $L, slopes: &mut [$L]) {
                self.0.slopes(left, $left, slopes);
                self.1.slopes(right, $right, slopes);
            }
        }
    )*};
}

/// Of two numbers of which neither is smaller: either of them, or NaN if one is.
#[inline(always)]
fn either<L: Lanes>(a: L, b: L) -> L {
    let half = L::of(0.5);
    let mean = a * half + b * half;
    mean.if_less(L::of(f64::INFINITY), a.tied(b), mean)
}

/// What of `g` goes to an operand that wins or loses, or ties and shares it, or meets NaN.
#[inline(always)]
fn share<L: Lanes>(g: L, loser: L, winner: L) -> L {
    let (zero, half) = (L::of(0.0), L::of(0.5) * g);
    // Neither is smaller: a tie, or NaN, for which the tensors' own operations halve too.
    loser.if_less(winner, g, winner.if_less(loser, zero, half))
}

pairs! {
    /// a + b
    Sum add = |L, a, b| a + b, |g| g, g;
    /// a − b
    Difference sub = |L, a, b| a - b, |g| g, -g;
    /// a·b
    Product mul = |L, a, b| a * b, |g| g * b, g * a;
    /// a/b
    Quotient div = |L, a, b| a / b, |g| g / b, -(g / b) * (a / b);
    /// The larger of a and b.
    Larger maximum = |L, a, b| a.if_less(b, b, b.if_less(a, a, either(a, b))), |g| share(g, b, a), share(g, a, b);
    /// The smaller of a and b.
    Smaller minimum = |L, a, b| a.if_less(b, a, b.if_less(a, b, either(a, b))), |g| share(g, a, b), share(g, b, a);
}

macro_rules! operators {
    ($($Op:ident $op:ident $Node:ident;)*) => {$(
        impl<X: Expression, Y: Expression> $Op<Expr<Y>> for Expr<X> {
            type Output = Expr<$Node<X, Y>>;
            #[inline]
            fn $op(self, other: Expr<Y>) -> Self::Output {
                Expr($Node(self.0, other.0))
            }
        }
        impl<X: Expression, K: Constant> $Op<K> for Expr<X> {
            type Output = Expr<$Node<X, Number>>;
            #[inline]
            fn $op(self, number: K) -> Self::Output {
                Expr($Node(self.0, Number(number.value())))
            }
        }

        // For `f64` alone, so that a literal can only be one.
        impl<X: Expression> $Op<Expr<X>> for f64 {
            type Output = Expr<$Node<Number, X>>;
            #[inline]
            fn $op(self, other: Expr<X>) -> Self::Output {
                Expr($Node(Number(self), other.0))
            }
        }
    )*};
}
operators! {
    Add add Sum;
    Sub sub Difference;
    Mul mul Product;
    Div div Quotient;
}

impl<X: Expression> Neg for Expr<X> {
    type Output = Expr<Negated<X>>;
    #[inline]
    fn neg(self) -> Self::Output {
        self.negate()
    }
}

impl<X: Expression> Expr<X> {
    /// The larger of two; a tie shares the gradient.
    #[inline]
    pub fn maximum<Y: Expression>(self, other: Expr<Y>) -> Expr<Larger<X, Y>> {
        Expr(Larger(self.0, other.0))
    }

    /// The smaller of two; a tie shares the gradient.
    #[inline]
    pub fn minimum<Y: Expression>(self, other: Expr<Y>) -> Expr<Smaller<X, Y>> {
        Expr(Smaller(self.0, other.0))
    }
}
