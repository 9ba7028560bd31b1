//! Short texts for the screen: cleaning, fitting, wrapping, ages, money, clock times.
//!
//! Everything that comes from outside (mail, names, branches, diffs) passes through `clean`
//! before it is drawn. Pure functions; the clock is always an argument.

use std::borrow::Cow;

use crate::text::sanitize_line;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// What every agent's branch begins with; it says nothing where room is short.
pub(crate) const USUAL_PREFIX: &str = "overstory/";

/// Tells whether a character may be drawn. Joiners and variation selectors are refused because
/// they make the width of a row depend on the terminal; direction overrides because they lie.
pub(crate) fn is_drawable(c: char) -> bool {
    !c.is_control()
        && !matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Makes untrusted text safe for one row: no control characters and nothing of escape sequences, line
/// ends become spaces.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_drawable) {
        return Cow::Borrowed(text);
    }
    let text = sanitize_line(text);
    Cow::Owned(text.chars().filter(|c| is_drawable(*c)).collect())
}

/// Measures how many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Cuts a text to `columns`, marking the cut with `ellipsis`.
pub(crate) fn fit<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let room = columns.saturating_sub(width(ellipsis));
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let w = c.width().unwrap_or(0);
        if used + w > room {
            break;
        }
        used += w;
        out.push(c);
    }
    if width(ellipsis) <= columns {
        out.push_str(ellipsis);
    }
    Cow::Owned(out)
}

/// Cuts a text to `columns` between its beginning and its end, marking the cut with `ellipsis`.
pub(crate) fn fit_middle<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let room = columns.saturating_sub(width(ellipsis));
    let begin = fit(text, room / 2, "");
    let mut end = text.len();
    let mut used = width(&begin);
    for (at, c) in text.char_indices().rev() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        end = at;
    }
    let end = text.get(end..).unwrap_or_default();
    Cow::Owned(format!("{begin}{ellipsis}{end}"))
}

/// Wraps untrusted text of several lines to `columns`, at spaces where there are any.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut rows = Vec::new();
    for line in text.split('\n') {
        let line = line.replace('\t', "    ");
        wrap_line(&clean(&line), columns, &mut rows);
    }
    rows
}

fn wrap_line(line: &str, columns: usize, rows: &mut Vec<String>) {
    let mut row = String::new();
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let w = width(word.trim_end_matches(' '));
        if used > 0 && used + w > columns {
            rows.push(std::mem::take(&mut row).trim_end().to_owned());
            used = 0;
        }
        for c in word.chars() {
            let cw = c.width().unwrap_or(0);
            if used + cw > columns {
                if c == ' ' {
                    continue;
                }
                rows.push(std::mem::take(&mut row).trim_end().to_owned());
                used = 0;
            }
            row.push(c);
            used += cw;
        }
    }
    rows.push(row.trim_end().to_owned());
}

/// Formats a duration in one unit, as lists show it: `<1m`, `12m`, `3h`, `2d`.
pub(crate) fn coarse(ms: i64) -> String {
    match ms {
        ms if ms < MINUTE => "<1m".to_owned(),
        ms if ms < HOUR => format!("{}m", ms / MINUTE),
        ms if ms < DAY => format!("{}h{:02}", ms / HOUR, ms % HOUR / MINUTE),
        ms => format!("{}d", ms / DAY),
    }
}

/// Formats the age of `since` so that every label on screen changes with the clock's minute.
pub(crate) fn age(now_ms: i64, since_ms: i64) -> String {
    let minute = now_ms - now_ms.rem_euclid(MINUTE);
    coarse(minute.saturating_sub(since_ms))
}

/// Formats an age to the second while it is under two minutes.
pub(crate) fn precise_age(now_ms: i64, since_ms: i64) -> String {
    let ms = now_ms.saturating_sub(since_ms).max(0);
    if ms < 2 * MINUTE {
        format!("{}s", ms / 1000)
    } else {
        coarse(ms)
    }
}

/// Formats how long something has been going on: `0:41`, `12:05`, `1:02:33`.
pub(crate) fn elapsed(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        hours => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// Formats how long something took: `0.4 s`, `12 s`, `2:05`.
pub(crate) fn took(ms: u64) -> String {
    match ms {
        ms if ms < 10_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        ms if ms < 60_000 => format!("{} s", ms / 1000),
        ms => elapsed(i64::try_from(ms).unwrap_or(i64::MAX)),
    }
}

/// Formats a time of day.
pub(crate) fn clock(ms: i64, utc_offset_s: i32) -> String {
    let day = (ms + i64::from(utc_offset_s) * 1000).rem_euclid(DAY);
    format!("{:02}:{:02}", day / HOUR, day % HOUR / MINUTE)
}

/// Formats money with cents; an unknown amount is `?`.
pub(crate) fn money(micro: Option<i64>) -> String {
    match micro {
        Some(micro) => {
            let cents = (micro + 5_000).div_euclid(10_000);
            format!("${}.{:02}", cents / 100, cents % 100)
        }
        None => "?".to_owned(),
    }
}

/// Formats a count with its noun: `1 line`, `2 lines`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{s}")
}

/// Formats a count of tokens.
pub(crate) fn tokens(n: u64) -> String {
    match n {
        n if n < 1_000 => n.to_string(),
        n if n < 1_000_000 => format!("{}k", n / 1_000),
        n => format!("{:.1}M", n as f64 / 1_000_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_characters_and_direction_overrides_are_dropped() {
        assert_eq!(clean("a\x1b[5;31mb\x1b[0m \x1b]0;t\x07c"), "ab c");
        assert_eq!(clean("a\x1b[31mb\u{202e}c\nd\u{9b}e"), "abc d");
    }

    #[test]
    fn a_text_cut_in_its_middle_keeps_both_ends_and_fits() {
        assert_eq!(fit_middle("漢字 and more", 20, "…"), "漢字 and more");
        assert_eq!(
            fit_middle("src/a.rs and so on: commit", 12, "…"),
            "src/a…commit"
        );
        assert!(width(&fit_middle("漢字漢字漢字漢字", 8, "…")) <= 8);
    }

    #[test]
    fn ages_change_only_with_the_minute() {
        assert_eq!(age(120_000, 50_000), age(179_999, 50_000));
        assert_eq!(age(180_000, 50_000), "2m");
        assert_eq!(age(10, 0), "<1m");
        assert_eq!(precise_age(61_000, 0), "61s");
        assert_eq!(coarse(3 * HOUR + 5 * MINUTE), "3h05");
        assert_eq!(elapsed(41_900), "0:41");
        assert_eq!(elapsed(HOUR + 2 * MINUTE + 33_000), "1:02:33");
        assert_eq!(
            (took(420), took(12_900)),
            ("0.4 s".to_owned(), "12 s".to_owned())
        );
    }

    #[test]
    fn money_and_clock() {
        assert_eq!(money(Some(1_204_999)), "$1.20");
        assert_eq!(money(None), "?");
        assert_eq!(clock(14 * HOUR + 2 * MINUTE, 0), "14:02");
        assert_eq!(clock(0, -3600), "23:00");
    }

    #[test]
    fn wrapping_breaks_at_spaces_and_inside_long_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("a\n\nb", 5), ["a", "", "b"]);
    }

    proptest! {
        #[test]
        fn fitted_and_wrapped_text_never_exceeds_its_columns(text in ".*", columns in 1usize..30) {
            prop_assert!(width(&fit(&clean(&text), columns, "…")) <= columns);
            if columns > 1 {
                for row in wrap(&text, columns) {
                    prop_assert!(width(&row) <= columns, "{row:?}");
                }
            }
        }

        #[test]
        fn cleaned_text_has_no_controls(text in any::<String>()) {
            prop_assert!(!clean(&text).chars().any(char::is_control));
        }
    }
}
