//! What the project learns from attempts to land work, where it keeps such knowledge. Nothing here
//! holds anything up: what goes wrong is logged.

use crate::db::SessionStore;
use crate::db::merge_queue::QueueRow;
use crate::merge::{Conclusion, MergeReport};
use crate::mulch::history::{self, PastMerge};
use crate::mulch::{self, Mulch, OutcomeStatus, SessionEnd};
use crate::platform::ProjectPaths;

/// Keeps how conflicts were resolved, and whether what the agent was told has helped it.
pub(super) fn from_attempt(paths: &ProjectPaths, row: &QueueRow, report: &MergeReport) {
    let Some(mulch) = Mulch::wanted(paths) else {
        return;
    };
    let outcome = match report.conclusion {
        Conclusion::Landed => Some(OutcomeStatus::Success),
        Conclusion::GatesRed => Some(OutcomeStatus::Failure),
        Conclusion::Held | Conclusion::Failed => None,
        Conclusion::AlreadyMerged | Conclusion::NeedsPerson | Conclusion::Refused => return,
    };
    let contested = !report.conflict_files.is_empty() && report.conclusion != Conclusion::GatesRed;
    // That nobody could be asked says nothing about whom the project asks.
    if contested && !report.unasked {
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

fn capability(paths: &ProjectPaths, agent: &str) -> String {
    let session = SessionStore::look(&paths.sessions_db()).and_then(|store| store.get(agent));
    session
        .ok()
        .flatten()
        .map_or_else(|| "builder".to_owned(), |session| session.capability)
}
