//! The current time. Nothing else in grove asks the system for it.

use crate::types::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// The current wall-clock time; the epoch if the clock is set before it.
pub fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(since.as_millis() as i64)
}
