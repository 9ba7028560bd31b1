//! How long agents have been silent, measured by a clock that a change of the time of day, or the
//! sleep of the machine, does not move.
//!
//! A silence that nobody has watched counts only as far as "longer than allowed": whoever starts
//! to watch gives each stage its time again.

use crate::types::{AgentSession, AgentState, Timestamp};
use std::collections::HashMap;

#[derive(Debug, Clone)]
struct Beat {
    /// The recorded activity this was measured from.
    recorded: String,
    /// When that record was first seen, by the steady clock.
    seen_ms: i64,
    /// How old it was then.
    age_ms: i64,
    cpu: Option<u64>,
}

/// The memory of one watcher.
#[derive(Debug, Default)]
pub struct Quiet {
    beats: HashMap<String, Beat>,
    /// State and level of each session, and since when they are known.
    stages: HashMap<String, (AgentState, i64, i64)>,
}

impl Quiet {
    /// Forgets sessions that are gone.
    pub fn keep(&mut self, sessions: &[AgentSession]) {
        let known = |id: &String| sessions.iter().any(|s| s.id == *id);
        self.beats.retain(|id, _| known(id));
        self.stages.retain(|id, _| known(id));
    }

    /// How long a session has been silent. `cap_ms` bounds what is believed of a time nobody has
    /// watched.
    pub fn of(
        &mut self,
        session: &AgentSession,
        now: Timestamp,
        steady_ms: i64,
        cap_ms: i64,
    ) -> i64 {
        let age = Timestamp::parse(&session.last_activity).map_or(0, |t| (now.0 - t.0).max(0));
        let known = self.beats.get(&session.id);
        if let Some(beat) = known.filter(|b| b.recorded == session.last_activity) {
            return beat.age_ms + (steady_ms - beat.seen_ms).max(0);
        }
        let age_ms = age.min(cap_ms);
        let beat = Beat {
            recorded: session.last_activity.clone(),
            seen_ms: steady_ms,
            age_ms,
            cpu: known.and_then(|b| b.cpu),
        };
        self.beats.insert(session.id.clone(), beat);
        age_ms
    }

    /// How long a session has been in its state and at its level.
    pub fn at_stage(&mut self, session: &AgentSession, steady_ms: i64) -> i64 {
        let now = (session.state, session.escalation_level, steady_ms);
        let entry = self.stages.entry(session.id.clone()).or_insert(now);
        if (entry.0, entry.1) != (now.0, now.1) {
            *entry = now;
        }
        (steady_ms - entry.2).max(0)
    }

    /// Notes the processor time that a silent session's processes have used; work counts as a
    /// sign of life and ends the silence.
    pub fn worked(&mut self, session: &AgentSession, cpu: u64, steady_ms: i64) -> bool {
        let Some(beat) = self.beats.get_mut(&session.id) else {
            return false;
        };
        let before = beat.cpu.replace(cpu);
        // Fewer ticks means that a process has ended: something happened, too.
        let worked = before.is_some_and(|before| before.abs_diff(cpu) >= MEANT);
        if worked {
            beat.seen_ms = steady_ms;
            beat.age_ms = 0;
        }
        worked
    }
}

/// Clock ticks of work between two looks that are more than waiting costs.
const MEANT: u64 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn session(last: i64) -> AgentSession {
        AgentSession {
            last_activity: Timestamp(last).iso(),
            ..AgentSession::example("a")
        }
    }

    #[test]
    fn a_night_of_sleep_is_no_silence() {
        let mut quiet = Quiet::default();
        let agent = session(0);
        assert_eq!(quiet.of(&agent, Timestamp(50), 0, 1000), 50);
        let morning = 8 * 3_600_000;
        assert_eq!(quiet.of(&agent, Timestamp(morning), 10, 1000), 60);
    }

    #[test]
    fn what_nobody_watched_counts_only_up_to_the_cap() {
        let mut quiet = Quiet::default();
        let agent = session(0);
        assert_eq!(quiet.of(&agent, Timestamp(1_000_000), 0, 301), 301);
        assert_eq!(quiet.of(&agent, Timestamp(1_000_060), 60, 301), 361);
    }

    #[test]
    fn activity_and_work_end_a_silence() {
        let mut quiet = Quiet::default();
        quiet.of(&session(0), Timestamp(500), 0, 1000);
        assert_eq!(quiet.of(&session(500), Timestamp(510), 10, 1000), 10);
        let agent = session(500);
        assert!(!quiet.worked(&agent, 100, 20), "nothing to compare with");
        assert!(!quiet.worked(&agent, 101, 30), "waiting costs a little");
        assert!(quiet.worked(&agent, 200, 40));
        assert_eq!(quiet.of(&agent, Timestamp(600), 45, 1000), 5);
    }

    #[test]
    fn a_stage_begins_when_it_is_first_seen() {
        let mut quiet = Quiet::default();
        let mut agent = session(0);
        assert_eq!(quiet.at_stage(&agent, 100), 0);
        assert_eq!(quiet.at_stage(&agent, 150), 50);
        agent.escalation_level = 1;
        assert_eq!(quiet.at_stage(&agent, 160), 0);
        quiet.keep(&[]);
        assert_eq!(quiet.at_stage(&agent, 500), 0, "forgotten with its session");
    }
}
