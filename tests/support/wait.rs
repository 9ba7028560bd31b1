//! Waiting for a condition with a deadline. Tests never sleep for a fixed time and hope.

use std::time::{Duration, Instant};

/// For what happens at once unless the machine is overloaded.
pub(crate) const SHORT: Duration = Duration::from_secs(20);
/// For what includes the work of an agent.
pub(crate) const LONG: Duration = Duration::from_secs(120);

/// Polls `probe` until it gives a value. When the time is over it fails with `what` and the report.
pub(crate) fn wait_until<T>(
    what: &str,
    limit: Duration,
    mut probe: impl FnMut() -> Option<T>,
    report: impl FnOnce() -> String,
) -> T {
    let end = Instant::now() + limit;
    loop {
        if let Some(value) = probe() {
            return value;
        }
        assert!(
            Instant::now() < end,
            "did not happen within {} s: {what}\n{}",
            limit.as_secs(),
            report()
        );
        std::thread::sleep(Duration::from_millis(25));
    }
}
