//! What those see who only look, after a merge was killed: its entries have landed or wait, whatever it has left in the
//! queue.
#![cfg(unix)]

use std::process::Stdio;

#[cfg(target_os = "linux")]
use crate::merge_interrupted::{self, ANN};
#[cfg(target_os = "linux")]
use crate::support::alive;
use crate::support::{GROVE, LONG, TestProject, kill_9, wait_until};

#[test]
fn entries_of_a_killed_merge_are_shown_as_pending_and_nothing_is_written() {
    let project = TestProject::initialised();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    let gate = "project:\n  qualityGates:\n    - name: long\n      command: sleep 600\n      description: d\n";
    std::fs::write(project.overstory("config.local.yaml"), gate).unwrap();
    let queue = grove::db::MergeQueueStore::open(&project.overstory("merge-queue.db")).unwrap();
    for n in 0..3 {
        let name = format!("overstory/a{n}/t-{n}");
        project.git(&["checkout", "-q", "-b", &name]);
        project.write(&format!("file-{n}"), "x\n");
        project.git(&["add", "--", "."]);
        project.git(&["commit", "-q", "-m", "Work"]);
        project.git(&["checkout", "-q", "main"]);
        queue.enqueue(&name, "t", "a", &[]).unwrap();
    }
    let mut merge = project.command(GROVE);
    merge.args(["merge", "--all"]);
    merge.stdout(Stdio::null()).stderr(Stdio::null());
    let mut merge = merge.spawn().unwrap();
    let states = || project.sql("merge-queue.db", "SELECT status FROM merge_queue");
    let count = || project.grove(&["status", "--json"]).json()["mergeQueueCount"].clone();
    wait_until(
        "all are being merged",
        LONG,
        || (states() == [["merging"], ["merging"], ["merging"]]).then_some(()),
        || project.report(),
    );
    let listed = || {
        let list = project.grove(&["merge", "list", "--json"]).json();
        let merges = list["merges"].as_array().unwrap().clone();
        let status = |merge: &serde_json::Value| merge["status"].as_str().unwrap().to_owned();
        merges.iter().map(status).collect::<Vec<_>>()
    };
    assert_eq!(count(), 0);
    assert_eq!(listed(), ["merging"; 3]);
    kill_9(i64::from(merge.id()));
    merge.wait().unwrap();

    assert_eq!(count(), 3);
    assert_eq!(listed(), ["pending"; 3]);
    let seen = project.grove_ok(&["doctor", "--category", "merge"]);
    let said = "3 queue entries are left as merging by a process that is gone";
    assert!(seen.contains(said), "{seen}");
    let dry = project
        .grove(&["merge", "--all", "--dry-run", "--json"])
        .json();
    assert_eq!(dry["entries"].as_array().unwrap().len(), 3, "{dry}");
    let one = project.grove_ok(&["merge", "--branch", "overstory/a0/t-0", "--dry-run"]);
    assert!(one.contains("Status: pending"), "{one}");
    assert_eq!(
        states(),
        [["merging"], ["merging"], ["merging"]],
        "nobody has written"
    );

    std::fs::write(
        project.overstory("config.local.yaml"),
        "project:\n  qualityGates: []\n",
    )
    .unwrap();
    project.grove_ok(&["merge", "--all"]);
    assert_eq!(states(), [["merged"], ["merged"], ["merged"]]);
    let seen = project.grove_ok(&["doctor", "--category", "merge", "--verbose"]);
    assert!(
        !seen.contains("broken off") && !seen.contains("left as merging"),
        "{seen}"
    );
}

/// The parent of a process.
#[cfg(target_os = "linux")]
fn parent(pid: i64) -> i64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit(')').next().unwrap();
    after_name
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn the_doctor_names_a_checkout_that_a_killed_merge_has_half_written_and_what_to_do() {
    let project = merge_interrupted::project();
    project.git(&["config", "filter.big.clean", "cat"]);
    let hangs = merge_interrupted::hangs(&project);
    project.git(&["config", "filter.big.smudge", &hangs]);
    let mut merge = merge_interrupted::start(&project, &["merge", "--branch", ANN]);
    let hanging = wait_until(
        "the filter hangs",
        LONG,
        || Some(merge_interrupted::who_hangs(&project)).filter(|pids| pids.len() >= 2),
        || project.report(),
    );
    let doctor = || {
        let seen = project.grove(&["doctor", "--category", "merge", "--verbose"]);
        (seen.code, format!("{}{}", seen.stdout, seen.stderr))
    };
    let (code, said) = doctor();
    assert_eq!(code, Some(0), "it is under way: {said}");
    assert!(!said.contains("half written"), "{said}");
    let git = parent(hanging[0]);
    kill_9(i64::from(merge.id()));
    merge.wait().unwrap();

    let root = project.root().canonicalize().unwrap();
    let half = format!(
        "{ANN} into main: stopped while it landed; {} may be half written",
        root.display()
    );
    let lock = root.join(".git/index.lock");
    let (code, said) = doctor();
    assert_eq!(code, Some(1), "{said}");
    let waits = format!("process {git} may hold {}: let it end", lock.display());
    assert!(said.contains(&half) && said.contains(&waits), "{said}");

    // First git: it would go on when its filter has ended.
    for pid in [git].into_iter().chain(hanging.iter().copied()) {
        kill_9(pid);
    }
    wait_until(
        "all of it is gone",
        LONG,
        || (!hanging.iter().copied().chain([git]).any(alive)).then_some(()),
        || project.report(),
    );
    let (code, said) = doctor();
    assert_eq!(code, Some(0), "nobody has to do anything: {said}");
    let goes = format!("{}, which a killed git has left, goes", lock.display());
    assert!(said.contains(&half) && said.contains(&goes), "{said}");
    assert!(lock.exists(), "the doctor only looks");

    project.git(&["config", "filter.big.smudge", "cat"]);
    project.grove(&["merge", "--all"]);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    let (code, said) = doctor();
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("broken off"), "{said}");
}

/// Kills a grove as soon as something hangs that its git has started, and then all of that.
#[cfg(target_os = "linux")]
fn kill_all_that_hang(project: &TestProject, grove: &mut std::process::Child) {
    let hanging = wait_until(
        "the hook hangs",
        LONG,
        || Some(merge_interrupted::who_hangs(project)).filter(|pids| pids.len() >= 2),
        || project.report(),
    );
    let git = parent(hanging[0]);
    kill_9(i64::from(grove.id()));
    grove.wait().unwrap();
    for pid in [git].into_iter().chain(hanging.iter().copied()) {
        kill_9(pid);
    }
    wait_until(
        "all of it is gone",
        LONG,
        || (!hanging.iter().copied().chain([git]).any(alive)).then_some(()),
        || project.report(),
    );
}

/// A merge that was killed just behind the landing, of which its entry says nothing yet; and where main was before.
#[cfg(target_os = "linux")]
fn killed_behind_the_landing() -> (TestProject, String) {
    let project = merge_interrupted::project();
    let before = project.git(&["rev-parse", "main"]);
    let hangs = merge_interrupted::hangs(&project);
    merge_interrupted::hook(&project, "post-merge", &hangs);
    let mut merge = merge_interrupted::start(&project, &["merge", "--branch", ANN]);
    kill_all_that_hang(&project, &mut merge);
    std::fs::remove_file(project.root().join(".git/hooks/post-merge")).unwrap();
    assert_ne!(project.git(&["rev-parse", "main"]), before);
    (project, before)
}

#[cfg(target_os = "linux")]
#[test]
fn what_has_landed_before_a_kill_is_listed_as_merged_before_anybody_stores_that() {
    let (project, before) = killed_behind_the_landing();
    let merged = project.git(&["rev-parse", "main"]);
    let stored = || project.sql("merge-queue.db", "SELECT status FROM merge_queue");
    for moved_on in [false, true] {
        if moved_on {
            project.git(&["commit", "-q", "--allow-empty", "-m", "On top"]);
        }
        let listed = project.grove(&["merge", "list", "--json"]).json();
        let entry = &listed["merges"][0];
        assert_eq!(entry["status"], "merged", "{listed}");
        assert_eq!(entry["mergedCommit"], merged.trim(), "{listed}");
        let listed = project.grove_ok(&["merge", "list"]);
        assert!(listed.contains("merged, clean-merge, as "), "{listed}");
        let shown = project.grove_ok(&["merge", "show", ANN]);
        assert!(shown.contains("Status:  merged"), "{shown}");
        let count = project.grove(&["status", "--json"]).json()["mergeQueueCount"].clone();
        assert_eq!(count, 0);
        let dry = project.grove(&["merge", "--all", "--dry-run"]);
        assert!(!dry.stdout.contains(ANN), "{dry:?}");
        assert_eq!(stored(), [["merging"]], "nobody has written");
    }
    project.git(&["reset", "-q", "--hard", merged.trim()]);
    project.grove_ok(&["merge", "undo", "1"]);
    assert_eq!(project.git(&["rev-parse", "main"]), before);
    let listed = project.grove_ok(&["merge", "list"]);
    assert!(
        listed.contains("failed, clean-merge, undone, as "),
        "{listed}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_taken_back_before_a_kill_is_listed_as_undone_before_anybody_stores_that() {
    let project = merge_interrupted::project();
    project.git(&["config", "filter.big.smudge", "cat"]);
    project.git(&["config", "filter.big.clean", "cat"]);
    let before = project.git(&["rev-parse", "main"]);
    project.grove_ok(&["merge", "--branch", ANN]);
    let hangs = merge_interrupted::hangs(&project);
    let script = format!("[ \"$1\" = committed ] && grep -q refs/heads/main || exit 0\n{hangs}");
    merge_interrupted::hook(&project, "reference-transaction", &script);
    let mut undo = merge_interrupted::start(&project, &["merge", "undo", "1"]);
    kill_all_that_hang(&project, &mut undo);
    std::fs::remove_file(project.root().join(".git/hooks/reference-transaction")).unwrap();
    assert_eq!(project.git(&["rev-parse", "main"]), before);

    let stored = || project.sql("merge-queue.db", "SELECT status FROM merge_queue");
    let listed = project.grove(&["merge", "list", "--json"]).json();
    assert_eq!(listed["merges"][0]["undone"], true, "{listed}");
    assert_eq!(listed["merges"][0]["status"], "failed", "{listed}");
    let shown = project.grove_ok(&["merge", "show", ANN]);
    assert!(shown.contains("Status:  failed, undone"), "{shown}");
    assert_eq!(stored(), [["merged"]], "nobody has written");
    project.grove_ok(&["merge", "--branch", ANN]);
    assert_eq!(stored(), [["merged"]]);
    assert_eq!(project.read("a"), "new\n");
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_set_back_by_hand_after_a_kill_is_not_landed_again_unasked() {
    let (project, before) = killed_behind_the_landing();
    project.git(&["reset", "-q", "--hard", before.trim()]);
    let listed = project.grove(&["merge", "list", "--json"]).json();
    assert_eq!(listed["merges"][0]["status"], "pending", "{listed}");

    let done = project.grove(&["merge", "--all"]);
    let said = format!("{}{}", done.stdout, done.stderr);
    assert!(said.contains("was set back by hand since"), "{said}");
    assert_eq!(project.git(&["rev-parse", "main"]), before);
    let listed = project.grove_ok(&["merge", "list"]);
    assert!(listed.contains("it had landed on main"), "{listed}");
    let said = project.grove_ok(&["merge", "--branch", ANN]);
    assert!(said.contains("Result: Merged"), "{said}");
    assert_eq!(project.read("a"), "new\n");
}
