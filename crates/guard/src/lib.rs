//! The guard: decides whether one tool call of an agent is allowed, and says what to do instead.
//!
//! It reads shell text with a real parser, follows what would run, and resolves what would be touched.
//! It never runs anything; its only effect is following symbolic links that exist. It fails closed: what
//! it cannot read or cannot show to be harmless is blocked.

mod advice;
pub mod check;
mod commands;
mod explain;
mod fields;
mod gates;
mod interpreters;
mod judge;
mod letters;
mod mcp;
mod outline;
mod patches;
mod paths;
mod patterns;
mod permissions;
mod policy;
mod programs;
mod quick;
mod repeated;
mod rules;
mod searches;
mod shell;
mod special_files;
mod spelled;
mod synonyms;
mod tasks;
mod tool_names;
mod tool_paths;
mod tools;
mod wrappers;

pub use explain::{Explanation, RunLine, explain};
pub use judge::{Effort, effort, judge, judge_raw, judge_raw_mended};
pub use paths::{DiskLinks, Entry, Links, STORES};
pub use policy::{CAPABILITIES, Decision, Policy, RULES};
pub use shell::UNKNOWN;
pub use tasks::task_refusal;
