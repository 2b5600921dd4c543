//! Moving values to other places: permuted axes, stretched axes, rows looked up.

use crate::element::Element;
use crate::shape::Plan;
use crate::storage::{Buffer, Plain};

/// Sides of the square blocks in which two axes are exchanged: a side is a cache line of `f32`.
const TILE: usize = 16;
/// Sides of the squares that a block is made of.
const SQUARE: usize = 4;

/// The values with axes in a new order: axis `i` of the result is axis `axes[i]` of `dims`.
pub(crate) fn permute<T: Plain>(x: &[T], dims: &[usize], axes: &[usize]) -> Buffer<T> {
    let steps = row_major(dims);
    arrange(x, axes.iter().map(|&axis| (dims[axis], steps[axis])))
}

/// The values that nested loops, each of a size and a step, visit.
pub(crate) fn arrange<T: Plain>(x: &[T], loops: impl Iterator<Item = (usize, usize)>) -> Buffer<T> {
    // Outermost first, without loops of one step and with neighbours that step alike merged.
    let mut merged: Vec<Loop> = Vec::with_capacity(8);
    let mut len = 1;
    for (size, from) in loops {
        len *= size;
        match merged.last_mut() {
            _ if size == 1 => {}
            Some(last) if last.from == size * from => {
                (last.size, last.from) = (last.size * size, from);
            }
            _ => merged.push(Loop { size, from, to: 0 }),
        }
    }
    let mut out = Buffer::dirty(len);
    if len == 0 {
        return out;
    }
    let mut to = 1;
    for l in merged.iter_mut().rev() {
        l.to = to;
        to *= l.size;
    }
    // Columns are neighbours in the result, and rows, where there are such, neighbours in `x`.
    let columns = merged.pop().unwrap_or(Loop::ONCE);
    let rows = merged.iter().position(|l| l.from == 1);
    let rows = rows.or(merged.len().checked_sub(1));
    let rows = rows.map_or(Loop::ONCE, |i| merged.remove(i));
    let values = out.fresh();
    for i in 0..len / (rows.size * columns.size) {
        let (from, to) = offsets(&merged, i);
        exchange(&x[from..], rows, columns, &mut values[to..]);
    }
    out
}

/// A loop over an axis: its steps in the operand and in the result.
#[derive(Clone, Copy)]
struct Loop {
    size: usize,
    from: usize,
    to: usize,
}

impl Loop {
    const ONCE: Self = Loop {
        size: 1,
        from: 1,
        to: 1,
    };
}

/// Where turn `i` of nested loops is in the operand and in the result.
fn offsets(loops: &[Loop], mut i: usize) -> (usize, usize) {
    let (mut from, mut to) = (0, 0);
    for l in loops.iter().rev() {
        let turn = i % l.size;
        (from, to) = (from + turn * l.from, to + turn * l.to);
        i /= l.size;
    }
    (from, to)
}

/// The values at the places that nested loops visit in a tensor of `len` elements, 0 elsewhere.
pub(crate) fn scatter<E: Element>(values: &[E], loops: &[(usize, usize)], len: usize) -> Buffer<E> {
    let mut out = Buffer::filled(len, E::zero());
    let places = out.fresh();
    for (i, &value) in values.iter().enumerate() {
        places[offset(loops, i)] = value;
    }
    out
}

/// Copies `x`, stepped through by rows and columns, to `out`, where columns are neighbours.
fn exchange<T: Copy>(x: &[T], rows: Loop, columns: Loop, out: &mut [T]) {
    if columns.from == 1 {
        for row in 0..rows.size {
            let x = &x[row * rows.from..][..columns.size];
            out[row * rows.to..][..columns.size].copy_from_slice(x);
        }
        return;
    }
    for top in (0..rows.size).step_by(TILE) {
        let height = TILE.min(rows.size - top);
        for left in (0..columns.size).step_by(TILE) {
            let width = TILE.min(columns.size - left);
            let x = &x[top * rows.from + left * columns.from..];
            let out = &mut out[top * rows.to + left..];
            if rows.from == 1 && height == TILE && width == TILE {
                exchange_tile(x, columns.from, out, rows.to);
                continue;
            }
            for row in 0..height {
                let line = &mut out[row * rows.to..][..width];
                for (column, out) in line.iter_mut().enumerate() {
                    *out = x[row * rows.from + column * columns.from];
                }
            }
        }
    }
}

/// A full tile whose rows are neighbours in `x`, in squares that fit registers: half the time of single elements.
fn exchange_tile<T: Copy>(x: &[T], from: usize, out: &mut [T], to: usize) {
    for top in (0..TILE).step_by(SQUARE) {
        for left in (0..TILE).step_by(SQUARE) {
            exchange_square(
                &x[top + left * from..],
                from,
                &mut out[top * to + left..],
                to,
            );
        }
    }
}

/// Written out, so that it is sure to stay in registers.
#[inline(always)]
fn exchange_square<T: Copy>(x: &[T], from: usize, out: &mut [T], to: usize) {
    let column = |i: usize| -> [T; SQUARE] { *x[i * from..].first_chunk().expect("a full tile") };
    let [a, b, c, d] = [column(0), column(1), column(2), column(3)];
    for row in 0..SQUARE {
        let line = out[row * to..].first_chunk_mut();
        *line.expect("a full tile") = [a[row], b[row], c[row], d[row]];
    }
}

fn offset(loops: &[(usize, usize)], mut i: usize) -> usize {
    let mut offset = 0;
    for &(size, step) in loops.iter().rev() {
        offset += i % size * step;
        i /= size;
    }
    offset
}

fn row_major(dims: &[usize]) -> Vec<usize> {
    let mut steps = vec![1; dims.len()];
    for i in (1..dims.len()).rev() {
        steps[i - 1] = steps[i] * dims[i];
    }
    steps
}

/// The values repeated along the axes that the plan stretches on its left side.
pub(crate) fn stretch<T: Plain>(x: &[T], plan: &Plan) -> Buffer<T> {
    let mut out = Buffer::dirty(plan.numel());
    let values = out.fresh();
    if values.is_empty() {
        return out;
    }
    match plan.loops().split_last() {
        None => values.fill(x[0]),
        Some((inner, outer)) => {
            let loops: Vec<_> = outer.iter().map(|l| (l.size, l.lhs)).collect();
            for (i, out) in values.chunks_exact_mut(inner.size).enumerate() {
                let x = &x[offset(&loops, i)..];
                if inner.lhs == 0 {
                    out.fill(x[0]);
                } else {
                    out.copy_from_slice(&x[..inner.size]);
                }
            }
        }
    }
    out
}

/// Rows of a table, one for each position in `rows`.
pub(crate) fn take_rows<T: Plain>(table: &[T], width: usize, rows: &[usize]) -> Buffer<T> {
    let mut out = Buffer::dirty(rows.len() * width);
    if width == 1 {
        // A copy of one element should not be a call.
        for (out, &row) in out.fresh().iter_mut().zip(rows) {
            *out = table[row];
        }
    } else if width > 0 {
        for (out, &row) in out.fresh().chunks_exact_mut(width).zip(rows) {
            out.copy_from_slice(&table[row * width..][..width]);
        }
    }
    out
}

/// Adds each row to the row of the table that its position names: the way back through [`take_rows`].
pub(crate) fn add_rows<E: Element>(table: &mut [E], width: usize, rows: &[usize], grad: &[E]) {
    if width == 1 {
        for (&row, &g) in rows.iter().zip(grad) {
            table[row] += g;
        }
    } else if width > 0 {
        for (&row, grad) in rows.iter().zip(grad.chunks_exact(width)) {
            for (sum, &g) in table[row * width..][..width].iter_mut().zip(grad) {
                *sum += g;
            }
        }
    }
}

/// A block of each tensor in turn, `outer` times.
pub(crate) fn join<T: Plain>(parts: &[&[T]], outer: usize) -> Buffer<T> {
    let mut out = Buffer::dirty(parts.iter().map(|part| part.len()).sum());
    let mut rest = out.fresh();
    // With no rows there are no elements either.
    for row in 0..outer {
        for part in parts {
            let size = part.len() / outer;
            let (block, after) = rest.split_at_mut(size);
            block.copy_from_slice(&part[row * size..][..size]);
            rest = after;
        }
    }
    out
}

/// `size` elements from `start` on of each of `outer` rows of `row` elements. One row's are shared, not copied.
pub(crate) fn cut<T: Plain>(
    x: &Buffer<T>,
    outer: usize,
    row: usize,
    start: usize,
    size: usize,
) -> Buffer<T> {
    if outer == 1 {
        return x.slice(start, size);
    }
    let mut out = Buffer::dirty(outer * size);
    if size > 0 {
        for (out, row) in out.fresh().chunks_exact_mut(size).zip(x.chunks_exact(row)) {
            out.copy_from_slice(&row[start..][..size]);
        }
    }
    out
}

/// Adds `grad` where [`cut`] took its elements from, in rows of `row` elements.
pub(crate) fn add_cut<E: Element>(
    sum: &mut [E],
    grad: &[E],
    outer: usize,
    row: usize,
    start: usize,
) {
    if grad.is_empty() {
        return;
    }
    let size = grad.len() / outer;
    for (sum, grad) in sum.chunks_exact_mut(row).zip(grad.chunks_exact(size)) {
        for (sum, &g) in sum[start..][..size].iter_mut().zip(grad) {
            *sum += g;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permute_moves_every_value_to_its_place() {
        let orders: [(&[usize], &[usize]); 10] = [
            (&[], &[]),
            (&[5], &[0]),
            (&[3, 4], &[1, 0]),
            (&[40, 33], &[1, 0]),
            (&[33, 3, 40], &[2, 1, 0]),
            (&[2, 20, 3, 18], &[3, 0, 2, 1]),
            (&[2, 3, 4], &[2, 0, 1]),
            (&[2, 1, 4], &[1, 2, 0]),
            (&[2, 3, 4, 5], &[0, 2, 1, 3]),
            (&[2, 3, 2, 2, 3, 2], &[5, 3, 4, 0, 2, 1]),
        ];
        for (dims, axes) in orders {
            let numel: usize = dims.iter().product();
            let x: Vec<usize> = (0..numel).collect();
            let out = permute(&x, dims, axes);
            let steps = row_major(dims);
            let sizes: Vec<_> = axes.iter().map(|&axis| dims[axis]).collect();
            for (i, &value) in out.iter().enumerate() {
                let place = axes.iter().zip(row_major(&sizes)).zip(&sizes);
                let from: usize = place
                    .map(|((&axis, step), size)| i / step % size * steps[axis])
                    .sum();
                assert_eq!(value, from, "{dims:?} by {axes:?} at {i}");
            }
        }
    }
}
