//! By which name the lock of a branch goes, and where it is.

use std::path::{Path, PathBuf};

use crate::git::Repo;

/// The name of the branch that moves when `branch` does: another one where `branch` is only a name of it
/// (`git symbolic-ref`). Where nothing can be read, nothing is merged either.
pub(super) fn moving_name(root: &Path, branch: &str) -> String {
    let Ok(repo) = Repo::discover(root) else {
        return branch.to_owned();
    };
    let moves = repo.moving_ref(branch);
    moves
        .strip_prefix("refs/heads/")
        .map_or_else(|| moves.clone(), str::to_owned)
}

/// Returns where the lock for a branch of this name is.
pub fn lock_path(root: &Path, branch: &str) -> PathBuf {
    let name = branch.replace(['/', '\\', ':'], "-");
    root.join(".overstory").join(format!("merge-{name}.lock"))
}
