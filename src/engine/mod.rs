//! The engine (L4): owner of background work behind every front end.
//!
//! `view`, `command` and `event` are the plain-data vocabulary that front ends and the engine
//! share; they do no I/O and know no front end. `start` runs the engine on a thread of its own:
//! it watches the stores, keeps connections to hosts, carries out commands, and runs the
//! coordinator while it holds the lease.

pub mod command;
pub mod event;
pub mod review;
pub mod view;

mod attempts;
mod carry_out;
mod duty;
mod feed;
mod fleet;
mod forecast;
mod gather;
mod land;
mod merges;
mod outside;
mod panes;
mod reviews;
mod runner;
mod take_back;

pub use runner::{EngineOptions, start};
