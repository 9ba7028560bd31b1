//! What the project learns from attempts to land work and from agents that die, where it keeps such
//! knowledge. Nothing here holds anything up: what goes wrong is logged.

use crate::config;
use crate::db::SessionStore;
use crate::db::merge_queue::QueueRow;
use crate::merge::{Conclusion, MergeReport};
use crate::mulch::history::{self, PastMerge};
use crate::mulch::{self, Mulch, NewRecord, OutcomeStatus, SessionEnd};
use crate::platform::ProjectPaths;
use crate::types::AgentSession;

/// Keeps how conflicts were resolved, and whether what the agent was told has helped it.
pub(super) fn from_attempt(paths: &ProjectPaths, row: &QueueRow, report: &MergeReport) {
    let Some(mulch) = Mulch::open(&paths.root).filter(|_| is_wanted(paths)) else {
        return;
    };
    let outcome = match report.conclusion {
        Conclusion::Landed => Some(OutcomeStatus::Success),
        Conclusion::GatesRed => Some(OutcomeStatus::Failure),
        Conclusion::Held | Conclusion::Failed => None,
        Conclusion::AlreadyMerged | Conclusion::Refused => return,
    };
    let contested = !report.conflict_files.is_empty() && report.conclusion != Conclusion::GatesRed;
    if contested {
        let merge = PastMerge {
            resolved: report.conclusion == Conclusion::Landed,
            tier: report.tier,
            branch: row.entry.branch_name.clone(),
            agent: row.entry.agent_name.clone(),
            files: report.conflict_files.clone(),
        };
        if let Err(e) = history::remember(&mulch, &merge, &row.entry.task_id) {
            tracing::warn!("the merge is not remembered: {e}");
        }
    }
    if outcome.is_some() {
        let capability = capability(paths, &row.entry.agent_name);
        let end = SessionEnd {
            agent: &row.entry.agent_name,
            capability: &capability,
            task: &row.entry.task_id,
            changed_files: &row.entry.files_modified,
            outcome,
        };
        match mulch::learn(paths, &end) {
            Ok(learned) => {
                for warning in learned.warnings {
                    tracing::warn!("{warning}");
                }
            }
            Err(e) => tracing::warn!("nothing was learnt from {}: {e}", row.entry.branch_name),
        }
    }
}

/// Keeps that an agent died, and of what: the next one on such a task may run into the same.
pub(super) fn from_death(paths: &ProjectPaths, session: &AgentSession, cause: &str) {
    let Some(mulch) = Mulch::open(&paths.root).filter(|_| is_wanted(paths)) else {
        return;
    };
    if let Err(e) = mulch.record("agents", &death(session, cause), false) {
        tracing::warn!("the death of {} is not remembered: {e}", session.agent_name);
    }
}

fn death(session: &AgentSession, cause: &str) -> NewRecord {
    let AgentSession {
        agent_name: agent,
        capability,
        branch_name: branch,
        task_id: task,
        ..
    } = session;
    let on = if task.is_empty() {
        String::new()
    } else {
        format!(" on task {task}")
    };
    let mut new = NewRecord::new("failure")
        .text(
            "description",
            format!("Agent {agent} ({capability}){on} died: {cause}"),
        )
        .text(
            "resolution",
            format!(
                "Its branch {branch} and its worktree were kept; look there before starting again"
            ),
        );
    new.tags = vec!["watchdog".into(), "auto-recorded".into()];
    if !task.is_empty() {
        new.evidence = vec![("bead".into(), task.clone())];
    }
    new
}

/// A configuration that cannot be read has said nothing against it.
fn is_wanted(paths: &ProjectPaths) -> bool {
    config::load(&paths.root).map_or(true, |loaded| loaded.config.mulch.enabled)
}

fn capability(paths: &ProjectPaths, agent: &str) -> String {
    let session = SessionStore::open(&paths.sessions_db()).and_then(|store| store.get(agent));
    session
        .ok()
        .flatten()
        .map_or_else(|| "builder".to_owned(), |session| session.capability)
}
