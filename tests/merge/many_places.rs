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

fn version(side: &str, places: usize) -> String {
    let line = |n: usize| match (side, n % 10) {
        (side, 0) if !side.is_empty() && n / 10 < places => format!("{side} says {n}\n"),
        _ => format!("line {n}\n"),
    };
    (0..PLACES * 10).map(line).collect()
}

/// A file that both sides changed in all its places, the target in so many commits.
fn contested(commits: usize) -> Sandbox {
    let sandbox = Sandbox::new(&[("f", &version("", 0))]);
    sandbox.commit(BRANCH, &[("f", text(&version("theirs", PLACES)))], "b");
    for commit in 1..=commits {
        let ours = version("ours", PLACES * commit / commits);
        sandbox.commit("main", &[("f", text(&ours))], "m");
    }
    sandbox
}

/// Merges, and counts how often git was asked for who wrote the lines of a file, and for the history of all files.
fn asked(sandbox: &Sandbox) -> (usize, usize) {
    let told = sandbox.root().join(".git/told");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["many_places::victim", "--exact", "--ignored", "--nocapture"])
        .env("GROVE_TEST_VICTIM", sandbox.root())
        .env("GIT_TRACE2", &told)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let told = std::fs::read_to_string(told).unwrap();
    let asked = |command: &str| {
        let names = told
            .lines()
            .filter_map(|line| line.split_once(" cmd_name "));
        let asked = names.filter(|(_, name)| name.trim_start().starts_with(command));
        asked.count()
    };
    (asked("blame"), asked("diff-tree"))
}

#[test]
fn git_is_asked_once_who_wrote_the_lines_of_all_contested_places() {
    assert_eq!(asked(&contested(2)), (1, 1));
}

#[test]
fn where_only_one_commit_touched_a_file_nobody_asks_line_by_line() {
    assert_eq!(asked(&contested(1)), (0, 1));
}
