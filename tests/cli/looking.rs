//! Commands that read leave every file as it is, and need no permission to write.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

use rusqlite::Connection;

use crate::recorded::{READING, files, project};
use crate::support::TestProject;

/// Nobody's user id, for what the system's owner may always do.
const NOBODY: u32 = 65534;

/// More commands that only read.
const ALSO_READING: &[&[&str]] = &[
    &["doctor", "--category", "watchdog"],
    &["conflicts"],
    &["supervisor", "status"],
    &["supervisor", "status", "--name", "sup-1"],
    &["coordinator", "status"],
    &["orchestrator", "status"],
    &["monitor", "status"],
    &["hooks", "status"],
    &["group", "status"],
    &["merge", "list"],
    &["merge", "--all", "--dry-run"],
    &["mail", "list", "--unread", "--to", "builder-login"],
    &["feed", "--agent", "builder-login", "--limit", "3"],
    &["logs", "--agent", "builder-login", "--limit", "3"],
    &["guard", "log"],
    &["task", "list"],
    &["task", "ready"],
    &["expertise", "query"],
    &["ecosystem"],
    &["update", "--dry-run"],
    &["init", "--dry-run"],
];

fn with_json(args: &[&'static str]) -> Vec<&'static str> {
    [args, &["--json"]].concat()
}

#[test]
fn no_byte_changes_and_no_file_appears() {
    for scenario in ["edge-data", "finished", "edge-empty"] {
        let project = project(scenario);
        let before = (files(&project), written(&project.root()));
        for args in READING.iter().chain(ALSO_READING) {
            for args in [args.to_vec(), with_json(args)] {
                project.grove(&args);
                let after = (files(&project), written(&project.root()));
                assert!(
                    after == before,
                    "grove {args:?} has changed {:?} in {scenario}",
                    changed(&before.0, &after.0)
                );
            }
        }
    }
}

/// When each file of the project was written last; the same bytes written again count, too.
fn written(folder: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(written(&path));
        } else {
            let meta = std::fs::symlink_metadata(&path).unwrap();
            found.insert(path, meta.modified().unwrap());
        }
    }
    found
}

fn changed(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names = before.keys().chain(after.keys());
    names
        .filter(|name| before.get(*name) != after.get(*name))
        .cloned()
        .collect()
}

#[test]
fn what_a_killed_writer_left_in_the_log_is_read_and_stays_there() {
    let project = project("edge-empty");
    let path = project.overstory("mail.db");
    // A copy taken while a writer works is what a killed one leaves behind.
    let (kept, log) = (project.beside().join("db"), project.beside().join("log"));
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             INSERT INTO messages (id, from_agent, to_agent, subject, body, created_at)
             VALUES ('msg-1', 'a', 'b', 'late', 'x', '2026-01-01T00:00:00.000Z')",
        )
        .unwrap();
    std::fs::copy(&path, &kept).unwrap();
    std::fs::copy(project.overstory("mail.db-wal"), &log).unwrap();
    drop(writer);
    std::fs::copy(&kept, &path).unwrap();
    std::fs::copy(&log, project.overstory("mail.db-wal")).unwrap();

    let json = project.grove(&["mail", "list", "--json"]).json();
    assert_eq!(json["messages"][0]["subject"], "late");
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&kept).unwrap());
    assert_eq!(
        std::fs::read(project.overstory("mail.db-wal")).unwrap(),
        std::fs::read(&log).unwrap()
    );
}

/// Takes all right to write from everybody but the system's owner.
fn protect(path: &Path, writable: bool) {
    let meta = std::fs::symlink_metadata(path).unwrap();
    let mode = match (meta.is_dir(), writable) {
        (true, true) => 0o777,
        (true, false) => 0o555,
        (false, true) => 0o666,
        (false, false) => 0o444,
    };
    if meta.is_symlink() {
        return;
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    if meta.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            protect(&entry.unwrap().path(), writable);
        }
    }
}

fn as_nobody(mut command: Command) -> Output {
    if std::fs::metadata("/proc/self").is_ok_and(|meta| {
        use std::os::unix::fs::MetadataExt;
        meta.uid() == 0
    }) {
        command.uid(NOBODY).gid(NOBODY);
    }
    loop {
        match command.output() {
            // Another test that starts a program just now has the fresh copy open for a moment.
            Err(e) if e.kind() == std::io::ErrorKind::ExecutableFileBusy => {}
            done => return done.unwrap(),
        }
    }
}

fn in_a_protected_folder(project: &TestProject, args: &[&str]) -> Output {
    // A copy of the program where everybody may run it.
    let program = project.root().join("../bin/program");
    if !program.exists() {
        std::fs::copy(env!("CARGO_BIN_EXE_grove"), &program).unwrap();
    }
    let base = project.root().join("..");
    let trust = "[safe]\n\tdirectory = *\n";
    std::fs::write(project.home().join(".gitconfig"), trust).unwrap();
    std::fs::set_permissions(&base, std::fs::Permissions::from_mode(0o755)).unwrap();
    protect(&project.root(), false);
    let mut command = project.command(&program);
    command.args(args);
    let output = as_nobody(command);
    protect(&project.root(), true);
    output
}

#[test]
fn a_read_only_folder_is_read() {
    for scenario in ["edge-data", "edge-legacy", "edge-missing", "edge-json"] {
        let project = project(scenario);
        let before = files(&project);
        let reading = READING.iter().chain(ALSO_READING);
        for args in reading.filter(|args| args[0] != "doctor") {
            let normal = ["run", "inspect", "task", "expertise", "init"].contains(&args[0]);
            let output = in_a_protected_folder(&project, &with_json(args));
            let stderr = String::from_utf8_lossy(&output.stderr);
            // Some of the asked things do not exist in some states; everything else succeeds.
            assert!(
                output.status.success() || normal && !stderr.contains("cannot"),
                "{scenario}: grove {args:?}: {output:?}"
            );
        }
        assert!(files(&project) == before, "{scenario}");
    }
}

#[test]
fn writing_into_a_read_only_folder_is_refused_in_one_line() {
    let project = project("edge-data");
    let before = files(&project);
    for args in [
        &["mail", "send", "--to", "b", "--subject", "s", "--body", "x"][..],
        &["mail", "read", "msg-unicode00001"],
        &["mail", "purge", "--all"],
        &["group", "create", "g", "a-1", "--skip-validation"],
        &["spec", "write", "t-1", "--body", "x"],
        &["run", "complete"],
    ] {
        let output = in_a_protected_folder(&project, args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {output:?}");
        let lines = stderr.lines().filter(|line| !line.starts_with("  "));
        assert_eq!(lines.count(), 1, "{args:?}: {stderr}");
        assert!(stderr.contains(".overstory/"), "{args:?}: {stderr}");
    }
    assert!(files(&project) == before);
}

#[test]
fn a_full_disk_stops_writers_and_no_reader() {
    let project = project("edge-data");
    let before = files(&project);
    let limited = |args: &[&str]| {
        // No file may grow: what a full disk answers, without one.
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
        let mut command = project.command("bash");
        command
            .args(["-c", script, env!("CARGO_BIN_EXE_grove")])
            .args(args);
        command.output().unwrap()
    };
    for args in [
        &["status", "--json"][..],
        &["mail", "list", "--json"],
        &["errors", "--json"],
        &["costs", "--json"],
    ] {
        let output = limited(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
    }
    for args in [
        &["mail", "send", "--to", "b", "--subject", "s", "--body", "x"][..],
        &["group", "create", "g", "a-1", "--skip-validation"],
        &["spec", "write", "t-1", "--body", "x"],
    ] {
        let output = limited(args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {output:?}");
        let lines = stderr.lines().filter(|line| !line.starts_with("  "));
        assert_eq!(lines.count(), 1, "{args:?}: {stderr}");
    }
    let after = files(&project);
    let lost = changed(&before, &after);
    assert!(
        lost.iter().all(|name| !before.contains_key(name)
            || name.ends_with("-wal")
            || name.ends_with("-shm")),
        "{lost:?}"
    );
}

/// By the rules of ov an agent without a process that was active a moment ago is between two turns,
/// also when it is recorded as dead (behaviours §2); that is what programs read.
#[test]
fn people_are_not_told_that_the_dead_are_between_two_turns() {
    let project = TestProject::initialised();
    let now = grove::platform::clock::now().iso();
    let connection = Connection::open(project.overstory("sessions.db")).unwrap();
    for (agent, state) in [("ann", "zombie"), ("ben", "between_turns")] {
        connection
            .execute(
                "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
                 VALUES (?1, ?2, 'builder', '/w', 'b', 't', '', ?3, ?4, ?4)",
                [&format!("session-1-{agent}"), agent, state, &now],
            )
            .unwrap();
    }
    let text = project.grove_ok(&["status"]);
    assert!(text.contains("Agents: 1 active\n   > ben "), "{text}");
    let json = project.grove(&["status", "--json"]).json();
    assert_eq!(json["agents"][0]["state"], "between_turns");
    project.grove(&["doctor", "--fix"]);
    assert_eq!(project.state("ann").as_deref(), Some("zombie"));
}

#[test]
fn a_folder_that_cannot_be_written_is_only_called_a_file_that_cannot_be_opened() {
    let project = project("edge-data");
    std::fs::remove_file(project.overstory("mail.db")).unwrap();
    for args in [
        &["mail", "send", "--to", "b", "--subject", "s", "--body", "x"][..],
        &["mail", "read", "msg-1"],
        &["mail", "purge", "--all"],
    ] {
        let output = in_a_protected_folder(&project, args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {output:?}");
        assert!(
            stderr.contains("cannot be written") && stderr.contains("writable and try again"),
            "{args:?}: {stderr}"
        );
    }
    let output = in_a_protected_folder(&project, &["mail", "purge", "--all"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        stderr.contains("mail.db: its folder cannot be written (Permission denied"),
        "{stderr}"
    );
}

#[test]
fn a_renamed_column_shows_the_statement_that_asked_for_it() {
    let project = TestProject::initialised();
    let db = Connection::open(project.overstory("sessions.db")).unwrap();
    db.execute_batch("ALTER TABLE sessions RENAME COLUMN capability TO role_name")
        .unwrap();
    drop(db);
    for args in [
        &["status"][..],
        &["agents", "discover"],
        &["status", "--json"],
    ] {
        let done = project.grove(args);
        assert_eq!(done.code, Some(1), "{done:#?}");
        let said = done.stdout + &done.stderr;
        assert!(
            said.contains("sessions.db does not have the form")
                && said.contains("no such column")
                && said.contains("update grove"),
            "{said}"
        );
        assert!(!said.contains("SELECT"), "{said}");
    }
}
