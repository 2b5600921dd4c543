//! Where generic code ends: each untyped operation, compiled in this crate once for each element type.
//!
//! A generic function is compiled in every crate that calls it. Rules and kernels are generic over the
//! element alone, so they are instantiated here, behind traits that [`Element::Ops`] leads to. A user's
//! crate then compiles only the typed methods, which are a few lines each; a new shape costs it no kernel.
//!
//! A family of operations lists its untyped functions with [`compiled!`]; typed methods call them through
//! `E::Ops`. Another element type that is compiled here is one more line in that macro. Without the feature of its
//! name, the operations on a type are `inline`: each crate compiles those that it calls. Types that few programs use,
//! such as dual numbers, share [`Lent`], which is always so.

use super::{
    activation, arithmetic, arrange, attention, axes, blend, compare, conv, cut, diagonal, einsum,
    elementary, engine, entries, entropy, extrema, fuse, gather, glu, index, join, layout, loss,
    masked, matmul, norm, order, pad, pair_loss, piecewise, pool, power, query, reduce, resample,
    rounding, scan, similarity, softmax, special, statistics, triangle, trigonometry,
};
use crate::element::Element;

/// Implements every family's trait for the element types that can be compiled here.
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
                #[inline]
                #[allow(clippy::too_many_arguments)]
                fn $name($($arg: $Arg),*) $(-> $Out)? {
                    $crate::ops::compiled::compiled! { @call [$($how $(($($parts)*))?)?] $Family $name $($arg)* }
                }
            )*
        }
        $crate::ops::compiled::compiled! { @for f32, "compiled-f32", $Family { $(fn $name($($arg: $Arg),*) $(-> $Out)?;)* } }
        $crate::ops::compiled::compiled! { @for f64, "compiled-f64", $Family { $(fn $name($($arg: $Arg),*) $(-> $Out)?;)* } }
    };
    (@for $Element:ty, $feature:literal, $Family:ident { $(fn $name:ident($($arg:ident: $Arg:ty),*) $(-> $Out:ty)?;)* }) => {
        const _: () = {
            type E = $Element;
            #[allow(private_interfaces)]
            impl $Family<E> for $crate::ops::compiled::Compiled {
                $(
                    #[cfg_attr(not(feature = $feature), inline)]
                    #[allow(clippy::too_many_arguments)]
                    fn $name($($arg: $Arg),*) $(-> $Out)? {
                        <$crate::ops::compiled::Lent as $Family<E>>::$name($($arg),*)
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
        let mapped = $($crate::ops::argument::Argument::is_mapped(&$arg))||*;
        if mapped || $crate::graph::anomaly::on() {
            return $crate::ops::lift::apart(
                ($($arg,)*),
                mapped,
                $crate::ops::compiled::compiled! { @way [$($how)*] $Family $name $($arg)* },
                $crate::ops::compiled::compiled! { @held [$name] $($arg)* },
            );
        }
        $name($($arg),*)
    };
    (@way [] $($of:ident)*) => {
        $crate::ops::lift::whole
    };
    (@way [planned] $($of:ident)*) => {
        $crate::ops::lift::planned
    };
    (@way [losses($reduce:ident, $parts:expr)] $Family:ident $name:ident $($arg:ident)*) => {
        |args, lifting, call| {
            #[allow(unused_variables)]
            let ($($arg,)*) = &args;
            let reduction = (*$reduce, $parts);
            $crate::ops::lift::losses(args, lifting, call, reduction)
        }
    };
    (@way [one_for_all($shared:ident)] $Family:ident $name:ident $($arg:ident)*) => {
        |args, lifting, call| {
            #[allow(unused_variables)]
            let ($($arg,)*) = &args;
            if $crate::ops::argument::Argument::is_mapped($shared) {
                return $crate::ops::lift::by_example(
                    args,
                    lifting,
                    $crate::ops::compiled::compiled! { @held [<Self as $Family<E>>::$name] $($arg)* },
                );
            }
            let shared = [$(stringify!($arg)),*].iter().position(|name| *name == stringify!($shared));
            $crate::ops::lift::all_but(args, lifting, call, shared)
        }
    };
    (@way [by_example] $Family:ident $name:ident $($arg:ident)*) => {
        |args, lifting, _| $crate::ops::lift::by_example(
            args,
            lifting,
            $crate::ops::compiled::compiled! { @held [<Self as $Family<E>>::$name] $($arg)* },
        )
    };
    // A call with arguments that are held for it.
    (@held [$($called:tt)*] $($arg:ident)*) => {
        |held| {
            let ($($arg,)*) = held;
            $($called)*($($crate::ops::argument::Lend::lend($arg)),*)
        }
    };
}
pub(crate) use compiled;
