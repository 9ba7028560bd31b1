//! Removing a worktree and its branch so that nothing is lost: commits stay reachable from
//! `refs/grove/kept/<branch>`, uncommitted files and stashes from `refs/grove/saved/`.
//! Whether something may be removed (live processes, unmerged work) is the caller's decision.

use std::path::{Path, PathBuf};

use crate::git::{
    Oid, Pinned, RefMove, Repo, dirty_files_by, forget_worktree, git, update_ref, worktree_call,
    worktrees,
};
use crate::platform::clock;

use super::error::WorktreeError;
use super::list::agent_of_branch;
use super::salvage::{Salvaged, salvage, salvage_stash};

/// What to remove.
#[derive(Debug, Clone)]
pub struct Removal<'a> {
    pub path: &'a Path,
    /// In whose name uncommitted files are saved.
    pub agent: &'a str,
    /// Whether the branch goes too.
    pub with_branch: bool,
}

/// What was removed, and where its content can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    pub path: PathBuf,
    pub branch: String,
    pub kept: Option<String>,
    pub saved: Vec<Salvaged>,
}

/// Returns the ref that keeps a removed branch's commits reachable.
pub fn kept_ref(branch: &str) -> String {
    format!("refs/grove/kept/{branch}")
}

/// Saves everything a worktree holds, then removes it (and its branch).
pub fn remove(repo: &Repo, removal: &Removal<'_>) -> Result<Removed, WorktreeError> {
    remove_if(repo, removal, false)
}

/// The same, also where it is locked: an agent can lock its own.
pub fn remove_even_locked(repo: &Repo, removal: &Removal<'_>) -> Result<Removed, WorktreeError> {
    remove_if(repo, removal, true)
}

fn remove_if(
    repo: &Repo,
    removal: &Removal<'_>,
    locked_too: bool,
) -> Result<Removed, WorktreeError> {
    let wanted = resolved(removal.path);
    let all = worktrees(repo.path())?;
    let Some(position) = all.iter().position(|w| resolved(&w.path) == wanted) else {
        return Err(WorktreeError::NotAWorktree {
            path: removal.path.to_path_buf(),
        });
    };
    let is_main = repo
        .main_root()
        .is_some_and(|main| resolved(&main) == wanted);
    if position == 0 || is_main {
        return Err(WorktreeError::MainCheckout {
            path: removal.path.to_path_buf(),
        });
    }
    let Some(found) = all.get(position) else {
        return Err(WorktreeError::NotAWorktree {
            path: removal.path.to_path_buf(),
        });
    };
    if found.locked && !locked_too {
        return Err(WorktreeError::Locked {
            path: found.path.clone(),
        });
    }

    let saved = if found.path.exists() {
        salvage(repo, &found.path, removal.agent)?
    } else {
        salvage_stash(repo, &found.path, removal.agent)?
    };
    let tip = repo.commit_of(&found.head).ok();
    let kept_name = if found.branch.is_empty() {
        format!("detached/{}", found.head)
    } else {
        found.branch.clone()
    };
    let kept = match tip {
        Some(tip) => Some(keep_commits(repo, &kept_name, tip)?),
        None => None,
    };

    if found.path.exists() {
        // All it holds is saved by now; git removes only what points back at the repository.
        Pinned::of(repo, &found.path)?.restore_pointer()?;
        // The second one is for a lock.
        let force = ["--force", "--force"];
        let force = force.iter().take(1 + usize::from(locked_too));
        worktree_call(|| {
            git(repo.path())
                .args(["worktree", "remove"])
                .args(force.clone())
                .arg(&found.path)
        })?;
    } else {
        forget_worktree(repo.path(), &found.path)?;
    }
    // Which branch the worktree is on is written in a file that its agent can change.
    let own = agent_of_branch(&found.branch).is_some_and(|(agent, _)| agent == removal.agent);
    if removal.with_branch && own {
        delete_branch(repo, &found.branch)?;
    }
    Ok(Removed {
        path: found.path.clone(),
        branch: found.branch.clone(),
        kept,
        saved,
    })
}

/// Removes a worktree in which nothing has been done since it was made at `base`, and its branch. Nothing is saved,
/// so it needs no sandbox; where there is something to save, everything stays.
pub fn remove_unused(repo: &Repo, path: &Path, base: Oid) -> Result<(), WorktreeError> {
    let there = Pinned::of(repo, path)?;
    let own = there.open()?;
    let branch = own.current_branch()?.unwrap_or_default();
    let call = there
        .git_asking_within()
        .global("-c")
        .global("diff.ignoreSubmodules=all");
    let is_unused = own.ref_target("HEAD") == Some(base) && dirty_files_by(call)?.is_empty();
    if !is_unused || agent_of_branch(&branch).is_none() {
        return Err(WorktreeError::InUse {
            path: path.to_path_buf(),
        });
    }
    there.restore_pointer()?;
    worktree_call(|| {
        git(repo.path())
            .args(["worktree", "remove", "--force"])
            .arg(path)
    })?;
    let name = format!("refs/heads/{branch}");
    let why = "grove: undo worktree add";
    match update_ref(repo, &name, Some(base), None, why)? {
        RefMove::Moved => Ok(()),
        RefMove::Lost { .. } => Err(WorktreeError::RefMoved { reference: name }),
    }
}

/// Makes sure `tip` stays reachable after `branch` is gone and returns the ref that does it.
pub fn keep_commits(repo: &Repo, branch: &str, tip: Oid) -> Result<String, WorktreeError> {
    let reference = kept_ref(branch);
    match repo.ref_target(&reference) {
        Some(known) if repo.is_ancestor(tip, known)? => Ok(reference),
        Some(known) if !repo.is_ancestor(known, tip)? => {
            // Another branch of the same name was removed before: keep both.
            let reference = format!("{reference}-{}", clock::now().stamp());
            set(repo, &reference, None, tip)?;
            Ok(reference)
        }
        known => {
            set(repo, &reference, known, tip)?;
            Ok(reference)
        }
    }
}

fn set(repo: &Repo, name: &str, old: Option<Oid>, tip: Oid) -> Result<(), WorktreeError> {
    match update_ref(
        repo,
        name,
        old,
        Some(tip),
        "grove: keep the commits of a removed branch",
    )? {
        RefMove::Moved => Ok(()),
        RefMove::Lost { .. } => Err(WorktreeError::RefMoved {
            reference: name.to_owned(),
        }),
    }
}

/// Deletes a branch after keeping its commits; returns the ref that keeps them.
pub fn delete_branch(repo: &Repo, branch: &str) -> Result<String, WorktreeError> {
    let tip = repo.branch_tip(branch)?;
    let kept = keep_commits(repo, branch, tip)?;
    let name = format!("refs/heads/{branch}");
    match update_ref(
        repo,
        &name,
        Some(tip),
        None,
        "grove: remove an agent's branch",
    )? {
        RefMove::Moved => Ok(kept),
        RefMove::Lost { .. } => Err(WorktreeError::RefMoved { reference: name }),
    }
}

/// Symbolic links in the way (such as macOS's `/tmp`) must not make two names of one place differ.
fn resolved(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::trial::{git as run, repository};
    use crate::worktree::create;

    const BRANCH: &str = "overstory/ann/t-1";

    #[test]
    fn the_name_of_an_agent_that_never_ran_is_free_again_and_work_stays() {
        let dir = repository();
        let root = dir.path();
        run(root, &["commit", "-q", "--allow-empty", "-m", "base"]);
        let repo = Repo::open(root).unwrap();
        let path = root.join(".overstory/worktrees/ann");
        for _ in 0..2 {
            let made = create(&repo, &path, BRANCH, "main").unwrap();
            remove_unused(&repo, &path, made.base).unwrap();
            assert!(!path.exists() && !repo.branch_exists(BRANCH));
        }
        let made = create(&repo, &path, BRANCH, "main").unwrap();
        std::fs::write(path.join("work"), "work\n").unwrap();
        let error = remove_unused(&repo, &path, made.base).unwrap_err();
        assert!(matches!(error, WorktreeError::InUse { .. }), "{error:?}");
        run(&path, &["add", "work"]);
        run(&path, &["commit", "-q", "-m", "work"]);
        remove_unused(&repo, &path, made.base).unwrap_err();
        assert!(path.join("work").exists() && repo.branch_exists(BRANCH));
    }
}
