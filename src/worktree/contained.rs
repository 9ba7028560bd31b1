//! Running git in an agent's worktree from outside of the agent's sandbox.
//!
//! What lies in a worktree is the agent's: its `.git` file, settings of repositories nested in it, attributes
//! that name filters. Git would run programs for these. So the repository is named from outside, and git gets
//! a sandbox in which nothing can be written but what saving the worktree's files needs.

use std::path::Path;

use crate::git::{GitCall, Pinned, Repo};
use crate::platform::env;
use crate::sandbox;

use super::error::WorktreeError;
use super::own::{OwnStore, Source, bring_over, project_of};

/// Starts calls of git that run in one worktree.
#[derive(Debug)]
pub struct ContainedGit<'a> {
    worktree: &'a Pinned,
    /// Where objects go; `None` in a person's own worktree.
    source: Option<&'a Source<'a>>,
    words: &'a [String],
}

impl ContainedGit<'_> {
    pub fn git(&self) -> GitCall {
        let call = self.worktree.git();
        let call = match self.source {
            Some(source) => source.point(call),
            None => call,
        };
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
/// person's own, and gets no sandbox. Objects that git makes there do not stay.
pub fn contained<T: Send>(
    repo: &Repo,
    path: &Path,
    work: impl FnOnce(&ContainedGit<'_>) -> T + Send,
) -> Result<T, WorktreeError> {
    contained_keeping(repo, path, work, |_| None)
}

/// The same; the commit that `kept` finds in the result is brought into the repository with all it needs.
pub(super) fn contained_keeping<T: Send>(
    repo: &Repo,
    path: &Path,
    work: impl FnOnce(&ContainedGit<'_>) -> T + Send,
    kept: impl FnOnce(&T) -> Option<String>,
) -> Result<T, WorktreeError> {
    let Some(store) = OwnStore::of(repo, path)? else {
        let worktree = Pinned::of(repo, path)?;
        if project_of(path).is_some() {
            return Err(WorktreeError::NotAWorktree {
                path: path.to_path_buf(),
            });
        }
        return Ok(work(&ContainedGit {
            worktree: &worktree,
            source: None,
            words: &[],
        }));
    };
    // Its branch must be where the agent has it, or what is committed would look uncommitted.
    bring_over(repo, path)?.log(&store.paths().root.to_string_lossy());
    let worktree = Pinned::of(repo, path)?;
    let source = store.saving()?;
    let run = |words: &[String]| {
        work(&ContainedGit {
            worktree: &worktree,
            source: Some(&source),
            words,
        })
    };
    let done = if sandbox::support().is_some() {
        let hosts = store.paths().file("hosts");
        let written = store.looked_after(&source);
        let rules = sandbox::git_rules(&written, &hosts, env::home().as_deref());
        sandbox::within(&rules, run).map_err(|e| WorktreeError::Sandbox {
            path: path.to_path_buf(),
            message: e.to_string(),
        })?
    } else {
        run(&[])
    };
    if let Some(commit) = kept(&done) {
        source.bring_now(&commit)?;
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agents_worktree_is_known_by_its_place() {
        let root = |path| project_of(Path::new(path)).map(|(paths, _)| paths.root);
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
