//! Renders the instructions of one agent: its role, its assignment, its limits.
//!
//! Pure. Only the role and the profile may hold placeholders; every other value is inserted as it
//! is, so that text from a task or a spec cannot smuggle one in.

mod at_root;
mod fill;
mod gates;
mod input;
mod sections;
mod values;

#[cfg(test)]
mod scope_tests;
#[cfg(test)]
mod tests;

pub use at_root::render_persistent;
pub use input::OverlayInput;
pub use values::render;

/// The frame into which everything is filled.
pub const TEMPLATE: &str = include_str!("../../../templates/overlay.md.tmpl");
