//! Elementwise expressions as single loops: [`fuse`], and what its closures are written in.

pub use crate::ops::fuse::{Constant, Expr, Expression, Fusable, Input, Variable, fuse};
