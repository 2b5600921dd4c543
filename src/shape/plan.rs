//! A plan is a broadcast as the code that touches memory wants it: nested loops with strides, and
//! sums for the way back. It is computed while the user's program compiles.
//!
//! ```text
//! (Dim<5>, Dim<2>, Dim<3>)      loop 10: lhs += 3, rhs += 0      backward to rhs:
//! (                Dim<3>)      loop  3: lhs += 1, rhs += 1      sum 10, keep 3
//! ```
//!
//! Axes of size 1 are dropped and neighbours that behave alike are merged, so two equal shapes of
//! any rank are one loop over all elements, or none if there is only one.

use super::broadcast::Cotangent;
use super::tuple::MAX_RANK;

/// Axes that a plan may have: those of a shape, and one that shapes do not show.
const MAX_AXES: usize = MAX_RANK + 1;

/// How the values of an operand belong to the examples along an axis that no shape shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Share {
    /// They are those of all examples, one after the other.
    Each,
    /// Once for all examples.
    Shared,
    /// Once for all examples, of which each has its own gradient.
    Repeated,
}

/// One axis of the output, and what either operand has there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisPair {
    /// The size of the output's axis.
    pub size: usize,
    /// `Sum` if the left operand is stretched along the axis or lacks it.
    pub lhs: Cotangent,
    /// `Sum` if the right operand is stretched along the axis or lacks it.
    pub rhs: Cotangent,
}

/// One of the nested loops over the output's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The number of steps.
    pub size: usize,
    /// Elements of the left operand from step to step; 0 where it is stretched.
    pub lhs: usize,
    /// Elements of the right operand from step to step; 0 where it is stretched.
    pub rhs: usize,
}

/// Whether a broadcast needs nested loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Both operands have the output's elements, in the same order.
    Equal,
    /// Everything else.
    General,
}

/// A run of axes of the output that are all kept or all summed on the way to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The number of entries: the product of the sizes.
    pub size: usize,
    /// Whether the gradient is summed over the run.
    pub summed: bool,
}

/// How the gradient of the output is summed down to one operand: kept and summed groups in turn,
/// outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    groups: [Group; MAX_AXES],
    len: usize,
}

impl Fold {
    const EMPTY: Fold = Fold {
        groups: [Group {
            size: 1,
            summed: false,
        }; MAX_AXES],
        len: 0,
    };

    /// The groups, outermost first. None, if the output has one element.
    pub const fn groups(&self) -> &[Group] {
        self.groups.split_at(self.len).0
    }

    /// Whether nothing is summed: the gradient is passed on as it is.
    pub const fn is_identity(&self) -> bool {
        self.len == 0 || self.len == 1 && !self.groups[0].summed
    }

    const fn push(&mut self, size: usize, summed: bool) {
        if self.len > 0 && self.groups[self.len - 1].summed == summed {
            self.groups[self.len - 1].size *= size;
        } else {
            self.groups[self.len] = Group { size, summed };
            self.len += 1;
        }
    }
}

/// A broadcast as loops for forward and sums for backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    dims: [usize; MAX_RANK],
    rank: usize,
    numel: usize,
    lhs_numel: usize,
    rhs_numel: usize,
    pattern: Pattern,
    loops: [Loop; MAX_AXES],
    len: usize,
    lhs_fold: Fold,
    rhs_fold: Fold,
}

impl Plan {
    /// The plan of a broadcast, from the output's axes, outermost first.
    ///
    /// # Panics
    /// If there are more than [`MAX_RANK`] axes.
    pub const fn collect(axes: &[AxisPair]) -> Plan {
        let mut plan = Plan {
            dims: [1; MAX_RANK],
            rank: axes.len(),
            numel: 1,
            lhs_numel: 1,
            rhs_numel: 1,
            pattern: Pattern::Equal,
            loops: [Loop {
                size: 1,
                lhs: 0,
                rhs: 0,
            }; MAX_AXES],
            len: 0,
            lhs_fold: Fold::EMPTY,
            rhs_fold: Fold::EMPTY,
        };

        // From the innermost axis outwards, because a stride is the product of the sizes inside.
        let mut last: Option<AxisPair> = None;
        let mut i = axes.len();
        while i > 0 {
            i -= 1;
            let axis = axes[i];
            plan.dims[i] = axis.size;
            if axis.size == 1 {
                continue;
            }
            let (lhs_kept, rhs_kept) = (kept(axis.lhs), kept(axis.rhs));
            let merges = match last {
                Some(inner) => kept(inner.lhs) == lhs_kept && kept(inner.rhs) == rhs_kept,
                None => false,
            };
            if merges {
                plan.loops[plan.len - 1].size *= axis.size;
            } else {
                plan.loops[plan.len] = Loop {
                    size: axis.size,
                    lhs: if lhs_kept { plan.lhs_numel } else { 0 },
                    rhs: if rhs_kept { plan.rhs_numel } else { 0 },
                };
                plan.len += 1;
            }
            plan.numel *= axis.size;
            if lhs_kept {
                plan.lhs_numel *= axis.size;
            }
            if rhs_kept {
                plan.rhs_numel *= axis.size;
            }
            if !(lhs_kept && rhs_kept) {
                plan.pattern = Pattern::General;
            }
            last = Some(axis);
        }
        plan.reverse_loops();

        let mut i = 0;
        while i < axes.len() {
            if axes[i].size != 1 {
                plan.lhs_fold.push(axes[i].size, !kept(axes[i].lhs));
                plan.rhs_fold.push(axes[i].size, !kept(axes[i].rhs));
            }
            i += 1;
        }
        plan
    }

    /// The plan of a scalar on the left and a shape of these sizes on the right.
    pub(super) const fn scalar_and(dims: &[usize]) -> Plan {
        let axis = AxisPair {
            size: 1,
            lhs: Cotangent::Sum,
            rhs: Cotangent::Keep,
        };
        let mut axes = [axis; MAX_RANK];
        let mut i = 0;
        while i < dims.len() {
            axes[i].size = dims[i];
            i += 1;
        }
        Plan::collect(axes.split_at(dims.len()).0)
    }

    /// The plan that stretches an operand of sizes `from`, on the left, to sizes `to`, which it broadcasts to.
    pub(crate) const fn stretch(from: &[usize], to: &[usize]) -> Plan {
        let mut axes = [AxisPair {
            size: 1,
            lhs: Cotangent::Sum,
            rhs: Cotangent::Keep,
        }; MAX_RANK];
        let mut i = 0;
        while i < to.len() {
            axes[i].size = to[i];
            let own = i + from.len();
            if own >= to.len() && from[own - to.len()] == to[i] {
                axes[i].lhs = Cotangent::Keep;
            }
            i += 1;
        }
        Plan::collect(axes.split_at(to.len()).0)
    }

    /// The plan of as many pairs of operands as there are examples, along an axis in front of all others that no
    /// shape shows; each operand takes part in it as its share says.
    pub(crate) fn mapped(&self, examples: usize, lhs: Share, rhs: Share) -> Plan {
        let mut plan = *self;
        match plan.dims[..plan.rank].first_mut() {
            Some(outermost) => *outermost *= examples,
            // A single number has no axis.
            None => (plan.dims[0], plan.rank) = (examples, 1),
        }
        if examples == 1 {
            return plan;
        }
        let step = |share, numel| if share == Share::Each { numel } else { 0 };
        let outer = Loop {
            size: examples,
            lhs: step(lhs, self.lhs_numel),
            rhs: step(rhs, self.rhs_numel),
        };
        let follows = |step: usize, inner: usize, size: usize| match inner {
            0 => step == 0,
            inner => step == inner * size,
        };
        match plan.loops[..plan.len].first_mut() {
            Some(first)
                if follows(outer.lhs, first.lhs, first.size)
                    && follows(outer.rhs, first.rhs, first.size) =>
            {
                first.size *= examples;
            }
            _ => {
                plan.loops.copy_within(..self.len, 1);
                plan.loops[0] = outer;
                plan.len += 1;
            }
        }
        for (share, fold) in [(lhs, &mut plan.lhs_fold), (rhs, &mut plan.rhs_fold)] {
            let inner = std::mem::replace(fold, Fold::EMPTY);
            fold.push(examples, share == Share::Shared);
            for group in inner.groups() {
                fold.push(group.size, group.summed);
            }
        }
        plan.numel *= examples;
        if lhs == Share::Each {
            plan.lhs_numel *= examples;
        }
        if rhs == Share::Each {
            plan.rhs_numel *= examples;
        }
        if [lhs, rhs] != [Share::Each; 2] {
            plan.pattern = Pattern::General;
        }
        plan
    }

    /// The sizes of the output's axes.
    pub const fn dims(&self) -> &[usize] {
        self.dims.split_at(self.rank).0
    }

    /// The plan of the same operands, left and right exchanged.
    pub const fn mirrored(&self) -> Plan {
        let mut plan = *self;
        (plan.lhs_numel, plan.rhs_numel) = (self.rhs_numel, self.lhs_numel);
        (plan.lhs_fold, plan.rhs_fold) = (self.rhs_fold, self.lhs_fold);
        let mut i = 0;
        while i < self.len {
            (plan.loops[i].lhs, plan.loops[i].rhs) = (self.loops[i].rhs, self.loops[i].lhs);
            i += 1;
        }
        plan
    }

    /// The nested loops, outermost first. None, if the output has one element.
    pub const fn loops(&self) -> &[Loop] {
        self.loops.split_at(self.len).0
    }

    /// The number of elements of the output.
    pub const fn numel(&self) -> usize {
        self.numel
    }

    /// The number of elements of the left operand.
    pub const fn lhs_numel(&self) -> usize {
        self.lhs_numel
    }

    /// The number of elements of the right operand.
    pub const fn rhs_numel(&self) -> usize {
        self.rhs_numel
    }

    /// Which shortcut the broadcast allows.
    pub const fn pattern(&self) -> Pattern {
        self.pattern
    }

    /// How the output's gradient is summed down to the left operand.
    pub const fn lhs_fold(&self) -> &Fold {
        &self.lhs_fold
    }

    /// How the output's gradient is summed down to the right operand.
    pub const fn rhs_fold(&self) -> &Fold {
        &self.rhs_fold
    }

    const fn reverse_loops(&mut self) {
        let mut i = 0;
        while i < self.len / 2 {
            let outer = self.loops[i];
            self.loops[i] = self.loops[self.len - 1 - i];
            self.loops[self.len - 1 - i] = outer;
            i += 1;
        }
    }
}

const fn kept(cotangent: Cotangent) -> bool {
    matches!(cotangent, Cotangent::Keep)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An odometer over all positions in `dims`, in row-major order.
    fn positions(dims: &[usize]) -> Vec<Vec<usize>> {
        dims.iter().fold(vec![vec![]], |heads, &size| {
            heads
                .iter()
                .flat_map(|head| (0..size).map(move |i| [head.as_slice(), &[i]].concat()))
                .collect()
        })
    }

    /// The element of an operand that belongs to a position of the output, by definition: the
    /// position with 0 along stretched axes, in row-major order over the axes that are kept.
    fn operand_offset(
        axes: &[AxisPair],
        side: fn(&AxisPair) -> Cotangent,
        position: &[usize],
    ) -> usize {
        axes.iter()
            .zip(position)
            .filter(|(axis, _)| kept(side(axis)))
            .fold(0, |offset, (axis, i)| offset * axis.size + i)
    }

    /// The same as the loops of the plan reach it.
    fn loop_offsets(loops: &[Loop]) -> Vec<(usize, usize)> {
        match loops {
            [] => vec![(0, 0)],
            [outer, inner @ ..] => (0..outer.size)
                .flat_map(|i| {
                    loop_offsets(inner)
                        .into_iter()
                        .map(move |(lhs, rhs)| (lhs + i * outer.lhs, rhs + i * outer.rhs))
                })
                .collect(),
        }
    }

    /// Sums `gradient` over the summed groups of a fold.
    fn fold(groups: &[Group], gradient: &[u64]) -> Vec<u64> {
        let [outer, inner @ ..] = groups else {
            return gradient.to_vec();
        };
        let step: usize = inner.iter().map(|group| group.size).product();
        let parts = (0..outer.size).map(|i| fold(inner, &gradient[i * step..(i + 1) * step]));
        if outer.summed {
            let kept = inner.iter().filter(|g| !g.summed).map(|g| g.size).product();
            parts.fold(vec![0; kept], |sum, part| {
                sum.iter().zip(part).map(|(a, b)| a + b).collect()
            })
        } else {
            parts.flatten().collect()
        }
    }

    fn check(axes: &[AxisPair]) {
        let plan = Plan::collect(axes);
        let dims: Vec<usize> = axes.iter().map(|axis| axis.size).collect();
        let all = positions(&dims);
        assert_eq!(plan.numel(), all.len(), "{axes:?}");

        let lhs: Vec<usize> = all
            .iter()
            .map(|p| operand_offset(axes, |a| a.lhs, p))
            .collect();
        let rhs: Vec<usize> = all
            .iter()
            .map(|p| operand_offset(axes, |a| a.rhs, p))
            .collect();
        let offsets: Vec<(usize, usize)> = lhs.iter().copied().zip(rhs.iter().copied()).collect();
        assert_eq!(loop_offsets(plan.loops()), offsets, "{axes:?}");

        let gradient: Vec<u64> = (0..all.len() as u64).map(|i| i * i + 1).collect();
        for (numel, fold_plan, offsets) in [
            (plan.lhs_numel(), plan.lhs_fold(), &lhs),
            (plan.rhs_numel(), plan.rhs_fold(), &rhs),
        ] {
            let mut sums = vec![0; numel];
            offsets
                .iter()
                .zip(&gradient)
                .for_each(|(&to, g)| sums[to] += g);
            assert_eq!(fold(fold_plan.groups(), &gradient), sums, "{axes:?}");
            if fold_plan.is_identity() {
                assert_eq!(sums, gradient, "{axes:?}");
            }
            assert!(
                fold_plan
                    .groups()
                    .windows(2)
                    .all(|pair| pair[0].summed != pair[1].summed)
            );
        }

        let exchanged: Vec<AxisPair> = axes
            .iter()
            .map(|&AxisPair { size, lhs, rhs }| AxisPair {
                size,
                lhs: rhs,
                rhs: lhs,
            })
            .collect();
        assert_eq!(plan.mirrored(), Plan::collect(&exchanged));

        let in_order: Vec<usize> = (0..all.len()).collect();
        match plan.pattern() {
            Pattern::Equal => assert!(lhs == in_order && rhs == in_order),
            Pattern::General => assert!(lhs != in_order || rhs != in_order || dims.contains(&0)),
        }
    }

    #[test]
    fn loops_and_folds_agree_with_the_definition() {
        // A linear congruential generator; its upper bits are random enough to choose shapes.
        let mut state: u64 = 7;
        let mut below = |n: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        for _ in 0..3000 {
            let rank = below(MAX_RANK as u64 + 1);
            let axes: Vec<AxisPair> = (0..rank)
                .map(|_| {
                    let size = [0, 1, 1, 2, 2, 3, 3, 4][below(8) as usize];
                    let (lhs, rhs) = match below(3) {
                        0 => (Cotangent::Keep, Cotangent::Keep),
                        1 => (Cotangent::Sum, Cotangent::Keep),
                        _ => (Cotangent::Keep, Cotangent::Sum),
                    };
                    AxisPair { size, lhs, rhs }
                })
                .collect();
            check(&axes);
        }
    }

    #[test]
    fn neighbours_that_behave_alike_are_one_loop() {
        let keep = |size| AxisPair {
            size,
            lhs: Cotangent::Keep,
            rhs: Cotangent::Keep,
        };
        let row = |size| AxisPair {
            size,
            lhs: Cotangent::Keep,
            rhs: Cotangent::Sum,
        };

        let equal = Plan::collect(&[keep(2), keep(1), keep(3)]);
        assert_eq!(
            equal.loops(),
            [Loop {
                size: 6,
                lhs: 1,
                rhs: 1
            }]
        );
        assert_eq!(equal.pattern(), Pattern::Equal);
        assert!(equal.lhs_fold().is_identity() && equal.rhs_fold().is_identity());

        let bias = Plan::collect(&[row(5), row(2), keep(3)]);
        assert_eq!(
            bias.loops(),
            [
                Loop {
                    size: 10,
                    lhs: 3,
                    rhs: 0
                },
                Loop {
                    size: 3,
                    lhs: 1,
                    rhs: 1
                }
            ]
        );
        assert_eq!(
            bias.rhs_fold().groups(),
            [
                Group {
                    size: 10,
                    summed: true
                },
                Group {
                    size: 3,
                    summed: false
                }
            ]
        );

        assert_eq!(Plan::collect(&[]).loops(), []);
        assert_eq!(Plan::collect(&[row(5), row(0)]).pattern(), Pattern::General);
    }
}
