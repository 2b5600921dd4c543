//! The dynamic graph under the types: nodes, recording, and the backward pass.
//!
//! Nothing here knows shapes as types, nor any operation: an operation is a `Rule`, defined in `ops`.

pub(crate) mod anomaly;
mod backward;
mod collapse;
mod hook;
mod layers;
pub(crate) mod level;
mod mode;
mod node;
mod picture;
mod rule;
mod site;
mod view;

pub use anomaly::{detect_anomaly, detect_nan};
pub(crate) use backward::{Freed, Reach, backward, gradients};
pub(crate) use hook::Call;
pub use hook::Hook;
pub use mode::{enable_grad, is_recording, no_grad};
pub(crate) use mode::{pass_under_way, recording, watching};
pub(crate) use node::{Node, NodeRef, Parents, is_recorded, parents, record_list};
pub use picture::Picture;
pub(crate) use rule::{Cotangents, Rule, Saved};
pub use view::{Census, NodeState, NodeView, SavedView};
