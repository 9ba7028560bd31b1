//! Wall-clock instants as milliseconds since the Unix epoch, and their text forms.
//!
//! Pure: the current time comes from `platform::clock`. Text is always UTC.

use std::fmt;

/// A wall-clock instant; milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Formats as `2026-03-01T12:00:00.000Z`, the form of every stored timestamp.
    pub fn iso(self) -> String {
        let (y, mo, d, h, mi, s, ms) = self.parts();
        format!("{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}.{ms:03}Z")
    }

    /// Formats for file and run names: [`Self::iso`] with `:` and `.` replaced by `-`.
    pub fn stamp(self) -> String {
        self.iso().replace([':', '.'], "-")
    }

    /// Parses ISO-8601 with optional fraction and optional `Z` or offset; without one, UTC.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (date, rest) = text.split_once(['T', ' '])?;
        let mut d = date.split('-');
        let year: i64 = d.next()?.parse().ok()?;
        let month: i64 = d.next()?.parse().ok()?;
        let day: i64 = d.next()?.parse().ok()?;
        if d.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let (clock, offset_ms) = split_offset(rest)?;
        let mut c = clock.split(':');
        let hour: i64 = c.next()?.parse().ok()?;
        let minute: i64 = c.next()?.parse().ok()?;
        let sec_text = c.next().unwrap_or("0");
        let (sec, frac) = sec_text.split_once('.').unwrap_or((sec_text, ""));
        let second: i64 = sec.parse().ok()?;
        let millis: i64 = match frac {
            "" => 0,
            f if f.bytes().all(|b| b.is_ascii_digit()) => {
                let padded = format!("{f:0<3}");
                padded.get(..3)?.parse().ok()?
            }
            _ => return None,
        };
        if !(0..=24).contains(&hour) || !(0..=59).contains(&minute) || !(0..=60).contains(&second) {
            return None;
        }
        // What JavaScript's clock can hold; more would overflow below.
        if !(-271_821..=275_760).contains(&year) {
            return None;
        }
        let days = days_from_civil(year, month, day);
        let total = ((days * 24 + hour) * 60 + minute) * 60 + second;
        Some(Self(total * 1000 + millis - offset_ms))
    }

    fn parts(self) -> (i64, i64, i64, i64, i64, i64, i64) {
        let ms = self.0.rem_euclid(1000);
        let secs = self.0.div_euclid(1000);
        let days = secs.div_euclid(86_400);
        let rem = secs.rem_euclid(86_400);
        let (y, m, d) = civil_from_days(days);
        (y, m, d, rem / 3600, rem / 60 % 60, rem % 60, ms)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.iso())
    }
}

fn split_offset(rest: &str) -> Option<(&str, i64)> {
    if let Some(clock) = rest.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = rest.rfind(['+', '-']) else {
        return Some((rest, 0));
    };
    let (clock, offset) = rest.split_at(at);
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let digits: String = offset.chars().filter(char::is_ascii_digit).collect();
    let hours: i64 = digits.get(..2)?.parse().ok()?;
    let minutes: i64 = digits.get(2..4).unwrap_or("0").parse().ok()?;
    Some((clock, sign * (hours * 60 + minutes) * 60_000))
}

/// Days since the epoch of a proleptic Gregorian date, by 400-year eras. A day beyond the end of its
/// month is one of the next.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    (year, month, doy - (153 * mp + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formats_known_instants() {
        assert_eq!(Timestamp(0).iso(), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            Timestamp(1_772_366_400_123).iso(),
            "2026-03-01T12:00:00.123Z"
        );
        assert_eq!(Timestamp(951_782_400_000).iso(), "2000-02-29T00:00:00.000Z");
        assert_eq!(
            Timestamp(1_772_366_400_123).stamp(),
            "2026-03-01T12-00-00-123Z"
        );
    }

    #[test]
    fn parses_the_forms_found_in_stores() {
        let want = Some(Timestamp(1_772_366_400_123));
        assert_eq!(Timestamp::parse("2026-03-01T12:00:00.123Z"), want);
        assert_eq!(Timestamp::parse("2026-03-01T12:00:00.123"), want);
        assert_eq!(Timestamp::parse("2026-03-01T13:00:00.123+01:00"), want);
        assert_eq!(
            Timestamp::parse("2026-03-01 12:00:00"),
            Some(Timestamp(1_772_366_400_000))
        );
        assert_eq!(Timestamp::parse("yesterday"), None);
        assert_eq!(Timestamp::parse("2026-13-01T00:00:00Z"), None);
    }

    proptest! {
        #[test]
        fn iso_round_trips(ms in -60_000_000_000_000i64..250_000_000_000_000) {
            prop_assert_eq!(Timestamp::parse(&Timestamp(ms).iso()), Some(Timestamp(ms)));
        }
    }
}
