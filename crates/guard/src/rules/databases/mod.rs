//! Databases: clients and what they are told, and migrations of those on other machines.

mod commands;
mod elsewhere;
mod judge;

pub(in crate::rules) use elsewhere::migrates;
pub(in crate::rules) use judge::judge;

pub(crate) use commands::other_files;
