//! Short names for tensors of common ranks with axes of fixed size.

use super::axis::Dim;
use crate::tensor::Tensor;

/// A single number.
pub type Scalar<E = f32> = Tensor<0, (), E>;

/// `N` numbers.
pub type Vector<const N: usize, E = f32> = Tensor<1, (Dim<N>,), E>;

/// `M` rows of `N` columns.
pub type Matrix<const M: usize, const N: usize, E = f32> = Tensor<2, (Dim<M>, Dim<N>), E>;

/// `A` matrices of `B` rows and `C` columns.
pub type Tensor3<const A: usize, const B: usize, const C: usize, E = f32> =
    Tensor<3, (Dim<A>, Dim<B>, Dim<C>), E>;

/// `A` by `B` matrices of `C` rows and `D` columns.
pub type Tensor4<const A: usize, const B: usize, const C: usize, const D: usize, E = f32> =
    Tensor<4, (Dim<A>, Dim<B>, Dim<C>, Dim<D>), E>;
