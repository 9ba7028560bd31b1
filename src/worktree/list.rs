//! Which worktrees belong to agents: those on `overstory/<agent>/<task>` branches.
//! Reads git's list; knows nothing of sessions.

use std::path::PathBuf;

use crate::git::{GitError, Repo, worktrees};

/// Every agent's branch starts with this.
pub const AGENT_BRANCH_PREFIX: &str = "overstory/";

/// A worktree on an agent's branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentWorktree {
    pub path: PathBuf,
    pub branch: String,
    pub head: String,
    pub agent: String,
    pub task: String,
    /// The directory is gone; only git's record of it is left.
    pub missing: bool,
    pub locked: bool,
}

/// Splits `overstory/<agent>/<task>`; a task may contain slashes.
pub fn agent_of_branch(branch: &str) -> Option<(&str, &str)> {
    let (agent, task) = branch.strip_prefix(AGENT_BRANCH_PREFIX)?.split_once('/')?;
    (!agent.is_empty() && !task.is_empty()).then_some((agent, task))
}

/// Lists the worktrees of agents, in git's order.
pub fn agent_worktrees(repo: &Repo) -> Result<Vec<AgentWorktree>, GitError> {
    let all = worktrees(repo.path())?;
    Ok(all
        .into_iter()
        .filter(|worktree| worktree.branch.starts_with(AGENT_BRANCH_PREFIX))
        .map(|worktree| {
            let (agent, task) = agent_of_branch(&worktree.branch).unwrap_or_default();
            AgentWorktree {
                agent: agent.to_owned(),
                task: task.to_owned(),
                missing: worktree.prunable || !worktree.path.exists(),
                locked: worktree.locked,
                path: worktree.path,
                branch: worktree.branch,
                head: worktree.head,
            }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_names_are_taken_apart() {
        assert_eq!(agent_of_branch("overstory/ann/t-1"), Some(("ann", "t-1")));
        assert_eq!(agent_of_branch("overstory/ann/a/b"), Some(("ann", "a/b")));
        assert_eq!(agent_of_branch("overstory/ann"), None);
        assert_eq!(agent_of_branch("overstory//t"), None);
        assert_eq!(agent_of_branch("main"), None);
    }
}
