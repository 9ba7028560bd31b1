//! A file with very many contested places: what it takes does not grow with their number times the file's
//! length.
#![cfg(unix)]

use std::process::Command;

use crate::support::{BRANCH, Sandbox, item, text};
use grove::merge::{Conclusion, execute};

const PLACES: usize = 120;

/// Runs in a process of its own, whose git writes down what it is asked.
#[test]
#[ignore = "the other test starts it"]
fn victim() {
    let Ok(root) = std::env::var("GROVE_TEST_VICTIM") else {
        return;
    };
    let mut context = Sandbox::empty().context();
    context.root = root.into();
    let report = execute(&context, &item(BRANCH), &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Held);
    assert_eq!(report.displaced.len(), PLACES);
    let agents = report.displaced.iter().all(|hunk| hunk.agent == "Tester");
    assert!(agents && report.displaced.iter().all(|hunk| !hunk.commit.is_empty()));
}

#[test]
fn git_is_asked_once_who_wrote_the_lines_of_all_contested_places() {
    let version = |side: &str| -> String {
        let line = |n: usize| match (side, n % 10) {
            ("", _) | (_, 1..) => format!("line {n}\n"),
            (side, 0) => format!("{side} says {n}\n"),
        };
        (0..PLACES * 10).map(line).collect()
    };
    let sandbox = Sandbox::new(&[("f", &version(""))]);
    sandbox.commit(BRANCH, &[("f", text(&version("theirs")))], "b");
    sandbox.commit("main", &[("f", text(&version("ours")))], "m");
    let told = sandbox.root().join(".git/told");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["many_places::victim", "--exact", "--ignored", "--nocapture"])
        .env("GROVE_TEST_VICTIM", sandbox.root())
        .env("GIT_TRACE2", &told)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = std::fs::read_to_string(told).unwrap();
    let asked = told.lines().filter(|line| {
        line.split_once(" cmd_name ")
            .is_some_and(|(_, name)| name.trim_start().starts_with("blame"))
    });
    assert_eq!(asked.count(), 1, "{told}");
}
