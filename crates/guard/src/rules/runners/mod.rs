//! Programs that run the tasks of a project: what stands in their files is judged where the same command wrote it.

#[cfg(test)]
mod asked;
pub(super) mod configs;
mod excerpts;
pub(super) mod files;
pub(crate) mod found;
mod found_names;
mod justfile;
pub(super) mod make;
pub(crate) mod others;
pub(crate) mod recipes;
mod targets;
pub(super) mod taskfile;
