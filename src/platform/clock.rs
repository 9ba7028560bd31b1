//! The current time. Nothing else in grove asks the system for it.

use crate::types::Timestamp;
use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The current wall-clock time; the epoch if the clock is set before it.
pub fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(since.as_millis() as i64)
}

/// Milliseconds of a clock that nobody sets and that stands still while the machine sleeps; only
/// differences mean something.
pub fn steady_ms() -> i64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_millis() as i64
}
