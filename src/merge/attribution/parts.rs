//! Whose a contested place is where several have worked on it: each run of lines with the commit it came with, and each
//! run of lines that are gone with the commit that took them away.

use std::collections::{HashMap, HashSet};

use crate::git::{GitError, Oid};
use crate::merge::lines::{is_blank, without};
use crate::types::merge::DisplacedPart;

use super::origins::{Attribution, Origin, Stretch};
use super::removed::overridden;

/// A place of a file that both sides changed.
#[derive(Debug, Clone, Copy)]
pub(in crate::merge) struct Place<'p> {
    /// Where the target has it.
    pub(in crate::merge) at: Stretch,
    pub(in crate::merge) base: &'p [&'p [u8]],
    pub(in crate::merge) ours: &'p [&'p [u8]],
    pub(in crate::merge) theirs: &'p [&'p [u8]],
}

/// Neighbouring lines with the commit that wrote them or took them away.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: u64,
    count: u64,
    commit: Oid,
    removed: bool,
}

impl Attribution<'_> {
    /// Finds who brought to the target what the branch's side of a place would override: the newest commit, and if
    /// there are more of them since the base, what of it each one has done.
    pub(in crate::merge) fn of_place(
        &mut self,
        path: &str,
        place: Place<'_>,
    ) -> (Origin, Vec<DisplacedPart>) {
        if !self.is_asked() {
            return (Origin::default(), Vec::new());
        }
        let removed = self.removed_runs(path, place).unwrap_or_else(|error| {
            tracing::warn!(%error, path, "who took lines away not found");
            Vec::new()
        });
        // Lines the branch has too stay in the file.
        let lost = without(place.ours, place.theirs);
        let loses_lines = lost.iter().any(|line| !is_blank(line));
        if removed.is_empty() || loses_lines {
            let origin = self.of_lines(path, place.at);
            return (origin, self.parts(path, place, &lost, &removed));
        }
        let origin = self.of_newest(&removed).unwrap_or_else(|error| {
            tracing::warn!(%error, path, "who took lines away not found");
            Origin::default()
        });
        (origin, self.told(path, removed))
    }

    fn of_newest(&mut self, runs: &[Run]) -> Result<Origin, GitError> {
        let mut newest = Origin::default();
        for commit in runs.iter().map(|run| run.commit) {
            let origin = self.of_commit(commit)?;
            if origin.committed_at >= newest.committed_at {
                newest = origin;
            }
        }
        Ok(newest)
    }

    /// Splits a stretch of the target's lines by who brought them since the base, with what was taken away there.
    /// Empty where one commit has only brought lines, and where nobody asks.
    fn parts(
        &mut self,
        path: &str,
        place: Place<'_>,
        lost: &[&[u8]],
        removed: &[Run],
    ) -> Vec<DisplacedPart> {
        if place.at.count < 2 && removed.is_empty() {
            return Vec::new();
        }
        if removed.is_empty() && self.only_editor(path, place.at).is_some() {
            return Vec::new();
        }
        match self.written_runs(path, place, lost) {
            Ok(runs) if removed.is_empty() => self.told(path, runs),
            Ok(mut runs) => {
                runs.extend(removed);
                self.named(path, runs)
            }
            Err(error) => {
                tracing::warn!(%error, path, "origins of displaced lines not found");
                Vec::new()
            }
        }
    }

    /// Finds who brought single lines of a file, given by their numbers: of the target's version, and those that only
    /// the branch has of the branch's.
    pub(in crate::merge) fn of_sides(
        &mut self,
        path: &str,
        ours: &[u64],
        theirs: &[u64],
    ) -> (Origin, Vec<DisplacedPart>) {
        if !self.is_asked() {
            return (Origin::default(), Vec::new());
        }
        if ours.is_empty() {
            return (self.of_branch(), Vec::new());
        }
        let places: Vec<Stretch> = stretches(ours).collect();
        self.look_up(path, &places);
        let mut origins: Vec<(Stretch, Origin)> = Vec::new();
        for line in ours {
            let origin = self.of_lines(path, line_at(*line));
            match origins.last_mut() {
                Some((at, last)) if at.start + at.count == *line && *last == origin => {
                    at.count += 1;
                }
                Some(_) | None => origins.push((line_at(*line), origin)),
            }
        }
        let newest = |origins: &[(Stretch, Origin)]| {
            let newest = origins.iter().max_by_key(|(_, o)| &o.committed_at);
            newest.map(|(_, origin)| origin.clone()).unwrap_or_default()
        };
        let of_any = newest(&origins);
        origins.retain(|(_, origin)| self.is_since_base(origin));
        let of_branch = (!theirs.is_empty()).then(|| self.of_branch());
        let newest = match &of_branch {
            Some(of_branch) if origins.is_empty() => of_branch.clone(),
            None if origins.is_empty() => of_any,
            Some(_) | None => newest(&origins),
        };
        origins.extend(
            of_branch
                .iter()
                .flat_map(|origin| stretches(theirs).map(|at| (at, origin.clone()))),
        );
        let commits: HashSet<&str> = origins.iter().map(|(_, o)| o.commit.as_str()).collect();
        if commits.len() < 2 {
            return (newest, Vec::new());
        }
        let parts = origins.into_iter().map(|(at, origin)| DisplacedPart {
            start_line: at.start,
            line_count: at.count,
            removed: false,
            agent: origin.agent,
            commit: origin.commit,
            committed_at: origin.committed_at,
        });
        (newest, parts.collect())
    }

    fn is_since_base(&self, origin: &Origin) -> bool {
        Oid::from_str(&origin.commit).is_ok_and(|id| self.is_recent(id).unwrap_or(false))
    }

    /// Those of the lost lines of a place that came since the base.
    fn written_runs(
        &mut self,
        path: &str,
        place: Place<'_>,
        lost: &[&[u8]],
    ) -> Result<Vec<Run>, GitError> {
        let at = place.at;
        if at.count == 0 {
            return Ok(Vec::new());
        }
        let mut lost = lost.iter().peekable();
        let mut recent: HashMap<Oid, bool> = HashMap::new();
        let mut runs: Vec<Run> = Vec::new();
        let authors = self.authors(path, at)?;
        for ((number, author), line) in (at.start..).zip(authors).zip(place.ours) {
            let is_lost = lost.next_if(|next| *next == line).is_some();
            let Some(author) = author.filter(|_| is_lost) else {
                continue;
            };
            let is_recent = match recent.get(&author) {
                Some(known) => *known,
                None => self.is_recent(author)?,
            };
            recent.insert(author, is_recent);
            if !is_recent || is_blank(line) {
                continue;
            }
            match runs.last_mut() {
                Some(last) if last.commit == author => last.count += 1,
                Some(_) | None => runs.push(Run {
                    start: number,
                    count: 1,
                    commit: author,
                    removed: false,
                }),
            }
        }
        Ok(runs)
    }

    /// The lines of the base that the target took away and the branch's side brings back or changes.
    fn removed_runs(&mut self, path: &str, place: Place<'_>) -> Result<Vec<Run>, GitError> {
        let gone = overridden(place.base, place.ours, place.theirs);
        let our_start = usize::try_from(place.at.start.saturating_sub(1)).unwrap_or(0);
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let only = self.only_change(path);
        let Some(removals) = self.removals(path)? else {
            return Ok(Vec::new());
        };
        let Some(first) = removals.place_in_base(place.base, our_start) else {
            return Ok(Vec::new());
        };
        let mut runs: Vec<Run> = Vec::new();
        let mut before: Option<usize> = None;
        for index in gone {
            let commit = match only {
                Some(only) => Some(only),
                None => removals.remover(first + index)?,
            };
            let Some(commit) = commit else { continue };
            let between = before.and_then(|before| place.base.get(before + 1..index));
            let is_next = between.is_some_and(|lines| lines.iter().all(|line| is_blank(line)));
            match runs.last_mut() {
                Some(last) if is_next && last.commit == commit => last.count += 1,
                Some(_) | None => runs.push(Run {
                    start: removals.in_target(first + index) as u64 + 1,
                    count: 1,
                    commit,
                    removed: true,
                }),
            }
            before = Some(index);
        }
        Ok(runs)
    }

    /// Names the agents of runs that are all of lines, or all of removals: of a single commit there is nothing to tell.
    fn told(&mut self, path: &str, runs: Vec<Run>) -> Vec<DisplacedPart> {
        let commits: HashSet<Oid> = runs.iter().map(|run| run.commit).collect();
        if commits.len() < 2 {
            return Vec::new();
        }
        self.named(path, runs)
    }

    /// Names the agents of some runs, in the order of the lines.
    fn named(&mut self, path: &str, mut runs: Vec<Run>) -> Vec<DisplacedPart> {
        runs.sort_by_key(|run| run.start);
        let part = |run: Run| {
            let origin = self.of_commit(run.commit)?;
            Ok(DisplacedPart {
                start_line: run.start,
                line_count: run.count,
                removed: run.removed,
                agent: origin.agent,
                commit: origin.commit,
                committed_at: origin.committed_at,
            })
        };
        let parts: Result<Vec<DisplacedPart>, GitError> = runs.into_iter().map(part).collect();
        parts.unwrap_or_else(|error| {
            tracing::warn!(%error, path, "origins of displaced lines not found");
            Vec::new()
        })
    }
}

fn line_at(line: u64) -> Stretch {
    Stretch {
        start: line,
        count: 1,
        is_new: false,
    }
}

/// The runs of neighbouring lines.
fn stretches(lines: &[u64]) -> impl Iterator<Item = Stretch> {
    let runs = lines.chunk_by(|one, next| one + 1 == *next);
    runs.filter_map(|run| {
        let first = line_at(*run.first()?);
        Some(Stretch {
            count: run.len() as u64,
            ..first
        })
    })
}
