//! Conflicts that are not about one path's content, and what is said about them.

mod kinds;
mod sentences;

pub(super) use kinds::{
    DIRECTORY_RENAME, RENAME_DELETE, contradicted, contradictions, is_conflict,
};
pub(super) use sentences::submodule;
