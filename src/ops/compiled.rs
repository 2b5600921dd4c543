//! Where generic code ends: each untyped operation, compiled in this crate once for each element type.
//!
//! A generic function is compiled in every crate that calls it. Rules and kernels are generic over the
//! element alone, so they are instantiated here, behind traits that [`Element::Ops`] leads to. A user's
//! crate then compiles only the typed methods, which are a few lines each; a new shape costs it no kernel.
//!
//! A family of operations lists its untyped functions with [`compiled!`]; typed methods call them through
//! `E::Ops`. Another element type that is compiled here is one more line in that macro. Types that few programs
//! use, such as dual numbers, share [`Lent`]: their operations are compiled in the crates that call them.

use super::{
    activation, arithmetic, arrange, attention, axes, blend, compare, conv, cut, diagonal, einsum,
    elementary, engine, entries, entropy, extrema, fuse, gather, glu, index, join, layout, loss,
    masked, matmul, norm, order, pad, pair_loss, piecewise, pool, power, query, reduce, resample,
    rounding, scan, similarity, softmax, special, statistics, triangle, trigonometry,
};
use crate::element::Element;

/// Implements every family's trait for the element types that are compiled here.
pub struct Compiled;

/// Implements every family's trait for any element type; compiled where it is used.
pub struct Lent;

macro_rules! families {
    ($($path:path,)*) => {
        /// All untyped operations on elements of one type.
        pub trait Ops<E: Element>: $($path +)* {}
        impl<E: Element> Ops<E> for Compiled where Compiled: $($path +)* {}
        impl<E: Element> Ops<E> for Lent {}
    };
}
families! {
    activation::Activation<E>,
    arithmetic::Arithmetic<E>,
    arrange::Arrange<E>,
    attention::Attending<E>,
    axes::Several<E>,
    blend::Blend<E>,
    compare::Compare<E>,
    conv::Convolve<E>,
    cut::Cut<E>,
    diagonal::Diagonals<E>,
    einsum::Einsum<E>,
    elementary::Elementary<E>,
    engine::Engine<E>,
    entries::Listing<E>,
    entropy::Entropy<E>,
    extrema::Extrema<E>,
    fuse::Fusing<E>,
    gather::Gathering<E>,
    glu::Gate<E>,
    index::Lookup<E>,
    join::Joining<E>,
    layout::Layout<E>,
    loss::Loss<E>,
    masked::Masked<E>,
    matmul::Multiply<E>,
    norm::Norms<E>,
    order::Sorting<E>,
    pad::Pad<E>,
    pair_loss::PairLoss<E>,
    piecewise::Piecewise<E>,
    pool::Pool<E>,
    power::Power<E>,
    query::Query<E>,
    reduce::Reduction<E>,
    resample::Resample<E>,
    rounding::Rounding<E>,
    scan::Scan<E>,
    similarity::Similarity<E>,
    softmax::Normalise<E>,
    special::Special<E>,
    statistics::Statistics<E>,
    triangle::Triangles<E>,
    trigonometry::Trigonometry<E>,
}

/// A family's trait, and its implementations by the generic functions of the same names in scope.
///
/// Each function also runs on operands that hold many examples (`lift`). Behind its signature may stand how:
///
/// | | the function is called |
/// |---|---|
/// | nothing | once, with operands and sizes of all examples |
/// | `=> planned` | the same, but operands that all examples share are left to the plan to stretch |
/// | `=> losses(reduce, parts)` | once, for the losses one by one, `parts` an example; then they are reduced |
/// | `=> one_for_all(x)` | once, if all examples share `x`, which is left as it is; otherwise by example |
/// | `=> by_example` | for one example after the other |
/// | `=> by_hand` | as it is: it sees to examples and anomalies itself, or has no operands |
macro_rules! compiled {
    ($(#[$doc:meta])* trait $Family:ident {
        $(fn $name:ident($($arg:ident: $Arg:ty),* $(,)?) $(-> $Out:ty)? $(=> $how:ident $(($($parts:tt)*))?)?;)*
    }) => {
        $(#[$doc])*
        #[allow(private_interfaces)] // `ops` is private: nothing outside can name the trait or call it
        pub trait $Family<E: $crate::element::Element> {
            $(
                #[allow(missing_docs, clippy::too_many_arguments)] // the typed method of this name has the docs
                fn $name($($arg: $Arg),*) $(-> $Out)?;
            )*
        }
        #[allow(private_interfaces)]
        impl<E: $crate::element::Element> $Family<E> for $crate::ops::compiled::Lent {
            $(
                #[allow(clippy::too_many_arguments)]
                fn $name($($arg: $Arg),*) $(-> $Out)? {
                    $crate::ops::compiled::compiled! { @call [$($how $(($($parts)*))?)?] $Family $name $($arg)* }
                }
            )*
        }
        $crate::ops::compiled::compiled! { @for f32, $Family {
            $(fn $name($($arg: $Arg),*) $(-> $Out)? [$($how $(($($parts)*))?)?];)*
        } }
        $crate::ops::compiled::compiled! { @for f64, $Family {
            $(fn $name($($arg: $Arg),*) $(-> $Out)? [$($how $(($($parts)*))?)?];)*
        } }
    };
    (@for $Element:ty, $Family:ident {
        $(fn $name:ident($($arg:ident: $Arg:ty),*) $(-> $Out:ty)? [$($how:tt)*];)*
    }) => {
        const _: () = {
            type E = $Element;
            #[allow(private_interfaces)]
            impl $Family<E> for $crate::ops::compiled::Compiled {
                $(
                    #[allow(clippy::too_many_arguments)]
                    fn $name($($arg: $Arg),*) $(-> $Out)? {
                        $crate::ops::compiled::compiled! { @call [$($how)*] $Family $name $($arg)* }
                    }
                )*
            }
        };
    };
    (@call [by_hand] $Family:ident $name:ident $($arg:ident)*) => {
        $name($($arg),*)
    };
    (@call [$($how:tt)*] $Family:ident $name:ident $($arg:ident)*) => {
        // The common case ends in a call with the same arguments: all else is kept out of its frame.
        if $crate::graph::anomaly::on() $(|| $crate::ops::lift::Argument::is_mapped(&$arg))* {
            return $crate::ops::lift::apart(move || {
                $($crate::ops::lift::Argument::meets(&$arg);)*
                let sizes = [$($crate::ops::lift::Argument::sizes(&$arg)),*];
                $crate::ops::lift::examined(&sizes, move || {
                if !($($crate::ops::lift::Argument::is_mapped(&$arg))||*) {
                    return $name($($arg),*);
                }
                let mut shares = $crate::ops::lift::Marks::NONE;
                $($crate::ops::lift::Argument::note(&$arg, &mut shares);)*
                let lifting = $crate::ops::lift::Lifting::of(shares);
                $crate::ops::compiled::compiled! { @mapped [$($how)*] lifting $Family $name $($arg)* }
                })
            });
        }
        $name($($arg),*)
    };
    (@mapped [] $lifting:ident $Family:ident $name:ident $($arg:ident)*) => {{
        $(let mut $arg = $crate::ops::lift::Argument::whole($arg, &$lifting);)*
        $crate::ops::lift::Outcome::marked(
            $name($($crate::ops::lift::Lend::lend(&mut $arg)),*),
            $lifting.mark(),
        )
    }};
    (@mapped [planned] $lifting:ident $Family:ident $name:ident $($arg:ident)*) => {{
        $(let mut $arg = $crate::ops::lift::Argument::planned($arg, &$lifting);)*
        $crate::ops::lift::Outcome::marked(
            $name($($crate::ops::lift::Lend::lend(&mut $arg)),*),
            $lifting.mark(),
        )
    }};
    (@mapped [losses($reduce:ident, $parts:expr)] $lifting:ident $Family:ident $name:ident $($arg:ident)*) => {{
        let $lifting = $lifting.with_parts($parts);
        let how = $reduce;
        $(let mut $arg = $crate::ops::lift::Argument::whole($arg, &$lifting);)*
        let losses = $name($($crate::ops::lift::Lend::lend(&mut $arg)),*);
        $crate::ops::lift::Outcome::marked($lifting.reduced(losses, how), $lifting.mark())
    }};
    (@mapped [one_for_all($shared:ident)] $lifting:ident $Family:ident $name:ident $($arg:ident)*) => {{
        if $crate::ops::lift::Argument::is_mapped(&$shared) {
            return $crate::ops::compiled::compiled! { @mapped [by_example] $lifting $Family $name $($arg)* };
        }
        $(let mut $arg = if stringify!($arg) == stringify!($shared) {
            $crate::ops::lift::Argument::planned($arg, &$lifting)
        } else {
            $crate::ops::lift::Argument::whole($arg, &$lifting)
        };)*
        $crate::ops::lift::Outcome::marked(
            $name($($crate::ops::lift::Lend::lend(&mut $arg)),*),
            $lifting.mark(),
        )
    }};
    (@mapped [by_example] $lifting:ident $Family:ident $name:ident $($arg:ident)*) => {{
        let examples = (0..$lifting.size).map(|i| {
            $(let mut $arg = $crate::ops::lift::Argument::example(&$arg, &$lifting, i);)*
            <Self as $Family<E>>::$name($($crate::ops::lift::Lend::lend(&mut $arg)),*)
        });
        $crate::ops::lift::Outcome::stack(examples.collect(), &$lifting)
    }};
}
pub(crate) use compiled;
