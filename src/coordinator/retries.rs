//! Actions that have failed, and when each is tried again. Pure.
//!
//! An attempt writes to the stores even when it fails, and every change wakes the loop: without a pause it
//! would try again at once, for as long as the disk is full.

use super::decide::Action;
use crate::types::Timestamp;

/// The first pause; each further failure doubles it.
const FIRST_MS: i64 = 1000;
/// No pause is longer.
const LONGEST_MS: i64 = 60_000;

/// What has failed and still waits for its next attempt.
#[derive(Debug, Default)]
pub(super) struct Retries(Vec<Failure>);

#[derive(Debug)]
struct Failure {
    name: String,
    pause_ms: i64,
    /// By the steady clock.
    again_ms: i64,
}

/// The same for every attempt at the same thing; some actions say how long it has been due.
fn name(action: &Action) -> String {
    match action {
        Action::Enqueue { key, .. }
        | Action::Acknowledge { key }
        | Action::Nudge { key, .. }
        | Action::Triage { key, .. }
        | Action::GiveUp { key, .. }
        | Action::Answer { key, .. }
        | Action::Retire { key, .. } => key.clone(),
        Action::DeclareDead { session_id, .. } => format!("dead:{session_id}"),
        Action::Merge { .. }
        | Action::MarkStalled { .. }
        | Action::MarkActive { .. }
        | Action::Correct { .. }
        | Action::TellRunEnd { .. }
        | Action::Poke { .. } => format!("{action:?}"),
    }
}

impl Retries {
    /// Whether an action may be tried now.
    pub(super) fn is_due(&self, action: &Action, steady_ms: i64) -> bool {
        let name = name(action);
        let failed = self.0.iter().find(|f| f.name == name);
        failed.is_none_or(|f| f.again_ms <= steady_ms)
    }

    /// Takes in how an attempt has ended.
    pub(super) fn tried(&mut self, action: &Action, worked: bool, steady_ms: i64) {
        let name = name(action);
        let before = self.0.iter().position(|f| f.name == name);
        let before = before.map(|place| self.0.swap_remove(place));
        if worked {
            return;
        }
        let pause_ms = before.map_or(FIRST_MS, |f| (f.pause_ms * 2).min(LONGEST_MS));
        self.0.push(Failure {
            name,
            pause_ms,
            again_ms: steady_ms + pause_ms,
        });
    }

    /// Forgets what nobody asks for any more.
    pub(super) fn keep(&mut self, planned: &[Action]) {
        if !self.0.is_empty() {
            let planned: Vec<String> = planned.iter().map(name).collect();
            self.0.retain(|f| planned.contains(&f.name));
        }
    }

    /// The sooner of a moment and the next attempt.
    pub(super) fn wake_at(
        &self,
        at: Option<Timestamp>,
        now: Timestamp,
        steady_ms: i64,
    ) -> Option<Timestamp> {
        let next = self.0.iter().map(|f| f.again_ms).min();
        let next = next.map(|again| Timestamp(now.0 + (again - steady_ms).max(0)));
        match (at, next) {
            (Some(at), Some(next)) => Some(at.min(next)),
            (one, other) => one.or(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retire(agent: &str) -> Action {
        Action::Retire {
            key: format!("retire:{agent}"),
            agent: agent.to_owned(),
        }
    }

    #[test]
    fn what_fails_is_tried_again_later_and_later_and_holds_up_nothing_else() {
        let mut retries = Retries::default();
        let (ann, ben) = (retire("ann"), retire("ben"));
        let mut now = 0;
        for pause in [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000] {
            assert!(retries.is_due(&ann, now));
            retries.tried(&ann, false, now);
            assert!(!retries.is_due(&ann, now + pause - 1));
            assert!(retries.is_due(&ben, now));
            let at = retries.wake_at(None, Timestamp(7), now);
            assert_eq!(at, Some(Timestamp(7 + pause)));
            now += pause;
        }
        retries.tried(&ann, true, now);
        assert!(retries.is_due(&ann, now));
        assert_eq!(retries.wake_at(None, Timestamp(7), now), None);
        let soon = Some(Timestamp(8));
        retries.tried(&ann, false, now);
        assert_eq!(retries.wake_at(soon, Timestamp(7), now), soon);
    }

    #[test]
    fn what_nobody_wants_any_more_is_forgotten() {
        let mut retries = Retries::default();
        retries.tried(&retire("ann"), false, 0);
        retries.keep(&[retire("ben")]);
        assert!(retries.is_due(&retire("ann"), 0));
    }
}
