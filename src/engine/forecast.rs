//! Looking ahead while somebody looks at the queue: what each merge would come to, and which agents
//! change the same files. Worked out on a thread of its own, remembered by the tips it was made for.

use super::merges::displaced;
use super::view::{
    ChangeView, ForecastView, MeetingKind, MeetingView, MergeState, MergeView, OverlapView,
};
use crate::config;
use crate::coordinator::landing;
use crate::coordinator::overlap::{OverlapMap, overlap_map};
use crate::git::{Oid, Repo, git, path_name};
use crate::merge::overlap::{Overlap, OverlapKind};
use crate::merge::{
    Ahead, MergeError, MergeOutcome, MergePlan, held_ahead, nobody_to_ask, plan_commits,
};
use crate::platform::{ProjectPaths, clock};
use crate::types::merge::MergeTier;
use std::collections::HashMap;
use std::time::Duration;

/// The map of overlaps is made anew at most this often: for the queue, and for the screens where one works.
const MAP_EVERY_MS: i64 = 3_000;
const MAP_AT_WORK_EVERY_MS: i64 = 15_000;

/// The target's and the branch's tip.
type Tips = (Oid, Oid);

/// What a look ahead has found.
#[derive(Debug)]
pub(super) struct Seen {
    plans: Vec<(Tips, ForecastView)>,
    map: Option<OverlapMap>,
}

/// What is to be looked at.
#[derive(Debug)]
pub(super) struct Question {
    paths: ProjectPaths,
    target: String,
    /// By their tips, with the branches' names.
    plans: Vec<(Tips, String)>,
    map: bool,
}

/// What is known, for as long as somebody looks.
#[derive(Default)]
pub(super) struct Forecasts {
    known: HashMap<Tips, ForecastView>,
    map: Option<OverlapMap>,
    mapped_at_ms: Option<i64>,
    /// Something has happened since the map was made.
    map_wanted: bool,
    watched: bool,
    /// Whose work meets is looked at from elsewhere.
    overlaps: bool,
    asking: bool,
}

impl Forecasts {
    pub(super) fn watch(&mut self, on: bool) {
        self.watched = on;
        self.map_wanted = on || self.overlaps;
    }

    /// As `watch`, for somebody who wants to know whose work meets and nothing else.
    pub(super) fn watch_overlaps(&mut self, on: bool) {
        self.overlaps = on;
        self.map_wanted = on || self.watched;
    }

    fn map_every(&self) -> i64 {
        if self.watched {
            MAP_EVERY_MS
        } else {
            MAP_AT_WORK_EVERY_MS
        }
    }

    /// The stores have changed: agents have been at work.
    pub(super) fn note_change(&mut self) {
        self.map_wanted = self.watched || self.overlaps;
    }

    /// After how long the map is due, if it is wanted and was made a moment ago.
    pub(super) fn map_due_in(&self) -> Option<Duration> {
        let at = self.mapped_at_ms.filter(|_| self.map_wanted)?;
        let wait = (at + self.map_every() - clock::steady_ms()).max(0);
        Some(Duration::from_millis(wait as u64))
    }

    /// Adds what is known to the views; gives what has to be worked out, if nobody is at it.
    pub(super) fn complete(
        &mut self,
        paths: &ProjectPaths,
        target: &str,
        views: &mut [MergeView],
    ) -> Option<Question> {
        let missing = if self.watched {
            self.missing(paths, target, views)?
        } else {
            Vec::new()
        };
        let now = clock::steady_ms();
        let every = self.map_every();
        let rested = self.mapped_at_ms.is_none_or(|at| now - at >= every);
        let map = self.map_wanted && rested;
        if self.asking || missing.is_empty() && !map {
            return None;
        }
        self.asking = true;
        if map {
            self.mapped_at_ms = Some(now);
            self.map_wanted = false;
        }
        Some(Question {
            paths: paths.clone(),
            target: target.to_owned(),
            plans: missing,
            map,
        })
    }

    /// Adds the forecasts that are known to the views; gives those that are missing.
    fn missing(
        &mut self,
        paths: &ProjectPaths,
        target: &str,
        views: &mut [MergeView],
    ) -> Option<Vec<(Tips, String)>> {
        let repo = Repo::discover(&paths.root).ok()?;
        let target_tip = repo.ref_target(&format!("refs/heads/{target}"))?;
        let mut used: Vec<Tips> = Vec::new();
        let mut missing = Vec::new();
        for view in views.iter_mut() {
            if matches!(view.state, MergeState::Merged | MergeState::Merging) {
                continue;
            }
            let Some(tip) = repo.ref_target(&format!("refs/heads/{}", view.branch)) else {
                view.forecast = Some(ForecastView {
                    problem: Some("the branch does not exist any more".to_owned()),
                    ..ForecastView::default()
                });
                continue;
            };
            let tips = (target_tip, tip);
            used.push(tips);
            view.forecast = self.known.get(&tips).cloned();
            if view.forecast.is_none() {
                missing.push((tips, view.branch.clone()));
            }
            if let Some(map) = &self.map {
                view.overlaps = overlaps_of(map, &view.agent);
            }
        }
        self.known.retain(|tips, _| used.contains(tips));
        Some(missing)
    }

    /// Whose work meets, as far as that is known.
    pub(super) fn meetings(&self) -> Vec<MeetingView> {
        let overlaps = self.map.iter().filter(|_| self.watched || self.overlaps);
        let overlaps = overlaps.flat_map(|map| &map.overlaps);
        overlaps
            .map(|overlap| MeetingView {
                agents: overlap.agents.clone(),
                file: overlap.file.clone(),
                kind: meeting(overlap),
            })
            .collect()
    }

    /// Takes an answer; tells whether it changes anything.
    pub(super) fn take(&mut self, seen: Seen) -> bool {
        self.asking = false;
        let mut news = !seen.plans.is_empty();
        self.known.extend(seen.plans);
        if seen.map.is_some() && seen.map != self.map {
            self.map = seen.map;
            news = true;
        }
        news
    }
}

/// Works everything out that was asked. Slow: git is asked about trees and worktrees.
pub(super) fn look(question: &Question) -> Seen {
    let plans = forecasts(&question.paths, &question.target, &question.plans);
    let map = question.map.then(|| {
        overlap_map(&question.paths, &question.target)
            .inspect_err(|e| tracing::warn!("overlaps are not known: {e}"))
            .ok()
    });
    Seen {
        plans,
        map: map.flatten(),
    }
}

/// Plans merges where nothing of the project changes.
fn forecasts(
    paths: &ProjectPaths,
    into: &str,
    plans: &[(Tips, String)],
) -> Vec<(Tips, ForecastView)> {
    if plans.is_empty() {
        return Vec::new();
    }
    let config = config::load(&paths.root).map(|loaded| loaded.config);
    let repo = landing::repository(paths, &config.unwrap_or_default());
    let repo = repo.map_err(|error| error.to_string());
    let ahead = repo.as_ref().map(|repo| Ahead::of(repo, &paths.root));
    let of = |tips: Tips, branch: &str| {
        let ahead = ahead.as_ref().map_err(|problem| (*problem).clone())?;
        forecast(ahead, (into, branch), tips).map_err(|error| error.to_string())
    };
    let problem = |problem| ForecastView {
        problem: Some(problem),
        ..ForecastView::default()
    };
    plans
        .iter()
        .map(|(tips, branch)| (*tips, of(*tips, branch).unwrap_or_else(problem)))
        .collect()
}

/// Plans a merge in memory; no ref, index or checkout is changed.
pub(super) fn forecast(
    ahead: &Ahead<'_>,
    names: (&str, &str),
    (target, branch): Tips,
) -> Result<ForecastView, MergeError> {
    let repo = ahead.repo();
    let short = target.to_string().chars().take(8).collect();
    let view = ForecastView {
        target: short,
        ..ForecastView::default()
    };
    let planned = |plan: MergePlan, tier: MergeTier| {
        Ok(ForecastView {
            tier: Some(tier.as_str().to_owned()),
            held: held_ahead(ahead, names, &plan)?,
            changes: changes(repo, &plan)?,
            conflict_files: plan.conflict_files,
            already_merged: plan.already_merged,
            displaced: plan.displaced.into_iter().map(displaced).collect(),
            ..view.clone()
        })
    };
    match plan_commits(repo, target, branch)? {
        MergeOutcome::Clean(plan) => planned(plan, MergeTier::CleanMerge),
        MergeOutcome::Resolved(plan) => planned(plan, MergeTier::AutoResolve),
        MergeOutcome::ContentDisplaced(plan) => {
            let tier = match nobody_to_ask(repo, &plan)? {
                None => MergeTier::AiResolve,
                Some(_) => MergeTier::AutoResolve,
            };
            planned(plan, tier)
        }
        MergeOutcome::Failed(failure) => Ok(ForecastView {
            problem: Some(failure.to_string()),
            ..view
        }),
    }
}

/// Files that the merged tree changes in the target, with their lines.
fn changes(repo: &Repo, plan: &MergePlan) -> Result<Vec<ChangeView>, MergeError> {
    let text = git(repo.path())
        .args(["diff", "--numstat", "-z", "--no-renames"])
        .arg(repo.tree_of(plan.target)?.to_string())
        .arg(plan.tree.to_string())
        .run()?;
    let rows = text.stdout.split(|byte| *byte == 0).filter_map(|row| {
        let mut parts = row.splitn(3, |byte| *byte == b'\t');
        let mut number = || str::from_utf8(parts.next()?).ok().map(str::to_owned);
        let (added, removed) = (number()?, number()?);
        Some(ChangeView {
            file: path_name(parts.next()?),
            lines: added.parse().ok().zip(removed.parse().ok()),
        })
    });
    Ok(rows.collect())
}

/// How two agents meet, told of the first one.
fn meeting(overlap: &Overlap) -> MeetingKind {
    match overlap.kind {
        OverlapKind::Region => MeetingKind::Lines,
        OverlapKind::File => MeetingKind::File,
        OverlapKind::Scope => MeetingKind::TheirScope,
    }
}

fn overlaps_of(map: &OverlapMap, agent: &str) -> Vec<OverlapView> {
    let of_agent = map.overlaps.iter().filter_map(|overlap| {
        let [one, two] = &overlap.agents;
        let (other, kind) = match (one == agent, two == agent, meeting(overlap)) {
            (true, false, kind) => (two, kind),
            (false, true, MeetingKind::TheirScope) => (one, MeetingKind::OwnScope),
            (false, true, kind) => (one, kind),
            (true, true, _) | (false, false, _) => return None,
        };
        Some(OverlapView {
            agent: other.clone(),
            file: overlap.file.clone(),
            kind,
        })
    });
    of_agent.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_work_meets_is_looked_at_without_forecasts_and_seldom() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        let mut forecasts = Forecasts::default();
        assert!(forecasts.complete(&paths, "main", &mut []).is_none());
        forecasts.watch_overlaps(true);
        let asked = forecasts.complete(&paths, "main", &mut []).unwrap();
        assert!(asked.map && asked.plans.is_empty());
        let seen = Seen {
            plans: Vec::new(),
            map: None,
        };
        assert!(!forecasts.take(seen), "nothing new");
        forecasts.note_change();
        assert!(forecasts.complete(&paths, "main", &mut []).is_none());
        let due = forecasts.map_due_in().unwrap();
        assert!(due > Duration::from_millis(MAP_EVERY_MS as u64), "{due:?}");
    }
}
