//! Telling everybody how the attempt to merge an entry of the queue has ended: its agent, who that
//! reports to, and the record of events.

use super::CoordinatorError;
use super::post::{self, SENDER, superior};
use crate::db::merge_queue::QueueRow;
use crate::db::{EventStore, SessionStore};
use crate::merge::{Conclusion, MergeReport};
use crate::platform::ProjectPaths;
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::mail::{MailPriority, MailType, NewMail};
use serde_json::json;

/// Mails and records the outcome.
pub(super) fn tell(
    paths: &ProjectPaths,
    row: &QueueRow,
    target: &str,
    outcome: &Result<&MergeReport, String>,
) -> Result<(), CoordinatorError> {
    let entry = &row.entry;
    let session = SessionStore::open(&paths.sessions_db())?.get(&entry.agent_name)?;
    let parent = session.as_ref().and_then(|s| s.parent_agent.clone());
    let mut to = vec![superior(&row.entry.agent_name, parent.as_deref())];
    if session.is_some_and(|s| s.state.is_active()) {
        to.push(entry.agent_name.clone());
    }
    let landed = outcome.as_ref().is_ok_and(|r| r.is_success());
    let (kind, subject, body, payload) = match outcome {
        Ok(report) if landed => (
            MailType::Merged,
            format!("Merged: {} into {target}", entry.branch_name),
            format!(
                "{} landed on {target} ({}){}.",
                entry.branch_name,
                report.tier,
                report
                    .merged_commit
                    .as_deref()
                    .map(|c| format!(" as {}", short(c)))
                    .unwrap_or_default()
            ),
            json!({"branch": entry.branch_name, "taskId": entry.task_id, "tier": report.tier}),
        ),
        Ok(report) => (
            MailType::MergeFailed,
            format!("Merge failed: {} into {target}", entry.branch_name),
            failure_text(report, target),
            json!({"branch": entry.branch_name, "taskId": entry.task_id,
                "conflictFiles": report.conflict_files, "errorMessage": report.error_message}),
        ),
        Err(message) => (
            MailType::MergeFailed,
            format!("Merge failed: {} into {target}", entry.branch_name),
            format!("{message}\n{target} is untouched."),
            json!({"branch": entry.branch_name, "taskId": entry.task_id,
                "conflictFiles": [], "errorMessage": message}),
        ),
    };
    for recipient in to {
        let mut mail = NewMail::new(SENDER, &recipient, kind, &subject, &body);
        mail.payload = Some(payload.to_string());
        if !landed {
            mail.priority = MailPriority::High;
        }
        post::post(paths, &mail)?;
        post::announce(paths, &recipient);
    }
    let mut event = NewEvent::new(&entry.agent_name, EventType::Custom);
    event.level = if landed { Level::Info } else { Level::Warn };
    let data = json!({"type": if landed { "merged" } else { "merge_failed" },
        "branch": entry.branch_name, "target": target, "detail": body});
    EventStore::open(&paths.events_db())?.insert(&event.data(&data))?;
    Ok(())
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}

/// Says what went wrong, with what is needed to put it right.
fn failure_text(report: &MergeReport, target: &str) -> String {
    let mut lines = Vec::new();
    match report.conclusion {
        Conclusion::Held => {
            lines.push(format!(
                "The merge is held: {target} and the branch changed the same lines."
            ));
            for hunk in &report.displaced {
                lines.push(format!(
                    "{}:{} — {} by {} would be displaced",
                    hunk.file,
                    hunk.start_line,
                    crate::text::counted(hunk.line_count, "line"),
                    hunk.agent
                ));
            }
        }
        Conclusion::GatesRed => {
            lines.push("A quality gate is red on the merged tree.".to_owned());
            for gate in report.gates.iter().filter(|g| !g.passed) {
                let code = gate
                    .exit_code
                    .map_or_else(|| "no exit code".to_owned(), |c| format!("exit code {c}"));
                lines.push(format!(
                    "{} failed ({code}). The end of its output:",
                    gate.name
                ));
                lines.push(gate.output_tail.clone());
            }
        }
        Conclusion::Refused
        | Conclusion::Failed
        | Conclusion::Landed
        | Conclusion::AlreadyMerged => {
            lines.extend(report.error_message.clone());
        }
    }
    if !report.conflict_files.is_empty() {
        lines.push(format!(
            "Conflict files: {}",
            report.conflict_files.join(", ")
        ));
    }
    lines.extend(report.warnings.iter().cloned());
    lines.push(if report.conclusion == Conclusion::Refused {
        format!(
            "{target} is untouched. The branch lands once the checkout of {target} is out of the way: grove merge --branch {}",
            report.branch
        )
    } else {
        format!(
            "{target} is untouched. Merge {target} into the branch, resolve, commit and report worker_done again."
        )
    });
    lines.join("\n")
}
