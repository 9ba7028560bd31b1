//! How far the clocks of this place are ahead of UTC. SQLite asks the system for it, so that no other
//! library has to.

use crate::types::Timestamp;
use rusqlite::Connection;
use std::cell::OnceCell;

/// The time zone of the machine, or of the environment (`TZ`).
#[derive(Debug, Default)]
pub struct LocalTime {
    /// Opened when it is asked for the first time; none where that fails.
    calculator: OnceCell<Option<Connection>>,
}

impl LocalTime {
    /// Milliseconds that clocks here are ahead of UTC at a moment; 0 where the system cannot tell.
    pub fn ahead_ms(&self, at: Timestamp) -> i64 {
        let open = || Connection::open_in_memory().ok();
        let Some(calculator) = self.calculator.get_or_init(open) else {
            return 0;
        };
        let seconds = at.0.div_euclid(1000);
        let local: rusqlite::Result<Option<i64>> = calculator.query_row(
            "SELECT CAST(strftime('%s', ?1, 'unixepoch', 'localtime') AS INTEGER)",
            [seconds],
            |row| row.get(0),
        );
        let local = local.ok().flatten().unwrap_or(seconds);
        (local - seconds) * 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_that_no_calendar_holds_are_no_trouble() {
        let place = LocalTime::default();
        for ms in [0, i64::MIN, i64::MAX, 8_640_000_000_000_000] {
            assert!(place.ahead_ms(Timestamp(ms)).abs() <= 26 * 3_600_000);
        }
    }
}
