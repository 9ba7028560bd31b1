//! What the commands of all agents at the project root say alike: whether one lives, and about whom.

use serde::Serialize;

use crate::agents::persistent::{self, Life};
use crate::cli::{CliResult, Context};
use crate::platform::ProjectPaths;
use crate::types::AgentSession;

/// The answer of `status` when there is none.
#[derive(Serialize)]
pub(super) struct IdleJson {
    pub(super) running: bool,
}

/// The answer of `stop`, or the beginning of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoppedJson<'a> {
    stopped: bool,
    session_id: &'a str,
}

impl<'a> StoppedJson<'a> {
    pub(super) fn of(session: &'a AgentSession) -> Self {
        Self {
            stopped: true,
            session_id: &session.id,
        }
    }
}

/// The answer of `status`, or the beginning of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatusJson<'a> {
    running: bool,
    session_id: &'a str,
    state: &'a str,
    tmux_session: &'a str,
    pid: Option<i64>,
    started_at: &'a str,
    last_activity: &'a str,
}

impl<'a> StatusJson<'a> {
    pub(super) fn of(session: &'a AgentSession, seen: Seen) -> Self {
        Self {
            running: seen.running,
            session_id: &session.id,
            state: seen.state,
            tmux_session: &session.tmux_session,
            pid: session.pid,
            started_at: &session.started_at,
            last_activity: &session.last_activity,
        }
    }
}

/// How one was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) running: bool,
    /// The state that is to be shown.
    pub(super) state: &'static str,
}

impl Seen {
    /// The word for it in text.
    pub(super) fn label(self) -> &'static str {
        if self.running { "running" } else { self.state }
    }
}

/// Looks at one. Whoever was thought alive and is gone is recorded as dead.
pub(super) fn observe(paths: &ProjectPaths, session: &AgentSession) -> CliResult<Seen> {
    let lives = session.state.is_active() && persistent::life(paths, session)? == Life::Alive;
    judge(paths, session, lives)
}

/// The same, by somebody who knows whether it lives.
pub(super) fn judge(paths: &ProjectPaths, session: &AgentSession, lives: bool) -> CliResult<Seen> {
    let state = session.state;
    if lives || state.is_terminal() {
        return Ok(Seen {
            running: lives,
            state: state.as_str(),
        });
    }
    persistent::bury(paths, session)?;
    Ok(Seen {
        running: false,
        state: "zombie",
    })
}

/// The lines about one; `more` stands where a role has something of its own to say.
pub(super) fn show(
    ctx: &Context,
    session: &AgentSession,
    more: &[(&str, String)],
) -> CliResult<()> {
    let pid = session
        .pid
        .map_or_else(|| "null".to_owned(), |pid| pid.to_string());
    let line = |label: &str, value: &str| {
        let label = format!("{label}:");
        ctx.out.line(format!("  {label:<11}{value}"))
    };
    line("Session", &session.id)?;
    line("Tmux", &session.tmux_session)?;
    more.iter()
        .try_for_each(|(label, value)| line(label, value))?;
    line("PID", &pid)?;
    line("Started", &session.started_at)?;
    line("Activity", &session.last_activity)
}
