//! Telling everybody how the attempt to merge an entry of the queue has ended: its agent, who that
//! reports to, and the record of events.

use super::CoordinatorError;
use super::post::{self, SENDER, superior};
use crate::db::mail::MailFilter;
use crate::db::merge_queue::QueueRow;
use crate::db::{EventStore, MailStore, SessionStore};
use crate::merge::{Conclusion, MergeReport, amount, losses, size};
use crate::platform::ProjectPaths;
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::mail::{MailMessage, MailPriority, MailType, NewMail};
use crate::types::merge::{DisplacedHunk, DisplacedKind, MergeReceipt};
use serde_json::json;

/// Lines about what a landing has displaced that fit into a mail.
const LOSSES_TOLD: usize = 200;

/// Mails and records the outcome.
pub(super) fn tell(
    paths: &ProjectPaths,
    row: &QueueRow,
    target: &str,
    outcome: &Result<&MergeReport, String>,
) -> Result<(), CoordinatorError> {
    tell_those(paths, row, target, outcome, |_| Ok(true))
}

/// Mails and records a landing to all whom its process had not told when it ended.
pub(super) fn tell_again(
    paths: &ProjectPaths,
    row: &QueueRow,
    receipt: &MergeReceipt,
    report: &MergeReport,
) -> Result<(), CoordinatorError> {
    let commit = short(&receipt.merged_commit);
    let is_untold = |recipient: &str| -> Result<bool, CoordinatorError> {
        let filter = MailFilter {
            from: Some(SENDER.to_owned()),
            to: Some(recipient.to_owned()),
            ..MailFilter::default()
        };
        let mails = MailStore::open(&paths.mail_db())?.list(&filter)?;
        let is_about = |mail: &MailMessage| {
            let first = mail.body.lines().next().unwrap_or_default();
            mail.created_at >= receipt.landed_at && first.contains(commit)
        };
        Ok(!mails.iter().any(is_about))
    };
    tell_those(paths, row, &receipt.target, &Ok(report), is_untold)
}

fn tell_those(
    paths: &ProjectPaths,
    row: &QueueRow,
    target: &str,
    outcome: &Result<&MergeReport, String>,
    is_untold: impl Fn(&str) -> Result<bool, CoordinatorError>,
) -> Result<(), CoordinatorError> {
    let entry = &row.entry;
    let sessions = SessionStore::look(&paths.sessions_db())?;
    let session = sessions.get(&entry.agent_name)?;
    let parent = session.as_ref().and_then(|s| s.parent_agent.clone());
    let mut to = vec![superior(&row.entry.agent_name, parent.as_deref())];
    if session.is_some_and(|s| s.state.is_active()) {
        to.push(entry.agent_name.clone());
    }
    let landed = outcome.as_ref().is_ok_and(|r| r.is_success());
    let (kind, subject, body, payload) = match outcome {
        Ok(report) if landed => (
            MailType::Merged,
            format!(
                "{}: {} into {target}",
                landed_word(report),
                entry.branch_name
            ),
            landed_text(report, target),
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
    let displaces = landed && outcome.as_ref().is_ok_and(|r| !r.displaced.is_empty());
    for recipient in &to {
        if !is_untold(recipient)? {
            continue;
        }
        let mut mail = NewMail::new(SENDER, recipient, kind, &subject, &body);
        mail.payload = Some(payload.to_string());
        if !landed || displaces {
            mail.priority = MailPriority::High;
        }
        post::post(paths, &mail)?;
        post::announce(paths, recipient);
    }
    if displaces && let Ok(report) = outcome {
        for recipient in losers(&sessions, report)? {
            // Who has the mail about the landing has read it there.
            if !to.contains(&recipient) && is_untold(&recipient)? {
                let mut mail = NewMail::new(SENDER, &recipient, MailType::Status, &subject, &body);
                mail.priority = MailPriority::High;
                post::post(paths, &mail)?;
                post::announce(paths, &recipient);
            }
        }
    }
    let mut event = NewEvent::new(&entry.agent_name, EventType::Custom);
    event.level = if landed { Level::Info } else { Level::Warn };
    let data = json!({"type": if landed { "merged" } else { "merge_failed" },
        "branch": entry.branch_name, "target": target, "detail": body});
    EventStore::open(&paths.events_db())?.insert(&event.data(&data))?;
    Ok(())
}

/// Whom the displaced lines concern: the agents that wrote them, or who an agent reported to that has
/// ended. Lines of people are in the mail about the landing.
fn losers(sessions: &SessionStore, report: &MergeReport) -> Result<Vec<String>, CoordinatorError> {
    let of_parts = |hunk: &DisplacedHunk| -> Vec<String> {
        let parts = hunk.parts.iter().map(|part| part.agent.clone());
        parts.chain([hunk.agent.clone()]).collect()
    };
    let mut agents: Vec<String> = report.displaced.iter().flat_map(of_parts).collect();
    agents.sort_unstable();
    agents.dedup();
    let mut losers = Vec::new();
    for agent in agents {
        let Some(session) = sessions.get(&agent)? else {
            continue;
        };
        let loser = if session.state.is_active() {
            agent
        } else {
            superior(&agent, session.parent_agent.as_deref())
        };
        if !losers.contains(&loser) {
            losers.push(loser);
        }
    }
    Ok(losers)
}

fn landed_word(report: &MergeReport) -> &'static str {
    if report.displaced.is_empty() {
        "Merged"
    } else {
        "Merged, displacing lines"
    }
}

/// Says what has landed, and what that has done besides.
fn landed_text(report: &MergeReport, target: &str) -> String {
    let commit = report.merged_commit.as_deref();
    let commit = commit.map(|c| format!(" as {}", short(c)));
    let mut lines = vec![format!(
        "{} landed on {target} ({}){}.",
        report.branch,
        report.tier,
        commit.unwrap_or_default()
    )];
    if !report.displaced.is_empty() {
        lines.push(format!(
            "Not in the result: {}. See that nothing of it is missing.",
            amount(&report.displaced)
        ));
    }
    let losses = losses(&report.displaced, &report.warnings);
    let left = losses.len().saturating_sub(LOSSES_TOLD);
    lines.extend(losses.into_iter().take(LOSSES_TOLD));
    if left > 0 {
        lines.push(format!(
            "… {} more: grove merge show {}",
            crate::text::counted(left as u64, "line"),
            report.branch
        ));
    }
    lines.join("\n")
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}

/// Says what went wrong, with what is needed to put it right.
fn failure_text(report: &MergeReport, target: &str) -> String {
    let mut lines = Vec::new();
    match report.conclusion {
        Conclusion::Held => {
            let same_lines = |hunk: &DisplacedHunk| hunk.kind == DisplacedKind::Text;
            let what = if report.displaced.iter().all(same_lines) {
                "changed the same lines"
            } else {
                "cannot both have it their way"
            };
            lines.push(format!(
                "The merge is held: {target} and the branch {what}."
            ));
            for hunk in &report.displaced {
                lines.push(format!(
                    "{} — {} by {} would be displaced",
                    hunk.place(),
                    size(hunk),
                    hunk.whose()
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
        Conclusion::NeedsPerson
        | Conclusion::Refused
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
    lines.push(if report.conclusion == Conclusion::NeedsPerson {
        format!(
            "{target} is untouched. Without these changes the branch lands as any other: take them back, commit and report worker_done again."
        )
    } else if report.conclusion == Conclusion::Refused {
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
