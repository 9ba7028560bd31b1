//! What the loop merges in one go, and what it says about it.

use super::landing::{self, Landed};
use super::train::{self, Ride, TrainNews};
use super::work::{Listener, Notice};
use super::{CoordinatorError, queue, recovery};
use crate::config::Config;
use crate::db::merge_queue::QueueRow;
use crate::merge::{
    CallOff, Conclusion, ConflictResolver, GateProgress, MergeContext, MergeProgress, MergeReport,
    amount,
};
use crate::platform::{ProjectPaths, clock};
use crate::text::named;

/// Why a branch is not on the target, in a few words.
fn outcome(report: &MergeReport) -> String {
    match report.conclusion {
        Conclusion::Held => format!("held, {} would be displaced", amount(&report.displaced)),
        Conclusion::GatesRed => {
            let red = report.gates.iter().find(|g| !g.passed);
            format!("gate {} is red", red.map_or("?", |g| g.name.as_str()))
        }
        Conclusion::NeedsPerson | Conclusion::Refused | Conclusion::Failed => report
            .error_message
            .clone()
            .unwrap_or_else(|| "not possible".to_owned()),
        Conclusion::Landed | Conclusion::AlreadyMerged => "merged".to_owned(),
    }
}

/// Merges the entry, and with it everything else that waits or is to be tried again now: they are tested
/// at the same time.
pub(super) fn merge_due(
    paths: &ProjectPaths,
    config: &Config,
    queue_id: i64,
    call_off: &CallOff,
    listener: &Listener,
) -> Result<Vec<Notice>, CoordinatorError> {
    let rows = due(paths)?;
    if rows.is_empty() {
        return Ok(vec![Notice::Did(format!("entry {queue_id} is gone"))]);
    }
    let target = landing::target(paths, config, None)?;
    let branches: Vec<&str> = rows.iter().map(|r| r.entry.branch_name.as_str()).collect();
    listener(Notice::Merge {
        text: format!("merging what waits into {target}: {}", named(&branches)),
        is_well: true,
    });
    let context = MergeContext {
        call_off: call_off.clone(),
        ..landing::context(paths, config, &target)
    };
    let past = train::remembered(paths, config);
    let resolver = train::resolver(paths, config, &context, &past);
    let resolver = resolver.as_ref().map(|r| r as &dyn ConflictResolver);
    let ride = Ride {
        context: &context,
        rows: &rows,
        by_itself: true,
    };
    let landed = train::land_all(paths, ride, resolver, &mut |place, news| {
        let queue_id = rows.get(place).map_or(queue_id, |row| row.id);
        if let Some(notice) = notice(queue_id, &news) {
            listener(notice);
        }
    })?;
    let told = rows.iter().zip(&landed).map(|(row, landed)| {
        let branch = &row.entry.branch_name;
        let (is_well, text) = match landed {
            None => (true, format!("{branch} was taken by somebody else")),
            Some(Landed::Report(r)) if r.is_success() => {
                (true, format!("{branch} → {target}: merged"))
            }
            Some(Landed::Report(r)) => (false, format!("{branch} → {target}: {}", outcome(r))),
            Some(Landed::Paused) => (true, format!("{branch} waits: the queue is paused")),
            Some(Landed::Busy(e)) => (true, format!("{branch}: {e}")),
            Some(Landed::Stopped(why)) => (false, format!("{branch} waits: {why}")),
            Some(Landed::Error(why)) => (false, format!("{branch}: {why}")),
        };
        Notice::Merge { text, is_well }
    });
    Ok(told.collect())
}

fn due(paths: &ProjectPaths) -> Result<Vec<QueueRow>, CoordinatorError> {
    let now = clock::now();
    let again = queue::retrying(paths)?.into_iter();
    let again: Vec<QueueRow> = again
        .filter_map(|(row, due)| (due <= now).then_some(row))
        .collect();
    if !again.is_empty() {
        // A full disk may have left a checkout half updated.
        recovery::recover(paths)?;
    }
    let mut rows = queue::pending(paths)?;
    rows.extend(again);
    Ok(rows)
}

fn notice(queue_id: i64, news: &TrainNews<'_>) -> Option<Notice> {
    let (done, total, current) = match news {
        TrainNews::Progress(MergeProgress::Gate(GateProgress::Started { index, total, gate })) => {
            (*index, *total, Some(gate.name.clone()))
        }
        TrainNews::Progress(MergeProgress::Gate(GateProgress::Finished {
            index, total, ..
        })) => (index + 1, *total, None),
        TrainNews::Progress(
            MergeProgress::Entered(_)
            | MergeProgress::Asking { .. }
            | MergeProgress::Waiting
            | MergeProgress::PlanningAgain { .. },
        ) => {
            return None;
        }
        TrainNews::Ended(_) => return Some(Notice::MergeEnded { queue_id }),
    };
    Some(Notice::Gate {
        queue_id,
        done,
        total,
        current,
    })
}
