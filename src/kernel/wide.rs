//! Loops compiled several times, for the vectors that processors have.
//!
//! The program is built for every processor of its kind; on x86-64 those have vectors of 128 bits. Most have wider
//! ones, and multiply and add in one step. Where a loop does not ask for that step ([`Lanes::mul_add`]), the same
//! operations in the same order give the same results, so that nobody can tell which loop it was.
//!
//! [`Lanes::mul_add`]: super::Lanes::mul_add

/// What the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Level {
    /// What every processor has for which the program is built.
    Base,
    /// AVX2 and FMA: x86-64-v3.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 with the parts F, BW, DQ and VL: x86-64-v4.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The best level here.
    #[inline(always)]
    pub(super) fn here() -> Level {
        #[cfg(test)]
        if let Some(level) = tests::FORCED.get() {
            return level;
        }
        Level::detected()
    }

    #[inline(always)]
    fn detected() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") && has!("fma") {
                let wider =
                    has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
                return if wider { Level::Avx512 } else { Level::Avx2 };
            }
        }
        Level::Base
    }
}

/// `fn name<E>(arguments) = inner;` is the function `inner`, which is `inline(always)`, compiled for each [`Level`];
/// it runs at the best one. `= inner in lanes` tells it, after `E`, by which lanes it works there. A type that the
/// function depends on may stand behind a semicolon.
macro_rules! widest {
    ($(
        $(#[$doc:meta])*
        $vis:vis fn $name:ident<$E:ident $(, const $C:ident: $T:ty)* $(; $F:ident: $Bound:path)?>($($arg:ident: $Arg:ty),* $(,)?) $(-> $Out:ty)? = $inner:ident $(in $lanes:ident)?;
    )*) => {$(
        $(#[$doc])*
        $vis fn $name<$E: $crate::element::Element $(, $F: $Bound)? $(, const $C: $T)*>($($arg: $Arg),*) $(-> $Out)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn avx2<$E: $crate::element::Element $(, $F: $Bound)? $(, const $C: $T)*>($($arg: $Arg),*) $(-> $Out)? {
                    $crate::kernel::wide::widest!(@call $inner, $E, $E::InAvx2 $(, $lanes)?; [$($F)? $($C)*] $($arg)*)
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
                fn avx512<$E: $crate::element::Element $(, $F: $Bound)? $(, const $C: $T)*>($($arg: $Arg),*) $(-> $Out)? {
                    $crate::kernel::wide::widest!(@call $inner, $E, $E::InAvx512 $(, $lanes)?; [$($F)? $($C)*] $($arg)*)
                }
                match $crate::kernel::wide::Level::here() {
                    // SAFETY: the processor has what the functions are compiled for.
                    $crate::kernel::wide::Level::Avx512 => return unsafe { avx512::<$E $(, $F)? $(, $C)*>($($arg),*) },
                    // SAFETY: as above.
                    $crate::kernel::wide::Level::Avx2 => return unsafe { avx2::<$E $(, $F)? $(, $C)*>($($arg),*) },
                    $crate::kernel::wide::Level::Base => {}
                }
            }
            $crate::kernel::wide::widest!(@call $inner, $E, $E::InBase $(, $lanes)?; [$($F)? $($C)*] $($arg)*)
        }
    )*};
    (@call $inner:ident, $E:ident, $Lanes:ty; [$($generic:ident)*] $($arg:ident)*) => {
        $inner::<$E $(, $generic)*>($($arg),*)
    };
    (@call $inner:ident, $E:ident, $Lanes:ty, $lanes:ident; [$($generic:ident)*] $($arg:ident)*) => {
        $inner::<$E, $Lanes $(, $generic)*>($($arg),*)
    };
}
pub(super) use widest;

#[cfg(test)]
pub(super) mod tests {
    use super::Level;
    use crate::{Tensor, shape};
    use std::cell::Cell;

    thread_local! {
        /// The level at which loops of this thread run, if not at the best.
        pub(super) static FORCED: Cell<Option<Level>> = const { Cell::new(None) };
    }

    /// Calls `test` at each level that the processor has.
    pub(in crate::kernel) fn at_each_level(mut test: impl FnMut(Level)) {
        #[cfg(target_arch = "x86_64")]
        let levels = [Level::Base, Level::Avx2, Level::Avx512];
        #[cfg(not(target_arch = "x86_64"))]
        let levels = [Level::Base];
        let best = Level::detected();
        for level in levels.into_iter().filter(|&level| level <= best) {
            FORCED.set(Some(level));
            test(level);
        }
        FORCED.set(None);
    }

    /// Neither a multiple of any number of lanes, nor so many that other threads help.
    const MANY: usize = 4099;
    type Block<E> = Tensor<1, shape![MANY], E>;

    /// Samples of all finite numbers.
    fn samples() -> impl Iterator<Item = Block<f32>> {
        let numbers = (0..=u32::MAX).step_by(20_011).map(f32::from_bits);
        let numbers: Vec<f32> = numbers.filter(|x| x.is_finite()).collect();
        let blocks = numbers.len() / MANY;
        (0..blocks).map(move |i| Block::from_vec(numbers[i * MANY..][..MANY].to_vec()).unwrap())
    }

    /// The distance from the exact value in steps of the `f32` grid there.
    pub(in crate::kernel) fn ulps(found: f32, right: f64) -> f64 {
        let nearest = right as f32;
        if found.is_nan() && right.is_nan() {
            return 0.0;
        }
        if found == nearest || nearest.is_infinite() {
            return if found == nearest {
                0.0
            } else {
                f64::from(f32::MAX) - f64::from(found.abs())
            };
        }
        let exponent = nearest.abs().max(f32::MIN_POSITIVE).log2().floor() as i32;
        (f64::from(found) - right).abs() / 2f64.powi(exponent - 23)
    }

    macro_rules! functions {
        ($bound:literal ulp: $($name:ident)*) => {$(
            #[test]
            fn $name() {
                let samples: Vec<_> = samples().collect();
                let exact: Vec<Block<f64>> = samples.iter().map(|x| x.cast::<f64>().$name()).collect();
                let mut before: Option<Vec<Block<f32>>> = None;
                at_each_level(|level| {
                    let found: Vec<_> = samples.iter().map(|x| x.$name()).collect();
                    for ((x, found), exact) in samples.iter().zip(&found).zip(&exact) {
                        for ((x, found), exact) in x.iter().zip(found).zip(exact) {
                            let error = ulps(found, exact);
                            assert!(error <= $bound, "{level:?}: {found:e} at {x:e}, {error} ulp from {exact:e}");
                        }
                    }
                    // Levels that multiply and add in one step agree.
                    if level != Level::Base {
                        if let Some(before) = &before {
                            let same = before.iter().zip(&found).all(|(a, b)| a.iter().zip(b).all(|(a, b)| a == b || a.is_nan() && b.is_nan()));
                            assert!(same, "{level:?} and the one before differ");
                        }
                        before = Some(found);
                    }
                });
            }
        )*};
    }
    functions! { 2.0 ulp: exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tanh sigmoid erf gelu softplus log_sigmoid }
    functions! { 4.0 ulp: gelu_tanh silu mish }
    functions! { 0.0 ulp: floor ceil round trunc fract }

    #[test]
    fn ends_and_neighbours_of_zero() {
        let (infinite, tiny) = (f32::INFINITY, f32::from_bits(1));
        at_each_level(|_| {
            let x = Tensor::from([
                0.0,
                -0.0,
                infinite,
                -infinite,
                f32::NAN,
                tiny,
                -tiny,
                1e-30,
                88.7,
                88.8,
                -103.0,
                -104.1,
            ]);
            let [
                zero,
                minus,
                top,
                bottom,
                nan,
                a,
                b,
                c,
                large,
                above,
                small,
                below,
            ] = x.exp().to_array();
            assert_eq!(
                [zero, minus, top, bottom, a, b, c],
                [1.0, 1.0, infinite, 0.0, 1.0, 1.0, 1.0]
            );
            assert_eq!([large, above].map(f32::is_finite), [true, false]);
            assert_eq!([small, below].map(|y| y > 0.0), [true, false]);
            assert!(nan.is_nan());
            let [zero, minus, top, bottom, nan, a, b, c, ..] = x.tanh().to_array();
            assert_eq!(
                [zero, top, bottom, a, b, c],
                [0.0, 1.0, -1.0, tiny, -tiny, 1e-30]
            );
            assert!(nan.is_nan() && minus == 0.0 && minus.is_sign_negative());
            let [zero, minus, top, bottom, nan, a, ..] = x.sigmoid().to_array();
            assert_eq!([zero, minus, top, bottom, a], [0.5, 0.5, 1.0, 0.0, 0.5]);
            assert!(nan.is_nan());
        });
    }

    #[test]
    fn ends_of_logarithms_and_gates() {
        type Ends = Tensor<1, shape![7]>;
        let (top, nan, ln_2) = (f32::INFINITY, f32::NAN, std::f32::consts::LN_2);
        let (tiny, half) = (f32::from_bits(2), f32::from_bits(1));
        let x = Ends::from([0.0, -0.0, top, -top, nan, tiny, -tiny]);
        let slopes = |f: fn(&Ends) -> Ends| {
            let x = x.clone().tracked();
            f(&x).sum().backward();
            x.grad().unwrap()
        };
        at_each_level(|level| {
            let ln = f32::ln(tiny);
            let gate = [0.0, -0.0, top, 0.0, nan, half, -half];
            let slope = [0.5, 0.5, 1.0, 0.0, nan, 0.5, 0.5];
            let rows = [
                ("ln", x.ln(), [-top, -top, top, nan, nan, ln, nan]),
                ("ln_1p", x.ln_1p(), [0.0, -0.0, top, nan, nan, tiny, -tiny]),
                ("log2", x.log2(), [-top, -top, top, nan, nan, -148.0, nan]),
                (
                    "log10",
                    x.log10(),
                    [-top, -top, top, nan, nan, tiny.log10(), nan],
                ),
                ("exp2", x.exp2(), [1.0, 1.0, top, 0.0, nan, 1.0, 1.0]),
                ("sin", x.sin(), [0.0, -0.0, nan, nan, nan, tiny, -tiny]),
                ("cos", x.cos(), [1.0, 1.0, nan, nan, nan, 1.0, 1.0]),
                ("elu", x.elu(1.0), [0.0, -0.0, top, -1.0, nan, tiny, -tiny]),
                (
                    "exp_m1",
                    x.exp_m1(),
                    [0.0, -0.0, top, -1.0, nan, tiny, -tiny],
                ),
                ("erf", x.erf(), [0.0, -0.0, 1.0, -1.0, nan, tiny, -tiny]),
                ("gelu", x.gelu(), gate),
                ("gelu_tanh", x.gelu_tanh(), gate),
                ("silu", x.silu(), gate),
                (
                    "softplus",
                    x.softplus(),
                    [ln_2, ln_2, top, 0.0, nan, ln_2, ln_2],
                ),
                (
                    "log_sigmoid",
                    x.log_sigmoid(),
                    [-ln_2, -ln_2, 0.0, -top, nan, -ln_2, -ln_2],
                ),
                ("slope of gelu", slopes(|x| x.gelu()), slope),
                ("slope of gelu_tanh", slopes(|x| x.gelu_tanh()), slope),
                ("slope of silu", slopes(|x| x.silu()), slope),
                (
                    "slope of mish",
                    slopes(|x| x.mish()),
                    [0.6, 0.6, 1.0, 0.0, nan, 0.6, 0.6],
                ),
            ];
            for (name, found, right) in rows {
                for (i, (found, right)) in found.to_array().into_iter().zip(right).enumerate() {
                    // Zeros next to zeros have their signs; those at infinities may have either.
                    let signs = i > 1 || found.is_sign_negative() == right.is_sign_negative();
                    let same = found == right && signs || found.is_nan() && right.is_nan();
                    assert!(
                        same,
                        "{level:?}: {name} at {}: {found:e}, not {right:e}",
                        x.to_array()[i]
                    );
                }
            }
        });
    }

    #[test]
    fn softmax_along_either_axis_and_its_gradient() {
        type Matrix<E> = Tensor<2, shape![37, 53], E>;
        let rng = &mut crate::Rng::seed(1);
        let (x, g) = (Matrix::<f32>::randn(rng) * 3.0, Matrix::<f32>::randn(rng));
        fn both<const AXIS: usize, E: crate::element::Element>(
            x: &Matrix<E>,
            g: &Matrix<E>,
        ) -> Vec<E>
        where
            shape![37, 53]: crate::shape::HasAxis<AXIS>,
        {
            let x = x.clone().tracked();
            let (y, z) = (x.softmax::<AXIS>(), x.log_softmax::<AXIS>());
            (&y * g + &z * g).sum().backward();
            [y.to_vec(), z.to_vec(), x.grad().unwrap().to_vec()].concat()
        }
        let exact = [
            both::<0, f64>(&x.cast(), &g.cast()),
            both::<1, f64>(&x.cast(), &g.cast()),
        ];
        at_each_level(|level| {
            let found = [both::<0, f32>(&x, &g), both::<1, f32>(&x, &g)];
            for (found, exact) in found.concat().into_iter().zip(exact.concat()) {
                assert!(
                    (f64::from(found) - exact).abs() <= 1e-5 * (1.0 + exact.abs()),
                    "{level:?}: {found} {exact}"
                );
            }
        });
    }

    #[test]
    fn sums_are_the_same_at_each_level() {
        let x = Block::<f32>::randn(&mut crate::Rng::seed(0));
        let mut sums = Vec::new();
        at_each_level(|_| sums.push(x.sum().item()));
        assert!(sums.iter().all(|&sum| sum == sums[0]));
        let exact = x.cast::<f64>().sum().item();
        assert!((f64::from(sums[0]) - exact).abs() < 1e-4);
    }

    #[test]
    fn normal_numbers_are_the_same_on_every_processor() {
        let mut drawn = Vec::new();
        at_each_level(|_| {
            let rng = &mut crate::Rng::seed(5);
            let (single, double): (Block<f32>, Block<f64>) =
                (Tensor::randn(rng), Tensor::randn(rng));
            drawn.push((single.to_vec(), double.to_vec()));
        });
        assert!(drawn.iter().all(|numbers| *numbers == drawn[0]));
    }
}
