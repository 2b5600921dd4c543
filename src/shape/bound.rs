//! Numbers that the caller names stay within the axis they are about.
//!
//! They are constants of any size, in generic code too, so these are constant assertions.
//!
//! ```text
//! topk: 5 entries of axis 1 of shape (2, 3), which has 3
//! embedding_padded: row 100 of a table of 100 rows
//! ```

use super::axis_at::HasAxis;
use super::message::Message;
use super::tuple::AnyShape;

/// Refuses more entries of axis `AXIS` than there are.
///
/// # Panics
/// At compile time, if the axis has fewer than `K` entries.
#[track_caller]
pub const fn check_topk<S: AnyShape + HasAxis<AXIS>, const AXIS: usize, const K: usize>(
    operation: &str,
) {
    if K > S::SPLIT.len {
        let message = Message::new(operation)
            .text(": ")
            .number(K)
            .text(if K == 1 { " entry" } else { " entries" })
            .text(" of axis ")
            .number(AXIS)
            .text(" of shape ")
            .tuple(S::DIMS)
            .text(", which has ")
            .number(S::SPLIT.len);
        panic!("{}", message.as_str());
    }
}

/// Refuses a row for padding that the table does not have.
///
/// # Panics
/// At compile time, unless `PADDING` is below `V`.
#[track_caller]
pub const fn check_padding<const V: usize, const PADDING: usize>() {
    if PADDING >= V {
        let message = Message::new("embedding_padded: row ")
            .number(PADDING)
            .text(" of a table of ")
            .number(V)
            .text(if V == 1 { " row" } else { " rows" });
        panic!("{}", message.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape;

    #[test]
    fn as_many_as_there_are_pass() {
        const { check_topk::<shape![2, 3], 1, 3>("topk") };
        const { check_topk::<shape![0], 0, 0>("topk") };
    }

    #[test]
    #[should_panic(expected = "topk: 5 entries of axis 1 of shape (2, 3), which has 3")]
    fn more_than_there_are() {
        check_topk::<shape![2, 3], 1, 5>("topk");
    }

    #[test]
    #[should_panic(expected = "embedding_padded: row 3 of a table of 3 rows")]
    fn a_row_that_is_not_there() {
        const { check_padding::<3, 2>() };
        check_padding::<3, 3>();
    }

    #[test]
    #[should_panic(expected = "topk: 1 entry of axis 0 of shape (0,), which has 0")]
    fn one_of_none() {
        check_topk::<shape![0], 0, 1>("topk");
    }
}
