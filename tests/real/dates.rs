//! Moments as people write them, read by grove and by the bun that runs `sd`.

use crate::trackers::programs;
use grove::text::WrittenTime;
use grove::types::Timestamp;
use serde_json::{Value, json};
use std::process::Command;

/// Where clocks are ahead of UTC by a fixed time, which needs no rules: the answers must be the same.
const ZONE: &str = "Etc/GMT-3";
const AHEAD_MS: i64 = 3 * 3_600_000;

const DAYS: [&str; 16] = [
    "2030-01-31",
    "2030-1-31",
    "2030/01/31",
    "2030.01.31",
    "1/31/2030",
    "1/31/30",
    "31/1/2030",
    "January 31, 2030",
    "31 jan 2030",
    "Jan-31-30",
    "Thu, 31 Jan 2030",
    "2030",
    "2030-01",
    "2/30/1999",
    "+002030-01-31",
    "foo 2030",
];

const TIMES: [&str; 20] = [
    "",
    " ",
    "T10:00",
    "t10:00:30.25",
    "T24:00",
    "T25:00",
    " 10:00",
    " 22:15:30",
    " 10:00:30.1234567890",
    " 10:00 PM",
    " 12:00 am",
    " 13:00 pm",
    " 9 am",
    " 24:00",
    " 7:60",
    " 7::",
    "  (a note (of sorts))",
    ", 10:00",
    "-",
    ".",
];

const ZONES: [&str; 16] = [
    "",
    "Z",
    "z",
    " UTC",
    " GMT+2",
    " EST",
    " pdt",
    "+02:00",
    " +0200",
    " -8",
    " +02:75",
    " +12345",
    "-0330",
    " CET",
    ")",
    " \u{65e5}",
];

/// Answers of bun, in the order of the questions.
fn bun(questions: &[String], zone: &str) -> Vec<Value> {
    let code =
        "console.log(JSON.stringify(JSON.parse(await Bun.stdin.text()).map(t => Date.parse(t))))";
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("questions");
    std::fs::write(&file, json!(questions).to_string()).unwrap();
    let output = Command::new(programs().join("bun"))
        .args(["-e", code])
        .env("TZ", zone)
        .stdin(std::fs::File::open(file).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn compare(questions: &[String]) {
    let mut wrong = Vec::new();
    for (text, theirs) in questions.iter().zip(bun(questions, ZONE)) {
        let ours = WrittenTime::parse(text).and_then(|time| time.at(|_| AHEAD_MS));
        let ours = ours.map(|at| at.0);
        if ours != theirs.as_i64() {
            wrong.push((text, ours.map(|ms| Timestamp(ms).iso()), theirs));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(40)]
    );
}

#[test]
#[ignore = "needs npm"]
fn every_usual_spelling_of_a_moment_is_read_as_sd_reads_it() {
    let mut questions = Vec::new();
    for day in DAYS {
        for time in TIMES {
            questions.extend(ZONES.iter().map(|zone| format!("{day}{time}{zone}")));
        }
    }
    for time in TIMES {
        questions.extend(DAYS.iter().map(|day| format!("{time} {day}")));
    }
    assert!(questions.len() > 5000);
    compare(&questions);
}

/// Pieces put together at random, by a seed that stays the same.
#[test]
#[ignore = "needs npm"]
fn no_row_of_numbers_and_words_is_read_otherwise_than_by_sd() {
    const PIECES: [&str; 64] = [
        "2030",
        "2030-01-01",
        "01",
        "1",
        "31",
        "32",
        "0",
        "7",
        "49",
        "50",
        "99",
        "100",
        "24",
        "60",
        "999",
        "12345",
        "002030",
        "000000",
        "jan",
        "Januar",
        "mayx",
        "foo",
        "am",
        "PM",
        "pmx",
        "Z",
        "z",
        "UTC",
        "gmtx",
        "EST",
        "T",
        "t",
        "-",
        "+",
        ":",
        "::",
        ".",
        " ",
        " ",
        " ",
        "/",
        ",",
        "(",
        ")",
        "(x)",
        "\u{a0}",
        "\t",
        "\n",
        "\u{b}",
        "é",
        "日",
        "10:00",
        "10:00:30.5",
        "22:61",
        "+02:00",
        "-0800",
        "+123",
        ";",
        "_",
        ".123456789012",
        "1234567890123",
        "\u{2028}",
        "\0",
        "😀",
    ];
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut below = |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % most
    };
    let questions: Vec<String> = (0..200_000)
        .map(|_| {
            let length = 1 + below(6);
            (0..length).map(|_| PIECES[below(PIECES.len())]).collect()
        })
        .collect();
    compare(&questions);
}
