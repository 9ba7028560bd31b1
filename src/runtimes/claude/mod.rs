//! Claude Code: interactive in a terminal, or structured lines over pipes.

mod adapter;
mod first_run;
mod login;
mod own_state;
mod settings;
mod stream;
mod transcript;

pub use adapter::Claude;
