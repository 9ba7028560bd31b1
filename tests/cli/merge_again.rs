//! Merging again after an undo, through the door: what lands, and which receipts can be printed.

use crate::support::TestProject;
use serde_json::Value;

const ANN: &str = "overstory/ann/t-1";

fn project(gates: &str) -> TestProject {
    let project = TestProject::initialised();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    let config = format!("project:\n  qualityGates: {gates}\n");
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    project
}

fn commit(project: &TestProject, path: &str, content: &str) {
    project.write(path, content);
    project.git(&["add", "--", path]);
    project.git(&["commit", "-q", "-m", &format!("Write {path}")]);
}

/// Ann's branch with one file, while `main` stays checked out.
fn branch(project: &TestProject) {
    project.git(&["checkout", "-q", "-b", ANN]);
    commit(project, "work.txt", "work\n");
    project.git(&["checkout", "-q", "main"]);
}

fn json(project: &TestProject, args: &[&str]) -> Value {
    let finished = project.grove(&[args, &["--json"]].concat());
    assert_eq!(finished.code, Some(0), "{finished:?}");
    finished.json()
}

#[test]
fn a_new_attempt_keeps_the_receipt_of_the_landing_that_was_undone() {
    let project = project("[]");
    branch(&project);
    project.grove_ok(&["merge", "--branch", ANN]);
    let first = json(&project, &["merge", "show", "1"])["merge"]["receiptId"].clone();
    let first = first.as_str().unwrap();
    commit(&project, "later.txt", "later\n");
    project.grove_ok(&["merge", "undo", "1"]);
    project.grove_ok(&["merge", "undo", "1", "--land"]);
    assert!(!project.root().join("work.txt").exists());

    // An attempt that fails, because a file that nobody committed is in the way.
    project.write("work.txt", "mine\n");
    assert_eq!(project.grove(&["merge", "--branch", ANN]).code, Some(1));
    let listed = project.grove_ok(&["merge", "list"]);
    assert!(listed.contains("undone, as "), "{listed}");
    let shown = project.grove_ok(&["merge", "show", "1"]);
    assert!(shown.contains("Why: "), "{shown}");
    assert!(shown.contains(first), "{shown}");
    std::fs::remove_file(project.root().join("work.txt")).unwrap();

    let merged = json(&project, &["merge", "--branch", ANN]);
    let told = merged["warnings"].to_string();
    assert!(told.contains("taken back by "), "{merged}");
    assert_eq!(project.read("work.txt"), "work\n");
    let shown = json(&project, &["merge", "show", "1"]);
    let second = shown["merge"]["receiptId"].as_str().unwrap();
    assert_ne!(first, second);
    assert_eq!(shown["merge"]["undone"], false);
    let receipts: Vec<&str> = shown["landings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|landing| landing["receipt"]["id"].as_str().unwrap())
        .collect();
    assert_eq!(receipts, [second, first]);
    let shown = project.grove_ok(&["merge", "show", "1"]);
    assert!(shown.contains("Also landed (undone):"), "{shown}");
    assert!(shown.contains(first) && shown.contains(second), "{shown}");
    let by_name = json(&project, &["merge", "show", first]);
    assert_eq!(by_name["merge"]["undone"], true);
    assert_eq!(by_name["merge"]["receiptId"], first);
}

#[test]
fn a_merge_that_was_reverted_by_hand_is_not_said_to_be_merged() {
    let project = project("[]");
    branch(&project);
    project.grove_ok(&["merge", "--branch", ANN]);
    project.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    assert!(!project.root().join("work.txt").exists());
    project.grove_ok(&["merge", "--branch", ANN]);
    assert_eq!(project.read("work.txt"), "work\n");
}

#[test]
fn a_red_gate_is_shown_with_the_end_of_what_it_printed() {
    let gate = "\n    - name: tests\n      command: for n in $(seq 100 160); do echo line $n; done; exit 3\n      description: green";
    let project = project(gate);
    branch(&project);
    assert_eq!(project.grove(&["merge", "--branch", ANN]).code, Some(1));
    let shown = project.grove_ok(&["merge", "show", "1"]);
    assert!(shown.contains("failed with exit code 3"), "{shown}");
    assert!(shown.contains("tests printed at the end:"), "{shown}");
    assert!(shown.contains("    line 160\n"), "{shown}");
    assert!(shown.contains("    line 141\n"), "{shown}");
    assert!(!shown.contains("line 140\n"), "{shown}");
}

#[test]
fn a_tag_or_a_commit_to_merge_into_is_refused_before_an_entry_is_touched() {
    let project = project("[]");
    branch(&project);
    project.git(&["tag", "v1"]);
    project.grove_ok(&["merge", "--branch", ANN]);
    let before = project.git(&["rev-parse", "v1"]);
    for target in ["v1", "HEAD", before.as_str()] {
        let told = project.grove(&["merge", "--branch", ANN, "--into", target]);
        assert_eq!(told.code, Some(1), "{told:?}");
        assert!(told.stderr.contains("does not exist"), "{told:?}");
        let status = project.sql("merge-queue.db", "SELECT status FROM merge_queue");
        assert_eq!(status, [["merged"]], "{target}");
    }
    assert_eq!(project.git(&["rev-parse", "v1"]), before);
}
