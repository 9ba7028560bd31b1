//! State that a newer version or somebody's hand has left: nothing of it is lost or told wrongly.

use rusqlite::Connection;

use crate::recorded::{files, project};
use crate::support::TestProject;

const STORES: [(&str, &str); 4] = [
    ("mail.db", "messages"),
    ("sessions.db", "sessions"),
    ("metrics.db", "sessions"),
    ("merge-queue.db", "merge_queue"),
];

fn execute(project: &TestProject, store: &str, sql: &str) {
    let connection = Connection::open(project.overstory(store)).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[test]
fn clean_all_leaves_everything_where_one_store_is_newer() {
    for (newer, table) in STORES {
        let project = project("edge-data");
        execute(
            &project,
            newer,
            &format!("ALTER TABLE {table} ADD COLUMN from_the_future TEXT"),
        );
        let before = files(&project);
        let done = project.grove(&["clean", "--all"]);
        assert_eq!(
            (done.code, done.stdout.as_str()),
            (Some(1), ""),
            "{done:#?}"
        );
        let first = done.stderr.lines().find(|l| !l.starts_with("! ")).unwrap();
        assert!(first.contains(newer), "{done:#?}");
        assert!(first.contains("newer version"), "{done:#?}");
        assert!(files(&project) == before, "{newer}");
    }
}

#[test]
fn an_agent_whose_identity_cannot_be_read_is_not_called_new() {
    let name = "builder-1";
    for (text, line) in [
        (&b"name: builder-1\ncapability: \xff\xfe\n"[..], "line 2"),
        (b"# by hand\n{{{ no: yaml\n", "line 2"),
        (b"name builder-1\ncapability: builder\n", "line 1"),
    ] {
        let project = TestProject::initialised();
        let path = project.overstory("agents").join(name).join("identity.yaml");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let done = project.grove(&["prime", "--agent", name]);
        assert_eq!(done.code, Some(0), "{done:#?}");
        assert!(!done.stdout.contains("New agent"), "{done:#?}");
        assert!(!done.stdout.contains("not found"), "{done:#?}");
        assert_eq!(done.stderr.matches("identity.yaml").count(), 1, "{done:#?}");
        assert!(done.stderr.contains(line), "{done:#?}");
        assert_eq!(std::fs::read(&path).unwrap(), text);
    }
}

#[test]
fn stop_ends_an_agent_in_a_state_that_nobody_knows() {
    let project = TestProject::initialised();
    project.grove_ok(&["status"]);
    execute(
        &project,
        "sessions.db",
        "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
         VALUES ('s', 'sleeper', 'builder', '/nowhere', 'b', 't', '', 'hibernating', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
    );
    project.grove_ok(&["stop", "sleeper"]);
    assert_eq!(project.state("sleeper").as_deref(), Some("completed"));
}

fn mailbox() -> TestProject {
    let project = TestProject::initialised();
    let mail = ["--from", "alice", "--subject", "hello", "--body", "text"];
    project.grove_ok(&[&["mail", "send", "--to", "bob"][..], &mail].concat());
    project
}

#[test]
fn mail_with_an_odd_mark_is_unread_for_every_command() {
    let project = mailbox();
    execute(&project, "mail.db", "UPDATE messages SET read = 2");
    let unread = || {
        let list = project
            .grove(&["mail", "list", "--unread", "--json"])
            .json();
        list["messages"].as_array().unwrap().len()
    };
    assert_eq!(unread(), 1);
    let id = project.sql("mail.db", "SELECT id FROM messages")[0][0].clone();
    let read = project.grove(&["mail", "read", &id, "--json"]).json();
    assert_eq!(read["alreadyRead"], false);
    assert_eq!(unread(), 0);
    let read = project.grove(&["mail", "read", &id, "--json"]).json();
    assert_eq!(read["alreadyRead"], true);
    execute(&project, "mail.db", "UPDATE messages SET read = -1");
    let check = ["mail", "check", "--agent", "bob", "--json"];
    let messages = || project.grove(&check).json()["messages"].take();
    assert_eq!(messages().as_array().unwrap().len(), 1);
    assert_eq!(messages().as_array().unwrap().len(), 0);
}

#[test]
fn a_check_that_cannot_mark_prints_one_line_and_the_mail_comes_again() {
    let project = mailbox();
    execute(
        &project,
        "mail.db",
        "ALTER TABLE messages ADD COLUMN from_the_future TEXT",
    );
    for _ in 0..2 {
        let done = project.grove(&["mail", "check", "--agent", "bob", "--json"]);
        assert_eq!(done.code, Some(0), "{done:#?}");
        assert_eq!(done.stdout.lines().count(), 1, "{done:#?}");
        assert_eq!(done.json()["messages"][0]["subject"], "hello");
        assert!(done.stderr.contains("not marked as read"), "{done:#?}");
    }
}

#[cfg(unix)]
#[test]
fn mail_comes_out_of_a_folder_that_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let project = mailbox();
    project.write(".overstory/pending-nudges/bob.json", "{}");
    let modes = |folder: u32, file: u32| {
        for (path, mode) in [("mail.db", file), ("pending-nudges", folder), ("", folder)] {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(project.overstory(path), mode).unwrap();
        }
    };
    modes(0o555, 0o444);
    // Permissions do not bind everybody; where they do not, the mail is only read.
    let bound = std::fs::write(project.overstory("probe"), "").is_err();
    let check = ["mail", "check", "--inject", "--agent", "bob"];
    let done = project.grove(&[&check[..], &["--debounce", "5"]].concat());
    modes(0o755, 0o644);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(done.stdout.contains("hello"), "{done:#?}");
    let told = done.stderr.contains("not marked as read");
    assert_eq!(told, bound, "{done:#?}");
}

#[test]
fn a_mail_type_of_a_newer_version_makes_the_store_read_only() {
    let project = mailbox();
    execute(
        &project,
        "mail.db",
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_master SET sql = replace(sql, '''decision_gate''', '''decision_gate'', ''plan_ready''') WHERE name = 'messages';
         PRAGMA writable_schema = RESET;
         UPDATE messages SET type = 'plan_ready';",
    );
    let before = std::fs::read(project.overstory("mail.db")).unwrap();
    let list = project.grove(&["mail", "list", "--json"]);
    assert_eq!(list.code, Some(0), "{list:#?}");
    assert!(
        list.stderr.contains("newer version (type plan_ready)"),
        "{list:#?}"
    );
    assert_eq!(list.json()["messages"][0]["type"], "plan_ready");
    let shown = project.grove_ok(&["mail", "list"]);
    assert!(shown.contains("(plan_ready)"), "{shown}");
    let given = project.grove_ok(&["mail", "check", "--inject", "--agent", "bob"]);
    assert!(given.contains("(plan_ready)"), "{given}");
    let send = ["--from", "a", "--subject", "s", "--body", "x"];
    let send = project.grove(&[&["mail", "send", "--to", "bob"][..], &send].concat());
    assert_eq!(send.code, Some(1), "{send:#?}");
    assert!(send.stderr.contains("newer version"), "{send:#?}");
    assert_eq!(std::fs::read(project.overstory("mail.db")).unwrap(), before);
}
