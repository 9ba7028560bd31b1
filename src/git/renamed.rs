//! Files that were renamed between two trees, as git's own engine finds them while it merges.

use git2::Oid;

use super::cli::git;
use super::error::GitError;
use super::repo::Repo;

/// A file that git takes for renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedPath {
    pub old: Vec<u8>,
    pub new: Vec<u8>,
}

/// Returns the files that were renamed between two trees.
pub fn renamed_paths(repo: &Repo, old: Oid, new: Oid) -> Result<Vec<RenamedPath>, GitError> {
    let output = git(repo.path())
        // As far as the merge itself looks for them.
        .args(["diff-tree", "-r", "-z", "-M", "-l7000", "--diff-filter=R"])
        .args(["--name-status"])
        .args([old.to_string(), new.to_string()])
        .run()?;
    let mut fields = output.stdout.split(|byte| *byte == 0);
    let mut renamed = Vec::new();
    while let (Some(_), Some(old), Some(new)) = (fields.next(), fields.next(), fields.next()) {
        renamed.push(RenamedPath {
            old: old.to_vec(),
            new: new.to_vec(),
        });
    }
    Ok(renamed)
}
