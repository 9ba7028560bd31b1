//! The same branch merged by several at once: one lands it, and its entry says so.

use crate::support::{LONG, TestProject, wait_until};
use std::process::Stdio;

const ANN: &str = "overstory/ann/t-1";

/// Ann's branch and a gate that waits until it is let go.
fn project(gates: &str) -> TestProject {
    let project = TestProject::initialised();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    let config = format!("project:\n  qualityGates: {gates}\n");
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    project.git(&["checkout", "-q", "-b", ANN]);
    project.write("new.txt", "new\n");
    project.git(&["add", "new.txt"]);
    project.git(&["commit", "-q", "-m", "Work"]);
    project.git(&["checkout", "-q", "main"]);
    project
}

fn statuses(project: &TestProject) -> Vec<Vec<String>> {
    project.sql("merge-queue.db", "SELECT status FROM merge_queue")
}

#[test]
fn a_branch_that_several_merge_at_once_has_one_entry_and_it_is_merged() {
    for round in 0..4 {
        let project = project("[]");
        let mut started: Vec<_> = (0..3)
            .map(|_| {
                project
                    .command(env!("CARGO_BIN_EXE_grove"))
                    .args(["merge", "--branch", ANN])
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let codes: Vec<_> = started
            .iter_mut()
            .map(|c| c.wait().unwrap().code())
            .collect();
        assert!(codes.contains(&Some(0)), "round {round}: {codes:?}");
        assert_eq!(statuses(&project), [["merged"]], "round {round}: {codes:?}");
        let merges = project.git(&["log", "--merges", "--format=%s", "main"]);
        assert_eq!(merges.lines().count(), 1, "round {round}: {merges}");
        let left = project.sql("grove.db", "SELECT queue_id FROM merge_progress");
        assert!(left.is_empty(), "round {round}: {left:?}");
    }
}

#[test]
fn an_entry_that_is_being_merged_is_left_to_who_merges_it() {
    let project = project("[]");
    let wait = project.root().join("wait");
    let gate = format!(
        "\n    - name: waits\n      command: while test -e {}; do sleep 0.05; done\n      description: d",
        wait.display()
    );
    let config = format!("project:\n  qualityGates: {gate}\n");
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    project.write("wait", "");
    let mut first = project
        .command(env!("CARGO_BIN_EXE_grove"))
        .args(["merge", "--branch", ANN])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let merging = || {
        let is_there = project.overstory("merge-queue.db").exists();
        (is_there && statuses(&project) == [["merging"]]).then_some(())
    };
    wait_until("the merge is under way", LONG, merging, || project.report());
    // Before it has the lock, nothing but its entry says that it is at work.
    for name in ["merge-main.lock", "merge-main.lease"] {
        std::fs::remove_file(project.overstory(name)).ok();
    }
    let second = project.grove(&["merge", "--branch", ANN]);
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(
        second.stderr.contains("is being merged by another process"),
        "{second:?}"
    );
    assert_eq!(statuses(&project), [["merging"]]);
    project.grove(&["merge", "--all"]);
    assert_eq!(statuses(&project), [["merging"]]);
    std::fs::remove_file(wait).unwrap();
    assert!(first.wait().unwrap().success());
    assert_eq!(statuses(&project), [["merged"]]);
}
