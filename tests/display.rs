//! How tensors, indices and masks are printed.

use shapeproof::prelude::*;

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

type Column<const N: usize> = Tensor<1, shape![N], f64>;

fn counted<const N: usize>() -> Column<N> {
    Tensor::arange(0.0, 1.0)
}

#[test]
fn rows_and_columns_are_aligned() {
    let x = Tensor::from([[1.0, -2.5], [10.0, 0.25]]);
    assert_eq!(x.to_string(), "[[ 1.00, -2.50],\n [10.00,  0.25]]");
    assert_eq!(Tensor::from([1.0, 2.0, 3.0]).to_string(), "[1.0, 2.0, 3.0]");
    assert_eq!(
        Tensor::from([0.1 + 0.2, 1.0 / 3.0]).to_string(),
        "[0.3000, 0.3333]"
    );
    assert_eq!(
        Tensor::from([1.5, 1000000.25]).to_string(),
        "[      1.50, 1000000.25]"
    );
    assert_eq!(Tensor::from([-0.0, 0.0]).to_string(), "[-0.0,  0.0]");
    // The same for both element types.
    assert_eq!(Tensor::from([0.1f32, 100.0]).to_string(), "[  0.1, 100.0]");
    assert_eq!(Tensor::from([0.1f64, 100.0]).to_string(), "[  0.1, 100.0]");
}

#[test]
fn nan_and_infinities_line_up_with_numbers() {
    assert_eq!(
        Tensor::from([1.0, NAN, INF, -INF]).to_string(),
        "[ 1.0,  nan,  inf, -inf]"
    );
    assert_eq!(Tensor::from([NAN, -NAN]).to_string(), "[nan, nan]");
    assert_eq!(
        Tensor::from([[NAN, 0.125], [-INF, 100.0]]).to_string(),
        "[[    nan,   0.125],\n [   -inf, 100.000]]"
    );
    assert_eq!(
        Tensor::from([1e10, INF]).to_string(),
        "[1.0000e10,       inf]"
    );
}

#[test]
fn very_large_and_very_small_numbers_have_exponents() {
    assert_eq!(Tensor::from([1e8, 1.0]).to_string(), "[1.0000e8, 1.0000e0]");
    assert_eq!(
        Tensor::from([99999999.0, 1.0]).to_string(),
        "[99999999.0,        1.0]"
    );
    assert_eq!(
        Tensor::from([1e-5, 1.0]).to_string(),
        "[1.0000e-5,  1.0000e0]"
    );
    assert_eq!(Tensor::from([1e-4, 1.0]).to_string(), "[0.0001, 1.0000]");
    assert_eq!(
        Tensor::from([1e300, 1e-300]).to_string(),
        "[ 1.0000e300, 1.0000e-300]"
    );
    assert_eq!(
        Tensor::from([-1e-7f32, 0.0]).to_string(),
        "[-1.0000e-7,   0.0000e0]"
    );
    // Zeros have no size.
    assert_eq!(Tensor::from([0.0f32, 0.0]).to_string(), "[0.0, 0.0]");
}

#[test]
fn the_format_sets_the_digits() {
    let x = Tensor::from([1.0, 2.345, NAN]);
    assert_eq!(format!("{x:.2}"), "[1.00, 2.35,  nan]");
    assert_eq!(format!("{x:.0}"), "[  1,   2, nan]");
    assert_eq!(
        format!("{:.1}", Tensor::from([1e10, 2.5])),
        "[1.0e10,  2.5e0]"
    );
    assert_eq!(format!("{:.3}", Tensor::scalar(2.0)), "2.000");
}

#[test]
fn a_single_number_is_written_in_full() {
    assert_eq!(Tensor::scalar(3.0).to_string(), "3");
    assert_eq!(Tensor::scalar(0.123456789).to_string(), "0.123456789");
    assert_eq!(Tensor::scalar(0.1f32).to_string(), "0.1");
    assert_eq!(Tensor::scalar(1e300).to_string(), "1e300");
    assert_eq!(Tensor::scalar(-2.5e-9).to_string(), "-2.5e-9");
    assert_eq!(Tensor::scalar(NAN).to_string(), "nan");
    assert_eq!(Tensor::scalar(-INF).to_string(), "-inf");
    // One number along an axis is not by itself.
    assert_eq!(Tensor::from([3.0]).to_string(), "[3.0]");
}

#[test]
fn nothing_is_brackets() {
    assert_eq!(Tensor::<1, shape![0]>::zeros().to_string(), "[]");
    assert_eq!(Tensor::<2, shape![0, 3]>::zeros().to_string(), "[]");
    assert_eq!(Tensor::<2, shape![2, 0]>::zeros().to_string(), "[[],\n []]");
    assert_eq!(Tensor::<3, shape![1, 0, 2]>::zeros().to_string(), "[[]]");
    assert_eq!(
        format!("{:?}", Tensor::<1, shape![0]>::zeros()),
        "Tensor(input, shape (0), [])"
    );
}

#[test]
fn matrices_are_set_apart() {
    let x = counted::<12>().reshape::<shape![2, 3, 2]>();
    assert_eq!(
        x.to_string(),
        "\
[[[ 0.0,  1.0],
  [ 2.0,  3.0],
  [ 4.0,  5.0]],

 [[ 6.0,  7.0],
  [ 8.0,  9.0],
  [10.0, 11.0]]]"
    );
    let x = counted::<8>().reshape::<shape![2, 2, 1, 2]>();
    assert_eq!(
        x.to_string(),
        "\
[[[[0.0, 1.0]],

  [[2.0, 3.0]]],


 [[[4.0, 5.0]],

  [[6.0, 7.0]]]]"
    );
}

#[test]
fn more_than_a_thousand_elements_are_shortened() {
    assert_eq!(counted::<1000>().to_string().matches(',').count(), 999);
    assert_eq!(
        counted::<1001>().to_string(),
        "[   0.0,    1.0,    2.0, ...,  998.0,  999.0, 1000.0]"
    );
    // Axes of up to six entries are shown whole.
    assert_eq!(
        counted::<1002>().reshape::<shape![501, 2]>().to_string(),
        "\
[[   0.0,    1.0],
 [   2.0,    3.0],
 [   4.0,    5.0],
 ...,
 [ 996.0,  997.0],
 [ 998.0,  999.0],
 [1000.0, 1001.0]]"
    );
    let wide = counted::<1002>().reshape::<shape![6, 167]>().to_string();
    assert_eq!(wide.lines().count(), 6);
    assert_eq!(
        wide.lines().next(),
        Some("[[   0.0,    1.0,    2.0, ...,  164.0,  165.0,  166.0],")
    );
    let deep = counted::<1008>().reshape::<shape![7, 8, 18]>().to_string();
    assert_eq!(deep.matches("...").count(), 6 * 6 + 6 + 1);
    assert_eq!(deep.matches("\n\n").count(), 6);
    assert!(deep.contains("\n\n ...,\n\n"));
    // What is not shown has no say in how the rest is written.
    let mut x = Column::<1001>::ones();
    x[[500]] = 1e20;
    assert_eq!(x.to_string(), "[1.0, 1.0, 1.0, ..., 1.0, 1.0, 1.0]");
}

#[test]
fn debug_says_what_a_tensor_is() {
    let x = Tensor::from([[1.0f32, 2.5], [3.0, f32::NAN]]);
    assert_eq!(
        format!("{x:?}"),
        "Tensor(input, shape (2, 2), [[1.0, 2.5],\n                             [3.0, NaN]])"
    );
    let x = Tensor::from([1.0f64, 2.0]).tracked();
    assert_eq!(format!("{x:?}"), "Tensor(leaf, shape (2), [1.0, 2.0])");
    assert_eq!(
        format!("{:?}", x.square()),
        "Tensor(square, shape (2), [1.0, 4.0])"
    );
    assert_eq!(
        format!("{:?}", &x * &x),
        "Tensor(mul, shape (2), [1.0, 4.0])"
    );
    assert_eq!(
        format!("{:?}", counted::<1001>()),
        "Tensor(input, shape (1001), [0.0, 1.0, 2.0, ..., 998.0, 999.0, 1000.0])"
    );
    let p = Param::<1, shape![2]>::ones();
    assert_eq!(
        format!("{p:?}, {p}"),
        "Param(shape (2), [1.0, 1.0]), [1.0, 1.0]"
    );
}

#[test]
fn indices_and_masks() {
    let indices = Indices::<2, shape![2, 2], 10>::from_array([[1, 2], [3, 4]]).unwrap();
    assert_eq!(
        format!("{indices:?}"),
        "Indices(below 10, shape (2, 2), [[1, 2],\n                                 [3, 4]])"
    );
    assert_eq!(indices.to_string(), "[[1, 2],\n [3, 4]]");
    let mask = Mask::<1, shape![3]>::from_array([true, false, true]);
    assert_eq!(mask.to_string(), "[ true, false,  true]");
    assert_eq!(format!("{mask:?}"), "Mask(shape (3), [true, false, true])");
    assert_eq!(
        format!("{:?}", Tensor::scalar(1.0).gt(0.0)),
        "Mask(shape (), true)"
    );
}
