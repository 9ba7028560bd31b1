//! `mail`: what is sent arrives, once, whole and in order.

use crate::support::{SHORT, TestProject, wait_until};
use grove::db::MailStore;
use grove::types::mail::{MailType, NewMail};

fn send(project: &TestProject, extra: &[&str]) {
    let mut args = vec![
        "mail",
        "send",
        "--to",
        "bob",
        "--from",
        "alice",
        "--subject",
        "hello",
        "--body",
        "two\nlines",
    ];
    args.extend_from_slice(extra);
    project.grove_ok(&args);
}

#[test]
fn a_check_hands_over_once() {
    let project = TestProject::initialised();
    send(&project, &[]);
    let first = project
        .grove(&["mail", "check", "--agent", "bob", "--json"])
        .json();
    assert_eq!(first["messages"][0]["body"], "two\nlines");
    assert_eq!(first["messages"][0]["read"], false);
    let second = project
        .grove(&["mail", "check", "--agent", "bob", "--json"])
        .json();
    assert_eq!(second["messages"], serde_json::json!([]));
}

#[test]
fn mail_that_could_not_be_written_stays_unread() {
    let project = TestProject::initialised();
    send(&project, &[]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    // Only some systems have a device that is always full.
    let Ok(full) = full else { return };
    let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
    let status = command
        .args(["mail", "check", "--agent", "bob"])
        .stdout(full)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
    let unread = project
        .grove(&["mail", "list", "--to", "bob", "--unread", "--json"])
        .json();
    assert_eq!(unread["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn mail_whose_reader_has_left_stays_unread_and_is_announced_again() {
    let project = TestProject::initialised();
    send(&project, &["--priority", "urgent"]);
    let check = ["mail", "check", "--inject", "--agent", "bob"];
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
    command
        .args(check)
        .stdout(writer)
        .stderr(std::process::Stdio::null());
    command.status().unwrap();
    let text = project.grove_ok(&check);
    assert!(text.starts_with("PRIORITY: urgent"), "{text}");
    assert!(text.contains("two\nlines"), "{text}");
    assert!(claims(&project).is_empty());
}

/// Files that say what a process is handing over.
fn claims(project: &TestProject) -> Vec<std::ffi::OsString> {
    let Ok(entries) = std::fs::read_dir(project.overstory("mail-claims")) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name());
    names.filter(|name| name != "gate").collect()
}

#[test]
fn of_many_checks_at_once_each_message_is_printed_by_one() {
    const MESSAGES: usize = 30;
    let project = TestProject::initialised();
    for number in 0..MESSAGES {
        let message = NewMail::new(
            "alice",
            "bob",
            MailType::Status,
            &format!("<{number}>"),
            "b",
        );
        let store = MailStore::open(&project.overstory("mail.db")).unwrap();
        store.insert(&message).unwrap();
    }
    let checks: Vec<_> = (0..24)
        .map(|number| {
            let form = ["--inject", "--json"][number % 2];
            let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
            command.args(["mail", "check", form, "--agent", "bob"]);
            command
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut printed = String::new();
    for check in checks {
        let output = check.wait_with_output().unwrap();
        assert!(output.status.success());
        printed.push_str(std::str::from_utf8(&output.stdout).unwrap());
    }
    for number in 0..MESSAGES {
        let times = printed.matches(&format!("<{number}>")).count();
        assert_eq!(times, 1, "message {number}");
    }
    assert!(claims(&project).is_empty());
}

#[test]
fn mail_whose_check_is_killed_in_the_middle_comes_again() {
    let project = TestProject::initialised();
    let store = MailStore::open(&project.overstory("mail.db")).unwrap();
    // More than a pipe takes.
    let long = "long ".repeat(60_000);
    let send = |subject: &str, body: &str| {
        let message = NewMail::new("alice", "bob", MailType::Status, subject, body);
        store.insert(&message).unwrap();
    };
    send("<first>", &long);
    let check = ["mail", "check", "--inject", "--agent", "bob"];
    let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
    command.args(check).stdout(std::process::Stdio::piped());
    let mut blocked = command.spawn().unwrap();
    wait_until(
        "the message is being printed",
        SHORT,
        || (!claims(&project).is_empty()).then_some(()),
        || project.report(),
    );
    send("<second>", "short");
    let other = project.grove_ok(&check);
    assert!(
        other.contains("<second>") && !other.contains("<first>"),
        "{other}"
    );
    assert_eq!(project.grove_ok(&check), "");
    blocked.kill().unwrap();
    blocked.wait().unwrap();
    let again = project.grove_ok(&check);
    assert!(again.contains("<first>") && !again.contains("<second>"));
    assert_eq!(project.grove_ok(&check), "");
    assert!(claims(&project).is_empty());
}

#[test]
fn mail_comes_also_while_somebody_keeps_the_gate_of_the_claims_shut() {
    let project = TestProject::initialised();
    send(&project, &[]);
    let check = ["mail", "check", "--agent", "bob", "--json"];
    project.grove_ok(&check);
    send(&project, &[]);
    let gate = std::fs::File::open(project.overstory("mail-claims/gate")).unwrap();
    gate.lock().unwrap();
    let done = project.grove(&check);
    assert_eq!(done.json()["messages"][0]["body"], "two\nlines");
    assert!(done.stderr.contains("gate has been locked"), "{done:#?}");
}

#[test]
fn urgent_mail_announces_itself_on_the_next_check() {
    let project = TestProject::initialised();
    send(&project, &["--priority", "urgent"]);
    let text = project.grove_ok(&["mail", "check", "--inject", "--agent", "bob"]);
    assert!(
        text.starts_with(
            "PRIORITY: urgent priority message from alice — \"hello\"\n\nYou have 1 new message:\n"
        ),
        "{text}"
    );
    assert_eq!(
        project.grove_ok(&["mail", "check", "--inject", "--agent", "bob"]),
        ""
    );
}

#[test]
fn the_sender_is_who_a_host_vouches_for() {
    let mut project = TestProject::initialised();
    project.set_env("GROVE_ACTING_FOR", "carol");
    send(&project, &[]);
    let json = project.grove(&["mail", "list", "--json"]).json();
    assert_eq!(json["messages"][0]["from"], "carol");
}

#[test]
fn fifty_senders_at_once_lose_nothing() {
    let project = TestProject::initialised();
    let children: Vec<_> = (0..50)
        .map(|number| {
            let subject = number.to_string();
            project
                .command(env!("CARGO_BIN_EXE_grove"))
                .args([
                    "mail",
                    "send",
                    "--to",
                    "bob",
                    "--from",
                    "many",
                    "--subject",
                    &subject,
                    "--body",
                    "b",
                ])
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let json = project
        .grove(&["mail", "list", "--to", "bob", "--json"])
        .json();
    let mut subjects: Vec<u32> = json["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["subject"].as_str().unwrap().parse().unwrap())
        .collect();
    subjects.sort_unstable();
    assert_eq!(subjects, (0..50).collect::<Vec<u32>>());
}

/// Numbers are read as everywhere else: what follows the leading digits does not count.
#[test]
fn a_debounce_with_a_unit_is_read_as_its_number() {
    let project = TestProject::initialised();
    send(&project, &[]);
    let done = project.grove(&["mail", "check", "--agent", "bob", "--debounce", "500ms"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let done = project.grove(&["mail", "check", "--agent", "bob", "--debounce", "-5"]);
    assert_eq!(
        done.stderr,
        "Error [VALIDATION_ERROR]: --debounce must be a non-negative integer (milliseconds), got: -5\n"
    );
}

#[test]
fn an_agent_marks_no_mail_of_others_as_read() {
    let mut project = TestProject::initialised();
    send(&project, &[]);
    let ids = "SELECT id FROM messages WHERE to_agent = 'bob'";
    let id = project.sql("mail.db", ids).remove(0).remove(0);
    let unread = |project: &TestProject| {
        let rows = project.sql("mail.db", "SELECT read FROM messages");
        rows == [["0"]]
    };
    project.set_env("GROVE_ACTING_FOR", "eve");
    let refused = project.grove(&["mail", "read", &id]);
    assert_eq!(refused.code, Some(1), "{refused:#?}");
    assert!(
        refused.stderr.contains("mail of others as read") && refused.stderr.contains("\"bob\""),
        "{refused:#?}"
    );
    assert!(unread(&project));
    project.set_env("GROVE_ACTING_FOR", "bob");
    project.grove_ok(&["mail", "read", &id]);
    assert!(!unread(&project));
}

#[test]
fn a_person_marks_any_mail_as_read() {
    let project = TestProject::initialised();
    send(&project, &[]);
    let ids = "SELECT id FROM messages WHERE to_agent = 'bob'";
    let id = project.sql("mail.db", ids).remove(0).remove(0);
    project.grove_ok(&["mail", "read", &id]);
    assert_eq!(project.sql("mail.db", "SELECT read FROM messages"), [["1"]]);
}

#[test]
fn a_loop_that_is_stopped_is_told_to_somebody_above_once() {
    let mut project = TestProject::initialised();
    let store = MailStore::open(&project.overstory("mail.db")).unwrap();
    for _ in 0..12 {
        for (from, to) in [("ann", "ben"), ("ben", "ann")] {
            let mail = NewMail::new(from, to, MailType::Question, "s", "b");
            store.insert(&mail).unwrap();
        }
    }
    drop(store);
    for (from, to) in [("ann", "ben"), ("ben", "ann"), ("ann", "ben")] {
        project.set_env("GROVE_ACTING_FOR", from);
        let words = ["mail", "send", "--to", to, "--subject", "s", "--body", "b"];
        let refused = project.grove(&words);
        assert_eq!(refused.code, Some(1), "{refused:#?}");
        assert!(refused.stderr.contains("10 minutes"), "{refused:#?}");
    }
    let told = "SELECT from_agent, to_agent, subject FROM messages WHERE type = 'escalation'";
    assert_eq!(
        project.sql("mail.db", told),
        [[
            "watchdog",
            "orchestrator",
            "ann and ben only answer each other"
        ]]
    );
}
