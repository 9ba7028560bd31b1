//! Who brought lines to the target: the last commit that touched them, and the agent whose branch
//! carried that commit in. Reads history; decides nothing.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::git::{GitError, Oid, Repo, git, os_path, path_bytes};
use crate::types::Timestamp;
use crate::worktree::{AGENT_BRANCH_PREFIX, agent_of_branch};

use super::arrivals::Arrivals;
use super::removers::{Parents, Removals, parents};
use super::touched::Touched;
use crate::merge::context::MergeItem;
use crate::merge::outcome::MergePlan;

/// The origin of some lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    pub commit: String,
    pub agent: String,
    pub committed_at: String,
}

/// Whether the origins of lines are looked up: it takes git a while.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::merge) enum Origins {
    #[default]
    Asked,
    Unasked,
}

/// Whose work the branch is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::merge) enum Whose<'q> {
    /// Only the commits are known: whoever has a branch at the same tip.
    #[default]
    Unknown,
    /// This agent's, as the queue has it.
    Agent(&'q str),
}

impl<'q> Whose<'q> {
    /// The agent of a queue entry, or of its branch.
    pub(in crate::merge) fn of(item: &'q MergeItem) -> Self {
        let named = Some(item.agent.as_str()).filter(|agent| !agent.is_empty() && *agent != NOBODY);
        let of_branch = || agent_of_branch(&item.branch).map(|(agent, _)| agent);
        named.or_else(of_branch).map_or(Self::Unknown, Self::Agent)
    }
}

/// As the queue names the agent of a branch that is no agent's.
const NOBODY: &str = "unknown";

/// Some lines of a file of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::merge) struct Stretch {
    /// The first line, from 1.
    pub(in crate::merge) start: u64,
    pub(in crate::merge) count: u64,
    /// The base does not have all of them.
    pub(in crate::merge) is_new: bool,
}

/// Answers for one merge; remembers which agent a commit came from.
pub(crate) struct Attribution<'r> {
    repo: &'r Repo,
    target: Oid,
    branch: Oid,
    base: Oid,
    origins: Origins,
    whose: Whose<'r>,
    /// Which commits touched which files since the base.
    touched: Option<Touched>,
    /// What agents have brought to the target since the base.
    arrivals: Option<Arrivals>,
    known: HashMap<Oid, String>,
    /// Who wrote which line (from 1) of the files that were looked up.
    blamed: HashMap<String, HashMap<u64, Oid>>,
    /// The commits since the base, once somebody has asked who took lines away: `None` if they are too many.
    commits: Option<Option<Rc<Parents>>>,
    /// By the names of the files.
    removals: HashMap<String, Option<Removals<'r>>>,
}

/// As many as fit on a command line anywhere.
const PLACES_AT_ONCE: usize = 500;

impl<'r> Attribution<'r> {
    pub(in crate::merge) fn new(
        repo: &'r Repo,
        plan: &MergePlan,
        (origins, whose): (Origins, Whose<'r>),
    ) -> Self {
        let commits = (plan.base, plan.target, plan.branch);
        Self {
            origins,
            whose,
            ..Self::of_commits(repo, commits)
        }
    }

    /// Answers for the merge of two commits.
    pub(in crate::merge) fn of_commits(
        repo: &'r Repo,
        (base, target, branch): (Oid, Oid, Oid),
    ) -> Self {
        Self {
            repo,
            target,
            branch,
            base,
            origins: Origins::Asked,
            whose: Whose::Unknown,
            touched: None,
            arrivals: None,
            known: HashMap::new(),
            blamed: HashMap::new(),
            commits: None,
            removals: HashMap::new(),
        }
    }

    /// Looks many places of a file up at once: asking git for each would read the file's history as often.
    pub(in crate::merge) fn look_up(&mut self, path: &str, places: &[Stretch]) {
        if self.origins == Origins::Unasked {
            return;
        }
        let mut asked = Vec::new();
        for place in places.iter().filter(|place| place.count > 0) {
            if self.only_editor(path, *place).is_none() {
                asked.push((place.start, place.count));
            }
        }
        for places in asked.chunks(PLACES_AT_ONCE) {
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

    /// Finds the origin of a file of the target: the last commit that touched it.
    pub(in crate::merge) fn of_file(&mut self, path: &str) -> Origin {
        let whole = Stretch {
            start: 0,
            count: 0,
            is_new: false,
        };
        self.of_lines(path, whole)
    }

    /// Finds the origin of some lines of a file of the target. With no lines, the last commit that touched
    /// the file.
    pub(in crate::merge) fn of_lines(&mut self, path: &str, place: Stretch) -> Origin {
        if self.origins == Origins::Unasked {
            return Origin::default();
        }
        let known = if place.count > 0 {
            self.only_editor(path, place)
        } else {
            self.touched().only(path)
        };
        let commit = match known {
            Some(commit) => Ok(Some(commit)),
            None if place.count > 0 => self.newest_of(path, place),
            None => self.last_touching(path),
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
    pub(in crate::merge) fn of_branch(&mut self) -> Origin {
        let mut origin = self.of_commit(self.branch).unwrap_or_default();
        if let Whose::Agent(agent) = self.whose {
            agent.clone_into(&mut origin.agent);
            return origin;
        }
        match self.agents_of_tip() {
            Ok(agents) if agents.is_empty() => {}
            Ok(agents) => origin.agent = agents.join(", "),
            Err(error) => tracing::warn!(%error, "branch of displaced lines not found"),
        }
        origin
    }

    /// All agents with a branch whose tip is the one that is merged: nothing tells which of them is meant.
    fn agents_of_tip(&self) -> Result<Vec<String>, GitError> {
        let names = self.repo.branches_with_prefix(AGENT_BRANCH_PREFIX)?;
        let is_tip = |name: &&String| {
            self.repo.ref_target(&format!("refs/heads/{name}")) == Some(self.branch)
        };
        let of_tip = names.iter().filter(is_tip);
        let mut agents: Vec<String> = of_tip
            .filter_map(|name| agent_of_branch(name).map(|(agent, _)| agent.to_owned()))
            .collect();
        agents.sort();
        agents.dedup();
        Ok(agents)
    }

    /// The commit that all lines are of which the base does not have, where there is only one.
    pub(super) fn only_editor(&mut self, path: &str, place: Stretch) -> Option<Oid> {
        let touched = self.touched();
        touched.only_editor(path).filter(|_| place.is_new)
    }

    /// The one commit since the base that has touched the file, if all that is not as in the base is its work.
    pub(super) fn only_change(&mut self, path: &str) -> Option<Oid> {
        self.touched().only_editor(path)
    }

    /// What tells who took lines of the base away from a file; `None` where nobody can tell.
    pub(super) fn removals(&mut self, path: &str) -> Result<Option<&mut Removals<'r>>, GitError> {
        if !self.removals.contains_key(path) {
            let found = match self.commits()? {
                Some(commits) => {
                    let ends = (self.base, self.target);
                    Removals::of(self.repo, ends, &path_bytes(path), commits)?
                }
                None => None,
            };
            self.removals.insert(path.to_owned(), found);
        }
        Ok(self.removals.get_mut(path).and_then(Option::as_mut))
    }

    fn commits(&mut self) -> Result<Option<Rc<Parents>>, GitError> {
        let commits = match self.commits.take() {
            Some(commits) => commits,
            None => parents(self.repo, self.base, self.target)?.map(Rc::new),
        };
        Ok(self.commits.insert(commits).clone())
    }

    fn touched(&mut self) -> &Touched {
        let (repo, base, target) = (self.repo, self.base, self.target);
        self.touched.get_or_insert_with(|| {
            Touched::since(repo, base, target).unwrap_or_else(|error| {
                tracing::warn!(%error, "history of contested files not read");
                Touched::default()
            })
        })
    }

    /// Whether anybody wants to know whose lines they are.
    pub(super) fn is_asked(&self) -> bool {
        self.origins == Origins::Asked
    }

    /// Whether a commit came to the target since the base.
    pub(super) fn is_recent(&self, id: Oid) -> Result<bool, GitError> {
        Ok(!self.repo.is_ancestor(id, self.base)?)
    }

    /// Who wrote each line of a stretch.
    pub(super) fn authors(
        &mut self,
        path: &str,
        place: Stretch,
    ) -> Result<Vec<Option<Oid>>, GitError> {
        let (start, count) = (place.start, place.count);
        let is_known = |lines: &HashMap<u64, Oid>| lines.contains_key(&start);
        if !self.blamed.get(path).is_some_and(is_known) {
            let lines = self.blame(path, &[(start, count)])?;
            self.blamed
                .entry(path.to_owned())
                .or_default()
                .extend(lines);
        }
        let lines = self.blamed.get(path);
        let author = |line: u64| lines.and_then(|lines| lines.get(&line).copied());
        Ok((start..start + count).map(author).collect())
    }

    /// Prefers the newest commit since the base: that is the work which would be displaced.
    fn newest_of(&mut self, path: &str, place: Stretch) -> Result<Option<Oid>, GitError> {
        let authors: HashSet<Oid> = self.authors(path, place)?.into_iter().flatten().collect();
        let mut newest: Option<(bool, i64, Oid)> = None;
        for id in authors {
            let candidate = (
                self.is_recent(id)?,
                self.repo.commit_info(id)?.time_millis,
                id,
            );
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
            .arg("--")
            .arg(os_path(&path_bytes(path)))
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
            .arg("--")
            .arg(os_path(&path_bytes(path)))
            .text()?;
        Ok(Oid::from_str(text.trim()).ok().filter(|_| !text.is_empty()))
    }

    pub(super) fn of_commit(&mut self, id: Oid) -> Result<Origin, GitError> {
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
        let arrivals = match self.arrivals.take() {
            Some(arrivals) => arrivals,
            None => Arrivals::between(self.repo, self.base, self.target)?,
        };
        self.arrivals.insert(arrivals).agent_of(self.repo, id)
    }
}
