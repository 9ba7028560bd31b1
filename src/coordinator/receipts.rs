//! The stored ends of merges: finding one by any of its names, and taking a landed one back.

use super::post::SENDER;
use super::progress::Progress;
use super::{CoordinatorError, landing, left_over};
use crate::db::events::EventFilter;
use crate::db::merge_queue::QueueRow;
use crate::db::{EventStore, GroveStore, MergeQueueStore};
use crate::merge::{
    self, GateProgress, MergeContext, MergeReport, TakingBack, UndoOutcome, UndoProspect,
};
use crate::platform::{ProjectPaths, clock};
use crate::types::event::{EventType, Level, NewEvent, StoredEvent};
use crate::types::merge::{DisplacedHunk, MergeReceipt, MergeStatus, SettledBy};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The event of a merge that was taken back.
const UNDONE: &str = "merge_undone";

/// One entry of the queue with the report of its last attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMerge {
    pub row: QueueRow,
    /// When the attempt ended; `None` when there was none yet.
    pub reported_at: Option<String>,
    /// What it said; an empty object when there was none yet.
    pub report: Value,
    /// The reports of all its landings, the newest first; a later attempt takes none of them away.
    pub landings: Vec<Value>,
    /// Which of the landings is meant: an earlier one when it was asked for by its own name.
    chosen: usize,
}

/// The receipt of a landing.
fn receipt_of(landing: &Value) -> Option<MergeReceipt> {
    serde_json::from_value(landing.get("receipt")?.clone()).ok()
}

impl StoredMerge {
    /// The receipt of the landing that is meant, when it has landed.
    pub fn receipt(&self) -> Option<MergeReceipt> {
        receipt_of(self.landings.get(self.chosen)?)
    }

    /// All that was said about the landing that is meant.
    pub(super) fn landing(&self) -> Option<MergeReport> {
        serde_json::from_value(self.landings.get(self.chosen)?.clone()).ok()
    }

    /// Whether that landing was taken back since.
    pub fn is_undone(&self) -> bool {
        let landing = self.landings.get(self.chosen);
        landing.is_some_and(|landing| landing.get("undone").is_some())
    }

    /// Whether nobody has looked yet at what that landing displaced without being asked; `stands` tells of a branch that
    /// decides otherwise whether it has landed or is about to.
    pub fn waits_for_a_look(&self, stands: impl Fn(&str) -> bool) -> bool {
        let Some(landing) = self.landings.get(self.chosen) else {
            return false;
        };
        let by_policy =
            receipt_of(landing).is_some_and(|it| it.settled_by == Some(SettledBy::Policy));
        let is_open = match landing.get("reviewed") {
            None => true,
            Some(reviewed) => {
                let branch = reviewed.get("branch").and_then(Value::as_str);
                branch.is_some_and(|branch| !stands(branch))
            }
        };
        by_policy && is_open && landing.get("undone").is_none()
    }

    /// What a person has decided otherwise than it landed: when, on which branch, and what went with that.
    pub fn decided_otherwise(&self) -> Option<(String, String, Vec<DisplacedHunk>)> {
        let reviewed = self.landings.get(self.chosen)?.get("reviewed")?;
        let text = |name: &str| Some(reviewed.get(name)?.as_str()?.to_owned());
        let displaced = reviewed.get("displaced").cloned().unwrap_or_default();
        let displaced = serde_json::from_value(displaced).unwrap_or_default();
        Some((text("at")?, text("branch")?, displaced))
    }

    /// When that was stored.
    fn undone_at(&self) -> Option<&str> {
        let undone = self.landings.get(self.chosen)?.get("undone")?;
        Some(undone.get("at").and_then(Value::as_str).unwrap_or_default())
    }

    /// All receipts, the newest first, each with whether it was taken back since.
    pub fn receipts(&self) -> Vec<(MergeReceipt, bool)> {
        self.landings
            .iter()
            .filter_map(|landing| Some((receipt_of(landing)?, landing.get("undone").is_some())))
            .collect()
    }

    /// Whether the last attempt is a landing.
    pub fn has_just_landed(&self) -> bool {
        self.report.get("receipt").is_some_and(Value::is_object)
    }

    /// Whether the last attempt found everything of the branch in the target.
    pub fn was_merged_before(&self) -> bool {
        self.report.get("conclusion").and_then(Value::as_str) == Some("already-merged")
    }

    /// What was said besides about the last attempt.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        let said = self.report.get("warnings").and_then(Value::as_array);
        said.into_iter().flatten().filter_map(Value::as_str)
    }

    /// What was said besides about a landing, without what its receipt says as well.
    pub fn notes(&self, receipt: &MergeReceipt) -> Vec<String> {
        let known = MergeReport::landed(receipt).warnings;
        let is_meant =
            |landing: &&Value| receipt_of(landing).is_some_and(|landed| landed.id == receipt.id);
        let landing = self.landings.iter().find(is_meant);
        let said = landing.and_then(|landing| landing.get("warnings")?.as_array());
        let said = said.into_iter().flatten().filter_map(Value::as_str);
        said.filter(|said| !known.iter().any(|known| known == said))
            .map(str::to_owned)
            .collect()
    }

    /// A landing that its process did not come to store.
    fn has_landed(&mut self, receipt: &MergeReceipt) {
        let is_known = |landing: &Value| receipt_of(landing).is_some_and(|it| it.id == receipt.id);
        if self.landings.iter().any(is_known) {
            return;
        }
        let report = json!(MergeReport::landed(receipt));
        self.landings.insert(0, report.clone());
        self.reported_at = Some(receipt.landed_at.clone());
        self.report = report;
    }

    /// A landing that was taken back, which its process did not come to store.
    fn is_taken_back(&mut self, receipt: &MergeReceipt, how: &Value, at: &str) {
        let is_it = |landing: &Value| receipt_of(landing).is_some_and(|it| it.id == receipt.id);
        let is_last = is_it(&self.report);
        let landing = self.landings.iter_mut().find(|landing| is_it(landing));
        let Some(landing) = landing.filter(|landing| landing.get("undone").is_none()) else {
            return;
        };
        undone(landing, how, at);
        if is_last {
            self.report = landing.clone();
        }
        if self.row.entry.status == MergeStatus::Merged {
            self.row.entry.status = MergeStatus::Failed;
        }
    }

    fn is_called(&self, name: &str) -> bool {
        self.row.id.to_string() == name || self.row.entry.branch_name == name
    }

    /// The landing whose receipt or commit has this name.
    fn landing_called(&self, name: &str) -> Option<usize> {
        let long_enough = name.len() >= 6;
        self.landings.iter().position(|landing| {
            receipt_of(landing).is_some_and(|receipt| {
                receipt.id == name
                    || (long_enough && receipt.id.starts_with(name))
                    || (long_enough && receipt.merged_commit.starts_with(name))
            })
        })
    }
}

/// All entries as those see them who only look, the newest first.
pub fn list(paths: &ProjectPaths) -> Result<Vec<StoredMerge>, CoordinatorError> {
    let mut rows = MergeQueueStore::look(&paths.merge_queue_db())?.all()?;
    let mut landed = left_over::show_as_they_are(paths, &mut rows)?;
    let mut merges = stored(paths, rows)?;
    for merge in &mut merges {
        if let Some(receipt) = landed.remove(&merge.row.id) {
            merge.has_landed(&receipt);
        }
    }
    for entry in merge::moved(&paths.root)? {
        if let Some(undo) = &entry.undo {
            let how = undone_how(&entry.receipt, undo);
            for merge in &mut merges {
                merge.is_taken_back(&entry.receipt, &how, &entry.updated_at);
            }
        }
    }
    Ok(merges)
}

/// Entries with what is stored about them, the newest first.
fn stored(paths: &ProjectPaths, rows: Vec<QueueRow>) -> Result<Vec<StoredMerge>, CoordinatorError> {
    let grove = GroveStore::look(&paths.grove_db())?;
    let mut reports = grove.merge_reports()?;
    let mut landings: HashMap<i64, Vec<Value>> = HashMap::new();
    for (id, landing) in grove.merge_landings()? {
        landings.entry(id).or_default().push(landing);
    }
    let mut merges: Vec<StoredMerge> = rows
        .into_iter()
        .map(|row| {
            let at = reports.iter().position(|(id, _, _)| *id == row.id);
            let found = at.map(|at| reports.swap_remove(at));
            let (reported_at, report) = match found {
                Some((_, at, report)) => (Some(at), report),
                None => (None, json!({})),
            };
            StoredMerge {
                landings: landings.remove(&row.id).unwrap_or_default(),
                row,
                reported_at,
                report,
                chosen: 0,
            }
        })
        .collect();
    merges.reverse();
    Ok(merges)
}

/// Finds a merge by its number in the queue, its branch, its receipt's id or its commit.
pub fn find(paths: &ProjectPaths, name: &str) -> Result<Option<StoredMerge>, CoordinatorError> {
    Ok(called(list(paths)?, name))
}

/// As `find`, among what is stored: for those who store what is not yet.
pub(super) fn find_stored(
    paths: &ProjectPaths,
    name: &str,
) -> Result<Option<StoredMerge>, CoordinatorError> {
    let rows = MergeQueueStore::look(&paths.merge_queue_db())?.all()?;
    Ok(called(stored(paths, rows)?, name))
}

fn called(merges: Vec<StoredMerge>, name: &str) -> Option<StoredMerge> {
    merges.into_iter().find_map(|mut merge| {
        if !merge.is_called(name) {
            merge.chosen = merge.landing_called(name)?;
        }
        Some(merge)
    })
}

/// Writes a receipt as a git note on its commit.
pub fn write_note(paths: &ProjectPaths, receipt: &MergeReceipt) -> Result<(), CoordinatorError> {
    let repo = landing::repository_of(paths)?;
    Ok(merge::write_note(&repo, receipt)?)
}

/// Takes a landed merge back, or prepares that; stores what came of it.
pub fn undo(paths: &ProjectPaths, stored: &StoredMerge) -> Result<UndoOutcome, CoordinatorError> {
    let Some(receipt) = stored.receipt() else {
        return Ok(UndoOutcome::NotThere);
    };
    let repo = landing::repository_of(paths)?;
    let mut outcome = merge::undo(&paths.root, &repo, &receipt)?;
    if let UndoOutcome::Restored {
        to,
        redo_ref,
        warnings,
    } = &mut outcome
    {
        let how = json!({"to": to, "redoRef": redo_ref});
        warnings.extend(not_noted(paths, stored, &receipt, &how));
    }
    Ok(outcome)
}

/// Says what taking a landed merge back would do; prepares the revert where one is needed.
pub fn prospect(
    paths: &ProjectPaths,
    stored: &StoredMerge,
) -> Result<UndoProspect, CoordinatorError> {
    let Some(receipt) = stored.receipt() else {
        return Ok(UndoProspect::NotThere);
    };
    let repo = landing::repository_of(paths)?;
    Ok(merge::undo_prospect(&repo, &receipt)?)
}

/// Lands a revert that `undo` has prepared.
pub fn land_revert(
    paths: &ProjectPaths,
    context: &MergeContext,
    stored: &StoredMerge,
    commit: &str,
    observer: &mut dyn FnMut(GateProgress<'_>),
) -> Result<UndoOutcome, CoordinatorError> {
    let Some(receipt) = stored.receipt() else {
        return Ok(UndoOutcome::NotThere);
    };
    let repo = landing::repository_of(paths)?;
    let id = stored.row.id;
    let mut progress = Progress::begin(paths, context.gates.len())?;
    if !progress.take(id)? {
        tracing::debug!(
            id,
            "the revert of an entry that is being merged is not shown"
        );
    }
    let tell = &mut |news: GateProgress<'_>| {
        progress.note_revert(id, &news);
        observer(news);
    };
    let mut outcome = merge::land_revert(context, &repo, &receipt, commit, tell)?;
    if let UndoOutcome::Reverted { commit, warnings } = &mut outcome {
        let how = json!({"revert": commit});
        warnings.extend(not_noted(paths, stored, &receipt, &how));
    }
    Ok(outcome)
}

/// Stores that a merge was taken back. The target has moved, whatever can be stored of that: what is missing is said,
/// and the journal keeps it for the next start.
fn not_noted(
    paths: &ProjectPaths,
    stored: &StoredMerge,
    receipt: &MergeReceipt,
    how: &Value,
) -> Option<String> {
    let noted = || -> Result<(), CoordinatorError> {
        note_undone(paths, stored, receipt, how)?;
        Ok(merge::settle_undo(&paths.root, &receipt.id)?)
    };
    let error = noted().err()?;
    Some(format!(
        "{} has moved, but not everything about it could be stored: {}; the next start of `grove merge` or of a \
         coordinator makes up for it",
        receipt.target,
        error.without_advice()
    ))
}

/// Stores that a merge was taken back by a process that could not say so, or not all of it.
pub(super) fn note_found_undone(
    paths: &ProjectPaths,
    receipt: &MergeReceipt,
    undo: &TakingBack,
) -> Result<(), CoordinatorError> {
    if let Some(stored) = find_stored(paths, &receipt.id)? {
        let how = undone_how(receipt, undo);
        match stored.undone_at() {
            Some(at) => note_rest(paths, &stored, receipt, &how, at)?,
            None => note_undone(paths, &stored, receipt, &how)?,
        }
    }
    Ok(merge::settle_undo(&paths.root, &receipt.id)?)
}

/// How a merge was taken back.
fn undone_how(receipt: &MergeReceipt, undo: &TakingBack) -> Value {
    if undo.to == receipt.target_before {
        json!({"to": undo.to, "redoRef": format!("refs/grove/redo/{}", receipt.id)})
    } else {
        json!({"revert": undo.to})
    }
}

/// Has a report say that its landing was taken back.
fn undone(report: &mut Value, how: &Value, at: &str) {
    if let (Value::Object(report), Value::Object(how)) = (report, how) {
        let mut undone = how.clone();
        undone.insert("at".to_owned(), json!(at));
        report.insert("undone".to_owned(), Value::Object(undone));
    }
}

/// The report says so for ever, and the branch counts as not merged again.
fn note_undone(
    paths: &ProjectPaths,
    stored: &StoredMerge,
    receipt: &MergeReceipt,
    how: &Value,
) -> Result<(), CoordinatorError> {
    let mut report = stored
        .landings
        .get(stored.chosen)
        .cloned()
        .unwrap_or_default();
    undone(&mut report, how, &clock::now().iso());
    let entry = &stored.row.entry;
    GroveStore::open(&paths.grove_db())?.save_merge_report(
        stored.row.id,
        &entry.branch_name,
        &report,
    )?;
    not_merged_again(paths, stored)?;
    tell_undone(paths, receipt, how)
}

/// Stores that a person has looked at what a landed merge displaced: it stays as it is, or a branch decides otherwise, and
/// that displaces something, too.
pub fn note_reviewed(
    paths: &ProjectPaths,
    stored: &StoredMerge,
    otherwise: Option<(&str, &[DisplacedHunk])>,
) -> Result<(), CoordinatorError> {
    let Some(mut report) = stored.landings.get(stored.chosen).cloned() else {
        return Ok(());
    };
    if let Value::Object(report) = &mut report {
        let at = clock::now().iso();
        let mut reviewed = json!({"at": at});
        if let (Value::Object(reviewed), Some((branch, displaced))) = (&mut reviewed, otherwise) {
            reviewed.insert("branch".to_owned(), json!(branch));
            reviewed.insert("displaced".to_owned(), json!(displaced));
        }
        report.insert("reviewed".to_owned(), reviewed);
    }
    let (id, name) = (stored.row.id, &stored.row.entry.branch_name);
    GroveStore::open(&paths.grove_db())?.save_merge_report(id, name, &report)?;
    Ok(())
}

/// What a process did not come to that had stored the report, at this time.
fn note_rest(
    paths: &ProjectPaths,
    stored: &StoredMerge,
    receipt: &MergeReceipt,
    how: &Value,
    at: &str,
) -> Result<(), CoordinatorError> {
    let landings = stored.receipts();
    if !landings.iter().any(|(it, _)| it.landed_at.as_str() > at) {
        not_merged_again(paths, stored)?;
    }
    let told = EventStore::look(&paths.events_db())?.query(&EventFilter {
        agent: Some(SENDER.to_owned()),
        event_type: Some(EventType::Custom.as_str().to_owned()),
        // As the database writes the time.
        since: Some(at.trim_end_matches('Z').to_owned()),
        ..EventFilter::default()
    })?;
    let is_it = |event: &StoredEvent| {
        let data = event.data.as_deref().map(serde_json::from_str::<Value>);
        data.and_then(Result::ok).is_some_and(|data| {
            data.get("type") == Some(&json!(UNDONE))
                && data.get("receipt") == Some(&json!(receipt.id))
        })
    };
    if told.iter().any(is_it) {
        return Ok(());
    }
    tell_undone(paths, receipt, how)
}

fn not_merged_again(paths: &ProjectPaths, stored: &StoredMerge) -> Result<(), CoordinatorError> {
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    let from = [MergeStatus::Merged];
    queue.change_status(stored.row.id, &from, MergeStatus::Failed, None)?;
    Ok(())
}

fn tell_undone(
    paths: &ProjectPaths,
    receipt: &MergeReceipt,
    how: &Value,
) -> Result<(), CoordinatorError> {
    let mut event = NewEvent::new(SENDER, EventType::Custom);
    event.level = Level::Warn;
    let data =
        json!({"type": UNDONE, "branch": receipt.branch, "receipt": receipt.id, "detail": how});
    EventStore::open(&paths.events_db())?.insert(&event.data(&data))?;
    Ok(())
}
