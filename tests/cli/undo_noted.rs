//! `merge undo` when what it did cannot be stored: the target has moved by then, which is said, and the next start
//! stores what is missing.
#![cfg(unix)]

use std::process::Stdio;

use rusqlite::Connection;

use crate::support::{GROVE, LONG, TestProject, kill_9, wait_until};

const ANN: &str = "overstory/ann/t-1";
const STORES: [&str; 3] = ["grove.db", "merge-queue.db", "events.db"];

/// Ann's work has landed on `main`, which was here before.
fn landed() -> (TestProject, String) {
    let project = TestProject::initialised();
    let config = "project:\n  qualityGates: []\n";
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    commit(&project, "Set up");
    project.git(&["checkout", "-q", "-b", ANN]);
    project.write("work.txt", "work\n");
    commit(&project, "Work");
    project.git(&["checkout", "-q", "main"]);
    project.write("other.txt", "other\n");
    commit(&project, "Other");
    let before = project.git(&["rev-parse", "main"]);
    project.grove_ok(&["merge", "--branch", ANN]);
    (project, before)
}

fn commit(project: &TestProject, message: &str) {
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", message]);
}

fn held(project: &TestProject, store: &str) -> Connection {
    let holder = Connection::open(project.overstory(store)).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    holder
}

fn release(holder: Connection) {
    holder.execute_batch("ROLLBACK").unwrap();
    drop(holder);
}

fn journal(project: &TestProject) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(project.overstory("merge-journal")).unwrap();
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect()
}

fn is_reported(project: &TestProject) -> bool {
    let asked = "SELECT 1 FROM merge_reports WHERE json_type(report, '$.undone') = 'object'";
    !project.sql("grove.db", asked).is_empty()
}

fn status(project: &TestProject) -> Vec<Vec<String>> {
    project.sql("merge-queue.db", "SELECT status FROM merge_queue")
}

fn events(project: &TestProject) -> usize {
    let asked = "SELECT 1 FROM events WHERE data LIKE '%\"merge_undone\"%'";
    project.sql("events.db", asked).len()
}

/// The next start brings all of it to its end, and only once.
fn is_noted(project: &TestProject, tip: &str, how: &str) {
    for _ in 0..2 {
        project.grove_ok(&["merge", "--all"]);
        assert!(is_reported(project), "{how}");
        assert_eq!(status(project), [["failed"]], "{how}");
        assert_eq!(events(project), 1, "{how}");
        assert!(journal(project).is_empty(), "{how}");
        assert_eq!(project.git(&["rev-parse", "main"]), tip, "{how}");
    }
    let listed = project.grove_ok(&["merge", "list"]);
    assert!(listed.contains("undone"), "{how}: {listed}");
}

#[test]
fn an_undo_that_cannot_be_stored_says_that_the_target_has_moved_and_the_next_start_stores_it() {
    let check = |store: &str| {
        let (project, before) = landed();
        let holder = held(&project, store);
        let done = project.grove(&["merge", "undo", "1", "--json"]);
        assert_eq!(project.git(&["rev-parse", "main"]), before, "{store}");
        assert_eq!(done.code, Some(0), "{store}: {done:?}");
        let said = done.json();
        assert_eq!(said["outcome"], "restored", "{said}");
        let warning = said["warnings"][0].as_str().unwrap_or_default();
        assert!(
            warning.starts_with("main has moved, but ") && warning.contains(store),
            "{said}"
        );
        assert!(!warning.contains("try again"), "{warning}");
        assert_eq!(journal(&project).len(), 1, "{store}");
        let seen = project.grove(&["doctor", "--category", "merge", "--verbose"]);
        let told = "it was taken back, which is not recorded yet";
        assert!(seen.stdout.contains(told), "{seen:?}");
        assert!(!seen.stdout.contains("half written"), "{seen:?}");
        // Nobody else's merge waits for it.
        let other = project.grove(&["merge", "--all"]);
        if store == "events.db" {
            assert_eq!(other.code, Some(0), "{other:?}");
            assert!(
                other.stderr.contains("could not be stored yet"),
                "{other:?}"
            );
        }
        release(holder);
        is_noted(&project, &before, store);
    };
    std::thread::scope(|scope| {
        for store in STORES {
            scope.spawn(move || check(store));
        }
    });
}

#[test]
fn people_read_that_an_undo_could_not_be_stored_and_so_do_those_who_land_a_revert() {
    let (project, before) = landed();
    let holder = held(&project, "events.db");
    let done = project.grove(&["merge", "undo", "1"]);
    release(holder);
    assert_eq!(done.code, Some(0), "{done:?}");
    let said = format!("main is at {} again", &before[..8]);
    assert!(done.stdout.contains(&said), "{done:?}");
    assert!(done.stdout.contains("main has moved, but "), "{done:?}");

    project.grove_ok(&["merge", "--branch", ANN]);
    project.git(&["commit", "-q", "--allow-empty", "-m", "Later"]);
    project.grove_ok(&["merge", "undo", "1"]);
    let holder = held(&project, "merge-queue.db");
    let done = project.grove(&["merge", "undo", "1", "--land"]);
    release(holder);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains(", the revert of "), "{done:?}");
    assert!(done.stdout.contains("main has moved, but "), "{done:?}");
    assert!(!project.root().join("work.txt").exists());
    assert_eq!(status(&project), [["merged"]]);
    project.grove_ok(&["merge", "--all"]);
    assert_eq!(status(&project), [["failed"]]);
    assert_eq!(events(&project), 2);
}

#[test]
fn an_undo_that_is_killed_while_it_is_stored_is_stored_by_the_next_start() {
    let check = |store: &str| {
        let (project, before) = landed();
        let holder = held(&project, store);
        let mut undo = project.command(GROVE);
        undo.args(["merge", "undo", "1"]);
        undo.stdout(Stdio::null()).stderr(Stdio::null());
        let mut undo = undo.spawn().unwrap();
        let is_there = || match store {
            "grove.db" => project.git(&["rev-parse", "main"]) == before,
            "merge-queue.db" => is_reported(&project),
            _ => status(&project) == [["failed"]],
        };
        wait_until(
            "it waits for the store",
            LONG,
            || is_there().then_some(()),
            || project.report(),
        );
        kill_9(i64::from(undo.id()));
        undo.wait().unwrap();
        release(holder);
        assert_eq!(journal(&project).len(), 1, "{store}");
        is_noted(&project, &before, store);
    };
    std::thread::scope(|scope| {
        for store in STORES {
            scope.spawn(move || check(store));
        }
    });
}

#[test]
fn an_undo_that_is_killed_when_all_is_stored_is_not_stored_twice() {
    let (project, before) = landed();
    let holder = held(&project, "events.db");
    project.grove(&["merge", "undo", "1"]);
    release(holder);
    let entry = journal(&project).remove(0);
    let text = std::fs::read(&entry).unwrap();
    is_noted(&project, &before, "before");
    // As if nobody had come to settle it.
    std::fs::write(&entry, &text).unwrap();
    is_noted(&project, &before, "after");

    // What has landed since stays landed.
    project.grove_ok(&["merge", "--branch", ANN]);
    std::fs::write(&entry, &text).unwrap();
    project.git(&["reset", "-q", "--hard", &before]);
    project.grove_ok(&["merge", "--all"]);
    assert_eq!(status(&project), [["merged"]]);
    assert_eq!(events(&project), 1);
}
