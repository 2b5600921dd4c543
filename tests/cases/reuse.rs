//! One tensor in several places: its gradient is the sum over its uses, and nobody else's.

use super::check::{exactly, grad, near, of};
use shapeproof::prelude::*;

both! {
    // sebgao/cTensor#5, karpathy/micrograd#2, sony/nnabla#532
    fn a_result_that_several_use_is_passed_once<E>() {
        for (at, value, slope) in [(1.0, 3.0, 6.0), (2.0, 12.0, 12.0)] {
            let x = Tensor::<0, (), E>::scalar(E::of(at)).tracked();
            let a = Tensor::<0, (), E>::ones();
            let (xa, x2) = (&x * &a, &x * &x);
            let f = &x * &xa + &x2 * &a + &x * &xa;
            exactly(&f, [value]);
            f.backward();
            exactly(&grad(&x), [slope]);
        }
        let x = Tensor::<0, (), E>::scalar(E::of(2.0)).tracked();
        (&x * &x * &x).backward();
        exactly(&grad(&x), [12.0]);
    }

    // chelsea0x3b/dfdx#842, zk4x/zyx#2
    #[allow(clippy::eq_op)]
    fn one_tensor_on_both_sides<E>() {
        let x = Tensor::<0, (), E>::ones().tracked();
        let y = &x + &x;
        exactly(&y, [2.0]);
        y.backward();
        exactly(&grad(&x), [2.0]);

        type Pair<E> = Tensor<1, shape![2], E>;
        let check = |f: fn(&Pair<E>) -> Pair<E>, value: [f64; 2], slope: [f64; 2]| {
            let x: Pair<E> = of(&[2.0, -3.0]);
            let x = x.tracked();
            let y = f(&x);
            exactly(&y, value);
            y.sum().backward();
            exactly(&grad(&x), slope);
        };
        check(|x| x * x, [4.0, 9.0], [4.0, -6.0]);
        check(|x| x / x, [1.0, 1.0], [0.0, 0.0]);
        check(|x| x - x, [0.0, 0.0], [0.0, 0.0]);
        check(|x| x.maximum(x), [2.0, -3.0], [1.0, 1.0]);
        check(|x| x.gt(E::zero()).select(x, x), [2.0, -3.0], [1.0, 1.0]);
        // By value: the operands share one buffer.
        check(|x| x.clone() * x.clone(), [4.0, 9.0], [4.0, -6.0]);
        check(|x| x.clone() / x, [1.0, 1.0], [0.0, 0.0]);

        let x: Tensor<2, shape![2, 2], E> = of(&[1.0, 2.0, 3.0, 4.0]);
        let x = x.tracked();
        for product in [x.matmul(&x.t()).sum(), x.matmul_t(&x).sum()] {
            exactly(&product, [52.0]);
            product.backward();
            exactly(&grad(&x), [8.0, 12.0, 8.0, 12.0]);
            x.zero_grad();
        }
    }

    // Oneflow-Inc/oneflow#9497
    fn gradients_share_no_memory_that_shows<E>() {
        let pair = |a: f64, b: f64| Param::<1, shape![2], E>::new(of(&[a, b]));
        let (x, y) = (pair(1.0, 2.0), pair(3.0, 4.0));
        let z = &x + &y;
        (z.sum() + x.sum() * E::of(3.0)).backward();
        exactly(&grad(&x), [4.0, 4.0]);
        exactly(&grad(&y), [1.0, 1.0]);
        x.set_grad(x.grad().map(|g| g * E::of(0.5)));
        exactly(&grad(&x), [2.0, 2.0]);
        exactly(&grad(&y), [1.0, 1.0]);

        // Both get the same gradient, and what is done to a copy of one stays there.
        let (x, y) = (pair(1.0, 2.0), pair(3.0, 4.0));
        (&x + &y).sum().backward();
        let mut copy = grad(&x);
        copy.as_mut_slice().fill(E::of(9.0));
        copy *= E::of(2.0);
        exactly(&grad(&x), [1.0, 1.0]);
        exactly(&grad(&y), [1.0, 1.0]);
        x.sum().backward();
        exactly(&grad(&x), [2.0, 2.0]);
        exactly(&grad(&y), [1.0, 1.0]);
    }

    // The seed is the caller's.
    fn a_seed_is_not_written_to<E>() {
        let x: Tensor<1, shape![2], E> = of(&[1.0, 2.0]);
        let x = x.tracked();
        let seed: Tensor<1, shape![2], E> = of(&[3.0, 4.0]);
        (x.exp().ln() + &x).backward_with(&seed);
        exactly(&seed, [3.0, 4.0]);
        near(&grad(&x), [6.0, 8.0]);
    }
}
