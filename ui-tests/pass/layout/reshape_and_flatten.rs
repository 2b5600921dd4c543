//! A reshape names its shape, which may be generic; the length of a flattened tensor follows from the type that is wanted.

use shapeproof::prelude::*;

fn merge<const B: usize, const T: usize, const N: usize, const BT: usize>(
    x: &Tensor<3, shape![B, T, N]>,
) -> Tensor<2, shape![BT, N]> {
    x.reshape::<shape![BT, N]>()
}

fn main() {
    let x = Tensor::<3, shape![2, 3, 4]>::ones();
    assert_eq!(merge::<2, 3, 4, 6>(&x).dims(), [6, 4]);
    assert_eq!(x.reshape::<shape![4, 1, 6]>().dims(), [4, 1, 6]);
    let flat: Tensor<1, shape![24]> = x.flatten();
    assert_eq!(flat.sum().reshape::<shape![1, 1]>().to_array(), [[24.0]]);
}
