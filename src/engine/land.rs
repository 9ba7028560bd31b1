//! The verbs of the merge queue: landing here and now, and arranging the queue. Both results are words
//! for a person; a merge that does not land is an error that says why and what to do.

use super::carry_out::words;
use super::forecast;
use crate::config::{self, Config};
use crate::coordinator::landing::{self, Landed};
use crate::coordinator::recovery;
use crate::coordinator::reviewed::{Decided, Reviewed, land_reviewed};
use crate::coordinator::train::{self, Ride, TrainNews};
use crate::coordinator::{CoordinatorError, queue};
use crate::db::MergeQueueStore;
use crate::db::merge_queue::QueueRow;
use crate::merge::{
    self, Ahead, CallOff, Choices, Conclusion, ConflictResolver, Decision, MergeContext,
    MergeError, MergeReport, OnDisplaced, Review,
};
use crate::platform::{ProjectPaths, lease};
use crate::process::shell::Cancel;
use crate::types::merge::{MergeStatus, MergeTier};
use std::cell::Cell;

/// What every landing needs.
struct Place {
    config: Config,
    target: String,
    context: MergeContext,
}

impl Place {
    fn find(paths: &ProjectPaths, call_off: &CallOff) -> Result<Self, String> {
        let config = config::load(&paths.root).map_err(words)?.config;
        let target = landing::target(paths, &config, None).map_err(words)?;
        Ok(Self {
            context: MergeContext {
                call_off: call_off.clone(),
                ..landing::context(paths, &config, &target)
            },
            target,
            config,
        })
    }
}

fn store(paths: &ProjectPaths) -> Result<MergeQueueStore, String> {
    MergeQueueStore::open(&paths.merge_queue_db()).map_err(words)
}

fn entry(paths: &ProjectPaths, branch: &str) -> Result<QueueRow, String> {
    store(paths)?
        .by_branch(branch)
        .map_err(words)?
        .ok_or_else(|| format!("{branch} is not in the queue"))
}

/// The process that coordinates, if it is another one: it is the one that lands.
fn other_coordinator(paths: &ProjectPaths) -> Result<Option<i32>, String> {
    let holder = lease::holder(&paths.coordinator_lease()).map_err(words)?;
    let mine = std::process::id() as i32;
    Ok(holder.map(|who| who.pid).filter(|pid| *pid != mine))
}

/// Merges a branch at once; when somebody else lands here, or is at it, it is the next one.
pub(super) fn now(
    paths: &ProjectPaths,
    call_off: &CallOff,
    branch: &str,
) -> Result<String, String> {
    let row = entry(paths, branch)?;
    let place = Place::find(paths, call_off)?;
    if let Some(pid) = other_coordinator(paths)? {
        if queue::is_paused(paths).map_err(words)? {
            return Err("the queue is paused; P lets it go on".to_owned());
        }
        return next(paths, &row, &format!("pid {pid} lands it next"));
    }
    if let Some((pid, _)) = merge::held_since(&paths.root, &place.target) {
        let who = if pid == std::process::id() {
            "another merge is going on".to_owned()
        } else {
            format!("pid {pid} merges into {} right now", place.target)
        };
        // Nobody takes the next one while the queue is paused.
        let told = if queue::is_paused(paths).map_err(words)? {
            format!("next when P ends the pause, or M again; {who}")
        } else {
            format!("{who}; this one is next in line")
        };
        return next(paths, &row, &told);
    }
    land_here(paths, &place, &row)
}

/// Puts an entry in front of the line.
fn next(paths: &ProjectPaths, row: &QueueRow, told: &str) -> Result<String, String> {
    queue::put_first(paths, row.id).map_err(words)?;
    requeue(paths, &row.entry.branch_name)?;
    Ok(told.to_owned())
}

fn land_here(paths: &ProjectPaths, place: &Place, row: &QueueRow) -> Result<String, String> {
    recovery::recover(paths).map_err(words)?;
    let past = train::remembered(paths, &place.config);
    let resolver = train::resolver(paths, &place.config, &place.context, &past);
    let resolver = resolver.as_ref().map(|r| r as &dyn ConflictResolver);
    let landed = landing::land(paths, &place.context, row, resolver, &mut |_| {});
    told(landed.map_err(words)?, row, &place.target)
}

fn told(landed: Option<Landed>, row: &QueueRow, target: &str) -> Result<String, String> {
    match landed {
        Some(Landed::Report(report)) => outcome(&report),
        Some(Landed::Paused) => Err("the queue was paused; it waits".to_owned()),
        Some(Landed::Busy(error)) => Err(format!("{error}; it waits in the queue")),
        Some(Landed::Stopped(error)) => Err(format!("{error}; it waits in the queue")),
        Some(Landed::Error(error)) => Err(format!("{error}; {target} is untouched")),
        None => Err(format!(
            "{} is being merged by another process",
            row.entry.branch_name
        )),
    }
}

/// Says how an attempt ended: an error unless the branch is on the target now.
fn outcome(report: &MergeReport) -> Result<String, String> {
    let target = &report.target;
    match report.conclusion {
        Conclusion::Landed => Ok(format!("landed on {target} ({})", report.tier)),
        Conclusion::AlreadyMerged => Ok(format!("{target} had it already")),
        Conclusion::Held => {
            let what = merge::amount(&report.displaced);
            let why = match report.warnings.as_slice() {
                [] => String::new(),
                said => format!(" ({})", said.join("; ")),
            };
            Err(format!(
                "held: {what} would be displaced{why}; Enter reviews"
            ))
        }
        Conclusion::GatesRed => {
            let red = report.gates.iter().find(|gate| !gate.passed);
            let name = red.map_or("?", |gate| gate.name.as_str());
            Err(format!("gate {name} is red; {target} is untouched"))
        }
        Conclusion::NeedsPerson | Conclusion::Refused | Conclusion::Failed => Err(report
            .error_message
            .clone()
            .unwrap_or_else(|| format!("not possible; {target} is untouched"))),
    }
}

/// Merges all entries that wait and displace nothing; the others stay.
pub(super) fn all_clean(paths: &ProjectPaths, call_off: &CallOff) -> Result<String, String> {
    let place = Place::find(paths, call_off)?;
    if let Some(pid) = other_coordinator(paths)? {
        return if queue::is_paused(paths).map_err(words)? {
            Err("the queue is paused; P lets it go on".to_owned())
        } else {
            Ok(format!("pid {pid} coordinates and lands what is clean"))
        };
    }
    let waiting = queue::pending(paths).map_err(words)?;
    let repo = landing::repository(paths, &place.config).map_err(words)?;
    let ahead = Ahead::of(&repo, &paths.root);
    let (clean, rest): (Vec<_>, Vec<_>) = waiting
        .into_iter()
        .partition(|row| is_clean(&ahead, &place.target, &row.entry.branch_name));
    drop(ahead);
    let left = |rest: &[QueueRow]| match rest {
        [] => String::new(),
        [one] => format!("; {} needs a decision", one.entry.branch_name),
        many => format!("; {} need a decision", many.len()),
    };
    if clean.is_empty() {
        return Err(format!(
            "nothing that waits is clean{}; M tries one",
            left(&rest)
        ));
    }
    recovery::recover(paths).map_err(words)?;
    let past = train::remembered(paths, &place.config);
    let resolver = train::resolver(paths, &place.config, &place.context, &past);
    let resolver = resolver.as_ref().map(|r| r as &dyn ConflictResolver);
    let (mut landed, mut problems) = (0, Vec::new());
    let ride = Ride {
        context: &place.context,
        rows: &clean,
        by_itself: false,
    };
    let ended = train::land_all(paths, ride, resolver, &mut |_, news| {
        if let TrainNews::Ended(Landed::Report(report)) = news
            && report.is_success()
        {
            landed += 1;
        }
    })
    .map_err(|error| {
        if let CoordinatorError::Merge(locked @ MergeError::Locked { .. }) = &error {
            format!("{locked}; they wait in the queue")
        } else {
            error.to_string()
        }
    })?;
    for (row, ended) in clean.iter().zip(ended) {
        if let Err(why) = told(ended, row, &place.target) {
            problems.push(format!("{}: {why}", row.entry.branch_name));
        }
    }
    let sum = format!("{landed} of {} merged{}", clean.len(), left(&rest));
    match problems.as_slice() {
        [] => Ok(sum),
        all => Err(format!("{sum}; {}", all.join("; "))),
    }
}

fn is_clean(ahead: &Ahead<'_>, target: &str, branch: &str) -> bool {
    let tip = |name: &str| ahead.repo().ref_target(&format!("refs/heads/{name}"));
    let (Some(into), Some(from)) = (tip(target), tip(branch)) else {
        return false;
    };
    forecast::forecast(ahead, (target, branch), (into, from)).is_ok_and(|f| f.is_clean())
}

/// Puts an entry back to pending; whoever coordinates lands it.
pub(super) fn requeue(paths: &ProjectPaths, branch: &str) -> Result<String, String> {
    let row = entry(paths, branch)?;
    let from = [
        MergeStatus::Conflict,
        MergeStatus::Failed,
        MergeStatus::Pending,
    ];
    let moved = store(paths)?
        .change_status(row.id, &from, MergeStatus::Pending, None)
        .map_err(words)?;
    queue::asked(paths, &row).map_err(words)?;
    match (moved, queue::is_paused(paths).map_err(words)?) {
        (false, _) => Err(format!("{branch} is {}", row.entry.status)),
        (true, false) => Ok(format!("{branch} waits for its turn")),
        (true, true) => Ok(format!("{branch} waits until P lets the queue go on")),
    }
}

/// Asks the configured runtime to combine the contested lines.
pub(super) fn combine(
    paths: &ProjectPaths,
    call_off: &CallOff,
    branch: &str,
) -> Result<String, String> {
    let row = entry(paths, branch)?;
    let mut place = Place::find(paths, call_off)?;
    // A person asks for it: that is leave enough.
    place.config.merge.ai_resolve_enabled = true;
    place.context.on_displaced = OnDisplaced::Escalate;
    land_here(paths, &place, &row)
}

/// How often it is looked again at what is contested, when the merge that was waited for has moved the target.
const LOOKS: u32 = 5;

/// Merges with both sides of every contested place, the target's first. While another merge goes into the same branch it
/// is the next one, until `leaves` says that nobody waits any more.
pub(super) fn keep_both(
    paths: &ProjectPaths,
    call_off: &CallOff,
    leaves: &Cancel,
    branch: &str,
) -> Result<String, String> {
    let place = Place::find(paths, call_off)?;
    let moved = || {
        Err(format!(
            "{branch} or {} has moved meanwhile; look at it again",
            place.target
        ))
    };
    let mut of = None;
    for _ in 0..LOOKS {
        let row = entry(paths, branch)?;
        let repo = landing::repository(paths, &place.config).map_err(words)?;
        let ahead = Ahead::of(&repo, &paths.root);
        let contested = merge::contested(ahead.repo(), &place.target, branch).map_err(words)?;
        drop(ahead);
        let contested = contested.map_err(|failure| failure.to_string())?;
        // Both sides were wanted of what was there, and that is this branch.
        if *of.get_or_insert(contested.branch) != contested.branch {
            return moved();
        }
        if contested.places.is_empty() {
            return land_here(paths, &place, &row);
        }
        let review = Review {
            target: contested.target,
            branch: contested.branch,
            choices: Choices::Hunks(vec![Decision::Both; contested.places.len()]),
            tier: MergeTier::AutoResolve,
            made: contested.made,
        };
        let waited = Cell::new(false);
        let waits = || {
            waited.set(true);
            !leaves.is_called()
        };
        let decided = Decided {
            context: &place.context,
            row: &row,
            review: &review,
            waits: &waits,
        };
        let landed = land_reviewed(paths, &decided, &mut |_| {});
        match landed.map_err(words)? {
            Reviewed::Report(report) => return outcome(&report),
            Reviewed::Outdated if waited.get() => {}
            Reviewed::Outdated => return moved(),
            Reviewed::Taken => return Err(format!("{branch} is being merged already")),
            Reviewed::Busy(error) => return Err(error.to_string()),
            Reviewed::Error(error) => {
                return Err(format!("{error}; {} is untouched", place.target));
            }
        }
    }
    moved()
}

/// Lets an entry land one place earlier or later.
pub(super) fn reorder(paths: &ProjectPaths, id: i64, earlier: bool) -> Result<String, String> {
    match (queue::step(paths, id, earlier).map_err(words)?, earlier) {
        (true, _) => Ok(String::new()),
        (false, true) => Err("it is the first one already".to_owned()),
        (false, false) => Err("it is the last one already".to_owned()),
    }
}

/// Stops landing, or goes on.
pub(super) fn pause(paths: &ProjectPaths, paused: bool) -> Result<String, String> {
    queue::set_paused(paths, paused).map_err(words)?;
    Ok(String::new())
}

/// Takes an entry out of the queue.
pub(super) fn drop_entry(paths: &ProjectPaths, branch: &str) -> Result<String, String> {
    let row = entry(paths, branch)?;
    if queue::drop_entry(paths, &row).map_err(words)? {
        Ok(String::new())
    } else {
        Err(format!("{branch} is being merged now"))
    }
}

/// Puts a dropped entry back.
pub(super) fn restore(paths: &ProjectPaths, id: i64) -> Result<String, String> {
    match queue::restore(paths, id).map_err(words)? {
        Some(_) => Ok(String::new()),
        None => Err("it is in the queue again, or nothing is kept of it".to_owned()),
    }
}
