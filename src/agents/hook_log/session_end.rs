//! An agent's session has ended.

use std::path::Path;

use serde_json::json;

use super::call::{Call, attempt, fields};
use super::gates::{self, GateOutcome};
use super::transcript::used;
use crate::agents::identity::Identity;
use crate::costs;
use crate::db::{DbError, MetricsStore, SessionStore};
use crate::logging::{AgentLog, LogEntry, close_session};
use crate::mulch::{self, OutcomeStatus, SessionEnd};
use crate::platform::{FsError, fs};
use crate::types::agent::is_persistent;
use crate::types::event::{EventType, Level};
use crate::types::run::RunStatus;
use crate::types::{AgentSession, AgentState};

/// What the end of a session has brought.
#[derive(Debug)]
pub struct Ended {
    pub entry: LogEntry,
    /// How the quality gates went, where they were run.
    pub gates: Option<GateOutcome>,
}

/// An agent whose stop hook fires after every turn: its session goes on.
fn goes_on(capability: &str) -> bool {
    is_persistent(capability) || capability == "lead"
}

/// Records the end of a session.
pub fn session_end(call: &Call<'_>) -> Result<Ended, FsError> {
    let log = call.log()?;
    let data = fields(&json!({"agentName": call.agent}));
    let entry = log.note(Level::Info, "session.end", data)?;
    let gates = if call.hosted {
        None
    } else {
        settle(call, &log)
    };
    let mut event = call.event(EventType::SessionEnd);
    if let Some(path) = &call.transcript {
        event = event.data(&json!({ "transcriptPath": path.to_string_lossy() }));
    }
    attempt(&log, "store the event", call.store_event(&event));
    close_session(&call.logs(), call.agent)?;
    Ok(Ended { entry, gates })
}

/// State, identity, metrics and gates of the agent.
fn settle(call: &Call<'_>, log: &AgentLog) -> Option<GateOutcome> {
    let ended = call
        .sessions()
        .and_then(|sessions| end_state(&sessions, call.agent));
    let session = attempt(log, "record the end of the session", ended).flatten();
    let task = session.as_ref().map_or("", |session| &session.task_id);
    let ended = Identity::record_end(&call.paths.identity(call.agent), task);
    attempt(log, "update the identity", ended);
    let session = session?;
    let usage = used(call, log).unwrap_or_default();
    let row = costs::session_metrics(&session, &usage, None);
    let stored = MetricsStore::open(&call.paths.metrics_db()).and_then(|store| store.record(&row));
    attempt(log, "store the session's metrics", stored);
    if goes_on(&session.capability) {
        return None;
    }
    let base = attempt(
        log,
        "read the session branch",
        fs::read_optional(&call.paths.file("session-branch.txt")),
    )
    .flatten()
    .map(|text| text.trim().to_owned())
    .filter(|branch| !branch.is_empty())
    .unwrap_or_else(|| "main".to_owned());
    let worktree = Path::new(&session.worktree_path);
    let outcome = gates::has_work(&call.paths.root, worktree, &base)
        .then(|| {
            let (gates, sandbox) = (&call.config.project.quality_gates, &call.config.sandbox);
            let outcome = gates::run(gates, worktree, call.paths, sandbox);
            attempt(log, "run the quality gates", outcome).flatten()
        })
        .flatten();
    if call.config.mulch.enabled {
        learn(call, log, &session, &base, outcome);
    }
    outcome
}

/// Draws the conclusions for the project's expertise, where it keeps one.
fn learn(
    call: &Call<'_>,
    log: &AgentLog,
    session: &AgentSession,
    base: &str,
    outcome: Option<GateOutcome>,
) {
    let end = SessionEnd {
        agent: call.agent,
        capability: &session.capability,
        task: &session.task_id,
        changed_files: &gates::changed(&call.paths.root, Path::new(&session.worktree_path), base),
        outcome: outcome.map(|outcome| match outcome {
            GateOutcome::Success => OutcomeStatus::Success,
            GateOutcome::Partial => OutcomeStatus::Partial,
            GateOutcome::Failure => OutcomeStatus::Failure,
        }),
    };
    attempt(
        log,
        "keep what was learnt",
        mulch::learn(call.paths, &end).map(|_| ()),
    );
}

/// Completes the session, except that of an agent which goes on after its turn; a coordinator is
/// completed when its run is. Returns the session as it was.
fn end_state(sessions: &SessionStore, agent: &str) -> Result<Option<AgentSession>, DbError> {
    let Some(session) = sessions.get(agent)? else {
        return Ok(None);
    };
    let run_is_over = || -> Result<bool, DbError> {
        let Some(run) = &session.run_id else {
            return Ok(false);
        };
        let run = sessions.run(run)?;
        Ok(run.is_some_and(|run| run.status == RunStatus::Completed))
    };
    let leads_a_run = matches!(session.capability.as_str(), "coordinator" | "orchestrator");
    if !goes_on(&session.capability) || (leads_a_run && run_is_over()?) {
        sessions.transition_session(agent, &session.id, AgentState::Completed)?;
    }
    sessions.touch(agent)?;
    Ok(Some(session))
}
