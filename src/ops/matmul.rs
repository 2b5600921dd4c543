//! Matrix products.

use super::Operand;
use super::arithmetic::Arithmetic;
use super::compiled::compiled;
use super::examples::{address, made_once};
use super::lift::{Lifting, Marks, Outcome};
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, anomaly, parents};
use crate::kernel::{self, Layouts, Stored};
use crate::shape::{
    AnyShape, Axis, AxisPair, Cotangent, Dims, Inner, MatMul, MatMulT, Plan, Product, Shape, Share,
    Split, TMatMul, TensorOf,
};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// Matrix products.
    trait Multiply {
        fn matmul(a: &Raw<E>, b: &Raw<E>, product: &'static Product, layouts: Layouts, dims: Dims) -> Raw<E> => by_hand;
        fn linear(x: &Raw<E>, weight: &Raw<E>, bias: &Raw<E>, product: &'static Product, dims: Dims) -> Raw<E> => by_hand;
    }
}

struct MatMulRule<E: Element> {
    product: &'static Product,
    layouts: Layouts,
    /// Saved if the right operand's gradient is wanted.
    lhs: Option<Buffer<E>>,
    /// Saved if the left operand's gradient is wanted.
    rhs: Option<Buffer<E>>,
    /// The products that the gradients of left and right operand are made of, where they are others: an operand
    /// that is there once may have a gradient for each example.
    grads: Option<&'static [Product; 2]>,
}

impl<E: Element> Rule<E> for MatMulRule<E> {
    fn name(&self) -> &'static str {
        "matmul"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let [of_lhs, of_rhs] = match self.grads {
            Some([of_lhs, of_rhs]) => [of_lhs, of_rhs],
            None => [self.product; 2],
        };
        if let Some(rhs) = &self.rhs {
            to.give(0, kernel::matmul_lhs_grad(of_lhs, &grad, rhs, self.layouts));
        }
        if let Some(lhs) = &self.lhs {
            to.give(1, kernel::matmul_rhs_grad(of_rhs, lhs, &grad, self.layouts));
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
    layouts: Layouts,
    dims: Dims,
) -> Raw<E> {
    if !a.values.mark().is_none() || !b.values.mark().is_none() {
        return mapped(a, b, product, layouts, dims).examined(dims);
    }
    multiplied(a, b, product, None, layouts, dims).examined(dims)
}

/// The products of many examples.
#[cold]
fn mapped<E: Element>(
    a: &Raw<E>,
    b: &Raw<E>,
    product: &'static Product,
    layouts: Layouts,
    dims: Dims,
) -> Raw<E> {
    let mut shares = Marks::NONE;
    shares.push(a.values.mark());
    shares.push(b.values.mark());
    let lifting = Lifting::of(shares);
    let (a, b) = (lifting.planned(a), lifting.planned(b));
    let share = |operand: &Raw<E>| operand.values.mark().share();
    let (lhs, rhs) = (share(&a), share(&b));
    let dims = lifting.dims(dims);
    let one_matrix = product.batch.numel() == 1;
    // One matrix times many vectors is the matrix of these, as rows, times its transpose.
    let turned = one_matrix && product.n == 1 && lhs != Share::Each && rhs == Share::Each;
    let (a, b, lhs, rhs, layouts) = if turned {
        let layouts = Layouts {
            lhs: Stored::Plain,
            rhs: layouts.lhs.other(),
        };
        (b, a, rhs, lhs, layouts)
    } else {
        (a, b, lhs, rhs, layouts)
    };
    let rows = layouts.lhs == Stored::Plain;
    let code = [turned, rows].map(usize::from);
    let key = [
        address(product),
        lifting.examples(),
        lhs as usize * 4 + rhs as usize,
        code[0] * 2 + code[1],
    ];
    let all = made_once(key, || {
        let one = if turned { product.turned() } else { *product };
        Products::of(&one, lifting.examples(), [lhs, rhs], rows)
    });
    multiplied(&a, &b, &all.forward, all.grads.as_ref(), layouts, dims).marked(lifting.mark())
}

/// The product of many examples, and those of its gradients where they differ.
struct Products {
    forward: Product,
    grads: Option<[Product; 2]>,
}

impl Products {
    fn of(product: &Product, examples: usize, shares: [Share; 2], rows: bool) -> Products {
        // For reading, what is there once is shared; on the way back, each example has its own of what is repeated.
        let read = shares.map(|share| share.min(Share::Shared));
        let own = shares.map(|share| match share {
            Share::Repeated => Share::Each,
            share => share,
        });
        let of = |lhs, rhs| product.mapped(examples, lhs, rhs, rows);
        Products {
            forward: of(read[0], read[1]),
            grads: (read != shares).then(|| [of(own[0], read[1]), of(read[0], own[1])]),
        }
    }
}

fn multiplied<E: Element>(
    a: &Raw<E>,
    b: &Raw<E>,
    product: &'static Product,
    grads: Option<&'static [Product; 2]>,
    layouts: Layouts,
    dims: Dims,
) -> Raw<E> {
    anomaly::reads(&a.values);
    anomaly::reads(&b.values);
    Raw {
        values: kernel::matmul(product, &a.values, &b.values, layouts),
        node: parents([a.node.as_ref(), b.node.as_ref()]).map(|parents| {
            let lhs = parents.wanted(1).then(|| a.values.clone());
            let rhs = parents.wanted(0).then(|| b.values.clone());
            parents.record(
                dims,
                MatMulRule {
                    product,
                    layouts,
                    lhs,
                    rhs,
                    grads,
                },
            )
        }),
    }
}

/// The rule of the product, of input and weight, and the bias besides.
struct LinearRule<E: Element>(MatMulRule<E>);

impl<E: Element> Rule<E> for LinearRule<E> {
    fn name(&self) -> &'static str {
        "linear"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        self.0.backward(grad.clone(), to);
        if to.wanted(2) {
            let rows = Split {
                outer: 1,
                len: self.0.product.m,
                inner: self.0.product.n,
            };
            let sum = if rows.len == 1 {
                grad
            } else {
                kernel::sum_axis(&grad, rows)
            };
            to.give(2, sum);
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        if let Some(input) = &self.0.lhs {
            visit("input", Saved::Values(input));
        }
        if let Some(weight) = &self.0.rhs {
            visit("weight", Saved::Values(weight));
        }
    }
}

fn linear<E: Element>(
    x: &Raw<E>,
    weight: &Raw<E>,
    bias: &Raw<E>,
    product: &'static Product,
    dims: Dims,
) -> Raw<E> {
    let operands = [x, weight, bias];
    if operands
        .iter()
        .any(|operand| !operand.values.mark().is_none())
    {
        return linear_mapped(x, weight, bias, product, dims);
    }
    for operand in operands {
        anomaly::reads(&operand.values);
    }
    let values = kernel::linear(product, &x.values, &weight.values, &bias.values);
    let node = parents(operands.map(|operand| operand.node.as_ref())).map(|parents| {
        let rule = MatMulRule {
            product,
            layouts: Layouts::RIGHT_TRANSPOSED,
            lhs: parents.wanted(1).then(|| x.values.clone()),
            rhs: parents.wanted(0).then(|| weight.values.clone()),
            grads: None,
        };
        parents.record(dims, LinearRule(rule))
    });
    Raw { values, node }.examined(dims)
}

/// Of many examples the product is computed first.
#[cold]
fn linear_mapped<E: Element>(
    x: &Raw<E>,
    weight: &Raw<E>,
    bias: &Raw<E>,
    product: &'static Product,
    dims: Dims,
) -> Raw<E> {
    let plan = made_once([address(product), dims.len(), usize::MAX, 0], || {
        let last = dims.len() - 1;
        let axes = dims.iter().enumerate().map(|(i, &size)| AxisPair {
            size,
            lhs: Cotangent::Keep,
            rhs: if i == last {
                Cotangent::Keep
            } else {
                Cotangent::Sum
            },
        });
        Plan::collect(&axes.collect::<Vec<_>>())
    });
    let mut product =
        <E::Ops as Multiply<E>>::matmul(x, weight, product, Layouts::RIGHT_TRANSPOSED, dims);
    <E::Ops as Arithmetic<E>>::add(Operand::Owned(&mut product), Operand::Shared(bias), plan)
}

impl<const R: usize, A: Shape<R>, E: Element> Tensor<R, A, E> {
    /// The matrix product. PyTorch: `matmul`, `@`, `mm`, `bmm`, `mv`.
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
            Layouts::PLAIN,
            dims,
        ))
    }

    /// The product with the transpose of a matrix, `x·wᵀ`, which is never formed. PyTorch: `x @ w.mT`.
    ///
    /// | left | right | product |
    /// |---|---|---|
    /// | `(…, K)` | `(N, K)` | `(…, N)` |
    /// | `(…A, M, K)` | `(…B, N, K)` | `(…A ⊗ B, M, N)`: batch axes broadcast |
    ///
    /// Gradients g·w and gᵀ·x, summed over batch axes that were stretched.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let w = Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// assert_eq!(Tensor::from([1.0, 10.0]).matmul_t(&w).to_array(), [21.0, 43.0, 65.0]);
    ///
    /// let (q, k) = (Tensor::<3, shape![8, 5, 16]>::ones(), Tensor::<3, shape![8, 7, 16]>::ones());
    /// assert_eq!(q.matmul_t(&k).dims(), [8, 5, 7]);
    /// ```
    pub fn matmul_t<const Q: usize, B: Shape<Q>>(
        &self,
        other: &Tensor<Q, B, E>,
    ) -> TensorOf<<A as MatMulT<B>>::Output, E>
    where
        A: MatMulT<B>,
    {
        let dims = <<A as MatMulT<B>>::Output as AnyShape>::DIMS;
        wrap::<<A as MatMulT<B>>::Output, E>(<E::Ops as Multiply<E>>::matmul(
            &self.raw,
            &other.raw,
            A::PRODUCT,
            Layouts::RIGHT_TRANSPOSED,
            dims,
        ))
    }

    /// The product with the transpose of a matrix, and a vector that is added to each of its rows, `x·wᵀ + b`.
    /// PyTorch: `linear`.
    ///
    /// Shapes `(…, K)`, `(N, K)` and `(N)` to `(…, N)`. Gradients g·w, gᵀ·x, and g summed over all axes but the last.
    /// One operation, and one node of the graph, where [`matmul_t`](Self::matmul_t) and `+` are two; the sums start at
    /// b, which may change how they are rounded.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let w = Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// let b = Tensor::from([0.5, 0.0, -0.5]);
    /// assert_eq!(Tensor::from([1.0, 10.0]).linear(&w, &b).to_array(), [21.5, 43.0, 64.5]);
    /// ```
    pub fn linear<N: Axis, K: Axis>(
        &self,
        weight: &Tensor<2, (N, K), E>,
        bias: &Tensor<1, (N,), E>,
    ) -> TensorOf<<A as MatMulT<(N, K)>>::Output, E>
    where
        A: MatMulT<(N, K)>,
    {
        let dims = <<A as MatMulT<(N, K)>>::Output as AnyShape>::DIMS;
        wrap::<<A as MatMulT<(N, K)>>::Output, E>(<E::Ops as Multiply<E>>::linear(
            &self.raw,
            &weight.raw,
            &bias.raw,
            A::PRODUCT,
            dims,
        ))
    }

    /// The product of the transpose of a matrix with another, `xᵀ·y`, where xᵀ is never formed. PyTorch:
    /// `x.mT @ y`.
    ///
    /// Shapes `(…A, K, M)` and `(…B, K, N)` to `(…A ⊗ B, M, N)`; batch axes broadcast. Gradients y·gᵀ and
    /// x·g, summed over batch axes that were stretched.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// assert_eq!(x.t_matmul(&x).to_array(), [[35.0, 44.0], [44.0, 56.0]]);
    /// ```
    pub fn t_matmul<const Q: usize, B: Shape<Q>>(
        &self,
        other: &Tensor<Q, B, E>,
    ) -> TensorOf<<A as TMatMul<B>>::Output, E>
    where
        A: TMatMul<B>,
    {
        let dims = <<A as TMatMul<B>>::Output as AnyShape>::DIMS;
        wrap::<<A as TMatMul<B>>::Output, E>(<E::Ops as Multiply<E>>::matmul(
            &self.raw,
            &other.raw,
            A::PRODUCT,
            Layouts::LEFT_TRANSPOSED,
            dims,
        ))
    }
}

impl<K: Axis, E: Element> Tensor<1, (K,), E> {
    /// The sum of the products of two vectors' elements. PyTorch: `dot`.
    ///
    /// Shapes `(K)` and `(K)` to `()`. Gradients g·b and g·a.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, 2.0]).dot(&Tensor::from([3.0, 4.0])).item(), 11.0);
    /// ```
    pub fn dot<L: Axis>(&self, other: &Tensor<1, (L,), E>) -> Tensor<0, (), E>
    where
        K: Inner<L>,
    {
        Tensor::from_raw(<E::Ops as Multiply<E>>::matmul(
            &self.raw,
            &other.raw,
            <(K,) as MatMul<(L,)>>::PRODUCT,
            Layouts::PLAIN,
            &[],
        ))
    }

    /// The matrix of all products of an element of `self` and an element of `other`. PyTorch: `outer`.
    ///
    /// Shapes `(M)` and `(N)` to `(M, N)`. Gradients g·b and gᵀ·a.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (a, b) = (Tensor::from([1.0f32, 2.0]), Tensor::from([3.0, 4.0, 5.0]));
    /// assert_eq!(a.outer(&b).to_array(), [[3.0, 4.0, 5.0], [6.0, 8.0, 10.0]]);
    /// ```
    pub fn outer<N: Axis>(&self, other: &Tensor<1, (N,), E>) -> Tensor<2, (K, N), E> {
        Tensor::from_raw(<E::Ops as Multiply<E>>::matmul(
            &self.raw,
            &other.raw,
            const { &Product::single(K::SIZE, 1, N::SIZE) },
            Layouts::PLAIN,
            <(K, N) as AnyShape>::DIMS,
        ))
    }
}
