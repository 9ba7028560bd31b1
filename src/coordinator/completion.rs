//! Whether the coordinator has reached its end, and what ending means.

use super::post::{ORCHESTRATOR, SENDER};
use super::triggers::{self, Facts, Ready, Triggers};
use super::{CoordinatorError, queue};
use crate::agents::current_run::{clear_current_run, current_run};
use crate::config::Config;
use crate::db::{MailStore, SessionStore};
use crate::platform::ProjectPaths;
use crate::tracker::{Selection, Tracker, TrackerError};
use crate::types::run::RunStatus;

/// Looks at everything the triggers of the project ask about.
pub fn check(paths: &ProjectPaths, config: &Config) -> Result<Triggers, CoordinatorError> {
    let wanted = &config.coordinator.exit_triggers;
    let sessions = SessionStore::look(&paths.sessions_db())?;
    let run = match current_run(paths)? {
        Some(run) => Some(sessions.by_run(&run)?),
        None => None,
    };
    let retrying = queue::retrying(paths)?.into_iter().map(|(row, _)| row);
    let pending: Vec<String> = queue::pending(paths)?
        .into_iter()
        .chain(retrying)
        .map(|r| r.entry.branch_name)
        .collect();
    let inbox = MailStore::look(&paths.mail_db())?.unread(SENDER)?;
    let ready = if wanted.task_tracker_empty {
        ready_tasks(paths, config)
    } else {
        Ready::Unknown("not asked".to_owned())
    };
    Ok(triggers::evaluate(
        wanted,
        &Facts {
            run: run.as_deref(),
            pending_branches: &pending,
            inbox: &inbox,
            agent_is_orchestrator: sessions.get(ORCHESTRATOR)?.is_some(),
            ready: &ready,
        },
    ))
}

/// How many tasks the tracker would give out now. The only place that asks it.
fn ready_tasks(paths: &ProjectPaths, config: &Config) -> Ready {
    match Tracker::of(&paths.root, &config.task_tracker).ready(&Selection::default()) {
        Ok(tasks) => Ready::Tasks(tasks.len()),
        Err(TrackerError::Disabled) => Ready::Unknown("Task tracker is disabled".to_owned()),
        Err(why) => Ready::Unknown(format!("Tracker error: {why}")),
    }
}

/// Ends the current run: its row, the file that names it, and the mail that asked for it.
pub fn complete_run(paths: &ProjectPaths) -> Result<bool, CoordinatorError> {
    let Some(run) = current_run(paths)? else {
        return Ok(false);
    };
    SessionStore::open(&paths.sessions_db())?.complete_run(&run, RunStatus::Completed)?;
    clear_current_run(paths)?;
    Ok(true)
}

/// A shutdown that was followed must not end the next coordinator, too.
pub fn acknowledge_shutdown(paths: &ProjectPaths) -> Result<(), CoordinatorError> {
    let sessions = SessionStore::look(&paths.sessions_db())?;
    let agent_is_orchestrator = sessions.get(ORCHESTRATOR)?.is_some();
    let store = MailStore::open(&paths.mail_db())?;
    let followed: Vec<String> = store
        .unread(SENDER)?
        .into_iter()
        .filter(|mail| triggers::is_shutdown(mail, agent_is_orchestrator))
        .map(|m| m.id)
        .collect();
    store.mark_read(&followed)?;
    Ok(())
}
