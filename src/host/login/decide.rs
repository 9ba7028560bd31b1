//! When a login is renewed, how often that is tried, and what has come of it. Pure; times in milliseconds.

use serde::{Deserialize, Serialize};

const MINUTE: i64 = 60_000;
/// How long to wait after each try that failed; after one more nothing is tried until the login has changed.
const PAUSES: [i64; 4] = [2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE];
/// A single failure may be a moment without network.
const TOLD_AFTER: usize = 2;

/// Tries to renew one login that have failed; shared by all hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tries {
    /// When that login runs out: another login has other tries.
    pub(super) of: i64,
    pub(super) count: usize,
    pub(super) last: i64,
}

/// What to do about a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Renew,
    At(i64),
    /// Nothing helps until somebody has signed in.
    Rest,
}

/// `runs_out` is the epoch for a login that the service has refused, and `None` where there is none.
pub(super) fn next(runs_out: Option<i64>, early: i64, tries: Option<Tries>, now: i64) -> Next {
    let Some(runs_out) = runs_out.filter(|at| *at > 0) else {
        return Next::Rest;
    };
    let failed = tries.filter(|tries| tries.of == runs_out && tries.count > 0);
    let due = match failed {
        None => runs_out.saturating_sub(early),
        Some(failed) => {
            let Some(pause) = PAUSES.get(failed.count - 1) else {
                return Next::Rest;
            };
            // A clock that was set back must not make the pause longer.
            failed.last.min(now).saturating_add(*pause)
        }
    };
    if due <= now {
        Next::Renew
    } else {
        Next::At(due)
    }
}

/// The same for a host that has just looked, `since` milliseconds ago: whatever goes wrong, it does not look all the time.
pub(super) fn paced(next: Next, since: Option<i64>, now: i64) -> Next {
    match (next, since) {
        (Next::Renew, Some(since)) if since < MINUTE => Next::At(now + MINUTE - since),
        (next, _) => next,
    }
}

/// Whether an agent that is being started has the login renewed first: it has run out, and it is not a moment since
/// that was tried, however often.
pub(super) fn before_a_start(runs_out: Option<i64>, tries: Option<Tries>, now: i64) -> bool {
    let Some(runs_out) = runs_out.filter(|at| (1..=now).contains(at)) else {
        return false;
    };
    let failed = tries.filter(|tries| tries.of == runs_out);
    failed.is_none_or(|failed| (now - failed.last).abs() >= PAUSES[0])
}

/// What has come of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Renewed,
    /// The service renews it no more: the CLI has taken it away.
    Refused,
    Failed,
}

/// When the login ran out before the try, and after it.
pub(super) fn outcome(before: i64, after: Option<i64>) -> Outcome {
    match after {
        Some(after) if after > before => Outcome::Renewed,
        None | Some(..=0) => Outcome::Refused,
        Some(_) => Outcome::Failed,
    }
}

/// Whether a person is told of a try that failed; once for each login.
pub(super) fn tells(outcome: Outcome, count: usize) -> bool {
    match outcome {
        Outcome::Renewed => false,
        Outcome::Refused => true,
        Outcome::Failed => count == TOLD_AFTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLY: i64 = 270_000;
    const END: i64 = 10_000_000;

    fn failed(count: usize, last: i64) -> Option<Tries> {
        Some(Tries {
            of: END,
            count,
            last,
        })
    }

    #[test]
    fn a_login_is_renewed_in_its_last_minutes_and_after_its_end() {
        assert_eq!(next(Some(END), EARLY, None, 0), Next::At(END - EARLY));
        assert_eq!(next(Some(END), EARLY, None, END - EARLY), Next::Renew);
        assert_eq!(next(Some(END), EARLY, None, END + 1), Next::Renew);
        for none in [None, Some(0), Some(-1)] {
            assert_eq!(next(none, EARLY, None, END), Next::Rest);
        }
    }

    #[test]
    fn what_fails_is_tried_a_few_times_and_then_left() {
        let mut now = END - EARLY;
        let mut last = 0;
        let mut tries = 0;
        let mut told = 0;
        loop {
            match next(Some(END), EARLY, failed(tries, last), now) {
                Next::At(at) => now = at,
                Next::Renew => {
                    tries += 1;
                    last = now;
                    told += usize::from(tells(Outcome::Failed, tries));
                }
                Next::Rest => break,
            }
        }
        assert_eq!((tries, told), (5, 1));
        assert_eq!(now, END - EARLY + 82 * MINUTE);
        // Another login begins anew, and so it does when the user has renewed it.
        assert_eq!(next(Some(END + 1), EARLY, failed(5, now), now), Next::Renew);
    }

    #[test]
    fn who_starts_an_agent_has_a_login_that_has_run_out_tried_again() {
        assert!(before_a_start(Some(END), None, END));
        assert!(before_a_start(Some(END), failed(5, END), END + 2 * MINUTE));
        assert!(!before_a_start(Some(END), failed(5, END), END + MINUTE));
        assert!(!before_a_start(Some(END), None, END - 1));
        assert!(!before_a_start(Some(0), None, END) && !before_a_start(None, None, END));
    }

    #[test]
    fn a_host_does_not_look_all_the_time() {
        assert_eq!(paced(Next::Renew, None, 5), Next::Renew);
        assert_eq!(paced(Next::Renew, Some(MINUTE), 5), Next::Renew);
        assert_eq!(paced(Next::Renew, Some(1), 5), Next::At(MINUTE + 4));
        assert_eq!(paced(Next::Rest, Some(1), 5), Next::Rest);
    }

    #[test]
    fn a_clock_that_is_set_back_makes_no_pause_longer() {
        let next = next(Some(END), EARLY, failed(1, END + 60 * MINUTE), END);
        assert_eq!(next, Next::At(END + PAUSES[0]));
    }

    #[test]
    fn the_login_itself_says_what_has_come_of_a_try() {
        for (after, expected) in [
            (Some(END + 1), Outcome::Renewed),
            (Some(END), Outcome::Failed),
            (Some(0), Outcome::Refused),
            (None, Outcome::Refused),
        ] {
            assert_eq!(outcome(END, after), expected);
        }
        assert!(tells(Outcome::Refused, 1) && !tells(Outcome::Failed, 1));
    }
}
