//! How tasks are printed, and where the commands get their tracker.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::agents::close_gate::reason_to_wait;
use crate::cli::{CliError, CliResult, Context};
use crate::platform::lock_file::LockError;
use crate::tracker::{Issue, Tracker, TrackerError, priority_name};

pub(super) fn tracker(ctx: &Context) -> CliResult<Tracker> {
    let project = ctx.project()?;
    Ok(Tracker::of(&project.root, &project.config.task_tracker))
}

/// A lead closes its own task when the work of its agents is in.
pub(super) fn may_close(ctx: &Context, tasks: &[String]) -> CliResult<()> {
    let Some(agent) = ctx.acting_agent() else {
        return Ok(());
    };
    let project = ctx.project()?;
    let canonical = &project.config.project.canonical_branch;
    match reason_to_wait(&project.paths, canonical, &agent, tasks) {
        Ok(None) => Ok(()),
        Ok(Some(reason)) => Err(CliError::coded(
            "TRACKER_ERROR",
            format!("your task stays open: {reason}"),
        )),
        Err(e) => Err(CliError::coded("TRACKER_ERROR", e.to_string())),
    }
}

impl From<TrackerError> for CliError {
    fn from(error: TrackerError) -> Self {
        let shown = Self::coded("TRACKER_ERROR", error.to_string());
        match error {
            TrackerError::Fs(inner) => inner.into(),
            TrackerError::Lock(LockError::Fs(inner)) => Self {
                code: Some("TRACKER_ERROR"),
                ..inner.into()
            },
            TrackerError::NoTracker => {
                shown.hint("`grove task create \"<title>\"` starts one in .seeds/")
            }
            TrackerError::NotFound { .. } => shown.hint("`grove task list --all` shows all"),
            TrackerError::Invalid { .. } => Self::validation(error.to_string()),
            TrackerError::Disabled => shown.hint("set it to true to use tasks"),
            TrackerError::NotInstalled { tracker, .. } => shown.hint(format!(
                "install {tracker}, or set taskTracker.backend in .overstory/config.yaml to the tracker you use"
            )),
            TrackerError::Lock(_)
            | TrackerError::LockLost { .. }
            | TrackerError::DependsOnItself { .. }
            | TrackerError::Circle { .. }
            | TrackerError::Program { .. } => shown,
        }
    }
}

/// One task in JSON: its fields as they are stored.
#[derive(Serialize)]
pub(super) struct IssueJson<'a> {
    pub(super) issue: &'a Map<String, Value>,
}

/// Several tasks in JSON.
#[derive(Serialize)]
pub(super) struct IssuesJson<'a> {
    pub(super) issues: Vec<&'a Map<String, Value>>,
    pub(super) count: usize,
}

impl<'a> IssuesJson<'a> {
    pub(super) fn of(issues: &'a [Issue]) -> Self {
        Self {
            issues: issues.iter().map(Issue::fields).collect(),
            count: issues.len(),
        }
    }
}

pub(super) fn row(issue: &Issue) -> String {
    let waits = issue.list("blockedBy");
    let closed = issue.status() == "closed";
    let mark = match issue.status() {
        "closed" => "x",
        "in_progress" => ">",
        _ if !waits.is_empty() => "!",
        _ => "-",
    };
    let mut line = format!(
        "{mark} {}  {}  [{}, {}]",
        issue.id(),
        issue.title(),
        priority_name(issue.priority()),
        issue.kind()
    );
    let assignee = issue.text("assignee");
    if !assignee.is_empty() {
        line.push_str(&format!(" @{assignee}"));
    }
    let labels = issue.list("labels");
    if !labels.is_empty() {
        line.push_str(&format!(" {{{}}}", labels.join(", ")));
    }
    if !waits.is_empty() && !closed {
        line.push_str(&format!(" waits for {}", waits.join(", ")));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mulch::MulchError;
    use crate::platform::FsError;

    #[test]
    fn a_full_disk_is_told_with_what_to_do() {
        let full = || {
            LockError::Fs(FsError {
                op: "create",
                path: ".seeds/issues.jsonl.lock".into(),
                source: std::io::ErrorKind::StorageFull.into(),
            })
        };
        for (error, code) in [
            (CliError::from(TrackerError::Lock(full())), "TRACKER_ERROR"),
            (CliError::from(MulchError::Lock(full())), "MULCH_ERROR"),
        ] {
            assert_eq!(error.code, Some(code));
            assert!(error.text(false).contains("free some space and try again"));
        }
    }
}
