//! Running git in an agent's worktree from outside of the agent's sandbox.
//!
//! What lies in a worktree is the agent's: its `.git` file, settings of repositories nested in it, attributes
//! that name filters. Git would run programs for these. So the repository is named from outside, and git gets
//! a sandbox in which nothing can be written but what saving the worktree's files needs.

use std::path::Path;

use crate::git::{GitCall, Pinned, Repo};
use crate::platform::{ProjectPaths, env};
use crate::sandbox;

use super::error::WorktreeError;

/// Starts calls of git that run in one worktree.
#[derive(Debug)]
pub struct ContainedGit<'a> {
    worktree: &'a Pinned,
    words: &'a [String],
}

impl ContainedGit<'_> {
    pub fn git(&self) -> GitCall {
        self.contained(self.worktree.git())
    }

    /// Starts a call that only asks: it is ended when it hangs, as git does at a pipe in the place of a file.
    pub fn asking(&self) -> GitCall {
        self.contained(self.worktree.git_asking_within())
    }

    fn contained(&self, call: GitCall) -> GitCall {
        call.through(self.words)
            // Looking into a nested repository would follow what that says.
            .global("-c")
            .global("diff.ignoreSubmodules=all")
    }

    /// The folder of the worktree's index.
    pub fn git_dir(&self) -> &Path {
        self.worktree.git_dir()
    }
}

/// Does something with git in the repository's worktree at `path`. One that grove has not made is a
/// person's own, and gets no sandbox.
pub fn contained<T: Send>(
    repo: &Repo,
    path: &Path,
    work: impl FnOnce(&ContainedGit<'_>) -> T + Send,
) -> Result<T, WorktreeError> {
    let worktree = Pinned::of(repo, path)?;
    let run = |words: &[String]| {
        work(&ContainedGit {
            worktree: &worktree,
            words,
        })
    };
    let Some(paths) = project_of(path).filter(|_| sandbox::support().is_some()) else {
        return Ok(run(&[]));
    };
    let Some(saving) = sandbox::saving_git(repo.common_dir(), path)? else {
        return Err(WorktreeError::NotAWorktree {
            path: path.to_path_buf(),
        });
    };
    let rules = sandbox::git_rules(&saving, &paths.file("hosts"), env::home().as_deref());
    sandbox::within(&rules, run).map_err(|e| WorktreeError::Sandbox {
        path: path.to_path_buf(),
        message: e.to_string(),
    })
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
