//! Starting an agent: worktree, instructions, session row, host; all of it or nothing.

mod choice;
mod instructions;
mod request;
mod run;
mod start;

pub use request::{SlingRequest, Slung};
pub use run::new_run;
pub use start::sling;
