//! Windows and kernels in numbers: what the types of `way` and `window` come to, and what they must not.
//!
//! Everything here is evaluated while the compiler builds a program, and refuses what does not fit.

use super::axis::Axis;
use super::message::Message;
use super::way::{Grouping, Pace, Pooling, Spreading, Way};

/// A kernel on its way along an axis, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// Entries of the axis.
    pub input: usize,
    /// Entries of the kernel.
    pub kernel: usize,
    /// Places of the kernel.
    pub output: usize,
    /// Entries from one place to the next.
    pub stride: usize,
    /// Entries added before the first.
    pub before: usize,
    /// Entries of the axis from one entry of the kernel to the next.
    pub dilation: usize,
}

impl Sweep {
    /// The only place of a kernel of one on an axis of one: the axis that is not there.
    pub const NONE: Sweep = Sweep {
        input: 1,
        kernel: 1,
        output: 1,
        stride: 1,
        before: 0,
        dilation: 1,
    };

    /// A kernel of size `K` that goes along `A` by `W` and makes `Out`.
    ///
    /// # Panics
    /// At compile time, if it does not fit, or makes another size.
    #[track_caller]
    pub const fn of<A: Axis, K: Axis, W: Way, Out: Axis>(operation: &str) -> Sweep {
        Self::slide::<A, K, W, Out>(operation, false)
    }

    /// `ceil` says whether the last window may reach beyond the end.
    #[track_caller]
    const fn slide<A: Axis, K: Axis, W: Pace, Out: Axis>(operation: &str, ceil: bool) -> Sweep {
        let sweep = Sweep {
            input: A::SIZE,
            kernel: K::SIZE,
            output: Out::SIZE,
            stride: W::STRIDE,
            before: 0,
            dilation: W::DILATION,
        };
        sweep.check_steps(operation, W::PADDING);
        let reach = sweep.dilation * (sweep.kernel - 1) + 1;
        let beyond = if ceil { sweep.stride - 1 } else { 0 };
        let (before, output) = match W::PADDING {
            None => ((reach - 1) / 2, sweep.input),
            Some(padding) if sweep.input + 2 * padding + beyond < reach => {
                let message = sweep
                    .message(operation, W::PADDING)
                    .text(" does not fit an axis of ")
                    .number(sweep.input);
                panic!("{}", message.as_str());
            }
            Some(padding) => {
                let last = (sweep.input + 2 * padding + beyond - reach) / sweep.stride;
                // The padding at the end is no place for a window to begin.
                let begins = last * sweep.stride < sweep.input + padding;
                (padding, if ceil && !begins { last } else { last + 1 })
            }
        };
        if output != sweep.output {
            let message = sweep
                .message(operation, W::PADDING)
                .text(" makes an axis of ")
                .number(output)
                .text(" out of one of ")
                .number(sweep.input)
                .text(", not ")
                .number(sweep.output);
            panic!("{}", message.as_str());
        }
        Sweep { before, ..sweep }
    }

    /// A window that goes along `A` by `P` and makes `Out`.
    ///
    /// # Panics
    /// At compile time, as [`of`](Self::of); and if there is more padding than half of the window, or nothing
    /// but padding under it at some place.
    #[track_caller]
    pub const fn pool<A: Axis, P: Pooling, Out: Axis>(operation: &str) -> Sweep {
        let sweep = Self::slide::<A, P::Kernel, P, Out>(operation, P::CEIL);
        if sweep.before > sweep.kernel / 2 {
            let message = Message::new(operation)
                .text(": padding ")
                .number(sweep.before)
                .text(" is more than half of a window of ")
                .number(sweep.kernel);
            panic!("{}", message.as_str());
        }
        let mut place = 0;
        while place < sweep.output {
            let mut k = 0;
            // Out of range if it is less than the padding, or reaches behind the last entry.
            while k < sweep.kernel && !sweep.is_inside(place, k) {
                k += 1;
            }
            if k == sweep.kernel {
                let message = sweep
                    .message(operation, P::PADDING)
                    .text(" sees nothing of an axis of ")
                    .number(sweep.input)
                    .text(" at place ")
                    .number(place);
                panic!("{}", message.as_str());
            }
            place += 1;
        }
        sweep
    }

    /// A kernel of size `K` that spreads over `A` by `W` and makes `Out`: how it slides from `Out` to `A`.
    ///
    /// # Panics
    /// At compile time, if nothing is left, more is kept at the end than a stride or a dilation, or it makes another
    /// size.
    #[track_caller]
    pub const fn spread<A: Axis, K: Axis, W: Spreading, Out: Axis>(operation: &str) -> Sweep {
        let padding = match W::PADDING {
            Some(padding) => padding,
            None => 0,
        };
        let sweep = Sweep {
            input: Out::SIZE,
            kernel: K::SIZE,
            output: A::SIZE,
            stride: W::STRIDE,
            before: padding,
            dilation: W::DILATION,
        };
        sweep.check_steps(operation, W::PADDING);
        if W::OUTPUT >= sweep.stride && W::OUTPUT >= sweep.dilation {
            let message = Message::new(operation)
                .text(": output padding ")
                .number(W::OUTPUT)
                .text(" is not smaller than stride ")
                .number(sweep.stride)
                .text(" or dilation ")
                .number(sweep.dilation);
            panic!("{}", message.as_str());
        }
        let message = Message::new(operation)
            .text(": a kernel of ")
            .number(sweep.kernel)
            .text(" with stride ")
            .number(sweep.stride)
            .text(", padding ")
            .number(padding)
            .text(", output padding ")
            .number(W::OUTPUT)
            .text(" and dilation ")
            .number(sweep.dilation);
        let reach = sweep.dilation * (sweep.kernel - 1);
        if sweep.output == 0 || (sweep.output - 1) * sweep.stride + reach + W::OUTPUT < 2 * padding
        {
            let message = message
                .text(" makes nothing out of an axis of ")
                .number(sweep.output);
            panic!("{}", message.as_str());
        }
        let made = (sweep.output - 1) * sweep.stride + reach + W::OUTPUT + 1 - 2 * padding;
        if made != sweep.input {
            let message = message
                .text(" makes an axis of ")
                .number(made)
                .text(" out of one of ")
                .number(sweep.output)
                .text(", not ")
                .number(sweep.input);
            panic!("{}", message.as_str());
        }
        sweep
    }

    /// A window as large as the axis, at its only place.
    ///
    /// # Panics
    /// At compile time, if the axis has no entries.
    #[track_caller]
    pub const fn whole<A: Axis>(operation: &str) -> Sweep {
        if A::SIZE == 0 {
            let message = Message::new(operation).text(": an axis has no entries");
            panic!("{}", message.as_str());
        }
        Sweep {
            input: A::SIZE,
            kernel: A::SIZE,
            ..Sweep::NONE
        }
    }

    #[track_caller]
    const fn check_steps(&self, operation: &str, padding: Option<usize>) {
        if self.kernel == 0 || self.stride == 0 || self.dilation == 0 {
            let message = self
                .message(operation, padding)
                .text(": each of them is at least 1");
            panic!("{}", message.as_str());
        }
    }

    const fn is_inside(&self, place: usize, k: usize) -> bool {
        let at = place * self.stride + k * self.dilation;
        at >= self.before && at < self.input + self.before
    }

    const fn message(&self, operation: &str, padding: Option<usize>) -> Message {
        let message = Message::new(operation)
            .text(": a window of ")
            .number(self.kernel)
            .text(" with stride ")
            .number(self.stride);
        let message = match padding {
            Some(padding) => message.text(", padding ").number(padding),
            None => message.text(", padding to the same size"),
        };
        message.text(" and dilation ").number(self.dilation)
    }
}

/// A pooling in numbers: its window's way across a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pooled {
    /// From row to row.
    pub rows: Sweep,
    /// From column to column.
    pub columns: Sweep,
    /// Whether means are over the entries inside the axis alone, along rows and along columns.
    pub inside: [bool; 2],
}

impl Pooled {
    /// A window that goes along the only axis `L` by `P` and makes `Out`.
    ///
    /// # Panics
    /// At compile time, as [`Sweep::pool`].
    #[track_caller]
    pub const fn along<L: Axis, P: Pooling, Out: Axis>(operation: &str) -> Pooled {
        Pooled {
            rows: Sweep::NONE,
            columns: Sweep::pool::<L, P, Out>(operation),
            inside: [false, P::INSIDE],
        }
    }

    /// A window that goes from row to row by `R`, making `OH` rows out of `H`, and from column to column by `C`.
    ///
    /// # Panics
    /// At compile time, as [`Sweep::pool`].
    #[track_caller]
    pub const fn across<H: Axis, R: Pooling, OH: Axis, W: Axis, C: Pooling, OW: Axis>(
        operation: &str,
    ) -> Pooled {
        Pooled {
            rows: Sweep::pool::<H, R, OH>(operation),
            columns: Sweep::pool::<W, C, OW>(operation),
            inside: [R::INSIDE, C::INSIDE],
        }
    }

    /// The same for means, whose windows have no gaps.
    ///
    /// # Panics
    /// At compile time, if the dilation is not 1.
    #[track_caller]
    pub const fn mean(self, operation: &str) -> Pooled {
        let dilation = self.rows.dilation * self.columns.dilation;
        if dilation != 1 {
            let message = Message::new(operation)
                .text(": a mean has no dilation, not ")
                .number(if self.rows.dilation == 1 {
                    dilation
                } else {
                    self.rows.dilation
                });
            panic!("{}", message.as_str());
        }
        self
    }

    /// A window over the whole plane.
    ///
    /// # Panics
    /// At compile time, if the plane has no entries.
    #[track_caller]
    pub const fn whole<H: Axis, W: Axis>(operation: &str) -> Pooled {
        Pooled {
            rows: Sweep::whole::<H>(operation),
            columns: Sweep::whole::<W>(operation),
            inside: [false; 2],
        }
    }
}

/// A convolution in numbers: what it sweeps over, for each image and each group of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv {
    /// Images in the batch.
    pub images: usize,
    /// Groups of channels.
    pub groups: usize,
    /// Input channels of a group.
    pub inputs: usize,
    /// Output channels of a group.
    pub outputs: usize,
    /// From row to row.
    pub rows: Sweep,
    /// From column to column.
    pub columns: Sweep,
}

impl Conv {
    /// A convolution from `C` channels to `O`, whose weight takes `I` channels a group.
    ///
    /// # Panics
    /// At compile time, if the channels do not split into the groups.
    #[track_caller]
    pub const fn of<N: Axis, C: Axis, O: Axis, I: Axis, G: Grouping>(
        operation: &str,
        rows: Sweep,
        columns: Sweep,
    ) -> Conv {
        let groups = G::GROUPS;
        if I::SIZE * groups != C::SIZE {
            let message = Message::new(operation)
                .text(": a weight of ")
                .number(I::SIZE)
                .text(" channels in ")
                .number(groups)
                .text(" groups takes ")
                .number(I::SIZE * groups)
                .text(" channels, the input has ")
                .number(C::SIZE);
            panic!("{}", message.as_str());
        }
        if groups == 0 || O::SIZE % groups != 0 {
            let message = Message::new(operation)
                .text(": ")
                .number(O::SIZE)
                .text(" output channels do not split into ")
                .number(groups)
                .text(" groups");
            panic!("{}", message.as_str());
        }
        Conv {
            images: N::SIZE,
            groups,
            inputs: I::SIZE,
            outputs: O::SIZE / groups,
            rows,
            columns,
        }
    }

    /// A transposed convolution from `C` channels to `O`, whose weight makes `I` channels a group; as the convolution
    /// that it is the transpose of.
    ///
    /// # Panics
    /// At compile time, if the channels do not split into the groups.
    #[track_caller]
    pub const fn transposed<N: Axis, C: Axis, I: Axis, O: Axis, G: Grouping>(
        operation: &str,
        rows: Sweep,
        columns: Sweep,
    ) -> Conv {
        let groups = G::GROUPS;
        if groups == 0 || C::SIZE % groups != 0 {
            let message = Message::new(operation)
                .text(": ")
                .number(C::SIZE)
                .text(" input channels do not split into ")
                .number(groups)
                .text(" groups");
            panic!("{}", message.as_str());
        }
        if I::SIZE * groups != O::SIZE {
            let message = Message::new(operation)
                .text(": ")
                .number(groups)
                .text(" groups of ")
                .number(I::SIZE)
                .text(" output channels are ")
                .number(I::SIZE * groups)
                .text(", not ")
                .number(O::SIZE);
            panic!("{}", message.as_str());
        }
        Conv {
            images: N::SIZE,
            groups,
            inputs: I::SIZE,
            outputs: C::SIZE / groups,
            rows,
            columns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::{Dim, One};
    use super::super::way::{Ceil, Divided, Pool, Same, SameDilated, Slide, Spread, Valid};
    use super::super::window::{Slides, Spreads};
    use super::*;

    /// The two ways to compute a size agree, and with the definition: the places where a window fits.
    #[test]
    fn constants_agree_with_types() {
        macro_rules! check {
            ($($n:literal $k:literal $s:literal $p:literal $d:literal;)*) => {$({
                type Out = <Dim<$n> as Slides<Dim<$k>, Slide<$s, $p, $d>>>::Output;
                let sweep = const { Sweep::of::<Dim<$n>, Dim<$k>, Slide<$s, $p, $d>, Out>("conv1d") };
                let places = (0..).map(|i| i * $s).take_while(|at| at + $d * ($k - 1) < $n + 2 * $p);
                assert_eq!(sweep.output, places.count());
            })*};
        }
        check! {
            28 5 1 0 1; 28 5 2 0 1; 28 5 3 0 1; 28 5 1 2 1; 28 5 2 2 1; 28 5 2 2 3; 27 4 3 1 2; 1 1 1 0 1;
            1 3 1 1 1; 3 3 5 0 1; 7 2 7 1 6; 1000 11 4 2 1; 0 2 1 1 1; 1024 1 1 1 1;
        }
    }

    /// By PyTorch's own words: rounded up, and one less if the last window begins in the padding at the end.
    #[test]
    fn windows_that_reach_beyond_agree_too() {
        macro_rules! check {
            ($($n:literal $k:literal $s:literal $p:literal $d:literal;)*) => {$({
                type Way = Ceil<Pool<$k, $s, $p, $d>>;
                type Out = <Dim<$n> as Slides<(), Way>>::Output;
                let sweep = const { Sweep::pool::<Dim<$n>, Way, Out>("max_pool1d") };
                let mut places = ($n + 2 * $p + $s - 1 - $d * ($k - 1) - 1) / $s + 1;
                let end: usize = $n + $p;
                if (places - 1) * $s >= end {
                    places -= 1;
                }
                assert_eq!(sweep.output, places);
            })*};
        }
        check! {
            5 2 2 0 1; 6 2 2 0 1; 6 3 2 1 1; 7 3 2 1 1; 5 2 3 1 1; 3 1 3 0 1; 2 3 2 0 1; 9 3 4 1 2; 10 2 5 1 3; 1 2 2 1 1;
            1000 5 7 2 1; 4 2 5 1 1; 1024 3 3 0 1;
        }
    }

    #[test]
    fn padding_to_the_same_size_starts_at_the_shorter_half() {
        let even = const { Sweep::of::<Dim<9>, Dim<4>, Same, Dim<9>>("conv1d") };
        assert_eq!((even.before, even.output), (1, 9));
        let dilated = const { Sweep::of::<Dim<9>, Dim<3>, SameDilated<3>, Dim<9>>("conv1d") };
        assert_eq!((dilated.before, dilated.output), (3, 9));
    }

    #[test]
    #[should_panic(
        expected = "conv1d_as: a window of 7 with stride 1, padding 1 and dilation 1 does not fit an axis of 4"
    )]
    fn a_window_that_does_not_fit() {
        Sweep::of::<Dim<4>, Dim<7>, Slide<1, 1>, Dim<1>>("conv1d_as");
    }

    #[test]
    #[should_panic(expected = "makes an axis of 26 out of one of 28, not 25")]
    fn another_size() {
        Sweep::of::<Dim<28>, Dim<3>, Valid, Dim<25>>("conv1d_as");
    }

    /// A transposed convolution makes an axis that the convolution makes the first out of; types and constants agree.
    #[test]
    fn spreading_undoes_sliding() {
        macro_rules! check {
            ($($n:literal $k:literal $s:literal $p:literal $o:literal $d:literal;)*) => {$({
                type Out = <Dim<$n> as Spreads<Dim<$k>, Spread<$s, $p, $o, $d>>>::Output;
                let sweep = const { Sweep::spread::<Dim<$n>, Dim<$k>, Spread<$s, $p, $o, $d>, Out>("conv_transpose1d") };
                assert_eq!((sweep.output, sweep.before), ($n, $p));
                let places = (sweep.input + 2 * $p - $d * ($k - 1) - 1) / $s + 1;
                assert!(places == $n || $o >= $s && places > $n);
            })*};
        }
        check! {
            10 3 1 0 0 2; 16 3 2 1 0 1; 16 3 2 1 1 1; 16 3 3 1 2 1; 5 3 1 1 1 2; 3 1 5 0 4 1; 1 4 2 0 0 1; 1 3 1 1 0 1;
            2 2 2 1 1 3; 1000 2 2 1 1 1;
        }
    }

    #[test]
    #[should_panic(
        expected = "conv_transpose1d: output padding 2 is not smaller than stride 2 or dilation 1"
    )]
    fn output_padding_that_is_too_large() {
        Sweep::spread::<Dim<4>, Dim<3>, Spread<2, 0, 2>, Dim<11>>("conv_transpose1d");
    }

    #[test]
    #[should_panic(
        expected = "a kernel of 2 with stride 1, padding 3, output padding 0 and dilation 1 makes nothing out of an axis of 4"
    )]
    fn nothing_is_left() {
        Sweep::spread::<Dim<4>, Dim<2>, Spread<1, 3>, Dim<0>>("conv_transpose1d");
    }

    #[test]
    #[should_panic(expected = "makes an axis of 9 out of one of 4, not 10")]
    fn spread_to_another_size() {
        Sweep::spread::<Dim<4>, Dim<3>, Spread<2>, Dim<10>>("conv_transpose1d");
    }

    #[test]
    #[should_panic(expected = "conv_transpose2d: 2 groups of 4 output channels are 8, not 6")]
    fn groups_of_other_output_channels() {
        Conv::transposed::<One, Dim<4>, Dim<4>, Dim<6>, Divided<2>>(
            "conv_transpose2d",
            Sweep::NONE,
            Sweep::NONE,
        );
    }

    #[test]
    #[should_panic(expected = "conv_transpose2d: 5 input channels do not split into 2 groups")]
    fn groups_that_do_not_divide_the_input() {
        Conv::transposed::<One, Dim<5>, Dim<4>, Dim<8>, Divided<2>>(
            "conv_transpose2d",
            Sweep::NONE,
            Sweep::NONE,
        );
    }

    #[test]
    #[should_panic(
        expected = "conv2d: a weight of 4 channels in 2 groups takes 8 channels, the input has 6"
    )]
    fn groups_of_other_channels() {
        Conv::of::<One, Dim<6>, Dim<8>, Dim<4>, Divided<2>>("conv2d", Sweep::NONE, Sweep::NONE);
    }

    #[test]
    #[should_panic(expected = "conv2d: 5 output channels do not split into 2 groups")]
    fn groups_that_do_not_divide() {
        Conv::of::<One, Dim<6>, Dim<5>, Dim<3>, Divided<2>>("conv2d", Sweep::NONE, Sweep::NONE);
    }
}
