//! The rules, one subject per file, and the table that finds the one for a program.
//!
//! A program without a rule of its own is judged by its arguments for writers and refused to readers.

mod archives;
mod awk;
mod awk_commands;
mod build;
mod builder_names;
mod calculators;
mod checkers;
mod cmake;
mod compilers;
mod containers;
mod copies;
pub(super) mod credentials;
mod curl;
mod databases;
mod downloads;
mod editors;
pub(super) mod environment;
mod files;
pub(super) mod find;
pub(crate) mod flags;
mod forges;
mod generic;
pub(super) mod git;
mod git_branches;
mod git_files;
mod git_options;
pub(super) mod git_output;
mod git_reads;
mod git_refusals;
mod git_repositories;
mod git_writes;
mod make;
mod network;
mod orchestrator;
mod outputs;
mod permissions;
mod process;
mod publish;
mod publish_words;
mod reader_names;
mod readers;
mod recipes;
mod sed;
pub(super) mod sending;
mod stores;
mod streams;
mod system;
mod table;
pub(super) mod temporary;
mod transfers;
mod wget;

pub(super) use databases::only_selects;
pub(super) use orchestrator::judge_tracker;
pub(super) use table::{is_dangerous_name, is_known, judge};
