//! Gradients as values: of a result, of a function, and through functions of one's own.
//!
//! [`backward`](crate::Tensor::backward) leaves gradients at parameters. The functions here hand them back
//! instead, in a tuple with the types of what was asked for, and leave every parameter's own gradient alone.
//!
//! ```
//! use shapeproof::autograd::grad;
//! use shapeproof::prelude::*;
//!
//! let a = Tensor::from([1.0f32, 2.0]).tracked();
//! let w = Param::<2, shape![2, 3]>::ones();
//! let loss = a.matmul(&w).square().sum();
//! let (da, dw) = grad(&loss, (&a, &w)); // Tensor<1, shape![2]> and Tensor<2, shape![2, 3]>
//! assert_eq!(da.to_array(), [18.0, 18.0]);
//! assert_eq!(dw.to_array(), [[6.0; 3], [12.0; 3]]);
//! assert!(w.grad().is_none());
//! ```

/// Calls a macro with the types of a tuple, for tuples of one to eight. `E` is left for elements.
macro_rules! each_tuple {
    ($tuples:ident) => {
        $tuples! {
            A;
            A B;
            A B C;
            A B C D;
            A B C D F;
            A B C D F G;
            A B C D F G H;
            A B C D F G H I;
        }
    };
}

mod checkpoint;
mod custom;
mod forward;
mod functional;
mod gradcheck;
mod jacobian;
mod vmap;

pub use checkpoint::{checkpoint, checkpoint_with_rng};
pub use custom::{Fields, FieldsOf, Function, apply};
pub use forward::{hvp, jvp};
pub use functional::{
    Inputs, Pullback, Tensors, UnusedInput, grad, grad_with, try_grad, value_and_grad, vjp,
};
pub use gradcheck::{GradcheckError, gradcheck, hvpcheck, jvpcheck};
pub use jacobian::{Hessians, Jacobians, OneInput, hessian, jacfwd, jacrev};
pub use vmap::{Mapped, MappedOutput, vmap};
