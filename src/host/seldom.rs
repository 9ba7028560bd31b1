//! Saying something that can happen ten thousand times a second, at most now and then.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lets one line through, then none for a while; counts what it kept back.
#[derive(Debug)]
pub(super) struct Seldom {
    every: Duration,
    state: Mutex<(Option<Instant>, u64)>,
}

impl Seldom {
    pub(super) const fn new(every: Duration) -> Self {
        Self {
            every,
            state: Mutex::new((None, 0)),
        }
    }

    /// Whether to speak now; then how often nothing was said since the last time.
    pub(super) fn speaks(&self, now: Instant) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, kept_back) = &mut *state;
        if last.is_some_and(|last| now.saturating_duration_since(last) < self.every) {
            *kept_back += 1;
            return None;
        }
        *last = Some(now);
        Some(std::mem::take(kept_back))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_once_and_then_with_the_number_of_those_that_did_not() {
        let seldom = Seldom::new(Duration::from_secs(60));
        let start = Instant::now();
        assert_eq!(seldom.speaks(start), Some(0));
        for second in 1..60 {
            assert_eq!(seldom.speaks(start + Duration::from_secs(second)), None);
        }
        assert_eq!(seldom.speaks(start + Duration::from_secs(60)), Some(59));
        assert_eq!(seldom.speaks(start + Duration::from_secs(120)), Some(0));
    }
}
