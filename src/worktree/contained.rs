//! Running git in an agent's worktree from outside of the agent's sandbox.
//!
//! What lies in a worktree is the agent's: its `.git` file, settings of repositories nested in it, attributes
//! that name filters. Git would run programs for these. So the repository is named from outside, and git gets
//! a sandbox in which nothing can be written but what saving the worktree's files needs.

use std::path::Path;

use crate::git::{GitCall, PinnedCheckout, Repo, git};
use crate::platform::{ProjectPaths, env};
use crate::sandbox;

use super::error::WorktreeError;

/// Starts calls of git that run in one worktree.
#[derive(Debug)]
pub struct ContainedGit<'a> {
    checkout: Option<PinnedCheckout>,
    path: &'a Path,
    words: &'a [String],
}

impl ContainedGit<'_> {
    pub fn git(&self) -> GitCall {
        let call = match &self.checkout {
            Some(checkout) => checkout.git(),
            None => git(self.path),
        };
        call.through(self.words)
            // Looking into a nested repository would follow what that says.
            .global("-c")
            .global("diff.ignoreSubmodules=all")
    }

    /// The folder of the worktree's index.
    pub fn git_dir(&self) -> Option<&Path> {
        self.checkout.as_ref().map(|c| c.git_dir.as_path())
    }
}

/// Does something with git in the worktree at `path`. One that grove has not made is a person's own, and is
/// taken as it is.
pub fn contained<T: Send>(
    path: &Path,
    work: impl FnOnce(&ContainedGit<'_>) -> T + Send,
) -> Result<T, WorktreeError> {
    let Some(paths) = project_of(path) else {
        return Ok(work(&ContainedGit {
            checkout: None,
            path,
            words: &[],
        }));
    };
    let common = Repo::discover(&paths.root)?.common_dir().to_path_buf();
    let saving = sandbox::saving_git(&common, path)?;
    let Some((own, saving)) = saving.and_then(|git| Some((git.own.first()?.clone(), git))) else {
        return Err(WorktreeError::NotAWorktree {
            path: path.to_path_buf(),
        });
    };
    let checkout = PinnedCheckout {
        git_dir: own,
        common_dir: common,
        work_tree: path.to_path_buf(),
    };
    let run = |words: &[String]| {
        work(&ContainedGit {
            checkout: Some(checkout),
            path,
            words,
        })
    };
    if !sandbox::support().is_some() {
        return Ok(run(&[]));
    }
    let rules = sandbox::git_rules(&saving, &paths.file("hosts"), env::home().as_deref());
    sandbox::within(&rules, run).map_err(|e| WorktreeError::Sandbox {
        path: path.to_path_buf(),
        message: e.to_string(),
    })
}

/// Whether grove has made the worktree at `path`.
pub(super) fn in_project(path: &Path) -> bool {
    project_of(path).is_some()
}

/// The project whose agents' worktrees `path` is among.
fn project_of(path: &Path) -> Option<ProjectPaths> {
    let paths = ProjectPaths::new(path.parent()?.parent()?.parent()?);
    let name = path.file_name()?.to_str()?;
    (paths.worktree(name) == path).then_some(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agents_worktree_is_known_by_its_place() {
        let root = |path| project_of(Path::new(path)).map(|paths| paths.root);
        assert_eq!(root("/p/.overstory/worktrees/a"), Some("/p".into()));
        for other in [
            "/p",
            "/p/a",
            "/p/worktrees/a",
            "/p/.overstory/worktrees/a/b",
        ] {
            assert_eq!(root(other), None, "{other}");
        }
    }
}
