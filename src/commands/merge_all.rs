//! `merge --all`: everything that waits, tested at the same time and landed in order.

use serde_json::json;

use super::interrupts;
use super::merge::{recover, require_target};
use super::merge_ahead::{predict, predicted, show_prediction};
use super::merge_attempt::{Attempt, announce, fields, more, note_gate, show};
use crate::cli::{CliError, CliResult, Context, Outcome, Project};
use crate::coordinator::CoordinatorError;
use crate::coordinator::landing;
use crate::coordinator::queue::{self, all_seen, looked_at, to_land};
use crate::coordinator::train::{self, Ride, TrainNews};
use crate::db::merge_queue::QueueRow;
use crate::db::merging::LookedAt;
use crate::git::Repo;
use crate::merge::{Ahead, CallOff, ConflictResolver, MergeContext, MergeError};
use crate::process::leaving;

/// Says what merging everything would come to.
pub(super) fn look_ahead(ctx: &Context, project: &Project, into: Option<&str>) -> CliResult {
    let (rows, _) = waiting(ctx, project)?;
    if rows.is_empty() {
        return nothing_waits(ctx);
    }
    let target = landing::target(&project.paths, &project.config, into)?;
    let repo = landing::repository(&project.paths, &project.config)?;
    let ahead = Ahead::of(&repo, &project.root);
    let predictions: Vec<_> = rows
        .iter()
        .map(|r| (&r.entry, predict(project, &ahead, &target, &r.entry)))
        .collect();
    interrupts::go_on()?;
    if ctx.is_json() {
        let entries: Vec<_> = predictions.iter().map(|(e, p)| predicted(e, p)).collect();
        ctx.out.json("merge", &json!({"entries": entries}))?;
        return Ok(Outcome::Done);
    }
    ctx.out
        .line(format!("{}:\n", pending_branches(rows.len())))?;
    for (entry, prediction) in &predictions {
        show_prediction(ctx, entry, prediction)?;
        ctx.out.line("")?;
    }
    Ok(Outcome::Done)
}

/// Merges everything that somebody has asked for.
pub(super) fn run(
    ctx: &Context,
    project: &Project,
    into: Option<&str>,
    merges: &CallOff,
) -> CliResult {
    // What a killed merge has left behind may be what waits.
    recover(ctx, project)?;
    let (mut rows, looked) = waiting(ctx, project)?;
    rows.retain(|row| !looked.has(row));
    if rows.is_empty() {
        return nothing_waits(ctx);
    }
    let target = landing::target(&project.paths, &project.config, into)?;
    require_target(&Repo::discover(&project.root)?, &target)?;
    if queue::is_paused(&project.paths)? {
        ctx.out.note(
            "the queue is paused: what --all merges lands all the same, the rest waits until P in the Merge screen ends that",
        );
    }
    if !ctx.is_json() {
        ctx.out
            .line(format!("Merging {}:\n", pending_branches(rows.len())))?;
    }
    let attempts = land_all(ctx, project, (&target, merges), &rows)?;
    let (waiting, ended): (Vec<_>, Vec<_>) = attempts.iter().partition(|a| a.waits.is_some());
    let (count, good) = (ended.len(), ended.iter().filter(|a| a.success).count());
    if ctx.is_json() {
        // The contract's object has only what has come to an end.
        for Attempt { entry, waits, .. } in &waiting {
            let why = waits.as_deref().unwrap_or_default();
            ctx.out.note(format!(
                "{} is in the queue as before: {why}",
                entry.branch_name
            ));
        }
        let results = ended
            .iter()
            .map(|a| fields(a, Some(a.success)))
            .collect::<CliResult<Vec<_>>>()?;
        ctx.out.json(
            "merge",
            &json!({"results": results, "count": count, "successCount": good, "failCount": count - good}),
        )?;
    } else {
        let wait = match waiting.len() {
            0 => String::new(),
            1 => ", 1 waits".to_owned(),
            more => format!(", {more} wait"),
        };
        ctx.out.line(format!(
            "Done: {good} merged, {} failed{wait}.",
            count - good
        ))?;
    }
    let is_broken_off = leaving::is_asked() && !waiting.is_empty();
    if is_broken_off || waiting.iter().any(|attempt| attempt.is_stopped) {
        return Ok(Outcome::Failed);
    }
    Ok(Outcome::Done)
}

/// What waits, and which of it only a dry run has queued: that is told.
fn waiting(ctx: &Context, project: &Project) -> CliResult<(Vec<QueueRow>, LookedAt)> {
    let rows = to_land(&project.paths)?;
    let looked = looked_at(&project.paths)?;
    let unasked: Vec<&str> = rows
        .iter()
        .filter(|row| looked.is_only_looked_at(row))
        .map(|row| row.entry.branch_name.as_str())
        .collect();
    if let Some(first) = unasked.first() {
        ctx.out.note(format!(
            "not merged by --all, because only a dry run has queued it: {}; `grove merge --branch {first}` merges it",
            unasked.join(", ")
        ));
    }
    Ok((rows, looked))
}

fn nothing_waits(ctx: &Context) -> CliResult {
    if ctx.is_json() {
        ctx.out.json("merge", &json!({"results": [], "count": 0}))?;
    } else {
        ctx.out.hint("No pending branches to merge")?;
    }
    Ok(Outcome::Done)
}

fn pending_branches(count: usize) -> String {
    let plural = if count == 1 { "" } else { "es" };
    format!("{count} pending branch{plural}")
}

/// Merges everything that waits; each end is shown as soon as those before it are known.
fn land_all(
    ctx: &Context,
    project: &Project,
    (target, merges): (&str, &CallOff),
    rows: &[QueueRow],
) -> CliResult<Vec<Attempt>> {
    let context = MergeContext {
        call_off: merges.clone(),
        ..landing::context(&project.paths, &project.config, target)
    };
    let past = train::remembered(&project.paths, &project.config);
    let resolver = train::resolver(&project.paths, &project.config, &context, &past);
    let resolver = resolver.as_ref().map(|r| r as &dyn ConflictResolver);
    let mut ended: Vec<Option<Attempt>> = rows.iter().map(|_| None).collect();
    let mut shown = 0;
    let mut problem = None;
    let ride = Ride {
        context: &context,
        rows,
        by_itself: false,
    };
    let landed = train::land_all(&project.paths, ride, resolver, &mut |place, news| {
        let Some(row) = rows.get(place) else { return };
        match news {
            TrainNews::Progress(progress) => {
                note_gate(ctx, &format!("   {}: ", row.entry.branch_name), progress);
            }
            TrainNews::Ended(landed) => {
                if let Some(slot) = ended.get_mut(place) {
                    *slot = Some(Attempt::of_landed(row, landed));
                }
                if let Err(e) = show_ended(ctx, &ended, &mut shown) {
                    problem.get_or_insert(e);
                }
            }
        }
    });
    let landed = landed.map_err(not_begun)?;
    let of_others = landed.iter().any(Option::is_none);
    let now = if of_others {
        all_seen(&project.paths)?
    } else {
        Vec::new()
    };
    for (slot, (row, landed)) in ended.iter_mut().zip(rows.iter().zip(&landed)) {
        slot.get_or_insert_with(|| match landed {
            Some(landed) => Attempt::of_landed(row, landed),
            None => Attempt::of_another(row, now.iter().find(|now| now.id == row.id)),
        });
    }
    show_ended(ctx, &ended, &mut shown)?;
    match problem {
        Some(problem) => Err(problem),
        None => Ok(ended.into_iter().flatten().collect()),
    }
}

fn not_begun(error: CoordinatorError) -> CliError {
    if let CoordinatorError::Merge(locked @ MergeError::Locked { .. }) = &error {
        return CliError::coded("MERGE_ERROR", locked.to_string());
    }
    error.into()
}

/// Shows what has ended, in the order of the queue.
fn show_ended(ctx: &Context, ended: &[Option<Attempt>], shown: &mut usize) -> CliResult<()> {
    while let Some(Some(attempt)) = ended.get(*shown) {
        *shown += 1;
        announce(ctx, &attempt.entry)?;
        if !ctx.is_json() {
            show(ctx, attempt)?;
        }
        show_next(ctx, attempt)?;
        if !ctx.is_json() {
            ctx.out.line("")?;
        }
    }
    Ok(())
}

/// Says of one that has not landed what comes next. Programs read elsewhere what ov prints.
fn show_next(ctx: &Context, attempt: &Attempt) -> CliResult<()> {
    if attempt.success || attempt.waits.is_some() {
        return Ok(());
    }
    if !ctx.out.is_terminal() {
        let branch = &attempt.entry.branch_name;
        for hint in &attempt.hints {
            ctx.out.note(format!("{branch}: {hint}"));
        }
        return Ok(());
    }
    if attempt.hints.is_empty() {
        return ctx.out.hint(format!(" {}", more(attempt.id)));
    }
    let mut hints = attempt.hints.iter();
    hints.try_for_each(|hint| ctx.out.hint(format!(" {hint}")))
}
