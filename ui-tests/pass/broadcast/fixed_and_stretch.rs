//! `stretch` turns `Dim<1>` into `One`, `fixed` turns it back.

use shapeproof::prelude::*;

fn main() {
    let column: Tensor<2, (Dim<3>, Dim<1>)> = Tensor::from([[1.0], [2.0], [3.0]]);
    let row = Tensor::from([10.0, 20.0]);
    let table: Tensor<2, shape![3, 2]> = column.stretch::<1>() + &row;
    assert_eq!(table[[2, 1]], 23.0);
    let fixed: Tensor<2, (Dim<3>, Dim<1>)> = table.sum_keepdim::<1>().fixed::<1>();
    assert_eq!((fixed + column).to_array(), [[33.0], [36.0], [39.0]]);
}
