//! What holds for every operation: each row of the table, in several ways.
//!
//! ```text
//! cargo test --test operations gradients    checks derivatives only
//! ```
//!
//! They are one program, since the table takes longer to compile than everything else.

#[path = "operations/forward.rs"]
mod forward;
#[path = "operations/gradients.rs"]
mod gradients;
#[path = "operations/oracle.rs"]
mod oracle;
mod table;
#[path = "operations/vmap.rs"]
mod vmap;
