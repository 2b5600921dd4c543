//! Reductions of everything, of each axis, and with the axis kept.

use super::{ANY, DISTINCT};

/// The shapes that every reduction is run on. `edges` adds a scalar and axes of size 1, where the
/// answer has a derivative there; `empty` adds tensors without entries, where there is an answer.
macro_rules! reductions {
    ($E:ident; $($op:literal $axis0:literal $axis1:literal $axis2:literal $keep0:literal $keep1:literal $keep3:literal in $domain:expr,
        ($whole:ident $axis:ident $keepdim:ident)($($c:expr)?);)*
     edges: $($eop:literal $eaxis1:literal $ekeep0:literal in $edomain:expr,
        ($ewhole:ident $eaxis:ident $ekeepdim:ident)($($ec:expr)?);)*
     empty: $($zop:literal $zaxis0:literal $zkeep0:literal $zaxis5:literal, ($zwhole:ident $zaxis:ident $zkeepdim:ident);)*) => {
        super::rows! { $E;
            $(
                $op (x in $domain) over [[5], [37], [3, 4], [2, 3, 2, 2]] => x.$whole($($c)?);
                $axis0 (x in $domain) over [[5], [3, 4], [37, 3], [2, 3, 4]] => x.$axis::<0>($($c)?);
                $axis1 (x in $domain) over [[3, 4], [3, 37], [2, 3, 4], [2, 3, 2, 2], [0, 3]] => x.$axis::<1>($($c)?);
                $axis2 (x in $domain) over [[2, 3, 4], [2, 1, 3, 2, 2]] => x.$axis::<2>($($c)?);
                $keep0 (x in $domain) over [[5], [3, 4]] => x.$keepdim::<0>($($c)?);
                $keep1 (x in $domain) over [[3, 4], [2, 3, 4]] => x.$keepdim::<1>($($c)?);
                $keep3 (x in $domain) over [[2, 2, 3, 2]] => x.$keepdim::<3>($($c)?);
            )*
            $(
                $eop (x in $edomain) over [[]] => x.$ewhole($($ec)?);
                $eaxis1 (x in $edomain) over [[3, 1]] => x.$eaxis::<1>($($ec)?);
                $ekeep0 (x in $edomain) over [[1, 3]] => x.$ekeepdim::<0>($($ec)?);
            )*
            $(
                $zop (x in ANY) over [[0, 3]] => x.$zwhole();
                $zaxis0 (x in ANY) over [[0, 3], [2, 1, 2, 1, 2, 3]] => x.$zaxis::<0>();
                $zkeep0 (x in ANY) over [[0, 3]] => x.$zkeepdim::<0>();
                $zaxis5 (x in ANY) over [[2, 1, 2, 1, 2, 3]] => x.$zaxis::<5>();
            )*
        }
    };
}

reductions! { E;
    "sum" "sum_axis 0" "sum_axis 1" "sum_axis 2" "sum_keepdim 0" "sum_keepdim 1" "sum_keepdim 3" in ANY,
        (sum sum_axis sum_keepdim)();
    "mean" "mean_axis 0" "mean_axis 1" "mean_axis 2" "mean_keepdim 0" "mean_keepdim 1" "mean_keepdim 3" in ANY,
        (mean mean_axis mean_keepdim)();
    "var(0)" "var_axis 0(0)" "var_axis 1(0)" "var_axis 2(0)" "var_keepdim 0(0)" "var_keepdim 1(0)" "var_keepdim 3(0)" in ANY,
        (var var_axis var_keepdim)(0);
    "var(1)" "var_axis 0(1)" "var_axis 1(1)" "var_axis 2(1)" "var_keepdim 0(1)" "var_keepdim 1(1)" "var_keepdim 3(1)" in ANY,
        (var var_axis var_keepdim)(1);
    "std(0)" "std_axis 0(0)" "std_axis 1(0)" "std_axis 2(0)" "std_keepdim 0(0)" "std_keepdim 1(0)" "std_keepdim 3(0)" in ANY,
        (std std_axis std_keepdim)(0);
    "std(1)" "std_axis 0(1)" "std_axis 1(1)" "std_axis 2(1)" "std_keepdim 0(1)" "std_keepdim 1(1)" "std_keepdim 3(1)" in ANY,
        (std std_axis std_keepdim)(1);
    "max" "max_axis 0" "max_axis 1" "max_axis 2" "max_keepdim 0" "max_keepdim 1" "max_keepdim 3" in DISTINCT,
        (max max_axis max_keepdim)();
    "min" "min_axis 0" "min_axis 1" "min_axis 2" "min_keepdim 0" "min_keepdim 1" "min_keepdim 3" in DISTINCT,
        (min min_axis min_keepdim)();
    "logsumexp" "logsumexp_axis 0" "logsumexp_axis 1" "logsumexp_axis 2"
        "logsumexp_keepdim 0" "logsumexp_keepdim 1" "logsumexp_keepdim 3" in ANY,
        (logsumexp logsumexp_axis logsumexp_keepdim)();
    edges:
    "sum" "sum_axis 1" "sum_keepdim 0" in ANY, (sum sum_axis sum_keepdim)();
    "mean" "mean_axis 1" "mean_keepdim 0" in ANY, (mean mean_axis mean_keepdim)();
    "var(0)" "var_axis 1(0)" "var_keepdim 0(0)" in ANY, (var var_axis var_keepdim)(0);
    "max" "max_axis 1" "max_keepdim 0" in DISTINCT, (max max_axis max_keepdim)();
    "min" "min_axis 1" "min_keepdim 0" in DISTINCT, (min min_axis min_keepdim)();
    "logsumexp" "logsumexp_axis 1" "logsumexp_keepdim 0" in ANY, (logsumexp logsumexp_axis logsumexp_keepdim)();
    empty:
    "sum" "sum_axis 0" "sum_keepdim 0" "sum_axis 5", (sum sum_axis sum_keepdim);
    "mean" "mean_axis 0" "mean_keepdim 0" "mean_axis 5", (mean mean_axis mean_keepdim);
}
