//! Ending what runs for a merge that would not land any more.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::process::shell::Cancel;

/// How often it is asked whether anything is to land. What says no may be another process, which can only write it down.
const LOOKS_EVERY: Duration = Duration::from_millis(500);

/// Whether nothing is to land any more.
pub type Stops<'a> = &'a (dyn Fn() -> bool + Sync);

/// Runs something that `tokens` end, and calls them as soon as `stops` says so.
pub(in crate::merge) fn until_stopped<T>(
    stops: Stops<'_>,
    tokens: &[Arc<Cancel>],
    run: impl FnOnce() -> T,
) -> T {
    std::thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        scope.spawn(move || {
            while ended.recv_timeout(LOOKS_EVERY) == Err(RecvTimeoutError::Timeout) {
                if stops() {
                    for token in tokens {
                        token.call();
                    }
                    return;
                }
            }
        });
        let result = run();
        drop(done);
        result
    })
}
