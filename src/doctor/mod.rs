//! Examines a project and says what is wrong, with repairs for what can be repaired (L3).
//!
//! One file per category; a check looks, never changes. Repairs are separate functions that run
//! only when asked for, and nothing is repaired by deleting what cannot be made again.

mod agents;
mod allowed;
mod check;
mod config;
mod consistency;
mod databases;
mod dependencies;
mod ecosystem;
mod examination;
mod half_made;
mod links;
mod logs;
mod merge;
mod objects;
mod pointers;
mod providers;
mod real_places;
mod refs;
mod remains;
mod sandbox;
mod serve;
mod structure;
mod symbolic;
mod unfinished;
mod version;
mod watchdog;

pub use check::{Check, CheckStatus, Repair, Repaired};
pub use examination::{Patient, all_categories, categories, examine, repair};
