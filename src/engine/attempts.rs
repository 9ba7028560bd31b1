//! What was tried to land a branch, as the front end sees it.

use super::carry_out::words;
use super::view::AttemptView;
use crate::coordinator::attempts::{self, Attempt};
use crate::db::MergeQueueStore;
use crate::platform::ProjectPaths;
use crate::types::Timestamp;
use serde_json::Value;

/// All attempts to land an entry's branch, the newest first.
pub(super) fn attempts(paths: &ProjectPaths, id: i64) -> Result<Vec<AttemptView>, String> {
    let queue = MergeQueueStore::look(&paths.merge_queue_db()).map_err(words)?;
    let rows = queue.all().map_err(words)?;
    let Some(row) = rows.into_iter().find(|row| row.id == id) else {
        return Ok(Vec::new());
    };
    let found = attempts::attempts(paths, id, &row.entry.branch_name).map_err(words)?;
    Ok(found.iter().map(view).collect())
}

fn view(attempt: &Attempt) -> AttemptView {
    let report = &attempt.report;
    let receipt = attempt.receipt();
    let undone = |name: &str| report.get("undone")?.get(name)?.as_str();
    let displaced = report.get("displaced").and_then(Value::as_array);
    let ms = |text: &str| Timestamp::parse(text).map_or(0, |at| at.0);
    AttemptView {
        at_ms: ms(receipt.as_ref().map_or(&attempt.at, |r| &r.landed_at)),
        tier: report
            .get("tier")
            .and_then(Value::as_str)
            .map(str::to_owned),
        displaced: displaced.map_or(0, Vec::len),
        why: receipt.is_none().then(|| attempt.why()),
        commit: receipt.map(|r| r.merged_commit),
        undone_ms: undone("at").map(ms),
        revert: undone("revert").map(str::to_owned),
    }
}
