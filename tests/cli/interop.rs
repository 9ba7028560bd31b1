//! Both programs on one folder: what the other one writes is understood here, and what is written here
//! has the other one's form. Its side is played by its databases and by files as it writes them.

use std::process::Stdio;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::recorded::project;
use crate::support::TestProject;

const DATABASES: [&str; 5] = [
    "mail.db",
    "sessions.db",
    "events.db",
    "metrics.db",
    "merge-queue.db",
];

fn open(project: &TestProject, name: &str) -> Connection {
    Connection::open(project.overstory(name)).unwrap()
}

/// Tables and indices by name, with their SQL in one spelling.
/// Of a database that is not there, nothing: looking must not make it.
fn schema(project: &TestProject, name: &str) -> Vec<(String, String)> {
    if !project.overstory(name).exists() {
        return Vec::new();
    }
    let connection = open(project, name);
    let mut statement = connection
        .prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        .unwrap();
    let rows = statement
        .query_map([], |row| {
            let sql: String = row.get(1)?;
            let sql = sql.replace("IF NOT EXISTS", "").replace(['\n', '\t'], " ");
            let words: Vec<&str> = sql.split_whitespace().collect();
            Ok((row.get(0)?, words.join("").replace('"', "")))
        })
        .unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn new_databases_have_the_other_programs_tables() {
    let (ours, theirs) = (TestProject::initialised(), project("edge-empty"));
    for name in DATABASES {
        let ours: Vec<_> = schema(&ours, name)
            .into_iter()
            .filter(|(object, _)| !object.starts_with("grove_"))
            .collect();
        assert_eq!(ours, schema(&theirs, name), "{name}");
    }
}

#[test]
fn rows_written_here_satisfy_the_other_programs_statements() {
    let project = project("edge-empty");
    project.grove_ok(&[
        "mail",
        "send",
        "--to",
        "b",
        "--from",
        "a",
        "--subject",
        "s",
        "--body",
        "x",
        "--payload",
        "{\"n\": 1}",
        "--type",
        "result",
    ]);
    let mail = project.sql(
        "mail.db",
        "SELECT length(id), substr(id, 1, 4), from_agent, to_agent, type, priority, thread_id IS NULL, payload, read, length(created_at)
         FROM messages WHERE to_agent = 'b' AND read = 0 ORDER BY created_at ASC",
    );
    let expected = [
        "16",
        "msg-",
        "a",
        "b",
        "result",
        "normal",
        "1",
        "{\"n\": 1}",
        "0",
        "24",
    ];
    assert_eq!(mail, [expected]);
    let events = project.sql(
        "events.db",
        "SELECT run_id, agent_name, event_type, level, substr(created_at, 20, 1), length(created_at), json_extract(data, '$.to')
         FROM events WHERE agent_name = 'a' ORDER BY created_at ASC LIMIT 100",
    );
    assert_eq!(events, [["", "a", "mail_sent", "info", ".", "23", "b"]]);
}

#[test]
fn rows_written_there_are_read_here() {
    let project = project("edge-empty");
    open(&project, "merge-queue.db")
        .execute_batch(
            "INSERT INTO merge_queue (branch_name, task_id, agent_name, files_modified, enqueued_at) VALUES
             ('overstory/b/2', 't-2', 'b', 'not json', '2026-01-02T00:00:00.000Z'),
             ('overstory/a/1', 't-1', 'a', '[\"x\"]', '2026-01-01T00:00:00.000Z')",
        )
        .unwrap();
    // "pending entries in id order" (§5), whatever their times say.
    let json = project
        .grove(&["merge", "--all", "--dry-run", "--json"])
        .json();
    let branches: Vec<&str> = json["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["branchName"].as_str().unwrap())
        .collect();
    assert_eq!(branches, ["overstory/b/2", "overstory/a/1"]);
    assert_eq!(json["entries"][0]["filesModified"], json!([]));
    assert_eq!(
        project.grove(&["status", "--json"]).json()["mergeQueueCount"],
        2
    );
}

#[test]
fn the_current_run_is_a_trimmed_word() {
    let project = project("edge-empty");
    open(&project, "sessions.db")
        .execute_batch(
            "INSERT INTO runs (id, started_at, agent_count, status) VALUES ('run-x', '2026-01-01T00:00:00.000Z', 9, 'active')",
        )
        .unwrap();
    for text in ["run-x", "run-x\n", "  run-x \n\n"] {
        project.write(".overstory/current-run.txt", text);
        let json = project.grove(&["run", "--json"]).json();
        assert_eq!(json["run"]["id"], "run-x", "{text:?}");
        assert_eq!(json["run"]["agentCount"], 0, "counted, not stored");
    }
    project.write(".overstory/current-run.txt", " \n");
    assert_eq!(project.grove(&["run", "--json"]).json()["run"], Value::Null);
}

#[test]
fn a_pending_nudge_has_one_form() {
    let project = project("edge-empty");
    project.grove_ok(&[
        "mail",
        "send",
        "--to",
        "b",
        "--from",
        "a",
        "--subject",
        "s",
        "--body",
        "x",
        "--priority",
        "urgent",
    ]);
    let text = project.read(".overstory/pending-nudges/b.json");
    assert!(
        text.starts_with("{\n\t\"from\": \"a\"") && text.ends_with("}\n"),
        "{text}"
    );
    let file: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<&String> = file.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["from", "reason", "subject", "messageId", "createdAt"]
    );

    project.write(
        ".overstory/pending-nudges/c.json",
        "{\n\t\"from\": \"x\",\n\t\"reason\": \"worker_done\",\n\t\"subject\": \"done\",\n\t\"messageId\": \"msg-1\",\n\t\"createdAt\": \"2026-01-01T00:00:00.000Z\"\n}\n",
    );
    let shown = project.grove_ok(&["mail", "check", "--inject", "--agent", "c"]);
    assert!(
        shown.starts_with("PRIORITY: worker_done message from x — \"done\"\n"),
        "{shown}"
    );
    assert!(!project.overstory("pending-nudges/c.json").exists());
}

#[test]
fn the_time_of_the_last_check_is_shared() {
    let project = project("edge-empty");
    project.grove_ok(&["mail", "send", "--to", "b", "--subject", "s", "--body", "x"]);
    project.write(
        ".overstory/mail-check-state.json",
        "{\n\t\"b\": 99999999999999,\n\t\"other\": 5\n}\n",
    );
    // A time in the future silences nobody.
    project.grove_ok(&["mail", "check", "--agent", "b", "--debounce", "60000"]);
    let text = project.read(".overstory/mail-check-state.json");
    assert!(
        text.starts_with("{\n\t\"") && text.ends_with("}\n"),
        "{text}"
    );
    let state: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(state["other"], 5, "other agents keep their times");
    project.grove_ok(&["mail", "send", "--to", "b", "--subject", "s", "--body", "x"]);
    // "Debounced: prints nothing, exit 0, even with --json" (§4).
    let debounced = [
        "mail",
        "check",
        "--agent",
        "b",
        "--debounce",
        "60000",
        "--json",
    ];
    assert_eq!(project.grove_ok(&debounced), "");
}

#[test]
fn a_merge_lock_of_a_living_process_is_respected_and_a_dead_one_replaced() {
    let project = TestProject::initialised();
    let path = project.overstory("merge-main.lock");
    let lock = |pid: u32| {
        format!(
            "{{\"pid\":{pid},\"acquiredAt\":\"2026-01-01T00:00:00.000Z\",\"targetBranch\":\"main\"}}\n"
        )
    };
    project.git(&["branch", "overstory/a/t-1"]);
    let merge = ["merge", "--branch", "overstory/a/t-1", "--json"];
    std::fs::write(&path, lock(std::process::id())).unwrap();
    let done = project.grove(&merge);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        lock(std::process::id())
    );
    let mut ended = project
        .command("true")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    ended.wait().unwrap();
    std::fs::write(&path, lock(ended.id())).unwrap();
    project.grove(&merge);
    assert!(!path.exists(), "taken from the dead and given back");
}

#[test]
fn old_databases_are_migrated_once_by_many_at_the_same_time() {
    let rows = |project: &TestProject| {
        let count = |database: &str, table: &str| {
            project.sql(database, &format!("SELECT COUNT(*) FROM {table}"))
        };
        [
            count("mail.db", "messages"),
            count("sessions.db", "sessions"),
            count("metrics.db", "sessions"),
            count("merge-queue.db", "merge_queue"),
        ]
    };
    for _ in 0..3 {
        let project = project("edge-legacy");
        let before = rows(&project);
        let children: Vec<_> = (0..12)
            .map(|n| {
                let args = [
                    &["status", "--json"][..],
                    &["mail", "list", "--json"],
                    &["costs", "--json"],
                ][n % 3];
                let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
                command
                    .args(args)
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped());
                command.spawn().unwrap()
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
        assert_eq!(rows(&project), before);
        for name in DATABASES {
            let left = project.sql(
                name,
                "SELECT name FROM sqlite_master WHERE name LIKE '%old%'",
            );
            assert!(left.is_empty(), "{name}: {left:?}");
        }
        // Logs may still hold what was migrated, so the databases are asked and not their bytes.
        let migrated: Vec<_> = DATABASES
            .iter()
            .map(|name| schema(&project, name))
            .collect();
        project.grove_ok(&["status"]);
        project.grove_ok(&["mail", "list"]);
        let after: Vec<_> = DATABASES
            .iter()
            .map(|name| schema(&project, name))
            .collect();
        assert_eq!(after, migrated, "migrating is done once");
    }
}
