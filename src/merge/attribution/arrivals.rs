//! Which agent a commit of the target came from: the one whose branch was merged with it, or on whose branch it was
//! made. Reads history; decides nothing.

use std::collections::HashMap;

use crate::git::{CommitInfo, GitError, Oid, Repo};
use crate::worktree::{AGENT_BRANCH_PREFIX, agent_of_branch};

/// How far back merges of agents' branches are looked for.
const HISTORY_LIMIT: usize = 2000;

/// What agents have brought to a target since a base.
#[derive(Debug)]
pub(super) struct Arrivals {
    /// Oldest first.
    merges: Vec<Arrival>,
    /// The agents on whose branches commits were made, as git noted it then. A branch by which the target was moved
    /// along has left no merge.
    made: HashMap<Oid, String>,
}

/// An agent's branch in a merge.
#[derive(Debug)]
struct Arrival {
    merge: Oid,
    /// The parents before the branch's: what these have came before.
    before: Vec<Oid>,
    brought: Oid,
    agent: String,
}

impl Arrivals {
    pub(super) fn between(repo: &Repo, base: Oid, target: Oid) -> Result<Self, GitError> {
        let commits = repo.commits_between(base, target, HISTORY_LIMIT)?;
        let merges = commits.iter().rev().flat_map(arrivals_of).collect();
        let mut made = HashMap::new();
        for branch in repo.branches_with_prefix(AGENT_BRANCH_PREFIX)? {
            let Some((agent, _)) = agent_of_branch(&branch) else {
                continue;
            };
            match repo.made_on(&branch) {
                Ok(ids) => made.extend(ids.into_iter().map(|id| (id, agent.to_owned()))),
                Err(error) => tracing::warn!(%error, branch, "notes of a branch not read"),
            }
        }
        Ok(Self { merges, made })
    }

    pub(super) fn agent_of(&self, repo: &Repo, id: Oid) -> Result<Option<String>, GitError> {
        for arrival in &self.merges {
            if arrival.merge == id || arrival.has_brought(repo, id)? {
                return Ok(Some(arrival.agent.clone()));
            }
        }
        Ok(self.made.get(&id).cloned())
    }
}

impl Arrival {
    fn has_brought(&self, repo: &Repo, id: Oid) -> Result<bool, GitError> {
        if !repo.is_ancestor(id, self.brought)? {
            return Ok(false);
        }
        for before in &self.before {
            if repo.is_ancestor(id, *before)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The agents' branches in a merge, by its subject: `Merge branch 'overstory/<agent>/<task>' …`, and of several
/// `Merge branches 'one', 'other' and 'third'` in the order of the parents.
fn arrivals_of(commit: &CommitInfo) -> Vec<Arrival> {
    let mut named: Vec<&str> = commit.summary.split('\'').skip(1).step_by(2).collect();
    if commit.summary.starts_with("Merge branches ") || commit.parents.len() > 2 {
        // Where the target was moved along the first of them, that is the first parent.
        match commit.parents.len().checked_sub(named.len()) {
            Some(1) => {}
            Some(0) => drop(named.remove(0)),
            Some(_) | None => return Vec::new(),
        }
    }
    let parents = commit.parents.iter().enumerate().skip(1);
    let arrival = |((number, brought), branch): ((usize, &Oid), &str)| {
        let (agent, _) = agent_of_branch(branch)?;
        Some(Arrival {
            merge: commit.id,
            before: commit.parents.iter().take(number).copied().collect(),
            brought: *brought,
            agent: agent.to_owned(),
        })
    };
    parents.zip(named).filter_map(arrival).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents(summary: &str, parents: usize) -> Vec<String> {
        let id = |number: usize| Oid::from_str(&format!("{number:040}")).unwrap();
        let commit = CommitInfo {
            id: id(0),
            parents: (1..=parents).map(id).collect(),
            summary: summary.to_owned(),
            author: String::new(),
            time_millis: 0,
        };
        arrivals_of(&commit)
            .into_iter()
            .map(|arrival| arrival.agent)
            .collect()
    }

    #[test]
    fn merge_subjects_name_the_agents() {
        let one = "Merge branch 'overstory/ann/t-1' into main";
        assert_eq!(agents(one, 2), ["ann"]);
        assert!(agents(one, 1).is_empty(), "no merge");
        assert!(agents("Merge branch 'topic'", 2).is_empty());
        assert!(agents("don't", 2).is_empty());
        let three = "Merge branches 'overstory/ann/t-1', 'topic' and 'overstory/bob/t-2'";
        assert_eq!(agents(three, 4), ["ann", "bob"]);
        assert_eq!(agents(three, 3), ["bob"], "ann's is the first parent");
        assert!(agents(three, 2).is_empty(), "nobody knows which");
    }
}
