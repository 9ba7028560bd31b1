//! `mail`: what is sent arrives, once, whole and in order.

use crate::support::TestProject;

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
