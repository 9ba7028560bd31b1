//! Many grove processes on the same tasks and records at once, some of them killed in the middle.

use crate::support::TestProject;
use serde_json::Value;
use std::collections::BTreeMap;

const PROCESSES: usize = 8;
const ROUNDS: usize = 12;

fn json_of(project: &TestProject, args: &[&str]) -> Value {
    let all: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let done = project.grove(&all);
    assert_eq!(done.code, Some(0), "{all:?}: {done:#?}");
    done.json()
}

/// One of the processes: tasks of its own are made and closed, a shared record is confirmed.
fn work(project: &TestProject, worker: usize) {
    for round in 0..ROUNDS {
        let title = format!("task {worker}-{round}");
        let made = json_of(project, &["task", "create", &title]);
        let id = made["id"].as_str().unwrap();
        json_of(project, &["task", "close", id]);
        let said = format!("said {worker}-{round}");
        json_of(
            project,
            &["expertise", "record", "d", &said, "--type", "convention"],
        );
        json_of(
            project,
            &["expertise", "outcome", "d", SHARED, "--status", "success"],
        );
    }
}

/// The id of `convention:shared`.
const SHARED: &str = "mx-abc368";

#[test]
fn nothing_is_lost_and_nothing_twice() {
    let project = TestProject::initialised();
    project.grove_ok(&["task", "create", "first"]);
    let shared = json_of(
        &project,
        &["expertise", "record", "d", "shared", "--type", "convention"],
    );
    assert_eq!(shared["record"]["id"], SHARED);
    std::thread::scope(|scope| {
        for worker in 0..PROCESSES {
            let project = &project;
            scope.spawn(move || work(project, worker));
        }
        // Killed wherever they happen to be; what they hold must not stop the others.
        for n in 0..PROCESSES {
            let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
            command.args(["task", "create", &format!("killed {n}")]);
            let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
            child.kill().unwrap();
            child.wait().unwrap();
        }
    });
    let list = json_of(&project, &["task", "list", "--all", "--limit", "100000"]);
    let mut titles: BTreeMap<&str, &str> = BTreeMap::new();
    let issues = list["issues"].as_array().unwrap();
    for issue in issues
        .iter()
        .filter(|i| !i["title"].as_str().unwrap().starts_with("killed"))
    {
        let title = issue["title"].as_str().unwrap();
        let twice = titles.insert(title, issue["status"].as_str().unwrap());
        assert_eq!(twice, None, "{title}");
    }
    assert_eq!(titles.remove("first"), Some("open"));
    assert_eq!(titles.len(), PROCESSES * ROUNDS);
    assert!(titles.values().all(|status| *status == "closed"));
    let records = json_of(&project, &["expertise", "query", "d"]);
    let records = records["domains"][0]["records"].as_array().unwrap();
    assert_eq!(records.len(), PROCESSES * ROUNDS + 1);
    assert_eq!(
        records[0]["outcomes"].as_array().unwrap().len(),
        PROCESSES * ROUNDS
    );
    for folder in [".seeds", ".mulch/expertise"] {
        for entry in std::fs::read_dir(project.root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.contains(".lock"), "{folder}/{name} was left behind");
        }
    }
}

#[test]
fn groups_made_at_the_same_time_are_all_there() {
    let project = TestProject::initialised();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let project = &project;
            scope.spawn(move || {
                let (name, task) = (format!("g{n}"), format!("t-{n}"));
                project.grove_ok(&["group", "create", &name, &task, "--skip-validation"]);
            });
        }
    });
    let listed = project.grove(&["group", "list", "--json"]).json();
    assert_eq!(listed["groups"].as_array().unwrap().len(), 8, "{listed}");
}

#[test]
fn a_start_that_fails_leaves_no_run_behind() {
    let project = TestProject::initialised();
    let done = project.grove(&["sling", "t-1", "--runtime", "script"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(!project.overstory("current-run.txt").exists());
    let active = "SELECT id FROM runs WHERE status = 'active'";
    assert!(project.sql("sessions.db", active).is_empty());
    assert!(
        project
            .sql("sessions.db", "SELECT id FROM sessions")
            .is_empty()
    );
}
