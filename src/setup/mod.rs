//! Making a repository a project and keeping what grove wrote there up to date (L3).
//!
//! Everything is planned first (pure where it decides, bounded where it reads), can be shown, and
//! is carried out as one step that either happens or leaves nothing. Uses `agents` of its own layer
//! for the roles.

mod error;
pub mod files;
pub mod gates;
pub mod init;
pub mod packages;
pub mod repository;
pub mod session_hooks;
pub mod tools;
mod transaction;
mod tree;
pub mod update;

pub use error::SetupError;
pub use transaction::Unrestored;
pub use tree::Tree;
