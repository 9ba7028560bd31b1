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
        let seconds = known(at.0.div_euclid(1000));
        let local: rusqlite::Result<Option<i64>> = calculator.query_row(
            "SELECT CAST(strftime('%s', ?1, 'unixepoch', 'localtime') AS INTEGER)",
            [seconds],
            |row| row.get(0),
        );
        let local = local.ok().flatten().unwrap_or(seconds);
        (local - seconds) * 1000
    }
}

/// The calendar repeats itself after 400 years, weekdays included; in seconds.
const CYCLE: i64 = 146_097 * 86_400;
/// SQLite's calendar has the years 0 to 9999; some days less, so that the local time is in it, too.
const CALENDAR: std::ops::Range<i64> = -62_166_900_000..253_402_000_000;

/// A second of SQLite's calendar at which clocks show what they show then but for the year.
fn known(second: i64) -> i64 {
    if CALENDAR.contains(&second) {
        second
    } else {
        second.rem_euclid(CYCLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_beyond_the_calendar_are_those_of_a_cycle_that_is_in_it() {
        for second in [0, 1_767_225_600, -62_000_000_000, 253_000_000_000] {
            assert_eq!(known(second), second);
        }
        for second in [8_640_000_000_000, -8_640_000_000_000, i64::MAX, i64::MIN] {
            let known = known(second);
            assert!(
                CALENDAR.contains(&known)
                    && (second.wrapping_sub(known) % CYCLE == 0 || second == i64::MIN)
            );
        }
    }

    #[test]
    fn moments_that_no_calendar_holds_are_no_trouble() {
        let place = LocalTime::default();
        for ms in [0, i64::MIN, i64::MAX, 8_640_000_000_000_000] {
            assert!(place.ahead_ms(Timestamp(ms)).abs() <= 26 * 3_600_000);
        }
    }
}
