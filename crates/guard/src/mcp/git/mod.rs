//! Git servers: a call stands for a git command and is judged as that.

mod argv;
mod judge;
mod subcommands;

pub(super) use judge::judge;
