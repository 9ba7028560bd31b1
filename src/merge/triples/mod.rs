//! What holds of every merge, on random versions of one file.

mod cases;
mod fewest;
mod moved;
mod outcome;
mod properties;
mod repeated;
mod repository;
mod runner;
mod spaces;
mod trees;
mod turned;

pub(in crate::merge) use cases::{Case, case};
pub(in crate::merge) use repeated::repeated;
pub(in crate::merge) use runner::runner;
