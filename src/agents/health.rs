//! What state a session is really in, judged from what can be observed.
//!
//! Pure: the caller looks at processes and terminals. First match wins, and observed state beats
//! recorded state.

use crate::types::agent::is_persistent;
use crate::types::{AgentSession, AgentState, Timestamp};

/// Quiet times after which an agent counts as stalled or dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Stalled after this.
    pub stale_ms: i64,
    /// Dead after this.
    pub zombie_ms: i64,
}

/// The thresholds that status displays use whatever the configuration says.
pub const DISPLAY_THRESHOLDS: Thresholds = Thresholds {
    stale_ms: 300_000,
    zombie_ms: 600_000,
};

/// What was seen of a session's process and terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// Its tmux session exists.
    pub tmux_alive: bool,
    /// Its recorded process runs; `None` when none is recorded or the system does not tell.
    pub pid_alive: Option<bool>,
}

/// What should be done about a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthAction {
    /// Nothing.
    None,
    /// It is quiet for too long.
    Escalate,
    /// It is gone or as good as gone.
    Terminate,
    /// It ended in order without saying so.
    Complete,
    /// Recorded and observed state contradict each other.
    Investigate,
}

/// Judges one session.
pub fn evaluate(
    session: &AgentSession,
    seen: Observation,
    now: Timestamp,
    limits: Thresholds,
) -> (AgentState, HealthAction) {
    if session.state == AgentState::Completed {
        return (AgentState::Completed, HealthAction::None);
    }
    let elapsed = Timestamp::parse(&session.last_activity).map(|last| now.0 - last.0);
    let spawned_per_turn = session.tmux_session.is_empty() && session.pid.is_none();
    if spawned_per_turn {
        return by_time(session, elapsed, limits);
    }
    let headless = session.tmux_session.is_empty();
    if headless {
        if seen.pid_alive == Some(false) {
            return ended(session, elapsed, limits);
        }
    } else if !seen.tmux_alive {
        return ended(session, elapsed, limits);
    }
    if session.state == AgentState::Zombie {
        return (AgentState::Zombie, HealthAction::Investigate);
    }
    if seen.pid_alive == Some(false) {
        return (AgentState::Zombie, HealthAction::Terminate);
    }
    by_time(session, elapsed, limits)
}

/// A process that ended long ago while it was working ended in order.
fn ended(
    session: &AgentSession,
    elapsed: Option<i64>,
    limits: Thresholds,
) -> (AgentState, HealthAction) {
    let was_working = matches!(
        session.state,
        AgentState::Working | AgentState::Booting | AgentState::Stalled
    );
    if was_working && elapsed.is_some_and(|elapsed| elapsed > limits.stale_ms) {
        return (AgentState::Completed, HealthAction::Complete);
    }
    (AgentState::Zombie, HealthAction::Terminate)
}

fn by_time(
    session: &AgentSession,
    elapsed: Option<i64>,
    limits: Thresholds,
) -> (AgentState, HealthAction) {
    if is_persistent(&session.capability) {
        let state = match session.state {
            AgentState::Booting | AgentState::Stalled => AgentState::Working,
            AgentState::Working
            | AgentState::InTurn
            | AgentState::BetweenTurns
            | AgentState::Completed
            | AgentState::Zombie => session.state,
        };
        return (state, HealthAction::None);
    }
    let longer_than = |limit: i64| elapsed.is_some_and(|elapsed| elapsed > limit);
    if longer_than(limits.zombie_ms) {
        return (AgentState::Zombie, HealthAction::Terminate);
    }
    if longer_than(limits.stale_ms) {
        return (AgentState::Stalled, HealthAction::Escalate);
    }
    if matches!(session.state, AgentState::InTurn | AgentState::BetweenTurns) {
        return (session.state, HealthAction::None);
    }
    let spawned_per_turn = session.tmux_session.is_empty() && session.pid.is_none();
    let state = if spawned_per_turn {
        AgentState::BetweenTurns
    } else {
        AgentState::Working
    };
    (state, HealthAction::None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use AgentState as S;

    fn session(capability: &str, state: S, tmux: &str, pid: Option<i64>) -> AgentSession {
        AgentSession {
            capability: capability.into(),
            tmux_session: tmux.into(),
            state,
            pid,
            last_activity: Timestamp(0).iso(),
            ..AgentSession::example("a")
        }
    }

    fn judge(
        session: &AgentSession,
        tmux: bool,
        pid: Option<bool>,
        elapsed: i64,
    ) -> (S, HealthAction) {
        let seen = Observation {
            tmux_alive: tmux,
            pid_alive: pid,
        };
        evaluate(session, seen, Timestamp(elapsed), DISPLAY_THRESHOLDS)
    }

    #[test]
    fn a_dead_process_is_a_zombie_unless_it_has_been_quiet_for_long() {
        let agent = session("builder", S::Working, "", Some(7));
        assert_eq!(
            judge(&agent, false, Some(false), 1000),
            (S::Zombie, HealthAction::Terminate)
        );
        assert_eq!(
            judge(&agent, false, Some(false), 300_001),
            (S::Completed, HealthAction::Complete)
        );
        let turn = session("builder", S::InTurn, "", Some(7));
        assert_eq!(
            judge(&turn, false, Some(false), 300_001),
            (S::Zombie, HealthAction::Terminate)
        );
    }

    #[test]
    fn unknown_is_not_dead() {
        let agent = session("builder", S::Booting, "", Some(7));
        assert_eq!(
            judge(&agent, false, None, 1000),
            (S::Working, HealthAction::None)
        );
    }

    #[test]
    fn thresholds_are_strict() {
        let agent = session("builder", S::Working, "", None);
        assert_eq!(judge(&agent, false, None, 300_000).0, S::BetweenTurns);
        assert_eq!(
            judge(&agent, false, None, 300_001),
            (S::Stalled, HealthAction::Escalate)
        );
        assert_eq!(
            judge(&agent, false, None, 600_001),
            (S::Zombie, HealthAction::Terminate)
        );
    }

    #[test]
    fn persistent_agents_do_not_age_and_completed_ones_stay() {
        let coordinator = session("coordinator", S::Stalled, "", None);
        assert_eq!(
            judge(&coordinator, false, None, i64::MAX / 2),
            (S::Working, HealthAction::None)
        );
        let done = session("builder", S::Completed, "t", Some(7));
        assert_eq!(
            judge(&done, false, Some(false), 1),
            (S::Completed, HealthAction::None)
        );
    }

    #[test]
    fn a_living_zombie_is_looked_at_not_killed() {
        let zombie = session("builder", S::Zombie, "t", Some(7));
        assert_eq!(
            judge(&zombie, true, Some(true), 1),
            (S::Zombie, HealthAction::Investigate)
        );
    }
}
