//! A sandbox that is asked for by hand, without the host that otherwise looks after what the kernel's rules do not know.
#![cfg(target_os = "linux")]

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

use grove::sandbox::{Rules, support};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{GROVE, TestProject};

/// It let modes, owners and times be changed.
#[test]
fn a_sandbox_without_a_host_refuses_changes_of_modes_owners_and_times() {
    let Some((project, rules)) = sandbox() else {
        return;
    };
    let outside = project.root().join("outside");
    std::fs::write(&outside, "theirs").unwrap();
    let before = attributes(&outside);
    for attempt in [
        "chmod 0600 ../outside",
        "chown 1 ../outside",
        "touch -d 2001-01-01 ../outside",
        "python3 -c 'import os; os.setxattr(\"../outside\", \"user.x\", b\"y\")'",
    ] {
        let done = inside(&project, &rules, attempt).output().unwrap();
        assert!(!done.status.success(), "{attempt}: {done:?}");
        assert_eq!(attributes(&outside), before, "{attempt}");
    }
    let own = "touch own && chmod 0600 own && touch -d 2001-01-01 own";
    let done = inside(&project, &rules, own).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    assert_eq!(
        attributes(&project.root().join("work/own")).0 & 0o777,
        0o600
    );
}

#[test]
fn it_takes_what_is_put_in_and_tells_how_the_command_ended() {
    let Some((project, rules)) = sandbox() else {
        return;
    };
    let mut command = inside(&project, &rules, "cat; exit 7");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"handed in").unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(
        (done.status.code(), done.stdout.as_slice()),
        (Some(7), b"handed in".as_slice())
    );
    let done = inside(&project, &rules, "kill -9 $$").output().unwrap();
    assert_eq!(done.status.code(), Some(128 + 9));
}

#[test]
fn asked_to_end_it_asks_the_command() {
    let Some((project, rules)) = sandbox() else {
        return;
    };
    let script = "trap 'kill $!; echo asked; exit 3' TERM; sleep 60 > /dev/null & echo ready; wait";
    let mut command = inside(&project, &rules, script);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    assert_eq!(line, "ready\n");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    std::io::Read::read_to_string(&mut said, &mut line).unwrap();
    assert_eq!(line, "ready\nasked\n");
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

/// A project with a folder `work`, and rules that open nothing but that; none where this system has no sandbox.
fn sandbox() -> Option<(TestProject, std::path::PathBuf)> {
    if !support().is_some() || !grove::sandbox::is_looked_after() {
        return None;
    }
    let project = TestProject::initialised();
    let root = project.root().canonicalize().unwrap();
    std::fs::create_dir(root.join("work")).unwrap();
    let rules = Rules {
        write: vec![root.join("work")],
        devices: vec!["/dev/null".into()],
        ..Rules::default()
    };
    let file = root.join("rules.json");
    std::fs::write(&file, serde_json::to_string(&rules).unwrap()).unwrap();
    Some((project, file))
}

fn inside(project: &TestProject, rules: &Path, script: &str) -> Command {
    let mut command = project.command(GROVE);
    command
        .args(["sandbox-exec", "--rules"])
        .arg(rules)
        .args(["--", "bash", "-c", script])
        .current_dir(project.root().join("work"));
    command
}

fn attributes(file: &Path) -> (u32, u32, i64) {
    let found = std::fs::metadata(file).unwrap();
    (found.mode(), found.uid(), found.mtime())
}
