//! What one agent's state means. Pure.
//!
//! Observed beats recorded: a dead process is dead whatever the row says, and an agent that is
//! silent for a reason is not stalled. Silence is answered in stages, each given time to work:
//! a note, a nudge, a second opinion, the end.

use crate::platform::liveness::Liveness;
use crate::types::agent::is_persistent;
use crate::types::host::ExitReport;
use crate::types::{AgentSession, AgentState, Timestamp};

/// The highest stage.
const LAST: i64 = 3;

/// Times after which silence means something; milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Silence in a turn counts as stalled after this.
    pub stale_ms: i64,
    /// Silence that nothing excuses ends the agent after this, whatever its stage; a running
    /// tool may be silent for this long.
    pub zombie_ms: i64,
    /// Time per stage.
    pub stage_ms: i64,
}

/// Why an agent may be silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excuse {
    /// It asks a person.
    Person,
    /// It has asked for a decision by mail.
    Gate,
    /// Its provider makes it wait.
    RateLimited,
    /// It shortens its conversation.
    Compacting,
    /// A tool it has started is at work.
    Tool,
}

/// Everything that is known about one agent at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Observation<'a> {
    pub session: &'a AgentSession,
    pub host: Liveness,
    /// How its CLI has ended, if the host has said so.
    pub exit: Option<&'a ExitReport>,
    /// Whether a turn is going on; `None` when nobody says.
    pub in_turn: Option<bool>,
    /// How long it has been silent, as far as somebody has watched.
    pub quiet_ms: i64,
    /// How long it has been at its present stage, as far as somebody has watched.
    pub at_stage_ms: i64,
    pub excuse: Option<Excuse>,
}

/// What silence asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// It is noted.
    Warn,
    /// The agent is asked to go on.
    Nudge,
    /// A second opinion is asked for.
    Triage,
    /// The agent is ended; its work is saved first.
    Terminate,
}

impl Stage {
    /// The stage as `escalation_level` records it.
    pub const fn level(self) -> i64 {
        match self {
            Self::Warn => 0,
            Self::Nudge => 1,
            Self::Triage => 2,
            Self::Terminate => LAST,
        }
    }

    fn of(level: i64) -> Self {
        match level {
            i64::MIN..=0 => Self::Warn,
            1 => Self::Nudge,
            2 => Self::Triage,
            3.. => Self::Terminate,
        }
    }
}

/// What an observation means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is gone without having finished.
    Dead { cause: String },
    /// Nothing is wrong. `after_silence`: a silence has just ended. `look_in_ms`: when silence
    /// would begin.
    Fine {
        after_silence: bool,
        look_in_ms: Option<i64>,
    },
    /// Silent, for a reason.
    Excused(Excuse),
    /// Silent without one, since then, at this stage; the next is due in `next_in_ms`.
    Silent {
        since: String,
        stage: Stage,
        next_in_ms: Option<i64>,
    },
}

/// Judges one agent that grove has started.
pub fn assess(seen: &Observation<'_>, now: Timestamp, limits: &Limits) -> Verdict {
    if let Some(cause) = death(seen) {
        return Verdict::Dead { cause };
    }
    let session = seen.session;
    let fine = |look_in_ms| Verdict::Fine {
        after_silence: is_marked(session),
        look_in_ms,
    };
    let watched = session.state.is_active()
        && seen.host == Liveness::Alive
        && !is_persistent(&session.capability);
    if !watched {
        return Verdict::Fine {
            after_silence: false,
            look_in_ms: None,
        };
    }
    // Between turns there is nothing to be silent about.
    if seen.in_turn == Some(false) {
        return fine(None);
    }
    if seen.quiet_ms <= limits.stale_ms {
        return fine(Some(limits.stale_ms - seen.quiet_ms + 1));
    }
    let patience = match seen.excuse {
        // What is only said to go on may hang itself.
        Some(Excuse::Tool | Excuse::Compacting) if seen.quiet_ms > limits.zombie_ms => {
            limits.zombie_ms
        }
        Some(excuse) => return Verdict::Excused(excuse),
        None => limits.stale_ms,
    };
    silence(seen, now, limits, patience)
}

/// Whether a silence is still on record; the agent's own host may have moved its state on.
pub fn is_marked(session: &AgentSession) -> bool {
    session.state == AgentState::Stalled
        || session.escalation_level > 0
        || session.stalled_since.is_some()
}

fn silence(seen: &Observation<'_>, now: Timestamp, limits: &Limits, patience: i64) -> Verdict {
    let session = seen.session;
    let since = session.stalled_since.clone().unwrap_or_else(|| now.iso());
    let every = limits.stage_ms.max(1);
    // One stage after the other, each with its time, however late somebody looks.
    let (level, spent) = if session.state == AgentState::Stalled {
        let level = session.escalation_level.clamp(0, LAST);
        let hopeless = patience == limits.stale_ms && seen.quiet_ms > limits.zombie_ms && level > 0;
        match seen.at_stage_ms >= every {
            _ if hopeless => (LAST, 0),
            true => ((level + 1).min(LAST), 0),
            false => (level, seen.at_stage_ms),
        }
    } else {
        (0, 0)
    };
    Verdict::Silent {
        since,
        stage: Stage::of(level),
        next_in_ms: (level < LAST).then(|| every - spent),
    }
}

/// The cause of a death that nobody has recorded as an orderly end.
fn death(seen: &Observation<'_>) -> Option<String> {
    if seen.session.state == AgentState::Completed {
        return None;
    }
    match (seen.exit, seen.host) {
        (Some(exit), _) if seen.session.state == AgentState::Zombie => Some(exit.cause.clone()),
        // The exit is stored before the state: the state follows within moments, unless the
        // host was killed in between.
        (Some(exit), Liveness::Dead) => Some(exit.cause.clone()),
        (None, Liveness::Dead) => Some("its host process was killed".to_owned()),
        (Some(_) | None, Liveness::Alive | Liveness::Unknown) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMITS: Limits = Limits {
        stale_ms: 300,
        zombie_ms: 600,
        stage_ms: 60,
    };

    fn session(state: AgentState, level: i64) -> AgentSession {
        AgentSession {
            state,
            pid: Some(1),
            escalation_level: level,
            ..AgentSession::example("a")
        }
    }

    fn judge(
        session: &AgentSession,
        quiet_ms: i64,
        at_stage_ms: i64,
        excuse: Option<Excuse>,
    ) -> Verdict {
        let seen = Observation {
            session,
            host: Liveness::Alive,
            exit: None,
            in_turn: Some(true),
            quiet_ms,
            at_stage_ms,
            excuse,
        };
        assess(&seen, Timestamp(0), &LIMITS)
    }

    fn stage(verdict: &Verdict) -> Option<Stage> {
        match verdict {
            Verdict::Silent { stage, .. } => Some(*stage),
            Verdict::Dead { .. } | Verdict::Fine { .. } | Verdict::Excused(_) => None,
        }
    }

    #[test]
    fn silence_goes_through_the_stages_and_each_has_its_time() {
        let agent = session(AgentState::Working, 0);
        assert_eq!(stage(&judge(&agent, 300, 0, None)), None);
        let first = judge(&agent, 550, 550, None);
        assert_eq!(stage(&first), Some(Stage::Warn), "however late it is seen");
        let steps = [Stage::Warn, Stage::Nudge, Stage::Triage, Stage::Terminate];
        for pair in steps.windows(2) {
            let agent = session(AgentState::Stalled, pair[0].level());
            assert_eq!(stage(&judge(&agent, 550, 59, None)), Some(pair[0]));
            assert_eq!(stage(&judge(&agent, 550, 60, None)), Some(pair[1]));
        }
        let last = session(AgentState::Stalled, 3);
        assert_eq!(stage(&judge(&last, 301, 0, None)), Some(Stage::Terminate));
    }

    #[test]
    fn the_longest_silence_ends_only_who_was_asked_to_go_on() {
        let warned = session(AgentState::Stalled, 0);
        assert_eq!(stage(&judge(&warned, 601, 0, None)), Some(Stage::Warn));
        let nudged = session(AgentState::Stalled, 1);
        assert_eq!(stage(&judge(&nudged, 601, 0, None)), Some(Stage::Terminate));
    }

    #[test]
    fn a_reason_to_be_silent_counts_for_as_long_as_it_holds_and_a_tool_for_a_while() {
        let agent = session(AgentState::Working, 0);
        for excuse in [Excuse::Person, Excuse::Gate, Excuse::RateLimited] {
            let verdict = judge(&agent, 1_000_000, 0, Some(excuse));
            assert_eq!(verdict, Verdict::Excused(excuse));
        }
        for excuse in [Excuse::Tool, Excuse::Compacting] {
            let at = |quiet| judge(&agent, quiet, 0, Some(excuse));
            assert_eq!(at(600), Verdict::Excused(excuse));
            assert_eq!(stage(&at(601)), Some(Stage::Warn));
        }
    }

    #[test]
    fn a_silence_that_the_host_has_ended_is_still_forgotten() {
        let agent = session(AgentState::Working, 1);
        let verdict = judge(&agent, 10, 0, None);
        assert!(matches!(
            verdict,
            Verdict::Fine {
                after_silence: true,
                ..
            }
        ));
    }

    #[test]
    fn unknown_is_not_dead_and_an_orderly_end_is_no_death() {
        let mut agent = session(AgentState::Working, 0);
        let seen = |agent: &AgentSession, host| {
            let seen = Observation {
                session: agent,
                host,
                exit: None,
                in_turn: None,
                quiet_ms: 1_000_000,
                at_stage_ms: 0,
                excuse: None,
            };
            assess(&seen, Timestamp(0), &LIMITS)
        };
        let dead = |v: &Verdict| matches!(v, Verdict::Dead { .. });
        assert!(!dead(&seen(&agent, Liveness::Unknown)));
        assert!(dead(&seen(&agent, Liveness::Dead)));
        agent.state = AgentState::Completed;
        assert!(!dead(&seen(&agent, Liveness::Dead)));
    }

    proptest! {
        #[test]
        fn a_stage_is_never_gone_back_to(level in 0i64..4, quiet in 301i64..2000, spent in 0i64..2000) {
            let agent = session(AgentState::Stalled, level);
            let found = stage(&judge(&agent, quiet, spent, None)).map(Stage::level);
            prop_assert!(found >= Some(level));
        }

        #[test]
        fn persistent_agents_are_never_stalled(quiet in 0i64..i64::MAX / 4) {
            let mut agent = session(AgentState::Working, 0);
            agent.capability = "orchestrator".into();
            prop_assert_eq!(stage(&judge(&agent, quiet, quiet, None)), None);
        }
    }
}
