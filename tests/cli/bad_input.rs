//! Every reading command over every bad state: an answer or one clear line, never a trace, and
//! nothing is lost.

use rusqlite::Connection;

use crate::recorded::{READING, files, project};
use crate::support::{Finished, TestProject};

/// Commands that write, with everything they need.
const WRITING: &[&[&str]] = &[
    &["mail", "send", "--to", "b", "--subject", "s", "--body", "x"],
    &["mail", "purge", "--all"],
    &["clean", "--mail"],
    &["clean", "--sessions"],
    &["clean", "--metrics"],
    &["clean", "--all"],
    &["run", "complete"],
];

/// One line that says what is wrong; what to do next may follow, indented.
fn one_line(done: &Finished, what: &str) {
    // Notices about what is read begin with a mark of their own.
    let lines = done
        .stderr
        .lines()
        .filter(|line| !line.starts_with("  ") && !line.starts_with("! "));
    assert_eq!(lines.count(), 1, "{what}: {done:#?}");
}

fn is_sound(done: &Finished, what: &str) {
    assert!(matches!(done.code, Some(0 | 1)), "{what}: {done:#?}");
    for trace in ["panicked", "backtrace", ".rs:", "Internal"] {
        assert!(!done.stderr.contains(trace), "{what}: {done:#?}");
    }
    if done.code == Some(1) && done.stdout.is_empty() {
        one_line(done, what);
    }
}

#[test]
fn recorded_oddities() {
    for scenario in ["edge-data", "edge-missing", "edge-empty", "edge-legacy"] {
        let project = project(scenario);
        for args in READING {
            is_sound(&project.grove(args), &format!("{scenario} {args:?}"));
            let json = [args, &["--json"][..]].concat();
            let done = project.grove(&json);
            is_sound(&done, &format!("{scenario} {json:?}"));
            done.json();
        }
    }
}

#[test]
fn a_newer_schema_is_read_and_never_written() {
    let marks = [
        "PRAGMA user_version = 7",
        "ALTER TABLE %TABLE% ADD COLUMN from_the_future TEXT",
    ];
    for mark in marks {
        let project = project("edge-data");
        for (name, table) in [
            ("mail.db", "messages"),
            ("sessions.db", "sessions"),
            ("events.db", "events"),
            ("metrics.db", "sessions"),
            ("merge-queue.db", "merge_queue"),
        ] {
            let connection = Connection::open(project.overstory(name)).unwrap();
            connection
                .execute_batch(&mark.replace("%TABLE%", table))
                .unwrap();
        }
        let before = files(&project);
        let done = project.grove(&["mail", "list", "--json"]);
        assert_eq!(done.code, Some(0), "{done:#?}");
        assert_eq!(done.stderr.matches("belongs to a newer version").count(), 1);
        assert!(!done.json()["messages"].as_array().unwrap().is_empty());
        for args in READING.iter().filter(|args| args[0] != "doctor") {
            let done = project.grove(args);
            is_sound(&done, &format!("{args:?}"));
        }
        for args in WRITING {
            let done = project.grove(args);
            assert_eq!(done.code, Some(1), "{args:?}: {done:#?}");
            assert!(done.stderr.contains("newer version"), "{args:?}: {done:#?}");
        }
        assert!(files(&project) == before, "{mark}");
    }
}

/// Of the sessions only the recipient's state is looked up.
#[test]
fn mail_is_sent_beside_sessions_of_a_newer_version() {
    let project = project("edge-data");
    let sessions = project.overstory("sessions.db");
    Connection::open(&sessions)
        .unwrap()
        .execute_batch("PRAGMA user_version = 7")
        .unwrap();
    let before = std::fs::read(&sessions).unwrap();
    let send = [
        "mail",
        "send",
        "--to",
        "somebody",
        "--subject",
        "s",
        "--body",
        "b",
    ];
    let sent = project.grove(&send);
    assert_eq!(sent.code, Some(0), "{sent:#?}");
    assert!(sent.stderr.contains("newer version"), "{sent:#?}");
    assert_eq!(std::fs::read(&sessions).unwrap(), before);
}

#[test]
fn bytes_that_are_no_text() {
    let junk = b"\xff\xfe\x00 not text \xc3\x28";
    for file in [
        "config.yaml",
        "config.local.yaml",
        "current-run.txt",
        "groups.json",
        "agent-manifest.json",
        "mail-check-state.json",
        "nudge-state.json",
        "session-branch.txt",
        "logs/a/2026-01-01T00-00-00-000Z/events.ndjson",
        "pending-nudges/orchestrator.json",
    ] {
        let project = project("finished");
        let path = project.overstory(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, junk).unwrap();
        for args in READING {
            is_sound(&project.grove(args), &format!("{file} {args:?}"));
        }
        assert_eq!(std::fs::read(&path).unwrap(), junk, "{file}");
        let done = project.grove(&["group", "create", "g", "a-1", "--skip-validation"]);
        is_sound(&done, file);
        let kept = files(&project).into_values().any(|bytes| bytes == junk);
        assert!(kept, "{file} is lost");
    }
}

#[test]
fn rows_that_are_no_text_do_not_hide_the_others() {
    let project = project("edge-empty");
    let connection = Connection::open(project.overstory("mail.db")).unwrap();
    connection
        .execute_batch(
            "INSERT INTO messages (id, from_agent, to_agent, subject, body, created_at) VALUES
             ('m1', 'a', 'b', CAST(x'ff41' AS TEXT), 'x', '2026-01-01T00:00:00.000Z'),
             ('m2', 'a', 'b', 'good', 'x', '2026-01-02T00:00:00.000Z')",
        )
        .unwrap();
    drop(connection);
    let json = project.grove(&["mail", "list", "--json"]).json();
    assert_eq!(json["messages"][0]["subject"], "good");
    assert_eq!(json["messages"][1]["subject"], "\u{fffd}A");
}

#[test]
fn absurd_numbers() {
    let project = project("edge-data");
    let flags: &[&[&str]] = &[
        &["trace", "x", "--limit"],
        &["errors", "--limit"],
        &["replay", "--limit"],
        &["feed", "--limit"],
        &["logs", "--limit"],
        &["inspect", "null-everything", "--limit"],
        &["costs", "--last"],
        &["metrics", "--last"],
        &["run", "list", "--last"],
        &["mail", "purge", "--days"],
    ];
    for flag in flags {
        for number in [
            "0",
            "-1",
            "",
            "x",
            "٣",
            "99999999999999999999999",
            "Infinity",
        ] {
            let done = project.grove(&[flag, &[number][..]].concat());
            assert_eq!(done.code, Some(1), "{flag:?} {number:?}: {done:#?}");
            one_line(&done, number);
            assert!(done.stderr.contains(flag[flag.len() - 1]), "{done:#?}");
        }
        let done = project.grove(&[flag, &["9223372036854775807"][..]].concat());
        assert_eq!(done.code, Some(0), "{flag:?}: {done:#?}");
    }
}

#[test]
fn a_project_that_is_nowhere() {
    let project = TestProject::new();
    for args in READING.iter().chain(WRITING) {
        let done = project.grove(&[&["--project", "/nowhere/at/all"], *args].concat());
        assert_eq!(done.code, Some(1), "{args:?}: {done:#?}");
        one_line(&done, &format!("{args:?}"));
        assert!(
            done.stderr
                .starts_with("Error [CONFIG_ERROR]: '/nowhere/at/all' is not"),
            "{args:?}: {done:#?}"
        );
    }
    assert!(!project.root().join(".overstory").exists());
}

#[test]
fn twenty_processes_meet_where_no_database_is() {
    for round in 0..3 {
        let project = TestProject::initialised();
        for name in ["mail.db", "sessions.db", "events.db", "merge-queue.db"] {
            std::fs::remove_file(project.overstory(name)).unwrap();
        }
        let children: Vec<_> = (0..20)
            .map(|n| {
                let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
                match n % 3 {
                    0 => command.args(["status", "--json"]),
                    1 => command.args(["mail", "list", "--json"]),
                    _ => {
                        command.args(["mail", "send", "--to", "b", "--subject", "s", "--body", "x"])
                    }
                };
                command
                    .stdout(std::process::Stdio::null())
                    .stderr(std::process::Stdio::piped());
                command.spawn().unwrap()
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "round {round}: {output:?}");
        }
        let json = project.grove(&["mail", "list", "--json"]).json();
        assert_eq!(json["messages"].as_array().unwrap().len(), 6);
    }
}

#[test]
fn a_configuration_that_is_no_text_is_named_with_its_line() {
    let project = TestProject::initialised();
    let path = project.overstory("config.yaml");
    let mut bytes = b"# mine\nproject:\n  name: ".to_vec();
    bytes.extend_from_slice(b"\xff\xfe\n");
    std::fs::write(&path, bytes).unwrap();
    let done = project.grove(&["status"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(
        done.stderr.contains("config.yaml:3") && done.stderr.contains("save the file as UTF-8"),
        "{done:#?}"
    );
}

#[test]
fn a_scripted_agent_without_a_script_is_called_an_agent() {
    let project = TestProject::initialised();
    let args = ["sling", "t-1", "--name", "conductor", "--runtime", "script"];
    let done = project.grove(&args);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(
        done.stderr.contains("agent 'conductor' has no script"),
        "{done:#?}"
    );
}
