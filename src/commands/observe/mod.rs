//! Commands that read the event store, and the lines they share.

pub mod errors;
pub mod feed;
pub mod lines;
pub mod replay;
mod scope;
mod shown;
pub mod trace;
