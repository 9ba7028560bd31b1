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
    /// By merges, the oldest first, then by which the target was moved along a branch.
    merges: Vec<Arrival>,
    /// The agents on whose branches commits were made, as git noted it then. One that an agent's branch was built on came
    /// with a merge of that agent's, and is of another.
    made: HashMap<Oid, String>,
}

/// An agent's branch in a merge.
#[derive(Debug)]
struct Arrival {
    /// The merge, if there was one.
    merge: Option<Oid>,
    /// The parents before the branch's: what these have came before.
    before: Vec<Oid>,
    brought: Oid,
    agent: String,
}

impl Arrivals {
    pub(super) fn between(repo: &Repo, base: Oid, target: Oid) -> Result<Self, GitError> {
        let commits = repo.commits_between(base, target, HISTORY_LIMIT)?;
        let mut merges: Vec<Arrival> = commits.iter().rev().flat_map(arrivals_of).collect();
        merges.extend(moved_along(repo, target));
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
        if let Some(agent) = self.made.get(&id) {
            return Ok(Some(agent.clone()));
        }
        for arrival in &self.merges {
            if arrival.merge == Some(id) || arrival.has_brought(repo, id)? {
                return Ok(Some(arrival.agent.clone()));
            }
        }
        Ok(None)
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

/// What came to the branches that are where the target is, or to what is checked out, by moving them along an agent's:
/// that leaves no merge, and the agent's branch may be gone.
fn moved_along(repo: &Repo, target: Oid) -> Vec<Arrival> {
    let names = repo.branches_with_prefix("").unwrap_or_else(|error| {
        tracing::warn!(%error, "branches at the target not found");
        Vec::new()
    });
    let references = names.iter().map(|name| format!("refs/heads/{name}"));
    let at_target = references.filter(|name| repo.ref_target(name) == Some(target));
    let mut found = Vec::new();
    for reference in at_target.chain(["HEAD".to_owned()]) {
        match repo.moved_along(&reference) {
            Ok(moves) => found.extend(moves.into_iter().filter_map(|(before, brought, branch)| {
                Some(Arrival {
                    merge: None,
                    before: vec![before],
                    brought,
                    agent: agent_in(&branch)?.to_owned(),
                })
            })),
            Err(error) => tracing::warn!(%error, reference, "notes of a branch not read"),
        }
    }
    found
}

/// The agent of a branch, of this repository or of a remote one: `origin/overstory/<agent>/<task>`.
fn agent_in(branch: &str) -> Option<&str> {
    let own = || agent_of_branch(branch);
    let (agent, _) = own().or_else(|| agent_of_branch(branch.split_once('/')?.1))?;
    Some(agent)
}

/// The branch that a service merged: `Merge pull request #1 from <owner>/<branch>`, `Merged in <branch> (pull request #1)`.
fn merged_by_service(summary: &str) -> Option<&str> {
    if let Some(rest) = summary.strip_prefix("Merge pull request #") {
        let (_, from) = rest.split_once(" from ")?;
        return from.split_whitespace().next();
    }
    let (branch, _) = summary
        .strip_prefix("Merged in ")?
        .split_once(" (pull request #")?;
    Some(branch)
}

/// The agents' branches in a merge, by its subject: `Merge branch 'overstory/<agent>/<task>' …`, and of several
/// `Merge branches 'one', 'other' and 'third'` in the order of the parents.
fn arrivals_of(commit: &CommitInfo) -> Vec<Arrival> {
    let mut named: Vec<&str> = match merged_by_service(&commit.summary) {
        Some(branch) => vec![branch],
        None => commit.summary.split('\'').skip(1).step_by(2).collect(),
    };
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
        let agent = agent_in(branch)?;
        Some(Arrival {
            merge: Some(commit.id),
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
        for subject in [
            "Merge pull request #12 from org/overstory/ann/t-1",
            "Merged in overstory/ann/t-1 (pull request #3)",
            "Merge remote-tracking branch 'origin/overstory/ann/t-1'",
            "Merge branch 'overstory/ann/t-1' into 'main'",
        ] {
            assert_eq!(agents(subject, 2), ["ann"], "{subject}");
            assert!(agents(subject, 1).is_empty(), "{subject}");
        }
        assert!(agents("Merge pull request #12 from org/topic", 2).is_empty());
        let three = "Merge branches 'overstory/ann/t-1', 'topic' and 'overstory/bob/t-2'";
        assert_eq!(agents(three, 4), ["ann", "bob"]);
        assert_eq!(agents(three, 3), ["bob"], "ann's is the first parent");
        assert!(agents(three, 2).is_empty(), "nobody knows which");
    }
}
