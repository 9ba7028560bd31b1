//! Who brought lines to the target: the last commit that touched them, and the agent whose branch
//! carried that commit in. Reads history; decides nothing.

use std::collections::{HashMap, HashSet};

use crate::git::{GitError, Oid, Repo, git};
use crate::types::Timestamp;
use crate::worktree::{AGENT_BRANCH_PREFIX, agent_of_branch};

use super::outcome::MergePlan;

/// The origin of some lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    pub commit: String,
    pub agent: String,
    pub committed_at: String,
}

/// Whether the origins of lines are looked up: each file takes a git of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origins {
    Asked,
    Unasked,
}

/// Answers for one merge; remembers which agent a commit came from.
pub(crate) struct Attribution<'r> {
    repo: &'r Repo,
    target: Oid,
    branch: Oid,
    base: Oid,
    origins: Origins,
    /// Merge commits of agents' branches on the target since the base: second parent and agent.
    arrivals: Option<Vec<(Oid, Oid, String)>>,
    known: HashMap<Oid, String>,
    /// Who wrote which line (from 1) of the files that were looked up.
    blamed: HashMap<String, HashMap<u64, Oid>>,
}

/// As many as fit on a command line anywhere.
const PLACES_AT_ONCE: usize = 500;

/// How far back merges of agents' branches are looked for.
const HISTORY_LIMIT: usize = 2000;

impl<'r> Attribution<'r> {
    pub(super) fn new(repo: &'r Repo, plan: &MergePlan, origins: Origins) -> Self {
        Self {
            repo,
            target: plan.target,
            branch: plan.branch,
            base: plan.base,
            origins,
            arrivals: None,
            known: HashMap::new(),
            blamed: HashMap::new(),
        }
    }

    /// Looks many places of a file up at once: asking git for each would read the file's history as often.
    pub(super) fn look_up(&mut self, path: &str, places: &[(u64, u64)]) {
        if self.origins == Origins::Unasked {
            return;
        }
        for places in places.chunks(PLACES_AT_ONCE) {
            match self.blame(path, places) {
                Ok(lines) => self
                    .blamed
                    .entry(path.to_owned())
                    .or_default()
                    .extend(lines),
                Err(error) => tracing::warn!(%error, path, "origin of displaced lines not found"),
            }
        }
    }

    /// Finds the origin of `count` lines of a file of the target, the first being `start` (from 1).
    /// With no lines, the last commit that touched the file.
    pub(super) fn of_lines(&mut self, path: &str, start: u64, count: u64) -> Origin {
        if self.origins == Origins::Unasked {
            return Origin::default();
        }
        let commit = if count > 0 {
            self.newest_of(path, start, count)
        } else {
            self.last_touching(path)
        };
        match commit {
            Ok(Some(commit)) => self.of_commit(commit).unwrap_or_default(),
            Ok(None) => Origin::default(),
            Err(error) => {
                tracing::warn!(%error, path, "origin of displaced lines not found");
                Origin::default()
            }
        }
    }

    /// Names the branch's own tip, for content of the branch. No merge has brought it yet: whose branch it is
    /// tells the agent.
    pub(super) fn of_branch(&mut self) -> Origin {
        let mut origin = self.of_commit(self.branch).unwrap_or_default();
        match self.agent_of_tip() {
            Ok(Some(agent)) => origin.agent = agent,
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "branch of displaced lines not found"),
        }
        origin
    }

    /// The agent with a branch whose tip is the one that is merged.
    fn agent_of_tip(&self) -> Result<Option<String>, GitError> {
        let names = self.repo.branches_with_prefix(AGENT_BRANCH_PREFIX)?;
        let is_tip = |name: &&String| {
            self.repo.ref_target(&format!("refs/heads/{name}")) == Some(self.branch)
        };
        let mut agents = names
            .iter()
            .filter(is_tip)
            .filter_map(|n| agent_of_branch(n));
        Ok(agents.next().map(|(agent, _)| agent.to_owned()))
    }

    /// Prefers the newest commit since the base: that is the work which would be displaced.
    fn newest_of(&mut self, path: &str, start: u64, count: u64) -> Result<Option<Oid>, GitError> {
        let is_known = |lines: &HashMap<u64, Oid>| lines.contains_key(&start);
        if !self.blamed.get(path).is_some_and(is_known) {
            let lines = self.blame(path, &[(start, count)])?;
            self.blamed
                .entry(path.to_owned())
                .or_default()
                .extend(lines);
        }
        let lines = self.blamed.get(path);
        let authors: HashSet<Oid> = (start..start + count)
            .filter_map(|line| lines?.get(&line).copied())
            .collect();
        let mut newest: Option<(bool, i64, Oid)> = None;
        for id in authors {
            let recent = !self.repo.is_ancestor(id, self.base)?;
            let candidate = (recent, self.repo.commit_info(id)?.time_millis, id);
            newest = newest.max(Some(candidate));
        }
        Ok(newest.map(|(_, _, id)| id))
    }

    /// Who wrote the lines of some places: first line and number of lines.
    fn blame(&self, path: &str, places: &[(u64, u64)]) -> Result<Vec<(u64, Oid)>, GitError> {
        let ranges = places
            .iter()
            .map(|(start, count)| format!("-L{start},+{count}"));
        let output = git(self.repo.path())
            .args(["blame", "--porcelain"])
            .args(ranges)
            .arg(self.target.to_string())
            .args(["--", path])
            .run()?;
        let mut lines = Vec::new();
        for line in output.text().lines() {
            // Commit, the line's number then, and its number now.
            let mut words = line.split(' ');
            let id = words.next().filter(|id| id.len() == 40);
            let number = words.nth(1).and_then(|number| number.parse().ok());
            if let (Some(Ok(id)), Some(number)) = (id.map(Oid::from_str), number) {
                lines.push((number, id));
            }
        }
        Ok(lines)
    }

    fn last_touching(&self, path: &str) -> Result<Option<Oid>, GitError> {
        let text = git(self.repo.path())
            .args(["log", "-1", "--format=%H"])
            .arg(self.target.to_string())
            .args(["--", path])
            .text()?;
        Ok(Oid::from_str(text.trim()).ok().filter(|_| !text.is_empty()))
    }

    fn of_commit(&mut self, id: Oid) -> Result<Origin, GitError> {
        let info = self.repo.commit_info(id)?;
        let agent = match self.known.get(&id) {
            Some(agent) => agent.clone(),
            None => {
                let agent = self.agent_that_brought(id)?.unwrap_or(info.author);
                self.known.insert(id, agent.clone());
                agent
            }
        };
        Ok(Origin {
            commit: id.to_string(),
            agent,
            committed_at: Timestamp(info.time_millis).iso(),
        })
    }

    fn agent_that_brought(&mut self, id: Oid) -> Result<Option<String>, GitError> {
        if self.arrivals.is_none() {
            self.arrivals = Some(self.find_arrivals()?);
        }
        for (merge, brought, agent) in self.arrivals.iter().flatten() {
            if *merge == id || self.repo.is_ancestor(id, *brought)? {
                return Ok(Some(agent.clone()));
            }
        }
        Ok(None)
    }

    /// Oldest first: the first merge that contains a commit is the one that brought it.
    fn find_arrivals(&self) -> Result<Vec<(Oid, Oid, String)>, GitError> {
        let mut arrivals = Vec::new();
        for commit in self
            .repo
            .commits_between(self.base, self.target, HISTORY_LIMIT)?
        {
            let Some(brought) = commit.parents.get(1) else {
                continue;
            };
            if let Some(agent) = merged_agent(&commit.summary) {
                arrivals.push((commit.id, *brought, agent.to_owned()));
            }
        }
        arrivals.reverse();
        Ok(arrivals)
    }
}

/// Reads the agent from `Merge branch 'overstory/<agent>/<task>' …`.
fn merged_agent(summary: &str) -> Option<&str> {
    let branch = summary.split('\'').nth(1)?;
    agent_of_branch(branch).map(|(agent, _)| agent)
}

#[cfg(test)]
mod tests {
    use super::merged_agent;

    #[test]
    fn merge_subjects_name_the_agent() {
        assert_eq!(
            merged_agent("Merge branch 'overstory/ann/t-1' into main"),
            Some("ann")
        );
        assert_eq!(merged_agent("Merge branch 'topic'"), None);
        assert_eq!(merged_agent("don't"), None);
    }
}
