//! Commits in the user's own name and by the user's own settings of git: writing the merge commit, asking for signed
//! branches, and saying which hooks and options are not followed.

mod settings;
mod write;

pub(super) use settings::{not_followed, require_verified};
pub(super) use write::{
    merge_message, post_merge_not_run, revert_hooks_not_run, signed_as_asked, write_commit,
};
