//! What `Date.parse` of JavaScript answers, as recorded, and what no recording tells.

use super::*;
use proptest::prelude::*;

const HOUR_MS: i64 = 3_600_000;

fn read(text: &str, ahead: impl Fn(Timestamp) -> i64) -> Option<String> {
    let time = WrittenTime::parse(text).and_then(|time| time.at(ahead));
    time.map(Timestamp::iso)
}

/// As bun answers where clocks are five hours behind UTC.
#[test]
fn texts_are_read_as_javascript_reads_them() {
    let wrong: Vec<_> = RECORDED
        .iter()
        .map(|(text, moment)| (text, read(text, |_| -5 * HOUR_MS), *moment))
        .filter(|(_, read, moment)| read.as_deref() != *moment)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn javascripts_clock_has_an_end() {
    let ms = |text: &str| WrittenTime::parse(text)?.at(|_| 0).map(|at| at.0);
    assert_eq!(ms("+275760-09-13"), Some(8_640_000_000_000_000));
    assert_eq!(ms("+275760-09-14"), None);
    assert_eq!(ms("-271821-04-20"), Some(-8_640_000_000_000_000));
    assert_eq!(ms("999999999-01-01"), None);
}

/// New York in 2030: one hour is skipped in March, one comes twice in November.
#[test]
fn an_hour_that_is_skipped_or_comes_twice_is_the_one_that_javascript_takes() {
    let summer = |text: &str| Timestamp::parse(text).unwrap();
    let (begin, end) = (
        summer("2030-03-10T07:00:00Z"),
        summer("2030-11-03T06:00:00Z"),
    );
    let ahead = |at: Timestamp| {
        let is_summer = (begin..end).contains(&at);
        if is_summer {
            -4 * HOUR_MS
        } else {
            -5 * HOUR_MS
        }
    };
    for (text, moment) in [
        ("2030-03-10 01:30", "2030-03-10T06:30:00.000Z"),
        ("2030-03-10 02:30", "2030-03-10T07:30:00.000Z"),
        ("2030-03-10 03:30", "2030-03-10T07:30:00.000Z"),
        ("2030-11-03 00:30", "2030-11-03T04:30:00.000Z"),
        ("2030-11-03T01:30", "2030-11-03T05:30:00.000Z"),
        ("2030-11-03 02:30", "2030-11-03T07:30:00.000Z"),
    ] {
        assert_eq!(read(text, ahead).as_deref(), Some(moment), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_breaks_it(text in "\\PC{0,40}", ahead in -14i64..15) {
        read(&text, |_| ahead * HOUR_MS);
    }

    #[test]
    fn what_stores_hold_is_the_same_for_both_readers(ms in -60_000_000_000_000i64..250_000_000_000_000) {
        let text = Timestamp(ms).iso();
        prop_assert_eq!(read(&text, |_| HOUR_MS), Some(text));
    }
}

const RECORDED: &[(&str, Option<&str>)] = &[
    ("January 1, 2030 10:00 PM", Some("2030-01-02T03:00:00.000Z")),
    ("1/1/2030 10:00 PM", Some("2030-01-02T03:00:00.000Z")),
    ("1/1/30", Some("2030-01-01T05:00:00.000Z")),
    (
        "2030-01-01 10:00:00 +0200",
        Some("2030-01-01T08:00:00.000Z"),
    ),
    ("2030-01-01 10:00 PST", Some("2030-01-01T18:00:00.000Z")),
    ("2030-01-01t10:00z", Some("2030-01-01T10:00:00.000Z")),
    ("2030.01.01", Some("2030-01-01T05:00:00.000Z")),
    ("foo 2030", Some("2030-01-01T05:00:00.000Z")),
    ("2030", Some("2030-01-01T00:00:00.000Z")),
    ("2030-01", Some("2030-01-01T00:00:00.000Z")),
    ("2030-01-01", Some("2030-01-01T00:00:00.000Z")),
    ("2030-01-01T10:00", Some("2030-01-01T15:00:00.000Z")),
    ("2030-01-01T10:00:30.5Z", Some("2030-01-01T10:00:30.500Z")),
    ("2030-01-01T10:00+0530", Some("2030-01-01T04:30:00.000Z")),
    ("2030-01-01T24:00", Some("2030-01-02T05:00:00.000Z")),
    ("2030-01-01T24:01", None),
    ("2030-1-1", Some("2030-01-01T05:00:00.000Z")),
    ("2030/01/01", Some("2030-01-01T05:00:00.000Z")),
    ("1 January 2030", Some("2030-01-01T05:00:00.000Z")),
    (
        "Tue, 01 Jan 2030 10:00:00 GMT",
        Some("2030-01-01T10:00:00.000Z"),
    ),
    (
        "Tue Jan 01 2030 10:00:00 GMT+0100 (Central European Standard Time)",
        Some("2030-01-01T09:00:00.000Z"),
    ),
    ("Jan 1 2030 12:30 am", Some("2030-01-01T05:30:00.000Z")),
    ("Jan 1 2030 13:00 pm", None),
    ("Jan 2030", Some("2030-01-01T05:00:00.000Z")),
    ("31 jan", Some("2001-01-31T05:00:00.000Z")),
    ("jan 32", Some("2032-01-01T05:00:00.000Z")),
    ("1-Jan-2030", Some("2030-01-01T05:00:00.000Z")),
    ("Janvier 1 2030", Some("2030-01-01T05:00:00.000Z")),
    ("2030 Jan 31", Some("2030-01-31T05:00:00.000Z")),
    ("1 2", Some("2001-01-02T05:00:00.000Z")),
    ("49", Some("2049-01-01T05:00:00.000Z")),
    ("50", Some("1950-01-01T05:00:00.000Z")),
    ("99", Some("1999-01-01T05:00:00.000Z")),
    ("100", Some("0100-01-01T05:00:00.000Z")),
    ("0", Some("2000-01-01T05:00:00.000Z")),
    ("12/31", Some("2001-12-31T05:00:00.000Z")),
    ("13/1", None),
    ("2/30/2030", Some("2030-03-02T05:00:00.000Z")),
    ("2030-02-30", Some("2030-03-02T00:00:00.000Z")),
    ("2030-02-32", None),
    ("2030-13-01", None),
    (
        "2030-01-01 10:00:30.1234 EST",
        Some("2030-01-01T15:00:30.123Z"),
    ),
    ("10:00 +5 1/1/2030", Some("2030-01-01T05:00:00.000Z")),
    ("10:00 +05:30 1/1/2030", Some("2030-01-01T04:30:00.000Z")),
    ("5:: 1/1/2030", None),
    ("1/1/2030 10", None),
    ("(x (y) z) 1/1/2030", Some("2030-01-01T05:00:00.000Z")),
    ("1/1/2030 (open", Some("2030-01-01T05:00:00.000Z")),
    ("1/1/2030)", None),
    ("-2030-01-01", Some("2030-01-01T05:00:00.000Z")),
    ("+002030-01-01", Some("2030-01-01T00:00:00.000Z")),
    ("-000000-01-01", Some("2001-01-01T05:00:00.000Z")),
    ("2030-01-01-", None),
    ("2030-01-01 x", None),
    ("x1 2030", None),
    ("next Jan 2030", Some("2030-01-01T05:00:00.000Z")),
    ("", None),
    ("soon", None),
    ("Jan", None),
    ("10:00", None),
    ("1 2 3 4", None),
    ("2030-01-01 10:00 utc", Some("2030-01-01T10:00:00.000Z")),
    ("2030-01-01 10:00 +12345", None),
    (
        "2030-01-01T10:00:00.0123456789012Z",
        Some("2030-01-01T10:00:00.123Z"),
    ),
    ("5\u{a0}jan\u{a0}2030", Some("2030-01-05T05:00:00.000Z")),
    ("2030-01-01\u{2028}", None),
    ("1/1/2030\0 x", Some("2030-01-01T05:00:00.000Z")),
    ("\u{65e5} 1/1/2030", Some("2030-01-01T05:00:00.000Z")),
    ("1/1/2030 \u{65e5}", None),
];
