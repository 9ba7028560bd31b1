//! All attempts to land a branch: what each came to, and what has become of it since.

use super::CoordinatorError;
use crate::db::GroveStore;
use crate::platform::ProjectPaths;
use crate::text::counted;
use crate::types::merge::{GateResult, MergeReceipt};
use serde_json::Value;

/// One attempt: a landing that was taken back later is still one.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// When it was reported first.
    pub at: String,
    /// The newest report of it.
    pub report: Value,
}

impl Attempt {
    /// Its receipt, if it landed.
    pub fn receipt(&self) -> Option<MergeReceipt> {
        serde_json::from_value(self.report.get("receipt")?.clone()).ok()
    }

    /// Why it did not land, in one sentence.
    pub fn why(&self) -> String {
        let gates = self.report.get("gates").cloned().unwrap_or_default();
        let gates: Vec<GateResult> = serde_json::from_value(gates).unwrap_or_default();
        if let Some(red) = gates.iter().find(|gate| !gate.passed) {
            let what = if red.timed_out {
                "did not end in time"
            } else {
                "was red"
            };
            return format!("gate {} {what}", red.name);
        }
        let text = |name: &str| self.report.get(name).and_then(Value::as_str);
        let displaced = self.report.get("displaced").and_then(Value::as_array);
        match (text("conclusion"), displaced.map_or(0, Vec::len)) {
            (Some("already-merged"), _) => "the target had it already".to_owned(),
            (Some("held"), places) if places > 0 => {
                format!("held: {} to decide", counted(places as u64, "place"))
            }
            _ => text("errorMessage").unwrap_or("it did not land").to_owned(),
        }
    }

    fn receipt_id(&self) -> Option<&str> {
        self.report.get("receipt")?.get("id")?.as_str()
    }
}

/// All attempts to land an entry of the queue or another entry of the same branch, the newest first.
pub fn attempts(
    paths: &ProjectPaths,
    id: i64,
    branch: &str,
) -> Result<Vec<Attempt>, CoordinatorError> {
    let reports = GroveStore::look(&paths.grove_db())?.merge_history(id, branch)?;
    Ok(fold(reports))
}

/// Puts the reports of one landing together. They come, and go, the newest first.
fn fold(reports: Vec<(String, Value)>) -> Vec<Attempt> {
    let mut attempts: Vec<Attempt> = Vec::new();
    for (at, report) in reports {
        let attempt = Attempt { at, report };
        let same = attempt.receipt_id().and_then(|id| {
            attempts
                .iter()
                .position(|newer| newer.receipt_id() == Some(id))
        });
        match same.map(|at| attempts.remove(at)) {
            // It belongs where it happened, with what was found out later.
            Some(newer) => attempts.push(Attempt {
                report: newer.report,
                ..attempt
            }),
            None => attempts.push(attempt),
        }
    }
    attempts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_landing_that_was_taken_back_is_one_attempt_in_its_own_place() {
        let landed = |undone: bool| {
            let mut report = json!({"receipt": {"id": "r1"}});
            if undone {
                report["undone"] = json!({"at": "4"});
            }
            report
        };
        let held = json!({"conclusion": "held", "displaced": [1, 2]});
        let red = json!({"conclusion": "gates-red", "errorMessage": "red"});
        let found = fold(vec![
            ("4".to_owned(), landed(true)),
            ("3".to_owned(), red),
            ("2".to_owned(), landed(false)),
            ("1".to_owned(), held),
        ]);
        let at: Vec<&str> = found.iter().map(|a| a.at.as_str()).collect();
        assert_eq!(at, ["3", "2", "1"]);
        assert!(found[1].report.get("undone").is_some());
        assert_eq!(found[2].why(), "held: 2 places to decide");
        assert_eq!(found[0].why(), "red");
    }
}
