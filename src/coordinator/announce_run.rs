//! Telling that all agents of a run have ended: once, to whoever coordinates.

use super::CoordinatorError;
use super::post::SENDER;
use crate::agents::nudge;
use crate::db::{EventStore, SessionStore};
use crate::mail::{PendingNudge, queue_nudge};
use crate::platform::{ProjectPaths, clock, fs};
use crate::types::event::{EventType, Level, NewEvent};
use crate::watchdog::RunNotice;
use crate::watchdog::completion::MARKER;
use serde_json::json;

/// Who may coordinate with a model.
const COORDINATING: [&str; 2] = [SENDER, "orchestrator"];

/// Tells it; the marker comes first, so that a failure on the way does not tell it twice.
pub(super) fn announce_run(
    paths: &ProjectPaths,
    run: &str,
    notice: &RunNotice,
) -> Result<String, CoordinatorError> {
    fs::write_atomic(&paths.file(MARKER), run)?;
    let sessions = SessionStore::look(&paths.sessions_db())?;
    let mut heard = false;
    for name in COORDINATING {
        let listens = sessions.get(name)?.is_some_and(|s| s.state.is_active());
        if listens {
            let nudged = nudge::nudge(paths, name, "watchdog", Some(&notice.text), true)?;
            heard |= nudged.delivered;
        }
    }
    if !heard {
        // A coordinator of the other program finds it at its next mail check.
        let waiting = PendingNudge {
            from: "watchdog".to_owned(),
            reason: "run_complete".to_owned(),
            subject: notice.text.clone(),
            message_id: format!("run-complete-{run}"),
            created_at: clock::now().iso(),
        };
        queue_nudge(paths, SENDER, &waiting)?;
    }
    let level = if notice.zombies.is_empty() {
        Level::Info
    } else {
        Level::Warn
    };
    let data = json!({"type": "run_complete", "workerCount": notice.workers,
        "completedAgents": notice.completed, "zombieAgents": notice.zombies,
        "capabilities": notice.capabilities, "phase": notice.phase});
    let mut event = NewEvent::new("watchdog", EventType::Custom).level(level);
    event.run_id = Some(run.to_owned());
    EventStore::open(&paths.events_db())?.insert(&event.data(&data))?;
    Ok(notice.text.clone())
}
