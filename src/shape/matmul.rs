//! A matrix product pairs the last axis of the left operand with the second-to-last of the right one.
//!
//! ```text
//! MatMul            (K) x       (K)    -> ()                  vector . vector
//!                (M, K) x       (K)    -> (M)                 matrix . vector
//!                   (K) x    (K, N)    -> (N)                 vector . matrix
//!                (M, K) x    (K, N)    -> (M, N)              matrix . matrix
//!             (B, M, K) x (C, K, N)    -> (B with C, M, N)    the batches broadcast
//!
//! MatMulT       (.., K) x    (N, K)    -> (.., N)             times the transpose of a matrix
//!               (.., K) x       (K)    -> (..)                the same, of its only row
//!             (B, M, K) x (C, N, K)    -> (B with C, M, N)    times the transposes of a batch
//!
//! TMatMul     (B, K, M) x (C, K, N)    -> (B with C, M, N)    the transpose times a matrix
//! ```
//!
//! The inner axis is summed over and must be the same on both sides, `One` included: it never
//! stretches. The batch axes before the matrix follow the rule of
//! [`Broadcast`]; a vector has none, and is shared by all matrices of a batch.

use super::axis::{Axis, Dim, One};
use super::broadcast::{Broadcast, BroadcastAxis};
use super::einsum::Contracts;
use super::plan::{Plan, Share};
use super::tuple::AnyShape;

/// The inner axis of a matrix product, equal on both sides.
#[diagnostic::on_unimplemented(
    message = "the inner axes `{Self}` and `{K}` of this matrix product differ",
    label = "the left operand has `{Self}` where the right one has `{K}`",
    note = "the last axis of the left operand must equal the second-to-last axis of the right one (its only axis, if it is a vector; its last, in `matmul_t`)"
)]
pub trait Inner<K> {}
impl<const N: usize> Inner<Dim<N>> for Dim<N> {}
impl Inner<One> for One {}

/// The sizes of a matrix product: for each entry of the batch, `m x k` times `k x n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Rows of the result; 1 if the left operand is a vector.
    pub m: usize,
    /// The size of the inner axis.
    pub k: usize,
    /// Columns of the result; 1 if the right operand is a vector.
    pub n: usize,
    /// How the batch axes are walked. One element of an operand here is one of its matrices.
    pub batch: Plan,
}

impl Product {
    /// A batch on the left that shares one matrix on the right is a single product with more rows.
    const fn new(m: usize, k: usize, n: usize, batch: &Plan) -> Product {
        if batch.rhs_numel() == 1 {
            return Product {
                m: batch.numel() * m,
                k,
                n,
                batch: Plan::collect(&[]),
            };
        }
        Product {
            m,
            k,
            n,
            batch: *batch,
        }
    }

    /// The products of so many examples, in which each operand takes part as its share says. `rows`: whether the
    /// rows of the left operands follow one another in memory.
    pub(crate) fn mapped(&self, examples: usize, lhs: Share, rhs: Share, rows: bool) -> Product {
        if rows && self.batch.numel() == 1 && [lhs, rhs] == [Share::Each, Share::Shared] {
            return Product {
                m: examples * self.m,
                ..*self
            };
        }
        Product {
            batch: self.batch.mapped(examples, lhs, rhs),
            ..*self
        }
    }

    /// The product of the right operand's only column, as a row, and the transpose of the left operand.
    pub(crate) const fn turned(&self) -> Product {
        Product::single(1, self.k, self.m)
    }

    /// One product of two matrices.
    pub(crate) const fn single(m: usize, k: usize, n: usize) -> Product {
        Product {
            m,
            k,
            n,
            batch: Plan::collect(&[]),
        }
    }
}

/// Two shapes with a matrix product.
#[diagnostic::on_unimplemented(
    message = "there is no matrix product of the shapes `{Self}` and `{Rhs}`",
    label = "`{Self}` times `{Rhs}`",
    note = "`(M, K) x (K, N)`, where either may have batch axes in front or be a vector `(K,)`"
)]
pub trait MatMul<Rhs> {
    /// The shape of the product.
    type Output: AnyShape;
    /// Its sizes.
    const PRODUCT: &'static Product;
}

/// Two shapes with a product of the first and the transpose of the second.
#[diagnostic::on_unimplemented(
    message = "there is no product of the shape `{Self}` and the transpose of `{Rhs}`",
    label = "`{Self}` times `{Rhs}` transposed",
    note = "`(.., K) x (N, K)`, where the right operand may have batch axes in front, or be a vector that counts as its only row"
)]
pub trait MatMulT<Rhs> {
    /// The shape of the product.
    type Output: AnyShape;
    /// Its sizes. Where the right operand is one matrix, all axes before the last of the left one are rows.
    const PRODUCT: &'static Product;
}

/// Two shapes with a product of the transpose of the first and the second.
#[diagnostic::on_unimplemented(
    message = "there is no product of the transpose of `{Self}` and the shape `{Rhs}`",
    label = "`{Self}` transposed times `{Rhs}`",
    note = "`(K, M) x (K, N)`, where either may have batch axes in front"
)]
pub trait TMatMul<Rhs> {
    /// The shape of the product.
    type Output: AnyShape;
    /// Its sizes.
    const PRODUCT: &'static Product;
}

/// The right operand is a vector, or the transpose of a matrix: all leading axes are rows.
macro_rules! rows_on_the_left {
    ($r:literal: $($L:ident)*) => {
        impl<$($L: Axis,)* K: Axis + Inner<K2>, K2: Axis> MatMul<(K2,)> for ($($L,)* K,) {
            type Output = ($($L,)*);
            const PRODUCT: &'static Product = &Product::single(1 $(* $L::SIZE)*, K::SIZE, 1);
        }

        impl<$($L: Axis,)* K: Axis + Inner<K2>, K2: Axis> MatMulT<(K2,)> for ($($L,)* K,) {
            type Output = ($($L,)*);
            const PRODUCT: &'static Product = &Product::single(1 $(* $L::SIZE)*, K::SIZE, 1);
        }

        impl<$($L: Axis,)* K: Axis + Inner<K2>, K2: Axis, N: Axis> MatMulT<(N, K2)>
            for ($($L,)* K,)
        {
            type Output = ($($L,)* N,);
            const PRODUCT: &'static Product =
                &Product::single(1 $(* $L::SIZE)*, K::SIZE, N::SIZE);
        }
    };
}
each_rank_below_max! { rows_on_the_left }

/// The left operand is a vector: a row.
macro_rules! vector_on_the_left {
    (5: $($L:ident)*) => {};
    ($r:literal: $($L:ident)*) => {
        impl<$($L: Axis,)* K: Axis + Inner<K2>, K2: Axis, N: Axis> MatMul<($($L,)* K2, N)>
            for (K,)
        {
            type Output = ($($L,)* N,);
            const PRODUCT: &'static Product = &Product::new(
                1,
                K::SIZE,
                N::SIZE,
                <() as Broadcast<($($L,)*)>>::PLAN,
            );
        }
        vector_on_the_left! { @transposed $($L)* }
    };
    // A single matrix has its impl above, with any axes on the left.
    (@transposed) => {};
    (@transposed $($L:ident)*) => {
        impl<$($L: Axis,)* K: Axis + Inner<K2>, K2: Axis, N: Axis> MatMulT<($($L,)* N, K2)>
            for (K,)
        {
            type Output = ($($L,)* N,);
            const PRODUCT: &'static Product = &Product::new(
                1,
                K::SIZE,
                N::SIZE,
                <() as Broadcast<($($L,)*)>>::PLAN,
            );
        }
    };
}
each_rank_below_max! { vector_on_the_left }

/// Both operands are matrices, or batches of them.
macro_rules! matrices {
    ([] [$($A:ident $B:ident),*]) => {
        matrices! { @one_way [$($A $B),*] [$($A)*] [$($B)*] [] }
    };
    ([$($L:ident)*] [$($A:ident $B:ident),*]) => {
        matrices! { @one_way [$($A $B),*] [$($L)* $($A)*] [$($B)*] [$($L)*] }
        matrices! { @one_way [$($A $B),*] [$($A)*] [$($L)* $($B)*] [$($L)*] }
    };
    (@one_way [$($A:ident $B:ident),*] [$($Lhs:ident)*] [$($Rhs:ident)*] [$($L:ident)*]) => {
        impl<
            $($L: Axis,)*
            $($A: Axis + BroadcastAxis<$B>, $B: Axis,)*
            M: Axis,
            K: Axis + Inner<K2>,
            K2: Axis,
            N: Axis,
        > MatMul<($($Rhs,)* K2, N)> for ($($Lhs,)* M, K) {
            type Output = ($($L,)* $(<$A as BroadcastAxis<$B>>::Output,)* M, N);
            const PRODUCT: &'static Product = &Product::new(
                M::SIZE,
                K::SIZE,
                N::SIZE,
                <($($Lhs,)*) as Broadcast<($($Rhs,)*)>>::PLAN,
            );
        }

        impl<
            $($L: Axis,)*
            $($A: Axis + BroadcastAxis<$B>, $B: Axis,)*
            M: Axis,
            K: Axis,
            K2: Axis + Contracts<K>,
            N: Axis,
        > TMatMul<($($Rhs,)* K2, N)> for ($($Lhs,)* K, M) {
            type Output = ($($L,)* $(<$A as BroadcastAxis<$B>>::Output,)* M, N);
            const PRODUCT: &'static Product = &Product {
                m: M::SIZE,
                k: K::SIZE,
                n: N::SIZE,
                batch: *<($($Lhs,)*) as Broadcast<($($Rhs,)*)>>::PLAN,
            };
        }
        matrices! { @transposed [$($A $B),*] [$($Lhs)*] [$($Rhs)*] [$($L)*] }
    };
    // A single matrix has its impl above, with any axes on the left.
    (@transposed [$($A:ident $B:ident),*] [$($Lhs:ident)*] [] [$($L:ident)*]) => {};
    (@transposed [$($A:ident $B:ident),*] [$($Lhs:ident)*] [$($Rhs:ident)*] [$($L:ident)*]) => {
        impl<
            $($L: Axis,)*
            $($A: Axis + BroadcastAxis<$B>, $B: Axis,)*
            M: Axis,
            K: Axis + Inner<K2>,
            K2: Axis,
            N: Axis,
        > MatMulT<($($Rhs,)* N, K2)> for ($($Lhs,)* M, K) {
            type Output = ($($L,)* $(<$A as BroadcastAxis<$B>>::Output,)* M, N);
            const PRODUCT: &'static Product = &Product::new(
                M::SIZE,
                K::SIZE,
                N::SIZE,
                <($($Lhs,)*) as Broadcast<($($Rhs,)*)>>::PLAN,
            );
        }
    };
}
each_batch_alignment! { matrices }

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    fn product<A: MatMul<B>, B>() -> P<A::Output> {
        P
    }

    fn product_t<A: MatMulT<B>, B>() -> P<A::Output> {
        P
    }

    fn t_product<A: TMatMul<B>, B>() -> P<A::Output> {
        P
    }

    #[test]
    fn the_forms_of_a_product() {
        same(product::<shape![4], shape![4]>(), P::<()>);
        same(product::<shape![3, 4], shape![4]>(), P::<shape![3]>);
        same(product::<shape![4], shape![4, 5]>(), P::<shape![5]>);
        same(product::<shape![3, 4], shape![4, 5]>(), P::<shape![3, 5]>);
        same(product::<shape![2, 3, 4], shape![4]>(), P::<shape![2, 3]>);
        same(product::<shape![4], shape![2, 4, 5]>(), P::<shape![2, 5]>);
        same(
            product::<shape![2, 3, 4], shape![4, 5]>(),
            P::<shape![2, 3, 5]>,
        );
        same(
            product::<shape![3, 4], shape![2, 4, 5]>(),
            P::<shape![2, 3, 5]>,
        );
        same(
            product::<shape![7, 1, 3, 4], shape![2, 4, 5]>(),
            P::<shape![7, 2, 3, 5]>,
        );
        same(product::<shape![1, 4], shape![4, 1]>(), P::<shape![1, 1]>);
        same(product::<shape![3, 1], shape![1, 5]>(), P::<shape![3, 5]>);

        same(product_t::<shape![4], shape![5, 4]>(), P::<shape![5]>);
        same(product_t::<shape![3, 4], shape![5, 4]>(), P::<shape![3, 5]>);
        same(
            product_t::<shape![2, 3, 4], shape![5, 4]>(),
            P::<shape![2, 3, 5]>,
        );
        same(
            product_t::<shape![7, 1, 3, 4], shape![2, 5, 4]>(),
            P::<shape![7, 2, 3, 5]>,
        );
        same(product_t::<shape![4], shape![2, 5, 4]>(), P::<shape![2, 5]>);

        same(t_product::<shape![4, 3], shape![4, 5]>(), P::<shape![3, 5]>);
        same(
            t_product::<shape![7, 1, 4, 3], shape![2, 4, 5]>(),
            P::<shape![7, 2, 3, 5]>,
        );
    }

    /// NumPy's rule on the sizes alone: a vector is a row on the left or a column on the right, and
    /// that row or column is gone from the result. Here a size of 1 is always `One`.
    fn expected_dims(lhs: &[usize], rhs: &[usize]) -> Vec<usize> {
        let (l, r) = (lhs.len().saturating_sub(2), rhs.len().saturating_sub(2));
        let rank = l.max(r);
        let size = |dims: &[usize], own: usize, i: usize| {
            if i + own >= rank {
                dims[i + own - rank]
            } else {
                1
            }
        };
        let batch = (0..rank).map(|i| match size(lhs, l, i) {
            1 => size(rhs, r, i),
            size => size,
        });
        let rows = (lhs.len() > 1).then(|| lhs[lhs.len() - 2]);
        let columns = (rhs.len() > 1).then(|| rhs[rhs.len() - 1]);
        batch.chain(rows).chain(columns).collect()
    }

    fn check<A: AnyShape + MatMul<B>, B: AnyShape>() {
        let (lhs, rhs) = (A::DIMS, B::DIMS);
        assert_eq!(
            <A::Output as AnyShape>::DIMS,
            expected_dims(lhs, rhs),
            "{lhs:?} x {rhs:?}"
        );
        let Product { m, k, n, batch } = A::PRODUCT;
        assert_eq!(*k, lhs[lhs.len() - 1]);
        assert_eq!(batch.lhs_numel() * m * k, A::NUMEL, "{lhs:?} x {rhs:?}");
        assert_eq!(batch.rhs_numel() * k * n, B::NUMEL, "{lhs:?} x {rhs:?}");
        assert_eq!(
            batch.numel() * m * n,
            <A::Output as AnyShape>::NUMEL,
            "{lhs:?} x {rhs:?}"
        );
    }

    #[test]
    fn every_pair_of_ranks_has_a_product() {
        macro_rules! all_pairs {
            ($($A:ty),*; $B:tt) => { $(all_pairs! { @with $A; $B })* };
            (@with $A:ty; [$($B:ty),*]) => { $(check::<$A, $B>();)* };
        }
        all_pairs! {
            shape![4], shape![3, 4], shape![2, 3, 4], shape![7, 1, 3, 4], shape![6, 7, 2, 3, 4],
            shape![5, 1, 7, 1, 3, 4];
            [
                shape![4], shape![4, 8], shape![2, 4, 8], shape![7, 1, 4, 8], shape![6, 1, 2, 4, 8],
                shape![5, 6, 1, 1, 4, 8]
            ]
        }
    }

    #[test]
    fn a_shared_matrix_on_the_right_makes_one_product_of_many_rows() {
        let Product { m, k, n, batch } = <shape![2, 3, 4] as MatMul<shape![4, 5]>>::PRODUCT;
        assert_eq!((*m, *k, *n, batch.numel()), (6, 4, 5, 1));
        assert_eq!(<shape![2, 3, 4] as MatMulT<shape![5, 4]>>::PRODUCT.m, 6);

        let shared_left = <shape![3, 4] as MatMul<shape![2, 4, 5]>>::PRODUCT;
        assert_eq!((shared_left.m, shared_left.batch.numel()), (3, 2));
        assert_eq!(shared_left.batch.lhs_numel(), 1);
    }

    #[test]
    fn empty_axes_have_products() {
        check::<shape![3, 0], shape![0, 5]>();
        check::<shape![0, 3, 4], shape![4, 5]>();
        check::<shape![0, 3, 4], shape![0, 4, 5]>();
        check::<shape![2, 0, 4], shape![2, 4, 5]>();
    }
}
