//! `logs`: the agents' log files, merged by time.

mod files;
mod show;

pub use show::{Args, run};
