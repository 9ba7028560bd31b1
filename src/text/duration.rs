//! Durations and ages as text.
//!
//! `format_duration` is the contract's form (`1h 5m`, no days); `format_age` is the one-unit form
//! of our own screens; both take milliseconds so that no clock is needed here.

/// Formats milliseconds as `Ns`, `Mm Ns` or `Hh Mm`, dropping zero parts and flooring.
pub fn format_duration(milliseconds: i64) -> String {
    let seconds = milliseconds.div_euclid(1000);
    if seconds < 60 {
        return format!("{seconds}s");
    }
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    if minutes < 60 {
        return two_parts(minutes, 'm', seconds, 's');
    }
    two_parts(minutes / 60, 'h', minutes % 60, 'm')
}

fn two_parts(large: i64, large_unit: char, small: i64, small_unit: char) -> String {
    if small == 0 {
        format!("{large}{large_unit}")
    } else {
        format!("{large}{large_unit} {small}{small_unit}")
    }
}

/// Formats an age with its largest unit only: `4s`, `12m`, `3h`, `2d`. Negative ages read `0s`.
pub fn format_age(milliseconds: i64) -> String {
    let seconds = milliseconds.max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Formats milliseconds as a stopwatch: `0:07`, `12:30`, `1:02:03`.
pub fn format_clock(milliseconds: i64) -> String {
    let seconds = milliseconds.max(0) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contract_form_drops_zero_parts() {
        for (milliseconds, text) in [
            (0, "0s"),
            (999, "0s"),
            (59_999, "59s"),
            (60_000, "1m"),
            (61_500, "1m 1s"),
            (3_600_000, "1h"),
            (3_659_000, "1h"),
            (3_660_000, "1h 1m"),
            (90_000_000, "25h"),
            (-1, "-1s"),
        ] {
            assert_eq!(format_duration(milliseconds), text, "{milliseconds}");
        }
    }

    #[test]
    fn ages_use_one_unit() {
        assert_eq!(format_age(-5), "0s");
        assert_eq!(format_age(59_000), "59s");
        assert_eq!(format_age(3_599_000), "59m");
        assert_eq!(format_age(86_399_000), "23h");
        assert_eq!(format_age(172_800_000), "2d");
    }

    #[test]
    fn clock_shows_hours_only_when_needed() {
        assert_eq!(format_clock(7_000), "0:07");
        assert_eq!(format_clock(3_723_000), "1:02:03");
    }
}
