//! Agents that the other program has started, looked at when this one is the watchdog.
//!
//! Their state is corrected and their death reported; nothing of them is signalled.

use crate::agents::health::{self, HealthAction, Observation, Thresholds};
use crate::types::agent::is_persistent;
use crate::types::{AgentSession, AgentState, Timestamp};

/// What should be recorded about such an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    Nothing,
    /// Its state has moved on.
    Moved(AgentState),
    /// It ended in order without saying so.
    Completed,
    /// It is gone.
    Died,
}

/// Judges one session by what was seen of its process. Pure.
pub fn judge(
    session: &AgentSession,
    seen: Observation,
    now: Timestamp,
    limits: Thresholds,
) -> Finding {
    if session.state.is_terminal() {
        return Finding::Nothing;
    }
    let (state, action) = health::evaluate(session, seen, now, limits);
    match action {
        HealthAction::Complete => Finding::Completed,
        // A living process that is only silent is not ended by somebody who has not started it.
        HealthAction::Terminate if runs(session, seen) => Finding::Moved(AgentState::Stalled),
        HealthAction::Terminate => Finding::Died,
        HealthAction::Investigate => Finding::Nothing,
        HealthAction::Escalate | HealthAction::None if forward(session.state, state) => {
            Finding::Moved(state)
        }
        HealthAction::Escalate | HealthAction::None => Finding::Nothing,
    }
}

fn runs(session: &AgentSession, seen: Observation) -> bool {
    if session.tmux_session.is_empty() {
        session.pid.is_some() && seen.pid_alive != Some(false)
    } else {
        seen.tmux_alive && seen.pid_alive != Some(false)
    }
}

/// The watchdog only moves a session forward.
fn forward(from: AgentState, to: AgentState) -> bool {
    let rank = |state: AgentState| match state {
        AgentState::Booting => 0,
        AgentState::Working | AgentState::InTurn | AgentState::BetweenTurns => 1,
        AgentState::Completed => 2,
        AgentState::Stalled => 3,
        AgentState::Zombie => 4,
    };
    rank(to) > rank(from) && to.allowed_from().contains(&from)
}

/// Whether somebody has to be told of its death.
pub fn is_missed(session: &AgentSession) -> bool {
    !is_persistent(&session.capability)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(state: AgentState, tmux: &str, pid: Option<i64>) -> AgentSession {
        AgentSession {
            tmux_session: tmux.into(),
            state,
            pid,
            last_activity: Timestamp(0).iso(),
            ..AgentSession::example("a")
        }
    }

    fn seen(session: &AgentSession, tmux: bool, pid: Option<bool>, elapsed: i64) -> Finding {
        let limits = Thresholds {
            stale_ms: 100,
            zombie_ms: 200,
        };
        let observation = Observation {
            tmux_alive: tmux,
            pid_alive: pid,
        };
        judge(session, observation, Timestamp(elapsed), limits)
    }

    #[test]
    fn a_process_that_is_gone_is_a_death_and_a_silent_one_is_not() {
        let agent = session(AgentState::Working, "", Some(7));
        assert_eq!(seen(&agent, false, Some(false), 50), Finding::Died);
        assert_eq!(seen(&agent, false, Some(false), 150), Finding::Completed);
        assert_eq!(
            seen(&agent, false, Some(true), 500),
            Finding::Moved(AgentState::Stalled)
        );
        let turns = session(AgentState::BetweenTurns, "", None);
        assert_eq!(seen(&turns, false, None, 500), Finding::Died);
    }

    #[test]
    fn nothing_is_moved_back() {
        let agent = session(AgentState::Stalled, "t", Some(7));
        assert_eq!(seen(&agent, true, Some(true), 1), Finding::Nothing);
        let zombie = session(AgentState::Zombie, "t", Some(7));
        assert_eq!(seen(&zombie, true, Some(true), 1), Finding::Nothing);
    }
}
