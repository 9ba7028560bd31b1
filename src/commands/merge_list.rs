//! `merge list`: what became of all branches in the queue, and an entry as all of `merge list` and `merge show` print it.

use serde::Serialize;
use serde_json::json;

use crate::cli::{CliResult, Context, Outcome, Project};
use crate::coordinator::attempts::Attempt;
use crate::coordinator::receipts::{self, StoredMerge};
use crate::merge;
use crate::text::sanitize_line;
use crate::types::merge::{DisplacedHunk, MergeStatus};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordJson<'a> {
    id: i64,
    branch_name: &'a str,
    agent_name: &'a str,
    task_id: &'a str,
    status: &'static str,
    tier: Option<&'static str>,
    receipt_id: Option<String>,
    merged_commit: Option<String>,
    landed_at: Option<String>,
    reported_at: Option<&'a str>,
    /// Of one that waits for a person, those that would be.
    displaced_lines: u64,
    /// In words: the lines, and the files of which one side went as a whole.
    #[serde(skip)]
    displaced: Option<String>,
    undone: bool,
}

impl<'a> From<&'a StoredMerge> for RecordJson<'a> {
    fn from(stored: &'a StoredMerge) -> Self {
        let entry = &stored.row.entry;
        let receipt = stored.receipt();
        let waits = entry.status == MergeStatus::Conflict;
        let displaced = match &receipt {
            Some(receipt) if !waits => receipt.displaced.clone(),
            Some(_) | None if waits => at_stake(stored),
            Some(_) | None => Vec::new(),
        };
        Self {
            id: stored.row.id,
            branch_name: &entry.branch_name,
            agent_name: &entry.agent_name,
            task_id: &entry.task_id,
            status: entry.status.as_str(),
            tier: entry.resolved_tier.map(|tier| tier.as_str()),
            displaced_lines: displaced.iter().map(DisplacedHunk::lines).sum(),
            displaced: receipt
                .as_ref()
                .filter(|receipt| !receipt.displaced.is_empty())
                .map(|receipt| merge::amount(&receipt.displaced)),
            receipt_id: receipt.as_ref().map(|r| r.id.clone()),
            merged_commit: receipt.as_ref().map(|r| r.merged_commit.clone()),
            landed_at: receipt.map(|r| r.landed_at),
            reported_at: stored.reported_at.as_deref(),
            undone: stored.is_undone(),
        }
    }
}

/// Lists all entries.
pub(super) fn list(ctx: &Context, project: &Project) -> CliResult {
    let merges = receipts::list(&project.paths)?;
    if ctx.is_json() {
        let records: Vec<_> = merges.iter().map(RecordJson::from).collect();
        ctx.out.json(
            "merge list",
            &json!({"merges": records, "count": merges.len()}),
        )?;
        return Ok(Outcome::Done);
    }
    if merges.is_empty() {
        ctx.out.hint("No branch has been in the merge queue yet")?;
        return Ok(Outcome::Done);
    }
    let stands = |branch: &str| {
        merges.iter().any(|stored| {
            let status = stored.row.entry.status;
            let is_on = status != MergeStatus::Failed && status != MergeStatus::Conflict;
            is_on && stored.row.entry.branch_name == branch
        })
    };
    for stored in &merges {
        let record = RecordJson::from(stored);
        let mut facts = vec![record.status.to_owned()];
        facts.extend(record.tier.map(str::to_owned));
        if stored.was_merged_before() {
            facts.push("nothing to do".to_owned());
        }
        if stored.row.entry.status == MergeStatus::Conflict {
            let said = merge::held_as_too_large(stored.warnings());
            facts.extend(said.map(|said| format!("what both sides rewrote {said}")));
        }
        facts.extend(why_failed(stored));
        facts.extend(why_held(stored));
        if let Some(displaced) = &record.displaced {
            let open = if stored.waits_for_a_look(stands) {
                ", and nobody has looked at that yet"
            } else {
                ""
            };
            facts.push(format!("{displaced} displaced{open}"));
        }
        if record.undone {
            facts.push("undone".to_owned());
        }
        let commit = record.merged_commit.as_deref().and_then(|c| c.get(..8));
        facts.extend(commit.map(|commit| format!("as {commit}")));
        ctx.out.line(format!(
            "{:>4}  {}  {}",
            record.id,
            record.branch_name,
            facts.join(", ")
        ))?;
    }
    Ok(Outcome::Done)
}

/// Why the last attempt of an entry failed, for people: `merge show` says all of it, and what is read by programs has its
/// form.
fn why_failed(stored: &StoredMerge) -> Option<String> {
    if stored.row.entry.status != MergeStatus::Failed || stored.has_just_landed() {
        return None;
    }
    let attempt = Attempt {
        at: stored.reported_at.clone()?,
        report: stored.report.clone(),
    };
    Some(sanitize_line(&attempt.why()).into_owned())
}

/// What the last attempt would have displaced.
fn at_stake(stored: &StoredMerge) -> Vec<DisplacedHunk> {
    let displaced = stored.report.get("displaced").cloned().unwrap_or_default();
    serde_json::from_value(displaced).unwrap_or_default()
}

/// What a person has to decide about an entry that waits for one: what merging it would displace, or else what the attempt
/// said.
fn why_held(stored: &StoredMerge) -> Option<String> {
    if stored.row.entry.status != MergeStatus::Conflict {
        return None;
    }
    let displaced = at_stake(stored);
    if !displaced.is_empty() {
        return Some(format!("{} would be displaced", merge::amount(&displaced)));
    }
    let said = stored.report.get("errorMessage")?.as_str()?;
    Some(sanitize_line(said).into_owned())
}
