//! Checks of option values that the contract words itself.

use super::error::{CliError, CliResult};
use crate::types::Timestamp;

/// Parses a whole number of at least one.
pub fn positive(option: &str, text: &str) -> CliResult<i64> {
    integer(text)
        .filter(|number| *number >= 1)
        .ok_or_else(|| CliError::validation(format!("{option} must be a positive integer")))
}

/// Parses a number of at least `least`; `unit` is added in parentheses.
pub fn at_least(option: &str, least: i64, unit: Option<&str>, text: &str) -> CliResult<i64> {
    integer(text)
        .filter(|number| *number >= least)
        .ok_or_else(|| {
            let unit = unit.map_or_else(String::new, |unit| format!(" ({unit})"));
            CliError::validation(format!("{option} must be a number >= {least}{unit}"))
        })
}

/// Checks that a text is an ISO time and returns it unchanged, because stores compare text.
pub fn iso_time(option: &str, text: &str) -> CliResult<String> {
    let date_only = text.len() == 10 && Timestamp::parse(&format!("{text}T00:00:00Z")).is_some();
    if date_only || Timestamp::parse(text).is_some() {
        return Ok(text.to_owned());
    }
    Err(CliError::validation(format!(
        "{option} must be a valid ISO 8601 timestamp"
    )))
}

/// Reads the leading whole number, as the contract's parser does (`7x` is 7).
fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    digits
        .get(..end)?
        .parse::<i64>()
        .ok()
        .map(|number| sign * number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_checked_in_the_contracts_words() {
        for (text, number) in [("7", 7), (" +5", 5), ("3.7", 3), ("12x", 12), ("1e3", 1)] {
            assert_eq!(positive("--limit", text).unwrap(), number, "{text}");
        }
        for text in ["", "x", "-1", "0x10", "99999999999999999999", "Infinity"] {
            assert!(positive("--limit", text).is_err(), "{text}");
        }
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
        assert!(iso_time("--since", "2026-03-01").is_ok());
        assert!(iso_time("--since", "yesterday").is_err());
    }
}
