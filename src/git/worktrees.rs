//! The list of a repository's worktrees, in git's own order, the main one first.
//! Calls that change the list go one after the other through here; what to create or remove is for
//! `crate::worktree` and `crate::merge`.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::cli::{GitCall, git};
use super::error::GitError;
use super::half_made::{self, half_made_worktrees, remove_half_made};
use super::hooks::without_hooks_among;
use super::output::GitOutput;
use super::repo::Repo;

/// One checkout of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeInfo {
    pub path: PathBuf,
    /// Commit checked out; empty for a bare main repository.
    pub head: String,
    /// Branch without `refs/heads/`; empty when detached or bare.
    pub branch: String,
    pub bare: bool,
    /// git would prune it: its directory is gone.
    pub prunable: bool,
    pub locked: bool,
}

/// Held while this process changes or reads git's list of worktrees. git itself stops when it meets
/// an entry that another git is only just writing.
static REGISTRY: Mutex<()> = Mutex::new(());

/// Another process may be writing an entry: how often its end is looked for, until nobody can be writing it.
const PAUSE: Duration = Duration::from_millis(10);

/// Lists all worktrees of the repository that contains `dir`.
pub fn worktrees(dir: &Path) -> Result<Vec<WorktreeInfo>, GitError> {
    super::checkouts::checkouts(dir).map_or_else(|| asked_of_git(dir), Ok)
}

pub(super) fn asked_of_git(dir: &Path) -> Result<Vec<WorktreeInfo>, GitError> {
    let output = worktree_call(|| git(dir).args(["worktree", "list", "--porcelain"]))?;
    let mut list = parse(&String::from_utf8_lossy(&output.stdout));
    if let Some(main) = list.first_mut() {
        correct_main(dir, main);
    }
    Ok(list)
}

/// Where the git directory lies outside of the main checkout (a submodule, `--separate-git-dir`), git
/// names the directory instead of the checkout.
fn correct_main(dir: &Path, main: &mut WorktreeInfo) {
    if main.bare || main.path.join(".git").exists() {
        return;
    }
    let root = Repo::discover(dir).ok().and_then(|repo| repo.main_root());
    match root {
        Some(root) => main.path = root.components().collect(),
        // It has a HEAD, but no files that anybody could find.
        None => main.bare = true,
    }
}

/// Runs a `git worktree` call undisturbed by others of this process, and again where another process
/// disturbed it.
pub fn worktree_call(call: impl Fn() -> GitCall) -> Result<GitOutput, GitError> {
    let registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    let mut waited = Duration::ZERO;
    let result = loop {
        let call = call();
        let dir = call.dir().to_path_buf();
        let call = without_hooks(&dir, call)?;
        match call.run() {
            Err(error) if is_half_written(&error) && waited < half_made::AGE + PAUSE * 10 => {
                waited += PAUSE;
                std::thread::sleep(PAUSE);
                clear_half_made(&dir);
            }
            result => break result,
        }
    };
    drop(registry);
    result
}

/// A worktree that is made or removed runs none of the hooks that agents may have written.
fn without_hooks(dir: &Path, call: GitCall) -> Result<GitCall, GitError> {
    match Repo::discover(dir) {
        Ok(repo) => without_hooks_among(&repo, call),
        // Git itself says what is wrong with it.
        Err(_) => Ok(call),
    }
}

/// Removes git's entry of a worktree whose directory is gone, and no other: `git worktree prune` would forget
/// everybody's, also that of a worktree on a disk which is only not mounted. Nothing happens when git does
/// not list it.
pub fn forget_worktree(dir: &Path, path: &Path) -> Result<(), GitError> {
    let wanted = resolved(path);
    let listed = worktrees(dir)?;
    let Some(found) = listed.iter().find(|known| resolved(&known.path) == wanted) else {
        return Ok(());
    };
    worktree_call(|| {
        git(dir)
            .args(["worktree", "remove", "--force", "--force"])
            .arg(&found.path)
    })?;
    Ok(())
}

/// The way to a directory without links, also where the directory itself is gone.
fn resolved(path: &Path) -> PathBuf {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(path)
        .or_else(|| Some(real(path.parent()?)?.join(path.file_name()?)))
        .unwrap_or_else(|| path.to_path_buf())
}

/// Removes what a killed git has left, at which every other git stops.
fn clear_half_made(dir: &Path) {
    let found = Repo::discover(dir).map_or_else(|_| Vec::new(), |repo| half_made_worktrees(&repo));
    for entry in found {
        if let Err(error) = remove_half_made(&entry) {
            tracing::warn!(%error, entry = %entry.display(), "a half made worktree stays");
        }
    }
}

fn is_half_written(error: &GitError) -> bool {
    error
        .stderr()
        .is_some_and(|said| said.contains("failed to read") && said.contains("worktrees/"))
}

fn parse(text: &str) -> Vec<WorktreeInfo> {
    let mut list: Vec<WorktreeInfo> = Vec::new();
    for line in text.lines() {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        if key == "worktree" {
            list.push(WorktreeInfo {
                path: PathBuf::from(value),
                head: String::new(),
                branch: String::new(),
                bare: false,
                prunable: false,
                locked: false,
            });
            continue;
        }
        let Some(current) = list.last_mut() else {
            continue;
        };
        match key {
            "HEAD" => value.clone_into(&mut current.head),
            "branch" => value
                .strip_prefix("refs/heads/")
                .unwrap_or(value)
                .clone_into(&mut current.branch),
            "bare" => current.bare = true,
            "prunable" => current.prunable = true,
            "locked" => current.locked = true,
            _ => {}
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn porcelain_is_read_in_order() {
        let list = parse(
            "worktree /w/main repo\nHEAD 1111\nbranch refs/heads/main\n\n\
             worktree /w/a\nHEAD 2222\ndetached\nlocked moving\n\n\
             worktree /w/gone\nHEAD 3333\nbranch refs/heads/overstory/x/t-1\nprunable gone\n\n",
        );
        let seen: Vec<(&str, &str, bool, bool)> = list
            .iter()
            .map(|w| {
                (
                    w.path.to_str().unwrap(),
                    w.branch.as_str(),
                    w.locked,
                    w.prunable,
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("/w/main repo", "main", false, false),
                ("/w/a", "", true, false),
                ("/w/gone", "overstory/x/t-1", false, true),
            ]
        );
        assert_eq!(list[1].head, "2222");
    }
}
