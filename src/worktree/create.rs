//! Creating a worktree on a new branch, all or nothing.
//! Does not write anything into the worktree; that is the caller's part.

use std::path::{Path, PathBuf};

use crate::git::{Oid, Repo, forget_worktree, git, require_git, update_ref, worktree_call};
use crate::platform::fs;

use super::error::WorktreeError;

/// A worktree that was just made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    pub path: PathBuf,
    pub branch: String,
    /// The commit the branch starts from.
    pub base: Oid,
}

/// Creates `branch` at `base` and checks it out in a new worktree at `path`; on failure neither the
/// branch nor the directory stays behind.
pub fn create(
    repo: &Repo,
    path: &Path,
    branch: &str,
    base: &str,
) -> Result<Created, WorktreeError> {
    require_git()?;
    let base = repo.commit_of(base)?;
    if repo.branch_exists(branch) {
        return Err(WorktreeError::BranchExists {
            branch: branch.to_owned(),
        });
    }
    let existed = path.exists();
    if existed && !is_empty_dir(path) {
        return Err(WorktreeError::PathExists {
            path: path.to_path_buf(),
        });
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let added = worktree_call(|| {
        let call = git(repo.path()).args(["worktree", "add", "-q"]);
        // Called again, the branch may be there already.
        if repo.branch_exists(branch) {
            call.arg(path).arg(branch)
        } else {
            let call = call.args(["-b", branch]).arg(path);
            call.arg(base.to_string())
        }
    });
    match added {
        Ok(_) => Ok(Created {
            path: path.to_path_buf(),
            branch: branch.to_owned(),
            base,
        }),
        Err(error) => {
            roll_back(repo, path, branch, base, existed);
            Err(error.into())
        }
    }
}

/// Removes what a failed `worktree add` left. Best effort: the failure itself is what gets reported.
fn roll_back(repo: &Repo, path: &Path, branch: &str, base: Oid, existed: bool) {
    let forced = worktree_call(|| {
        git(repo.path())
            .args(["worktree", "remove", "--force"])
            .arg(path)
    });
    if forced.is_err() && !existed && path.exists() {
        // Only a directory that was not there before: everything in it is git's own checkout.
        if let Err(error) = fs::remove_dir_all(path) {
            tracing::warn!(path = %path.display(), %error, "half-made worktree stays behind");
        }
    }
    if !path.exists()
        && let Err(error) = forget_worktree(repo.path(), path)
    {
        tracing::warn!(path = %path.display(), %error, "git still lists a half-made worktree");
    }
    let name = format!("refs/heads/{branch}");
    if repo.ref_target(&name) == Some(base)
        && let Err(error) = update_ref(repo, &name, Some(base), None, "grove: undo worktree add")
    {
        tracing::warn!(%error, branch, "branch of a half-made worktree stays behind");
    }
}

fn is_empty_dir(path: &Path) -> bool {
    std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::git::trial::{git as run, repository};
    use std::os::unix::fs::PermissionsExt;

    /// Whether making and removing a worktree runs hooks that lie in `folder`.
    fn runs_hooks_of(folder: &str) -> bool {
        let dir = repository();
        let root = dir.path();
        let hooks = root.join(folder);
        std::fs::create_dir_all(&hooks).unwrap();
        let ran = root.join("ran");
        for name in [
            "post-checkout",
            "reference-transaction",
            "post-index-change",
        ] {
            let hook = hooks.join(name);
            std::fs::write(&hook, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).unwrap();
            std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        run(root, &["commit", "-q", "--allow-empty", "-m", "base"]);
        run(root, &["config", "core.hooksPath", folder]);
        if ran.exists() {
            std::fs::remove_file(&ran).unwrap();
        }
        let repo = Repo::open(root).unwrap();
        let path = root.join(".overstory/worktrees/ann");
        let branch = "overstory/ann/t-1";
        create(&repo, &path, branch, "main").unwrap();
        let removal = crate::worktree::Removal {
            path: &path,
            agent: "ann",
            with_branch: true,
        };
        crate::worktree::remove(&repo, &removal).unwrap();
        assert!(!repo.branch_exists(branch));
        ran.exists()
    }

    #[test]
    fn a_hook_that_an_agent_has_committed_is_not_run_by_the_next_start() {
        assert!(!runs_hooks_of(".githooks"));
        assert!(!runs_hooks_of(".husky/_"));
        assert!(runs_hooks_of(".git/hooks"), "the user's own are");
    }
}
