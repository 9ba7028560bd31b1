//! `pr` whose `git push` or `gh` does not end, or fails when the branch is pushed already.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};

use crate::merge_interrupted::{hangs, hook, interrupted, start, who_hangs};
use crate::support::{GROVE, LONG, TestProject, alive, wait_until};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

const ANN: &str = "overstory/ann/t-1";

/// A branch with work, a remote, and a limit in milliseconds for what does not end.
fn project(limit: u32) -> TestProject {
    let project = TestProject::initialised();
    let settings = format!("project:\n  qualityGates: []\nmerge:\n  driverTimeoutMs: {limit}\n");
    std::fs::write(project.overstory("config.local.yaml"), settings).unwrap();
    let origin = project.beside().join("origin.git");
    let origin = origin.to_str().unwrap();
    project.git(&["init", "-q", "--bare", origin]);
    project.git(&["remote", "add", "origin", origin]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    project.git(&["checkout", "-q", "-b", ANN]);
    project.write("new.txt", "new\n");
    project.git(&["add", "new.txt"]);
    project.git(&["commit", "-q", "-m", "Work"]);
    project.git(&["checkout", "-q", "main"]);
    project.install_script("gh", "echo https://example.org/pull/7");
    project
}

fn all_have_ended(project: &TestProject) {
    assert!(who_hangs(project).len() >= 2);
    wait_until(
        "everything that hung has ended",
        LONG,
        || (!who_hangs(project).into_iter().any(alive)).then_some(()),
        || project.report(),
    );
}

const NEXT: &str =
    "overstory/ann/t-1 is pushed to origin, and no request is open for it as far as is known";
const AGAIN: &str =
    "the same command again, or `gh pr create --head overstory/ann/t-1 --base main`";

#[test]
fn a_gh_that_hangs_is_ended_and_it_is_said_that_the_branch_is_pushed() {
    let project = project(1000);
    project.install_script("gh", &hangs(&project));
    let done = project.grove(&["pr", ANN]);
    assert_eq!(done.code, Some(1), "{done:?}");
    let said = format!("'gh' did not answer within 1 s; {NEXT}");
    assert!(done.stderr.contains(&said), "{done:?}");
    assert!(done.stderr.contains(AGAIN), "{done:?}");
    all_have_ended(&project);
    assert!(project.git(&["ls-remote", "origin"]).contains(ANN));
}

#[test]
fn a_gh_that_fails_leaves_a_pushed_branch_and_that_is_said() {
    let project = project(60_000);
    project.install_script("gh", "echo no token >&2; exit 4");
    let done = project.grove(&["pr", ANN]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(
        done.stderr.contains(&format!("no token; {NEXT}")),
        "{done:?}"
    );
    assert!(done.stderr.contains("`gh auth status`"), "{done:?}");
    assert!(done.stderr.contains(AGAIN), "{done:?}");
}

/// It was told that no request is open.
#[test]
fn a_request_that_is_open_already_is_named() {
    let project = project(60_000);
    let said = "a pull request for branch \\\"x\\\" into branch \\\"main\\\" already exists:";
    let of_two_lines = format!("echo \"{said}\" >&2; echo https://example.org/pull/3 >&2; exit 1");
    let by_number = "case $2 in view) echo https://example.org/pull/3;; *) echo 'HTTP 422: a pull request already exists' >&2; exit 1;; esac";
    for gh in [of_two_lines.as_str(), by_number] {
        project.install_script("gh", gh);
        let told = project.grove_ok(&["pr", ANN]);
        let expected =
            "https://example.org/pull/3 is open already, and has the branch as it is now";
        assert!(told.contains(expected), "{gh}: {told}");
        let json = project.grove_ok(&["pr", ANN, "--json"]);
        assert!(
            json.contains("\"url\":\"https://example.org/pull/3\""),
            "{json}"
        );
    }
}

#[test]
fn a_push_that_hangs_is_ended_with_what_it_waits_for() {
    let project = project(1000);
    hook(&project, "pre-push", &hangs(&project));
    let done = project.grove(&["pr", ANN]);
    assert_eq!(done.code, Some(1), "{done:?}");
    let said = format!(
        "{ANN} could not be pushed to origin: `git push --quiet origin` did not end within 1 s"
    );
    assert!(done.stderr.contains(&said), "{done:?}");
    assert!(done.stderr.contains("pre-push"), "{done:?}");
    all_have_ended(&project);
    assert_eq!(project.git(&["ls-remote", "origin"]), "");
}

#[test]
fn an_interrupt_ends_gh_and_what_it_has_started() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let project = project(600_000);
        project.install_script("gh", &hangs(&project));
        let done = interrupted(&project, start(&project, &["pr", ANN]), name);
        assert_eq!(done.code, Some(code), "{done:?}");
        let said = format!("interrupted: 'gh' was ended before it had answered; {NEXT}");
        assert!(done.stderr.contains(&said), "{done:?}");
    }
}

#[test]
fn an_interrupt_ends_a_push_and_what_it_has_started() {
    let project = project(600_000);
    hook(&project, "pre-push", &hangs(&project));
    let done = interrupted(&project, start(&project, &["pr", ANN]), "TERM");
    assert_eq!(done.code, Some(143), "{done:?}");
    assert!(done.stderr.contains("interrupted: "), "{done:?}");
    assert_eq!(project.git(&["ls-remote", "origin"]), "");
}

/// As `ssh` asks for a passphrase.
#[test]
fn a_push_may_ask_at_the_terminal() {
    let project = project(600_000);
    hook(
        &project,
        "pre-push",
        "printf 'passphrase? ' > /dev/tty; read word < /dev/tty; test \"$word\" = sesame",
    );
    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new(GROVE);
    command.args(["pr", ANN]);
    command.env_clear();
    for (name, value) in project.env() {
        command.env(name, value);
    }
    command.cwd(project.root());
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut terminal = pair.master.try_clone_reader().unwrap();
    let mut keys = pair.master.take_writer().unwrap();
    let (mut shown, mut buffer) = (Vec::new(), [0; 4096]);
    let mut is_asked = false;
    // The end is an error when the other side has gone.
    while let Ok(n @ 1..) = terminal.read(&mut buffer) {
        shown.extend(&buffer[..n]);
        if !is_asked && String::from_utf8_lossy(&shown).contains("passphrase?") {
            is_asked = true;
            keys.write_all(b"sesame\n").unwrap();
        }
    }
    let shown = String::from_utf8_lossy(&shown);
    assert!(child.wait().unwrap().success(), "{shown}");
    assert!(shown.contains("https://example.org/pull/7"), "{shown}");
}
