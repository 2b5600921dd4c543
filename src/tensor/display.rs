//! Printing tensors the way NumPy does: nested brackets, aligned columns, the middle of large ones left out.

use super::Tensor;
use crate::element::Element;
use crate::ops::Engine;
use crate::shape::{AnyShape, Rank};
use crate::storage::{Buffer, Plain};
use std::fmt::{self, Debug, Display, Formatter};

/// Tensors with more elements are shortened.
const THRESHOLD: usize = 1000;
/// Entries shown at either end of a shortened axis.
const EDGE: usize = 3;
/// Digits after the point unless the format asks for others (`{:.2}`).
const PRECISION: usize = 4;
/// From here on, and for fractions below its inverse, numbers are printed with an exponent.
const LARGE: f64 = 1e8;
const SMALL: f64 = 1e-4;

/// NumPy-like: nested brackets and aligned columns. `{:.2}` sets the digits after the point (4 unless told),
/// of which trailing zeros common to all elements are left out. More than 1000 elements are shortened. A
/// single number is written in full.
///
/// ```
/// # use shapeproof::prelude::*;
/// let x = Tensor::from([[1.0f32, -2.5], [10.0, 0.25]]);
/// assert_eq!(x.to_string(), "[[ 1.00, -2.50],\n [10.00,  0.25]]");
/// assert_eq!(format!("{:.1}", Tensor::scalar(0.75f32)), "0.8");
/// ```
impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> Display for Tensor<R, S, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        <E::Ops as Engine<E>>::print(f, &self.raw.values, &all_dims(&self.raw.values, S::DIMS))
    }
}

/// Writes values in brackets, all in one style.
pub(crate) fn print<E: Element>(
    f: &mut Formatter<'_>,
    values: &[E],
    dims: &[usize],
) -> fmt::Result {
    let style = Style::of(shown(values, dims), f.precision());
    match (values, dims, f.precision()) {
        // A finite number by itself is written as Rust does, with all its digits.
        ([value], [], None) if value.is_finite() && style.exponent => write!(f, "{value:e}"),
        ([value], [], None) if value.is_finite() => write!(f, "{value}"),
        _ => brackets(f, values, dims, 0, &|value| style.write(*value)),
    }
}

/// The state in the graph, the shape, and the values.
///
/// ```
/// # use shapeproof::prelude::*;
/// let x = Tensor::from([1.0f32, 2.0]);
/// assert_eq!(format!("{x:?}"), "Tensor(input, shape (2), [1.0, 2.0])");
/// assert_eq!(format!("{:?}", x.tracked().exp().sum()), "Tensor(sum, shape (), 10.107338)");
/// ```
impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> Debug for Tensor<R, S, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let state = match &self.raw.node {
            None => "input",
            Some(node) => crate::graph::NodeView::new(node).op(),
        };
        nested(
            f,
            &format!("Tensor({state}, "),
            &self.raw.values,
            &all_dims(&self.raw.values, S::DIMS),
            ")",
        )
    }
}

/// The sizes of a tensor with as many values; inside `vmap` the examples are one more axis, in front.
pub(super) fn all_dims<T: Plain>(values: &Buffer<T>, dims: &[usize]) -> Vec<usize> {
    let numel = dims.iter().product::<usize>();
    match values.len() / numel.max(1) {
        examples if !values.mark().is_none() && numel > 0 => [&[examples], dims].concat(),
        _ => dims.to_vec(),
    }
}

/// Values in brackets between `start` with the shape, and `end`, for `Debug`.
pub(super) fn nested<T: Debug>(
    f: &mut Formatter<'_>,
    start: &str,
    values: &[T],
    dims: &[usize],
    end: &str,
) -> fmt::Result {
    let sizes: Vec<_> = dims.iter().map(usize::to_string).collect();
    let start = format!("{start}shape ({}), ", sizes.join(", "));
    f.write_str(&start)?;
    brackets(f, values, dims, start.len(), &|value| format!("{value:?}"))?;
    f.write_str(end)
}

/// Values in brackets, all as wide as the widest, for `Display`.
pub(super) fn aligned<T: Display>(
    f: &mut Formatter<'_>,
    values: &[T],
    dims: &[usize],
) -> fmt::Result {
    let widths = shown(values, dims)
        .into_iter()
        .map(|value| value.to_string().len());
    let width = widths.max().unwrap_or(0);
    brackets(f, values, dims, 0, &|value| {
        format!("{:>width$}", value.to_string())
    })
}

/// How many entries of an axis are shown at its start and its end, if not all.
fn cut(size: usize, numel: usize) -> Option<usize> {
    (numel > THRESHOLD && size > 2 * EDGE).then_some(EDGE)
}

/// The values that are shown.
fn shown<'a, T>(values: &'a [T], dims: &'a [usize]) -> Vec<&'a T> {
    fn collect<'a, T>(values: &'a [T], dims: &[usize], numel: usize, into: &mut Vec<&'a T>) {
        let Some((&size, rest)) = dims.split_first() else {
            into.extend(values);
            return;
        };
        let step: usize = rest.iter().product();
        for i in
            (0..size).filter(|&i| cut(size, numel).is_none_or(|edge| i < edge || i >= size - edge))
        {
            collect(&values[i * step..][..step], rest, numel, into);
        }
    }
    let mut into = Vec::new();
    collect(values, dims, values.len(), &mut into);
    into
}

fn brackets<T>(
    f: &mut Formatter<'_>,
    values: &[T],
    dims: &[usize],
    indent: usize,
    element: &dyn Fn(&T) -> String,
) -> fmt::Result {
    fn level<T>(
        f: &mut Formatter<'_>,
        values: &[T],
        dims: &[usize],
        numel: usize,
        indent: usize,
        element: &dyn Fn(&T) -> String,
    ) -> fmt::Result {
        let Some((&size, rest)) = dims.split_first() else {
            return f.write_str(&element(&values[0]));
        };
        let step: usize = rest.iter().product();
        // Rows start on lines of their own, matrices after an empty line.
        let separator = match rest.len() {
            0 => ", ".to_string(),
            depth => format!(",{}{}", "\n".repeat(depth), " ".repeat(indent + 1)),
        };
        f.write_str("[")?;
        for i in 0..size {
            if let Some(edge) = cut(size, numel).filter(|&edge| edge <= i && i < size - edge) {
                if i == edge {
                    write!(f, "{separator}...")?;
                }
                continue;
            }
            if i > 0 {
                f.write_str(&separator)?;
            }
            level(
                f,
                &values[i * step..][..step],
                rest,
                numel,
                indent + 1,
                element,
            )?;
        }
        f.write_str("]")
    }
    level(f, values, dims, values.len(), indent, element)
}

/// How all numbers of a tensor are written.
struct Style {
    width: usize,
    decimals: usize,
    exponent: bool,
}

impl Style {
    fn of<E: Element>(values: Vec<&E>, precision: Option<usize>) -> Self {
        let finite = || values.iter().filter(|value| value.is_finite());
        let sizes = || {
            finite()
                .map(|value| value.abs().to_f64().unwrap_or(0.0))
                .filter(|&size| size > 0.0)
        };
        let exponent = sizes().any(|size| size >= LARGE) || sizes().fold(LARGE, f64::min) < SMALL;
        let most = precision.unwrap_or(PRECISION);
        let mut style = Style {
            width: 0,
            decimals: most,
            exponent,
        };
        if precision.is_none() && !exponent {
            // Drop the zeros that every number ends in.
            let needed = |value: &&&E| {
                let text = format!("{value:.most$}");
                let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
                fraction.trim_end_matches('0').len()
            };
            style.decimals = finite()
                .map(|value| needed(&value))
                .max()
                .unwrap_or(0)
                .max(1);
        }
        style.width = values
            .iter()
            .map(|value| style.write(**value).len())
            .max()
            .unwrap_or(0);
        style
    }

    fn write<E: Element>(&self, value: E) -> String {
        let (width, decimals) = (self.width, self.decimals);
        if !value.is_finite() {
            // Written as NumPy does.
            let text = if value.is_nan() {
                "nan"
            } else if value > E::zero() {
                "inf"
            } else {
                "-inf"
            };
            format!("{text:>width$}")
        } else if self.exponent {
            format!("{value:>width$.decimals$e}")
        } else {
            format!("{value:>width$.decimals$}")
        }
    }
}
