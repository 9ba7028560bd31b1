//! How long a loop sleeps between looks at the stores, and what it does when it wakes. Pure.

use super::headless::Message;
use crate::platform::settle::Settle;
use crate::types::Timestamp;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// Looks at the stores at least this often, in case a notification was missed.
pub(super) const SAFETY: Duration = Duration::from_secs(30);

/// What to do after waking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Look whatever the stores say.
    Look,
    /// Look if the stores say that they have changed.
    Ask,
    End,
}

/// What a loop remembers between two sleeps.
#[derive(Debug)]
pub(super) struct Pacing {
    /// A change was noticed that may not have been visible yet.
    settle: Settle,
    /// When the next look is made whatever is noticed until then: notices that no change follows, say
    /// of somebody who only reads, come for as long as they like.
    due: Instant,
}

impl Pacing {
    /// The first look is due now.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            settle: Settle::default(),
            due: now,
        }
    }

    /// A look was made; what it has seen makes the next one due after `within`.
    pub(super) fn looked(&mut self, now: Instant, within: Option<Duration>) {
        self.due = now + within.map_or(SAFETY, |within| within.min(SAFETY));
    }

    /// How long to sleep.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        let until = self.due.saturating_duration_since(now);
        self.settle.wait().map_or(until, |again| until.min(again))
    }

    /// Takes in why the loop woke up.
    pub(super) fn woken(&mut self, heard: Result<Message, RecvTimeoutError>, now: Instant) -> Next {
        match heard {
            Ok(Message::Changed) => self.settle.noticed(),
            Err(RecvTimeoutError::Timeout) if now < self.due => {
                self.settle.is_due();
            }
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Message::Look) => return Next::Look,
            Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return Next::End,
        }
        if now >= self.due {
            Next::Look
        } else {
            Next::Ask
        }
    }
}

/// How far off a moment is; at least a millisecond, so that one that has come is not slept for none.
pub(super) fn until(at: Option<Timestamp>, now: Timestamp) -> Option<Duration> {
    at.map(|at| Duration::from_millis((at.0 - now.0).max(1) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Result<Message, RecvTimeoutError> = Err(RecvTimeoutError::Timeout);

    /// A loop that has looked now, and sees nothing that time alone would change.
    fn looked(within: Option<Duration>) -> (Pacing, Instant) {
        let now = Instant::now();
        let mut pacing = Pacing::new(now);
        assert_eq!(pacing.wait(now), Duration::ZERO);
        pacing.looked(now, within);
        (pacing, now)
    }

    #[test]
    fn a_commit_that_is_noticed_too_early_is_not_slept_over() {
        let (mut pacing, now) = looked(None);
        assert_eq!(pacing.wait(now), SAFETY);
        assert_eq!(pacing.woken(Ok(Message::Changed), now), Next::Ask);
        // The stores said no: they are asked once more, soon.
        assert_eq!(pacing.wait(now), Duration::from_millis(100));
        assert_eq!(pacing.woken(TIMEOUT, now), Next::Ask);
        // And for the last time when a writer on a slow disk is done, too.
        assert_eq!(pacing.wait(now), Duration::from_secs(1));
        assert_eq!(pacing.woken(TIMEOUT, now), Next::Ask);
        // And then the loop sleeps until something is due, upon which it looks in any case.
        assert_eq!(pacing.wait(now), SAFETY);
        assert_eq!(pacing.woken(TIMEOUT, now + SAFETY), Next::Look);
    }

    #[test]
    fn notices_that_no_change_follows_do_not_put_off_the_slow_look() {
        let (mut pacing, start) = looked(None);
        let every = Duration::from_millis(25);
        let mut now = start;
        while now + every < start + SAFETY {
            now += every;
            assert!(pacing.wait(now) <= start + SAFETY - now);
            assert_eq!(pacing.woken(Ok(Message::Changed), now), Next::Ask);
        }
        assert_eq!(pacing.woken(Ok(Message::Changed), now + every), Next::Look);
    }

    #[test]
    fn what_is_due_sooner_comes_sooner_and_an_order_counts_at_once() {
        let soon = Duration::from_millis(3);
        let (mut pacing, now) = looked(Some(soon));
        assert_eq!(pacing.woken(Ok(Message::Changed), now), Next::Ask);
        assert_eq!(pacing.wait(now), soon);
        assert_eq!(pacing.woken(TIMEOUT, now + soon), Next::Look);
        assert_eq!(pacing.woken(Ok(Message::Look), now), Next::Look);
        assert_eq!(pacing.woken(Ok(Message::End), now), Next::End);
        let nobody = Err(RecvTimeoutError::Disconnected);
        assert_eq!(pacing.woken(nobody, now), Next::End);
    }
}
