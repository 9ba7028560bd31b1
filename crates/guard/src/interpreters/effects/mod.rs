//! What a piece of scripting code does: which commands it starts, which files it writes or deletes.
//!
//! A call whose arguments are plain text is judged like the shell command it stands for; a call that computes
//! them is refused unless nothing in the program could name a place outside.

mod dynamic;
mod links;
mod opens;
mod program;
mod starts;
pub(super) mod table;
mod writes;

use program::{Run, home_marked};
