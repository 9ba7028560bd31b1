//! The list of a repository's worktrees, in git's own order, the main one first.
//! Reads only; creating and removing is `crate::worktree`.

use std::path::{Path, PathBuf};

use super::cli::git;
use super::error::GitError;

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

/// Lists all worktrees of the repository that contains `dir`.
pub fn worktrees(dir: &Path) -> Result<Vec<WorktreeInfo>, GitError> {
    super::checkouts::checkouts(dir).map_or_else(|| asked_of_git(dir), Ok)
}

pub(super) fn asked_of_git(dir: &Path) -> Result<Vec<WorktreeInfo>, GitError> {
    let output = git(dir).args(["worktree", "list", "--porcelain"]).run()?;
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
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
