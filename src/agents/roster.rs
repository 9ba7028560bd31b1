//! Sessions as they are now: recorded state corrected by what can be observed.

use super::health::{DISPLAY_THRESHOLDS, Observation, evaluate};
use super::processes;
use super::tmux::{self, TmuxSession};
use crate::db::grove::HostRow;
use crate::db::{DbError, SessionStore};
use crate::platform::liveness;
use crate::platform::{ProjectPaths, clock};
use crate::types::{AgentSession, AgentState};

/// Which sessions to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope<'a> {
    /// All of them.
    All,
    /// Those of a run, then those that belong to none.
    Run(&'a str),
}

/// Sessions and the tmux sessions that were seen on the way.
#[derive(Debug, Clone)]
pub struct Roster {
    /// Sessions with their corrected states.
    pub sessions: Vec<AgentSession>,
    /// Ids of those that somebody has declared dead. By the rules of the other orchestrator one
    /// without a process, but with recent activity, counts as alive again.
    pub declared_dead: Vec<String>,
    /// Ids of those whose host was killed, and of whom nobody has said so yet.
    pub lost: Vec<String>,
    /// Terminals of the other orchestrator.
    pub tmux: Vec<TmuxSession>,
}

/// Reads the sessions in scope.
pub fn read(store: &SessionStore, scope: &Scope<'_>) -> Result<Vec<AgentSession>, DbError> {
    match scope {
        Scope::All => store.all(),
        Scope::Run(run) => {
            let mut sessions = store.by_run(run)?;
            sessions.extend(store.without_run()?);
            Ok(sessions)
        }
    }
}

/// Reads the sessions in scope with their states as they can be observed. Nothing is written.
pub fn observe(
    paths: &ProjectPaths,
    store: &SessionStore,
    scope: &Scope<'_>,
) -> Result<Roster, DbError> {
    Ok(corrected(paths, read(store, scope)?)?.0)
}

/// As `observe`, and writes back the states that have changed.
pub fn refresh(
    paths: &ProjectPaths,
    store: &SessionStore,
    scope: &Scope<'_>,
) -> Result<Roster, DbError> {
    let recorded = read(store, scope)?;
    let (roster, changed) = corrected(paths, recorded.clone())?;
    for (session, recorded) in roster.sessions.iter().zip(&recorded) {
        // Nobody rises from the dead by being looked at.
        if changed.contains(&session.id) && !roster.declared_dead.contains(&session.id) {
            store.set_observed_state(recorded, session.state)?;
        }
    }
    Ok(roster)
}

/// Sessions with their observed states, and the ids of those whose state is another than recorded.
/// Sessions with a living host are left alone: the host writes their state. One whose host was killed is dead, however
/// long ago that was: its host would have said that it ended in order.
fn corrected(
    paths: &ProjectPaths,
    mut sessions: Vec<AgentSession>,
) -> Result<(Roster, Vec<String>), DbError> {
    let any_tmux = sessions
        .iter()
        .any(|session| !session.tmux_session.is_empty());
    let tmux = if any_tmux || tmux::may_have_sessions() {
        tmux::sessions()
    } else {
        Vec::new()
    };
    let (living, killed) = processes::unfinished_hosts(paths)?;
    let is_of = |hosts: &[HostRow], session: &AgentSession| {
        hosts.iter().any(|row| row.session_id == session.id)
    };
    let now = clock::now();
    let mut changed = Vec::new();
    let dead = sessions.iter().filter(|s| s.state == AgentState::Zombie);
    let declared_dead = dead.map(|s| s.id.clone()).collect();
    let mut lost = Vec::new();
    for session in &mut sessions {
        if session.state == AgentState::Completed || is_of(&living, session) {
            continue;
        }
        if is_of(&killed, session) {
            if session.state.is_active() {
                changed.push(session.id.clone());
                lost.push(session.id.clone());
            }
            session.state = AgentState::Zombie;
            continue;
        }
        let seen = Observation {
            tmux_alive: tmux.iter().any(|known| known.name == session.tmux_session),
            pid_alive: session.pid.and_then(is_alive),
        };
        let (state, _) = evaluate(session, seen, now, DISPLAY_THRESHOLDS);
        if state != session.state {
            changed.push(session.id.clone());
            session.state = state;
        }
    }
    let roster = Roster {
        sessions,
        declared_dead,
        lost,
        tmux,
    };
    Ok((roster, changed))
}

/// Whether a session's recorded process runs; `None` when the system does not tell. A process of
/// another user is not it.
pub fn is_alive(pid: i64) -> Option<bool> {
    let runs = liveness::runs(pid)?;
    Some(runs && i32::try_from(pid).is_ok_and(liveness::may_signal))
}

/// Says of recorded sessions whose host was killed that they are dead. Everything else stays as it is recorded.
pub fn mark_lost(paths: &ProjectPaths, sessions: &mut [AgentSession]) -> Result<(), DbError> {
    let (_, killed) = processes::unfinished_hosts(paths)?;
    let is_lost = |session: &&mut AgentSession| {
        session.state.is_active() && killed.iter().any(|row| row.session_id == session.id)
    };
    for session in sessions.iter_mut().filter(is_lost) {
        session.state = AgentState::Zombie;
    }
    Ok(())
}
