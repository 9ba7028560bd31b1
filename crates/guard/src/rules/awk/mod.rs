//! `awk`: what its programs run, read and write.

mod commands;
mod programs;
mod targets;

pub(super) use programs::awk;
