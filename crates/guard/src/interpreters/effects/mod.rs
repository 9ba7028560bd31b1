//! What a piece of scripting code does: which commands it starts, which files it writes or deletes.
//!
//! A call whose arguments are plain text is judged like the shell command it stands for; a call that computes
//! them is refused unless nothing in the program could name a place outside.

mod brought_in;
mod dynamic;
pub(super) mod endless;
mod libraries;
mod links;
mod names;
mod opens;
mod program;
mod removers;
mod saves;
mod sent;
mod starts;
mod steered;
pub(super) mod table;
mod uploads;
mod used;
mod writes;
mod written;

use program::{Run, home_marked};
