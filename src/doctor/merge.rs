//! The merge queue: readable, moving, without duplicates.

use super::{Check, Patient, unfinished};
use crate::db::MergeQueueStore;
use crate::platform::clock;
use crate::types::Timestamp;
use crate::types::merge::MergeStatus;

const DAY_HOURS: i64 = 24;

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let mut checks = queue(patient);
    checks.extend(unfinished::check(patient));
    checks
}

fn queue(patient: &Patient) -> Vec<Check> {
    let path = patient.paths.merge_queue_db();
    if !path.exists() {
        return vec![Check::pass(
            "merge-queue.db exists",
            "No merge queue database (normal for new installations or no merges yet)",
        )];
    }
    let rows = match MergeQueueStore::look(&path).and_then(|store| store.all()) {
        Ok(rows) => rows,
        Err(error) => {
            return vec![Check::fail(
                "merge-queue.db readable",
                format!("Failed to read merge-queue.db: {error}"),
            )];
        }
    };
    let mut checks = vec![Check::pass(
        "merge-queue.db schema",
        format!("Merge queue has {} entries", rows.len()),
    )];
    let left = match unfinished::left_merging(patient, &rows) {
        Ok(left) => left,
        Err(error) => {
            let message = format!("Who has which entry cannot be read: {error}");
            checks.push(Check::warn("merge-queue.db holders", message).not_fixable());
            Vec::new()
        }
    };
    checks.extend(unfinished::about_left(&left));
    let now = clock::now();
    let mut stale = Vec::new();
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for row in &rows {
        let entry = &row.entry;
        let waiting = matches!(entry.status, MergeStatus::Pending | MergeStatus::Merging);
        let hours = Timestamp::parse(&entry.enqueued_at).map_or(0, |at| (now.0 - at.0) / 3_600_000);
        let is_left = left.iter().any(|left| left.id == row.id);
        if waiting && !is_left && hours >= DAY_HOURS {
            stale.push(format!(
                "{} ({}, {hours}h old) - may be stuck",
                entry.branch_name,
                entry.status.as_str()
            ));
        }
        match counts
            .iter_mut()
            .find(|(branch, _)| *branch == entry.branch_name)
        {
            Some((_, count)) => *count += 1,
            None => counts.push((&entry.branch_name, 1)),
        }
    }
    if !stale.is_empty() {
        let message = format!("Found {} potentially stale queue entries", stale.len());
        checks.push(
            Check::warn("merge-queue.db staleness", message)
                .details(stale)
                .fixable(),
        );
    }
    let twice: Vec<String> = counts
        .into_iter()
        .filter(|(_, count)| *count > 1)
        .map(|(branch, count)| format!("{branch} (appears {count} times)"))
        .collect();
    if !twice.is_empty() {
        let message = "Found duplicate branch entries in queue";
        checks.push(
            Check::warn("merge-queue.db duplicates", message)
                .details(twice)
                .fixable(),
        );
    }
    checks
}
