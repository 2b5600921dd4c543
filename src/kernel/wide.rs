//! Loops compiled a second time for wider vectors, where the processor has them.
//!
//! The program is built for every processor of its kind, which have vectors of 128 bits. Most have wider ones.
//! The same operations in the same order give the same results, so that nobody can tell which loop it was.

/// `fn name(arguments) = inner;` is the function `inner`, which is `inline(always)`, with AVX2 where there is.
macro_rules! widest {
    ($(
        $(#[$doc:meta])*
        fn $name:ident<$E:ident $(, const $C:ident: $T:ty)*>($($arg:ident: $Arg:ty),* $(,)?) = $inner:ident;
    )*) => {$(
        $(#[$doc])*
        fn $name<$E: crate::element::Element $(, const $C: $T)*>($($arg: $Arg),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide<$E: crate::element::Element $(, const $C: $T)*>($($arg: $Arg),*) {
                    $inner::<$E $(, $C)*>($($arg),*);
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has what the function is compiled for.
                    return unsafe { wide::<$E $(, $C)*>($($arg),*) };
                }
            }
            $inner::<$E $(, $C)*>($($arg),*);
        }
    )*};
}
pub(super) use widest;
