//! How long a loop sleeps between looks at the stores, and what it does when it wakes. Pure.

use super::headless::Message;
use crate::platform::settle::Settle;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

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
#[derive(Debug, Default)]
pub(super) struct Pacing {
    /// A change was noticed that may not have been visible yet.
    settle: Settle,
}

impl Pacing {
    /// How long to sleep when `until` is the time to the next thing that is due.
    pub(super) fn wait(&self, until: Duration) -> Duration {
        let until = until.min(SAFETY);
        self.settle.wait().map_or(until, |again| until.min(again))
    }

    /// Takes in why the loop woke up.
    pub(super) fn woken(&mut self, heard: Result<Message, RecvTimeoutError>) -> Next {
        match heard {
            Ok(Message::Changed) => {
                self.settle.noticed();
                Next::Ask
            }
            Err(RecvTimeoutError::Timeout) if self.settle.is_due() => Next::Ask,
            Ok(Message::Look) | Err(RecvTimeoutError::Timeout) => Next::Look,
            Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => Next::End,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_commit_that_is_noticed_too_early_is_not_slept_over() {
        let mut pacing = Pacing::default();
        assert_eq!(pacing.wait(HOUR), SAFETY);
        assert_eq!(pacing.woken(Ok(Message::Changed)), Next::Ask);
        // The stores said no: they are asked once more, soon.
        assert_eq!(pacing.wait(HOUR), Duration::from_millis(100));
        assert_eq!(pacing.woken(Err(RecvTimeoutError::Timeout)), Next::Ask);
        // And for the last time when a writer on a slow disk is done, too.
        assert_eq!(pacing.wait(HOUR), Duration::from_secs(1));
        assert_eq!(pacing.woken(Err(RecvTimeoutError::Timeout)), Next::Ask);
        // And then the loop sleeps until something is due, upon which it looks in any case.
        assert_eq!(pacing.wait(HOUR), SAFETY);
        assert_eq!(pacing.woken(Err(RecvTimeoutError::Timeout)), Next::Look);
    }

    #[test]
    fn what_is_due_sooner_comes_sooner_and_an_order_counts_at_once() {
        let mut pacing = Pacing::default();
        let soon = Duration::from_millis(3);
        assert_eq!(pacing.woken(Ok(Message::Changed)), Next::Ask);
        assert_eq!(pacing.wait(soon), soon);
        assert_eq!(pacing.woken(Ok(Message::Look)), Next::Look);
        assert_eq!(pacing.woken(Ok(Message::End)), Next::End);
        assert_eq!(pacing.woken(Err(RecvTimeoutError::Disconnected)), Next::End);
    }
}
