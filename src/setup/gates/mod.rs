//! Guesses a project's quality gates from its build files.
//!
//! Pure. Guesses are conservative, because a gate that cannot succeed blocks every merge: a
//! command is proposed only when the project declares what it runs. One file per build system;
//! adding one is a file and a line in the list of `detect`.

mod build;
mod cargo;
mod detect;
mod go;
mod node;
mod python;
#[cfg(test)]
mod tests;
mod view;

pub use detect::detect;
