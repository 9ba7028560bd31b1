//! A signal while a file is settled that takes long: the command does not wait for it.
#![cfg(target_os = "linux")]

use super::merge_interrupted::signal;
use crate::support::{GROVE, LONG, TestProject, wait_until};
use std::process::Stdio;

const ANN: &str = "overstory/ann/t-1";
/// Settling these takes many seconds in a build for tests.
const FUNCTIONS: usize = 12_000;

fn functions(of: &str) -> String {
    let function = |n| format!("fn {of}_{n}() {{\n    let {of}{n} = {n};\n    put({of}{n});\n}}\n");
    (0..FUNCTIONS).map(function).collect()
}

#[test]
fn a_merge_that_is_interrupted_while_a_large_file_is_settled_leaves_its_branch_in_the_queue() {
    let project = TestProject::initialised();
    // Whoever settles faster than the signal comes is ended in here.
    std::fs::write(
        project.overstory("config.local.yaml"),
        "project:\n  qualityGates:\n    - name: wait\n      command: sleep 1000\n      description: waits\n",
    )
    .unwrap();
    for (branch, functions) in [(ANN, functions("ann")), ("main", functions("our"))] {
        if branch == ANN {
            project.write("a.rs", "fn start() {}\n");
            project.git(&["add", "-A"]);
            project.git(&["commit", "-q", "-m", "Set up"]);
            project.git(&["checkout", "-q", "-b", branch]);
        }
        project.git(&["checkout", "-q", branch]);
        project.write("a.rs", &format!("fn start() {{}}\n{functions}"));
        project.git(&["commit", "-q", "-a", "-m", "Work"]);
    }
    let before = project.git(&["rev-parse", "main"]);
    let told = project.beside().join("told");
    let trace = format!("GIT_TRACE2={}", told.display());
    let mut merge = project
        .command("env")
        .args(["--default-signal", &trace, GROVE, "merge", "--branch", ANN])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let has_ended = |command: &str| {
        let told = std::fs::read_to_string(&told).unwrap_or_default();
        let mut lines = told
            .lines()
            .skip_while(|line| !(line.contains("cmd_name") && line.contains(command)));
        lines.any(|line| line.contains(" atexit "))
    };
    wait_until(
        "git has merged what it can",
        LONG,
        || has_ended("merge-tree").then_some(()),
        || project.report(),
    );
    signal(&project, "INT", &merge);
    let ended = wait_until(
        "grove has ended",
        LONG,
        || merge.try_wait().unwrap(),
        || project.report(),
    );
    assert_eq!(ended.code(), Some(130));
    assert_eq!(project.git(&["rev-parse", "main"]), before);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    let asked = "SELECT branch_name, status FROM merge_queue ORDER BY id";
    assert_eq!(project.sql("merge-queue.db", asked), [[ANN, "pending"]]);
    let held = project.sql("grove.db", "SELECT queue_id FROM merge_progress");
    assert!(held.is_empty(), "{held:?}");
}

#[test]
fn what_is_held_because_it_is_too_large_says_so_where_merges_are_listed_and_shown() {
    let project = TestProject::initialised();
    let config = "project:\n  qualityGates: []\nmerge:\n  aiResolveEnabled: false\n";
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    let write = |words: &str| {
        let text: String = (0..1_200).map(|n| format!("{words} {n}\n")).collect();
        project.write("a.md", &text);
        project.git(&["add", "-A"]);
        project.git(&["commit", "-q", "-m", words]);
    };
    write("old");
    project.git(&["checkout", "-q", "-b", ANN]);
    write("their new");
    project.git(&["checkout", "-q", "main"]);
    write("our other");
    project.grove(&["merge", "--branch", ANN]);
    let said = "what both sides rewrote is too large to be settled; decide it in Review";
    let listed = project.grove_ok(&["merge", "list"]);
    assert!(listed.contains(said), "{listed}");
    let shown = project.grove_ok(&["merge", "show", "1"]);
    let said =
        "a.md: what both sides rewrote from line 1 on is too large to be settled; decide it in";
    assert!(shown.contains(said), "{shown}");
    assert!(
        shown.contains("decide place by place in 'grove'"),
        "{shown}"
    );
}
