//! Where an agent's own view of the git folder lies, by which its git works in a sandbox (`crate::git_front`).

use std::path::{Path, PathBuf};

/// Its name in the worktree's folder of git's.
pub const VIEW: &str = "grove";

/// The git folder that the agent's git is shown, in the worktree's folder `git_dir`.
pub fn view_in(git_dir: &Path) -> PathBuf {
    git_dir.join(VIEW).join("git")
}

/// Whether the agent has put changes into its stash, which nobody else sees.
pub fn has_own_stash(git_dir: &Path) -> bool {
    let stash = view_in(git_dir).join("refs/stash").symlink_metadata();
    stash.is_ok_and(|found| found.is_file())
}
