//! Moving values to other places: permuted axes, stretched axes, rows looked up.

use crate::element::Element;
use crate::shape::Plan;
use crate::storage::{Buffer, Plain};

/// Sides of the square blocks in which two axes are exchanged: a block of either layout fits the nearest cache.
const TILE: usize = 16;

/// The values with axes in a new order: axis `i` of the result is axis `axes[i]` of `dims`.
pub(crate) fn permute<T: Plain>(x: &[T], dims: &[usize], axes: &[usize]) -> Buffer<T> {
    let steps = row_major(dims);
    arrange(x, axes.iter().map(|&axis| (dims[axis], steps[axis])))
}

/// The values that nested loops, each of a size and a step, visit.
pub(crate) fn arrange<T: Plain>(x: &[T], loops: impl Iterator<Item = (usize, usize)>) -> Buffer<T> {
    let mut len = 1;
    // (size, step in x), outermost first, without loops of one step and with neighbours that step alike
    // merged.
    let mut merged: Vec<(usize, usize)> = Vec::with_capacity(8);
    for (size, step) in loops {
        len *= size;
        match merged.last_mut() {
            _ if size == 1 => {}
            Some(last) if last.1 == size * step => *last = (last.0 * size, step),
            _ => merged.push((size, step)),
        }
    }
    let mut out = Buffer::dirty(len);
    if len == 0 {
        return out;
    }
    let values = out.fresh();
    match merged.as_slice() {
        [] => values[0] = x[0],
        [(_, 1)] => values.copy_from_slice(&x[..len]),
        [columns] => exchange(x, (1, 0), *columns, values),
        [outer @ .., rows, columns] => {
            let block = rows.0 * columns.0;
            for (i, out) in values.chunks_exact_mut(block).enumerate() {
                exchange(&x[offset(outer, i)..], *rows, *columns, out);
            }
        }
    }
    out
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

/// Copies `x`, stepped through by rows and columns, to a row-major `out`, tile by tile.
fn exchange<T: Copy>(x: &[T], rows: (usize, usize), columns: (usize, usize), out: &mut [T]) {
    if columns.1 == 1 {
        for (row, out) in out.chunks_exact_mut(columns.0).enumerate() {
            out.copy_from_slice(&x[row * rows.1..][..columns.0]);
        }
        return;
    }
    for top in (0..rows.0).step_by(TILE) {
        for left in (0..columns.0).step_by(TILE) {
            for row in top..(top + TILE).min(rows.0) {
                let right = (left + TILE).min(columns.0);
                let line = &mut out[row * columns.0 + left..row * columns.0 + right];
                for (out, column) in line.iter_mut().zip(left..) {
                    *out = x[row * rows.1 + column * columns.1];
                }
            }
        }
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
    if width > 0 {
        for (out, &row) in out.fresh().chunks_exact_mut(width).zip(rows) {
            out.copy_from_slice(&table[row * width..][..width]);
        }
    }
    out
}

/// Adds each row to the row of the table that its position names: the way back through [`take_rows`].
pub(crate) fn add_rows<E: Element>(table: &mut [E], width: usize, rows: &[usize], grad: &[E]) {
    if width > 0 {
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
        let orders: [(&[usize], &[usize]); 8] = [
            (&[], &[]),
            (&[5], &[0]),
            (&[3, 4], &[1, 0]),
            (&[40, 33], &[1, 0]),
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
