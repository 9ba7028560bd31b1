//! `awk`: what its programs run, read and write.

mod commands;
mod programs;

pub(super) use programs::awk;
