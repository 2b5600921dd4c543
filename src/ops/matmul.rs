//! Matrix products.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Rhs};
use crate::shape::{AnyShape, Dims, MatMul, MatMulT, Product, Shape, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// Matrix products.
    trait Multiply {
        fn matmul(a: &Raw<E>, b: &Raw<E>, product: &'static Product, layout: Rhs, dims: Dims) -> Raw<E>;
    }
}

struct MatMulRule<E: Element> {
    product: &'static Product,
    layout: Rhs,
    /// Saved if the right operand's gradient is wanted.
    lhs: Option<Buffer<E>>,
    /// Saved if the left operand's gradient is wanted.
    rhs: Option<Buffer<E>>,
}

impl<E: Element> Rule<E> for MatMulRule<E> {
    const NAME: &'static str = "matmul";
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        if let Some(rhs) = &self.rhs {
            to.give(
                0,
                kernel::matmul_lhs_grad(self.product, &grad, rhs, self.layout),
            );
        }
        if let Some(lhs) = &self.lhs {
            to.give(
                1,
                kernel::matmul_rhs_grad(self.product, lhs, &grad, self.layout),
            );
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        if let Some(lhs) = &self.lhs {
            visit("lhs", Saved::Values(lhs));
        }
        if let Some(rhs) = &self.rhs {
            visit("rhs", Saved::Values(rhs));
        }
    }
}

fn matmul<E: Element>(
    a: &Raw<E>,
    b: &Raw<E>,
    product: &'static Product,
    layout: Rhs,
    dims: Dims,
) -> Raw<E> {
    Raw {
        values: kernel::matmul(product, &a.values, &b.values, layout),
        node: parents([a.node.as_ref(), b.node.as_ref()]).map(|parents| {
            let lhs = parents.wanted(1).then(|| a.values.clone());
            let rhs = parents.wanted(0).then(|| b.values.clone());
            parents.record(
                dims,
                MatMulRule {
                    product,
                    layout,
                    lhs,
                    rhs,
                },
            )
        }),
    }
}

impl<const R: usize, A: Shape<R>, E: Element> Tensor<R, A, E> {
    /// The matrix product. PyTorch: `matmul`, `@`.
    ///
    /// | left | right | product |
    /// |---|---|---|
    /// | `(K)` | `(K)` | `()` |
    /// | `(M, K)` | `(K)` | `(M)` |
    /// | `(K)` | `(K, N)` | `(N)` |
    /// | `(M, K)` | `(K, N)` | `(M, N)` |
    /// | `(…A, M, K)` | `(…B, K, N)` | `(…A ⊗ B, M, N)`: batch axes broadcast |
    ///
    /// The inner axes must be equal; they do not broadcast. Over an inner axis of size 0 the product is 0.
    /// Gradients g·bᵀ and aᵀ·g, summed over batch axes that were stretched.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let a = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(a.matmul(&Tensor::from([1.0, 10.0])).to_array(), [21.0, 43.0]);
    ///
    /// let batch = Tensor::<3, shape![4, 2, 3]>::ones();
    /// let product: Tensor<3, shape![4, 2, 5]> = batch.matmul(&Tensor::<2, shape![3, 5]>::ones());
    /// assert_eq!(product[[3, 1, 4]], 3.0);
    /// ```
    pub fn matmul<const Q: usize, B: Shape<Q>>(
        &self,
        other: &Tensor<Q, B, E>,
    ) -> TensorOf<<A as MatMul<B>>::Output, E>
    where
        A: MatMul<B>,
    {
        let dims = <<A as MatMul<B>>::Output as AnyShape>::DIMS;
        wrap::<<A as MatMul<B>>::Output, E>(<E::Ops as Multiply<E>>::matmul(
            &self.raw,
            &other.raw,
            A::PRODUCT,
            Rhs::Plain,
            dims,
        ))
    }

    /// The product with the transpose of a matrix, `x·wᵀ`, which is never formed. PyTorch: `linear`.
    ///
    /// Shapes `(…, K)` and `(N, K)` to `(…, N)`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let w = Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// assert_eq!(Tensor::from([1.0, 10.0]).matmul_t(&w).to_array(), [21.0, 43.0, 65.0]);
    /// ```
    pub fn matmul_t<B: Shape<2>>(
        &self,
        other: &Tensor<2, B, E>,
    ) -> TensorOf<<A as MatMulT<B>>::Output, E>
    where
        A: MatMulT<B>,
    {
        let dims = <<A as MatMulT<B>>::Output as AnyShape>::DIMS;
        wrap::<<A as MatMulT<B>>::Output, E>(<E::Ops as Multiply<E>>::matmul(
            &self.raw,
            &other.raw,
            A::PRODUCT,
            Rhs::Transposed,
            dims,
        ))
    }
}
