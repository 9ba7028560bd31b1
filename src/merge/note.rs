//! A receipt as a git note on its merge commit, for those who have the repository but not grove.

use crate::git::{GitError, Repo, git, without_hooks_among};
use crate::types::merge::MergeReceipt;

use super::error::MergeError;

/// Where the notes are kept.
pub const NOTES_REF: &str = "refs/notes/grove";

/// Writes a receipt as the note of its commit; a note that is there already is replaced.
pub fn write_note(repo: &Repo, receipt: &MergeReceipt) -> Result<(), MergeError> {
    let text = serde_json::to_string_pretty(receipt).map_err(|error| {
        MergeError::Git(GitError::Unexpected {
            command: "notes add".to_owned(),
            detail: error.to_string(),
        })
    })?;
    without_hooks_among(repo, git(repo.path()))?
        .args(["notes", "--ref", NOTES_REF, "add", "-f", "-F", "-"])
        .arg(&receipt.merged_commit)
        .stdin(text)
        .changing_within(repo.driver_limit())
        .run()?;
    Ok(())
}
