//! Git: what its commands do to files, branches and settings that are not the agent's own.

mod branches;
mod command;
mod files;
mod given;
mod made;
mod options;
mod output;
mod reads;
mod refusals;
mod repositories;
pub(super) mod todo_lists;
mod writes;

pub(super) use command::judge;
pub(crate) use output::output;
pub(crate) use reads::reads;
