//! Throw-away checkouts of one commit, for trying things on it.

mod apart;
mod aside;
mod checkout;
mod files;
mod set_up;
mod submodules;

pub use aside::Ahead;
pub(super) use checkout::Scratch;
pub(crate) use checkout::scratch_dir;
pub use checkout::{abandoned, scratch_name, sweep};
pub(super) use set_up::set_up;
