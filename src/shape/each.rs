//! The ranks, their axes and their alignments, each listed once; a family of impls is a rule applied to a list.

/// `rule! { R: A B .. }` for each rank that leaves room for one more axis.
macro_rules! each_rank_below_max {
    ($rule:ident) => {
        $rule! { 0: }
        $rule! { 1: A }
        $rule! { 2: A B }
        $rule! { 3: A B C }
        $rule! { 4: A B C D }
        $rule! { 5: A B C D E }
    };
}

/// `rule! { R: A B .. }` for each rank.
macro_rules! each_rank {
    ($rule:ident) => {
        each_rank_below_max! { $rule }
        $rule! { 6: A B C D E F }
    };
}

/// `rule! { I: [before] X [after] }` for each axis of each rank: `X` is the axis at position `I`.
macro_rules! each_axis {
    ($rule:ident) => {
        $rule! { 0: [] X [] }

        $rule! { 0: [] X [A] }
        $rule! { 1: [A] X [] }

        $rule! { 0: [] X [A B] }
        $rule! { 1: [A] X [B] }
        $rule! { 2: [A B] X [] }

        $rule! { 0: [] X [A B C] }
        $rule! { 1: [A] X [B C] }
        $rule! { 2: [A B] X [C] }
        $rule! { 3: [A B C] X [] }

        $rule! { 0: [] X [A B C D] }
        $rule! { 1: [A] X [B C D] }
        $rule! { 2: [A B] X [C D] }
        $rule! { 3: [A B C] X [D] }
        $rule! { 4: [A B C D] X [] }

        $rule! { 0: [] X [A B C D E] }
        $rule! { 1: [A] X [B C D E] }
        $rule! { 2: [A B] X [C D E] }
        $rule! { 3: [A B C] X [D E] }
        $rule! { 4: [A B C D] X [E] }
        $rule! { 5: [A B C D E] X [] }
    };
}

/// `rule! { [leading] [A1 B1, A2 B2, ..] }` for each way to align two shapes at their last axis when
/// the longer one has at most four axes: the batch axes of a matrix product.
///
/// The `leading` axes are those that the longer shape has alone.
macro_rules! each_batch_alignment {
    ($rule:ident) => {
        $rule! { [] [] }

        $rule! { [] [A1 B1] }
        $rule! { [L1] [] }

        $rule! { [] [A1 B1, A2 B2] }
        $rule! { [L1] [A1 B1] }
        $rule! { [L1 L2] [] }

        $rule! { [] [A1 B1, A2 B2, A3 B3] }
        $rule! { [L1] [A1 B1, A2 B2] }
        $rule! { [L1 L2] [A1 B1] }
        $rule! { [L1 L2 L3] [] }

        $rule! { [] [A1 B1, A2 B2, A3 B3, A4 B4] }
        $rule! { [L1] [A1 B1, A2 B2, A3 B3] }
        $rule! { [L1 L2] [A1 B1, A2 B2] }
        $rule! { [L1 L2 L3] [A1 B1] }
        $rule! { [L1 L2 L3 L4] [] }
    };
}

/// `rule! { [leading] [A1 B1, A2 B2, ..] }` for each way to align two shapes of up to six axes.
macro_rules! each_alignment {
    ($rule:ident) => {
        each_batch_alignment! { $rule }

        $rule! { [] [A1 B1, A2 B2, A3 B3, A4 B4, A5 B5] }
        $rule! { [L1] [A1 B1, A2 B2, A3 B3, A4 B4] }
        $rule! { [L1 L2] [A1 B1, A2 B2, A3 B3] }
        $rule! { [L1 L2 L3] [A1 B1, A2 B2] }
        $rule! { [L1 L2 L3 L4] [A1 B1] }
        $rule! { [L1 L2 L3 L4 L5] [] }

        $rule! { [] [A1 B1, A2 B2, A3 B3, A4 B4, A5 B5, A6 B6] }
        $rule! { [L1] [A1 B1, A2 B2, A3 B3, A4 B4, A5 B5] }
        $rule! { [L1 L2] [A1 B1, A2 B2, A3 B3, A4 B4] }
        $rule! { [L1 L2 L3] [A1 B1, A2 B2, A3 B3] }
        $rule! { [L1 L2 L3 L4] [A1 B1, A2 B2] }
        $rule! { [L1 L2 L3 L4 L5] [A1 B1] }
        $rule! { [L1 L2 L3 L4 L5 L6] [] }
    };
}

/// `rule! { [A B ..] [C D ..] }` for each way to cut a shape in two.
macro_rules! each_cut {
    ($rule:ident) => {
        $rule! { [] [] }

        $rule! { [] [A] }
        $rule! { [A] [] }

        $rule! { [] [A B] }
        $rule! { [A] [B] }
        $rule! { [A B] [] }

        $rule! { [] [A B C] }
        $rule! { [A] [B C] }
        $rule! { [A B] [C] }
        $rule! { [A B C] [] }

        $rule! { [] [A B C D] }
        $rule! { [A] [B C D] }
        $rule! { [A B] [C D] }
        $rule! { [A B C] [D] }
        $rule! { [A B C D] [] }

        $rule! { [] [A B C D E] }
        $rule! { [A] [B C D E] }
        $rule! { [A B] [C D E] }
        $rule! { [A B C] [D E] }
        $rule! { [A B C D] [E] }
        $rule! { [A B C D E] [] }

        $rule! { [] [A B C D E F] }
        $rule! { [A] [B C D E F] }
        $rule! { [A B] [C D E F] }
        $rule! { [A B C] [D E F] }
        $rule! { [A B C D] [E F] }
        $rule! { [A B C D E] [F] }
        $rule! { [A B C D E F] [] }
    };
}
