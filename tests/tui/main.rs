//! The screen, driven through the production loop on a buffer in memory.
//!
//! Every test types keys into the real loop, with a scripted engine on the other side, and looks at
//! the cells or at what was asked of the engine.

#![allow(
    clippy::assigning_clones,
    clippy::expect_used,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::ref_option,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "tests may fail loudly and look only at the variants they are about"
)]

mod depths;
mod dialogs;
mod driver;
mod empty;
mod fixtures;
mod hostile_names;
mod keys;
mod landed_unasked;
mod loop_pace;
mod merge_history;
mod merge_queue;
mod mouse;
mod review;
mod review_ways;
mod screens;
#[cfg(unix)]
mod terminal;
mod typing;
mod walls;
