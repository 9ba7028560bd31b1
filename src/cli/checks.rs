//! Checks of option values that the contract words itself.

use super::error::{CliError, CliResult};
use crate::platform::clock;
use crate::types::Timestamp;

/// Parses a whole number of at least one.
pub fn positive(option: &str, text: &str) -> CliResult<i64> {
    whole(option, 1, text, || {
        format!("{option} must be a positive integer")
    })
}

/// Parses a whole number that is not negative.
pub fn non_negative(option: &str, text: &str) -> CliResult<i64> {
    whole(option, 0, text, || {
        format!("{option} must be a non-negative integer")
    })
}

/// Parses a number of at least `least`; `unit` is added in parentheses.
pub fn at_least(option: &str, least: i64, unit: Option<&str>, text: &str) -> CliResult<i64> {
    whole(option, least, text, || {
        let unit = unit.map_or_else(String::new, |unit| format!(" ({unit})"));
        format!("{option} must be a number >= {least}{unit}")
    })
}

/// Parses a whole number of at least `least`, with other words for one that is not; a number nobody
/// can mean is said to be one.
pub fn whole(option: &str, least: i64, text: &str, wrong: impl Fn() -> String) -> CliResult<i64> {
    match integer(text) {
        Whole::Number(number) if number >= least => Ok(number),
        Whole::TooLarge => Err(too_large(option, text)),
        Whole::Number(_) | Whole::None => Err(CliError::validation(wrong())),
    }
}

/// Checks that a text is an ISO time and returns it unchanged, because stores compare text.
pub fn iso_time(option: &str, text: &str) -> CliResult<String> {
    moment(option, text, false).map(|_| text.to_owned())
}

/// Reads an ISO time, also a mere day, month or year; `relative` allows `10m` and its kin as well,
/// counted back from now.
pub fn moment(option: &str, text: &str, relative: bool) -> CliResult<Timestamp> {
    if let Some(back) = relative.then(|| relative_ms(text)).flatten() {
        return Ok(Timestamp(clock::now().0 - back));
    }
    let rest = match text.len() {
        4 => "-01-01T00:00:00Z",
        7 => "-01T00:00:00Z",
        10 => "T00:00:00Z",
        _ => "",
    };
    Timestamp::parse(text)
        .or_else(|| Timestamp::parse(&format!("{text}{rest}")))
        .ok_or_else(|| {
            let also = if relative { " or relative time" } else { "" };
            CliError::validation(format!("{option} must be a valid ISO 8601 timestamp{also}"))
        })
}

/// Milliseconds in `30s`, `10m`, `2h`, `1d`.
fn relative_ms(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let factor = match unit {
        's' => 1000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        _ => return None,
    };
    let digits = text.strip_suffix(unit)?;
    digits
        .chars()
        .all(|c| c.is_ascii_digit())
        .then(|| digits.parse::<i64>().ok())?
        .and_then(|number| number.checked_mul(factor))
}

/// Refuses a number beyond what can be counted, and nothing else.
pub fn countable(option: &str, text: &str) -> CliResult<()> {
    match integer(text) {
        Whole::TooLarge => Err(too_large(option, text)),
        Whole::Number(_) | Whole::None => Ok(()),
    }
}

/// What is said about a number beyond what can be counted.
fn too_large(option: &str, text: &str) -> CliError {
    CliError::validation(format!(
        "{option} is too large: {}; the largest is {}",
        text.trim(),
        i64::MAX
    ))
}

/// What a text begins with.
enum Whole {
    Number(i64),
    /// A number beyond what can be counted.
    TooLarge,
    None,
}

/// Reads the leading whole number, as the contract's parser does (`7x` is 7).
fn integer(text: &str) -> Whole {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    match digits.get(..end) {
        None | Some("") => Whole::None,
        Some(digits) => match digits.parse::<i64>() {
            Ok(number) => Whole::Number(sign * number),
            Err(_) if sign > 0 => Whole::TooLarge,
            Err(_) => Whole::None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_checked_in_the_contracts_words() {
        for (text, number) in [("7", 7), (" +5", 5), ("3.7", 3), ("12x", 12), ("1e3", 1)] {
            assert_eq!(positive("--limit", text).unwrap(), number, "{text}");
        }
        for text in ["", "x", "-1", "0x10", "-99999999999999999999", "Infinity"] {
            assert_eq!(
                positive("--limit", text).unwrap_err().message,
                "--limit must be a positive integer",
                "{text}"
            );
        }
        assert_eq!(non_negative("--depth", "0").unwrap(), 0);
        assert_eq!(
            non_negative("--depth", "-1").unwrap_err().message,
            "--depth must be a non-negative integer"
        );
        for parsed in [
            positive("--limit", " 99999999999999999999"),
            non_negative("--limit", "99999999999999999999"),
            at_least("--limit", 1, None, "99999999999999999999"),
        ] {
            assert_eq!(
                parsed.unwrap_err().message,
                "--limit is too large: 99999999999999999999; the largest is 9223372036854775807"
            );
        }
        assert!(countable("--last", "99999999999999999999").is_err());
        assert!(countable("--last", "abc").is_ok() && countable("--last", "7").is_ok());
        assert_eq!(
            positive("--limit", "0").unwrap_err().message,
            "--limit must be a positive integer"
        );
        assert_eq!(
            at_least("--interval", 500, Some("milliseconds"), "abc")
                .unwrap_err()
                .message,
            "--interval must be a number >= 500 (milliseconds)"
        );
    }

    #[test]
    fn times_stay_as_written() {
        assert_eq!(
            iso_time("--since", "2026-03-01T00:00:00Z").unwrap(),
            "2026-03-01T00:00:00Z"
        );
        for text in ["2026-03-01", "2026-03", "2026", "2026-03-01T10:00+02:00"] {
            assert_eq!(iso_time("--since", text).unwrap(), text);
        }
        for text in ["yesterday", "", "26", "2026-13", "2026-1-1", "10m", "1"] {
            let error = iso_time("--since", text).unwrap_err();
            assert_eq!(
                error.message, "--since must be a valid ISO 8601 timestamp",
                "{text}"
            );
        }
        let month = moment("--until", "2026-03", false).unwrap();
        assert_eq!(month.iso(), "2026-03-01T00:00:00.000Z");
    }

    #[test]
    fn relative_times_have_one_unit() {
        assert_eq!(relative_ms("90m"), Some(5_400_000));
        assert_eq!(relative_ms("5x"), None);
        assert_eq!(relative_ms("m"), None);
        assert_eq!(relative_ms("1h30m"), None);
    }
}
