//! The same branch merged by several at once: one lands it, and its entry says so.

use crate::support::{LONG, TestProject, wait_until};
use std::process::Stdio;

const ANN: &str = "overstory/ann/t-1";
const BOB: &str = "overstory/bob/t-2";

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
    project.sql(
        "merge-queue.db",
        "SELECT status FROM merge_queue ORDER BY id",
    )
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

/// Bob's branch besides, and both in the queue.
fn both_queued(project: &TestProject) {
    project.git(&["checkout", "-q", "-b", BOB]);
    project.write("bob.txt", "new\n");
    project.git(&["add", "bob.txt"]);
    project.git(&["commit", "-q", "-m", "Work"]);
    project.git(&["checkout", "-q", "main"]);
    let queue = grove::db::MergeQueueStore::open(&project.overstory("merge-queue.db")).unwrap();
    for (branch, agent) in [(ANN, "ann"), (BOB, "bob")] {
        queue.enqueue(branch, "t", agent, &[]).unwrap();
    }
}

#[test]
fn who_has_to_wait_for_another_merge_keeps_no_entry_from_it() {
    let project = project("[]");
    both_queued(&project);
    // So that the stores are there.
    project.grove_ok(&["merge", "list"]);
    drop(grove::db::GroveStore::open(&project.overstory("grove.db")).unwrap());
    let grove = rusqlite::Connection::open(project.overstory("grove.db")).unwrap();
    grove
        .execute_batch(
            "CREATE TABLE taken (id INTEGER);
             CREATE TRIGGER taken AFTER INSERT ON merge_progress
             BEGIN INSERT INTO taken VALUES (new.queue_id); END;",
        )
        .unwrap();
    let lock = grove::merge::MergeLock::acquire(&project.root(), "main").unwrap();
    for args in [&["merge", "--all"][..], &["merge", "--branch", ANN]] {
        let done = project.grove(args);
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(
            done.stderr.contains("is being merged into by process"),
            "{done:?}"
        );
    }
    let taken = project.sql("grove.db", "SELECT id FROM taken");
    assert!(taken.is_empty(), "{taken:?}");
    assert_eq!(statuses(&project), [["pending"], ["pending"]]);
    drop(lock);
    let done = project.grove(&["merge", "--all"]);
    assert!(
        done.stdout.contains("Done: 2 merged, 0 failed."),
        "{done:?}"
    );
    assert_eq!(project.sql("grove.db", "SELECT id FROM taken").len(), 2);
}

#[test]
fn an_entry_that_another_merge_has_is_not_called_failed() {
    let project = project("[]");
    both_queued(&project);
    let grove = grove::db::GroveStore::open(&project.overstory("grove.db")).unwrap();
    let mine = grove::platform::liveness::own_identity();
    let had = grove::db::merging::MergeProgressRow {
        queue_id: 1,
        process: mine,
        began_at: String::new(),
        step: "turn".to_owned(),
        gate: None,
        done: 0,
        total: 0,
        since: String::new(),
    };
    assert!(grove.take_merge(&had, |_| false).unwrap());
    let done = project.grove(&["merge", "--all"]);
    assert!(
        done.stdout.contains("Done: 1 merged, 0 failed, 1 waits."),
        "{done:?}"
    );
    let said = format!("in the queue as before: {ANN} is being merged by another process");
    assert!(done.stdout.contains(&said), "{done:?}");
    assert_eq!(statuses(&project), [["pending"], ["merged"]]);

    let told = project.grove(&["merge", "--all", "--json"]);
    let json = told.json();
    assert_eq!(
        (&json["count"], &json["failCount"]),
        (&0.into(), &0.into()),
        "{json}"
    );
    assert!(told.stderr.contains(&said), "{told:?}");
    grove.clear_merge_progress(1, mine).unwrap();
    project.grove_ok(&["merge", "--all"]);
    assert_eq!(statuses(&project), [["merged"], ["merged"]]);
}

#[test]
fn two_that_merge_everything_at_once_land_it_and_call_nothing_failed() {
    for round in 0..4 {
        let project = project("[]");
        both_queued(&project);
        let started: Vec<_> = (0..3)
            .map(|_| {
                project
                    .command(env!("CARGO_BIN_EXE_grove"))
                    .args(["merge", "--all"])
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for one in started {
            let done = one.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            assert!(!said.contains("Failed"), "round {round}: {done:?}");
            assert!(
                !said.contains("Done") || said.contains(" 0 failed"),
                "{done:?}"
            );
        }
        assert_eq!(
            statuses(&project),
            [["merged"], ["merged"]],
            "round {round}"
        );
    }
}

#[test]
fn merging_everything_while_the_queue_is_paused_says_so() {
    let project = project("[]");
    both_queued(&project);
    let grove = grove::db::GroveStore::open(&project.overstory("grove.db")).unwrap();
    grove.set_merge_pause(true).unwrap();
    let done = project.grove(&["merge", "--all"]);
    let told = done.stderr.lines().find(|line| line.contains("paused"));
    let told = told.unwrap_or_else(|| panic!("{done:?}"));
    assert!(told.contains("lands all the same"), "{told}");
    assert!(told.contains("until P in the Merge screen"), "{told}");
    assert!(
        done.stdout.contains("Done: 2 merged, 0 failed."),
        "{done:?}"
    );
}
