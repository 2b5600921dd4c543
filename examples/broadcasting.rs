//! A lesson in broadcasting: every table, product and gradient it prints is computed on the spot.
//!
//! ```text
//! cargo run --example broadcasting
//! ```

use shapeproof::prelude::*;
use shapeproof::shape::Broadcast;

const RULE: &str = "\
Two shapes are aligned at their last axis. A pair of axes fits if both have the same size, or if one
of them is `One`, written 1 in `shape![..]`, which stretches to the other. A missing axis stretches
like `One`. Nothing is copied: the stretched operand is read again and again.

Backward is the mirror of that. An entry that was read n times receives n gradients, and they add
up: whatever forward stretched, backward sums.";

fn main() {
    println!("{RULE}");
    lesson(
        "Equal shapes: nothing stretches",
        counting::<2, shape![2, 3]>(),
        counting::<2, shape![2, 3]>(),
    );
    lesson(
        "A row meets a matrix: the missing axis stretches",
        counting::<2, shape![2, 3]>(),
        counting::<1, shape![3]>(),
    );
    lesson(
        "A column meets a matrix: `One` stretches",
        counting::<2, shape![2, 3]>(),
        counting::<2, shape![2, 1]>(),
    );
    lesson(
        "A column meets a row: both stretch, each along the other's axis",
        counting::<2, shape![3, 1]>(),
        counting::<2, shape![1, 4]>(),
    );
    lesson(
        "A number meets anything: every axis stretches",
        counting::<0, shape![]>() + 10.0,
        counting::<2, shape![2, 2]>(),
    );
    lesson(
        "Three axes meet two: a missing axis and `One`, from either side",
        counting::<3, shape![2, 1, 2]>(),
        counting::<2, shape![3, 1]>(),
    );

    println!(
        "
Sizes that differ never get this far: `shape![2, 3]` and `shape![2]` in one product do not compile.
Nor do `shape![3]` and a column of type `(Dim<3>, Dim<1>)`, as a layer of one output returns it: a
`Dim` keeps its size, even if that is 1. Whoever wants the 3 × 3 table says so:"
    );
    let column: Tensor<2, (Dim<3>, Dim<1>)> = Tensor::from([[0.0], [1.0], [2.0]]);
    lesson(
        "`stretch::<1>()` turns the `Dim<1>` at axis 1 into `One`",
        column.stretch::<1>(),
        counting::<1, shape![3]>(),
    );
}

/// The numbers 0, 1, 2, … in a tensor.
fn counting<const R: usize, S: Shape<R>>() -> Tensor<R, S> {
    let numbers = (0..S::NUMEL).map(|n| n as f32).collect();
    Tensor::from_vec(numbers).expect("NUMEL numbers")
}

/// Multiplies `x` by `y`, differentiates the sum of the product, and prints what happened.
///
/// The `where` clause is the rule itself: the shape of `x` broadcasts with that of `y` and gives `Z`.
fn lesson<X, Y, Z, const RX: usize, const RY: usize, const RZ: usize>(
    heading: &str,
    x: Tensor<RX, X>,
    y: Tensor<RY, Y>,
) where
    X: Shape<RX> + Broadcast<Y, Output = Z>,
    Y: Shape<RY>,
    Z: Shape<RZ>,
{
    println!("\n{heading}\n");
    let (x, y) = (x.tracked(), y.tracked());
    let product = &x * &y;
    product.sum().backward();

    let result = product.dims();
    let numbers: [usize; RZ] = std::array::from_fn(|axis| axis);
    print_axes("axis", &numbers, RZ);
    print_axes("x", &x.dims(), RZ);
    print_axes("y", &y.dims(), RZ);
    print_axes("x * y", &result, RZ);
    println!();
    print_tensor("x", &x);
    print_tensor("y", &y);
    print_tensor("x * y", &product);

    println!("\n  backward of (x * y).sum():");
    println!("  x {}", what_backward_does(&x.dims(), &result));
    print_tensor("x.grad()", &x.grad().expect("x is tracked"));
    println!("  y {}", what_backward_does(&y.dims(), &result));
    print_tensor("y.grad()", &y.grad().expect("y is tracked"));
}

/// A line of the table of axes, aligned at the last axis as broadcasting aligns them.
fn print_axes(name: &str, axes: &[usize], rank: usize) {
    let missing = "   –".repeat(rank - axes.len());
    let present: String = axes.iter().map(|axis| format!("{axis:4}")).collect();
    println!("  {name:8} {missing}{present}");
}

/// Prints a tensor after its name, all of its lines indented alike.
fn print_tensor<const R: usize, S: Shape<R>>(name: &str, tensor: &Tensor<R, S>) {
    let mut before = format!("  {name:8} = ");
    for line in tensor.to_string().lines() {
        println!("{}", format!("{before}{line}").trim_end());
        before = " ".repeat(before.len());
    }
}

/// What backward does with the gradient of an operand of shape `dims`.
fn what_backward_does(dims: &[usize], result: &[usize]) -> String {
    let missing = result.len() - dims.len();
    let stretched: Vec<String> = (0..result.len())
        .filter(|&axis| axis < missing || dims[axis - missing] != result[axis])
        .map(|axis| format!("axis {axis} (1 to {})", result[axis]))
        .collect();
    match stretched.as_slice() {
        [] => "was not stretched: its gradient is passed on as it is".into(),
        axes => format!(
            "was stretched on {}: its gradient is summed there",
            axes.join(" and ")
        ),
    }
}
