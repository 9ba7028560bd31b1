//! The engine: owner of background work behind every front end.
//!
//! This file only lists the modules. `view`, `command` and `event` are the plain-data
//! vocabulary that front ends and the engine share; they do no I/O and know no front end.

pub mod command;
pub mod event;
pub mod view;
