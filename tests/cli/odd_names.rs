//! Names of files that are no UTF-8, or hold line breaks and control characters: each is one name, in one line.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::support::{GROVE, TestProject};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rusqlite::Connection;
use serde_json::Value;

/// Names as bytes, and as they are told.
const KNOWN: [(&[u8], &str); 5] = [
    (b"\"q.txt", r#""\"q.txt""#),
    (b"caf\xe9.txt", r#""caf\351.txt""#),
    ("caf\u{e9}.txt".as_bytes(), "caf\u{e9}.txt"),
    (b"red\x1b[31m.txt", r#""red\033[31m.txt""#),
    (b"two\nlines.txt", r#""two\nlines.txt""#),
];

fn write(folder: &Path, name: &[u8], text: &str) {
    std::fs::write(folder.join(OsStr::from_bytes(name)), text).unwrap();
}

fn project() -> TestProject {
    let project = TestProject::initialised();
    for (name, _) in KNOWN {
        write(&project.root(), name, "a\nb\nc\n");
    }
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    let config = "project:\n  qualityGates: []\n";
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    project
}

/// An agent with a worktree in which nothing is changed yet.
pub(crate) fn agent(project: &TestProject, name: &str) -> std::path::PathBuf {
    project.grove_ok(&["status"]);
    let worktree = project.overstory(&format!("worktrees/{name}"));
    let path = worktree.to_str().unwrap();
    let branch = format!("overstory/{name}/t-{name}");
    project.git(&["worktree", "add", "-q", "-b", &branch, path]);
    let sessions = Connection::open(project.overstory("sessions.db")).unwrap();
    sessions
        .execute(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
             VALUES (?1, ?1, 'builder', ?2, ?3, 't', '', 'working', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
            [name, path, &branch],
        )
        .unwrap();
    worktree
}

fn names<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    let list = list.as_array().unwrap().iter();
    let mut names: Vec<&str> = list.map(|entry| entry[field].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn overlaps_tell_files_apart_whatever_their_names_are() {
    let project = project();
    let worktrees = ["ann", "ben"].map(|name| agent(&project, name));
    for worktree in &worktrees {
        for (name, _) in KNOWN {
            write(worktree, name, "a\nmine\nc\n");
        }
    }
    // New files, of which no two are one.
    write(&worktrees[0], b"\xe8.new", "x\n");
    write(&worktrees[1], b"\xe9.new", "x\n");
    write(&worktrees[0], b"same\x07.new", "x\n");
    write(&worktrees[1], b"same\x07.new", "x\n");
    // The lines are counted as they are by now.
    for (name, _) in KNOWN {
        write(&project.root(), name, "first\na\nb\nc\n");
    }
    project.git(&["commit", "-q", "-a", "-m", "First"]);
    let found = project.grove(&["conflicts", "--json"]).json();
    let mut expected: Vec<&str> = KNOWN.iter().map(|(_, told)| *told).collect();
    expected.push(r#""same\a.new""#);
    expected.sort_unstable();
    assert_eq!(names(&found["overlaps"], "file"), expected, "{found}");
    for overlap in found["overlaps"].as_array().unwrap() {
        assert_eq!(overlap["kind"], "region", "{overlap}");
        if overlap["file"] != r#""same\a.new""# {
            assert_eq!(overlap["regions"][0]["start"], 3, "{overlap}");
        }
    }
    let changed = names(&found["agents"][0]["files"], "path");
    assert!(changed.contains(&r#""\350.new""#), "{changed:?}");
    let shown = project.grove_ok(&["conflicts"]);
    let lines: Vec<&str> = shown.trim_end().lines().collect();
    assert_eq!(lines.len(), expected.len(), "{shown}");
    for name in expected {
        let line = format!("{name}  ann and ben: the same lines");
        assert!(lines.iter().any(|l| l.starts_with(&line)), "{shown}");
    }
}

#[test]
fn a_scope_names_files_as_git_quotes_them() {
    let project = project();
    let [ann, ben] = ["ann", "ben"].map(|name| agent(&project, name));
    std::fs::create_dir_all(ben.join(".claude")).unwrap();
    let scope = "## File Scope (exclusive ownership)\n- `\"two\\nlines.txt\"`\n- `\"caf\\351.txt\"`\n## Expertise\n";
    std::fs::write(ben.join(".claude/CLAUDE.md"), scope).unwrap();
    for (name, _) in KNOWN {
        write(&ann, name, "a\nmine\nc\n");
    }
    let found = project.grove(&["conflicts", "--json"]).json();
    let files = names(&found["overlaps"], "file");
    assert_eq!(
        files,
        [r#""caf\351.txt""#, r#""two\nlines.txt""#],
        "{found}"
    );
    assert_eq!(found["overlaps"][0]["kind"], "scope", "{found}");
}

#[test]
fn files_of_the_queue_and_those_in_the_way_are_told_apart() {
    let project = project();
    let branch = "overstory/ann/t-1";
    let new: [&[u8]; 3] = [b"\xe8.new", b"\xe9.new", b"x\n     - y.new"];
    let told = [r#""\350.new""#, r#""\351.new""#, r#""x\n     - y.new""#];
    project.git(&["checkout", "-q", "-b", branch]);
    for name in new {
        write(&project.root(), name, "x\n");
    }
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "New"]);
    project.git(&["checkout", "-q", "main"]);
    let shown = project.grove_ok(&["merge", "--branch", branch, "--dry-run"]);
    let files = shown
        .lines()
        .filter_map(|line| line.strip_prefix("     - "));
    let mut files: Vec<&str> = files.collect();
    files.sort_unstable();
    assert_eq!(files, told, "{shown}");
    let asked = ["merge", "--branch", branch, "--dry-run", "--json"];
    let entry = project.grove(&asked).json();
    assert!(entry.to_string().contains(r#"\"\\351.new\""#), "{entry}");
    // One is ignored, one is not, and the user has changed one that the branch changes too.
    for name in new {
        write(&project.root(), name, "mine\n");
    }
    std::fs::write(project.root().join(".git/info/exclude"), "?.new\n").unwrap();
    let refused = project.grove(&["merge", "--branch", branch]);
    let said = format!("{}{}", refused.stdout, refused.stderr);
    let files = format!("would be overwritten: {}", told.join(", "));
    assert!(said.contains(&files), "{said}");
    // What the loop would say to a screen is one line.
    let whole = format!("{files}; move them away, then try again");
    assert!(said.lines().any(|line| line.ends_with(&whole)), "{said}");
}

/// What a command writes to a terminal, byte for byte.
fn on_a_terminal(project: &TestProject, args: &[&str]) -> String {
    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new(GROVE);
    command.args(args);
    command.env_clear();
    for (name, value) in project.env() {
        command.env(name, value);
    }
    command.cwd(project.root());
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut output = pair.master.try_clone_reader().unwrap();
    let mut written = Vec::new();
    // The end is an error when the other side has gone.
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = output.read(&mut buffer) {
        written.extend(&buffer[..n]);
    }
    assert!(child.wait().unwrap().success(), "{args:?}");
    String::from_utf8(written).unwrap()
}

#[test]
fn no_name_acts_on_a_terminal() {
    let project = project();
    let branch = "overstory/an\u{9b}31m\u{202e}n/t-1";
    project.git(&["checkout", "-q", "-b", branch]);
    write(&project.root(), b"new\x1b]0;t\x07\x1b[2J.txt", "x\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "New"]);
    project.git(&["checkout", "-q", "main"]);
    project.grove_ok(&["merge", "--branch", branch]);
    let worktrees = ["ann", "ben"].map(|name| agent(&project, name));
    for worktree in worktrees {
        write(&worktree, KNOWN[3].0, "mine\n");
    }
    let sessions = Connection::open(project.overstory("sessions.db")).unwrap();
    let rename = "UPDATE sessions SET agent_name = agent_name || ?1 WHERE agent_name = 'ben'";
    sessions
        .execute(rename, ["\u{1b}[2J\u{9b}1m\u{202e}\u{7}"])
        .unwrap();
    let commands: [&[&str]; 7] = [
        &["conflicts"],
        &["conflicts", "--json"],
        &["merge", "list"],
        &["merge", "list", "--json"],
        &["merge", "show", "1"],
        &["merge", "show", "1", "--note"],
        &["status"],
    ];
    for args in commands {
        let written = on_a_terminal(&project, args);
        let odd = |c: char| (c.is_control() && !"\r\n\t\u{1b}".contains(c)) || c == '\u{202e}';
        assert!(!written.contains(odd), "{args:?}: {written:?}");
        // The only sequences are grove's own colours.
        for rest in written.split('\u{1b}').skip(1) {
            let style = rest.strip_prefix('[').and_then(|rest| rest.split_once('m'));
            let is_style =
                style.is_some_and(|(style, _)| style.bytes().all(|b| b.is_ascii_digit()));
            assert!(is_style, "{args:?}: {written:?}");
        }
    }
    let shown = on_a_terminal(&project, &["conflicts"]);
    assert!(shown.contains(KNOWN[3].1), "{shown:?}");
}

/// A pipe ends at a pager or a log, and those at a terminal.
#[test]
fn what_is_told_of_merges_acts_nowhere_and_json_is_exact() {
    let project = project();
    let (branch, other) = (
        "overstory/an\u{9b}31m\u{202e}n/t-1",
        "overstory/b\u{202e}b/t-2",
    );
    let config = "project:\n  qualityGates: []\nmerge:\n  onDisplaced: hold\n";
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    project.write("shared", "one\n");
    project.git(&["add", "shared"]);
    project.git(&["commit", "-q", "-m", "Shared"]);
    for (at, name) in [branch, other].into_iter().enumerate() {
        project.git(&["checkout", "-q", "-b", name, "main"]);
        write(
            &project.root(),
            format!("{at}.new").as_bytes(),
            "\u{202e}x\n",
        );
        write(&project.root(), b"new\xe2\x80\xae\x1b[2J.txt", "x\n");
        project.write("shared", &format!("of {name}\n"));
        project.git(&["add", "-A"]);
        project.git(&[
            "commit",
            "-q",
            "-m",
            &format!("New \u{202e}\u{9b}2J {name}"),
        ]);
    }
    project.git(&["checkout", "-q", "main"]);
    let looked = project.grove(&["merge", "--branch", other, "--dry-run"]);
    assert_eq!(looked.code, Some(0), "{looked:?}");
    // The next revert is one that has to be prepared.
    let steps: [&[&str]; 15] = [
        &["merge", "--dry-run", "--all"],
        &["merge", "--branch", branch],
        &["merge", "--branch", branch],
        &["merge", "--branch", other],
        &["merge", "--all"],
        &["merge", "--branch", "no\u{202e}where"],
        &["merge", "--all", "--into", "no\u{202e}where"],
        &["merge", "list"],
        &["merge", "show", "1"],
        &["merge", "show", "2"],
        &["merge", "undo", "1"],
        &["merge", "undo", "2"],
        &["merge", "undo", "2", "--land"],
        &["merge", "undo", "no\u{202e}where"],
        &["pr", other, "--dry-run"],
    ];
    let odd = |c: char| (c.is_control() && !"\n\t".contains(c)) || c == '\u{202e}';
    for (at, args) in steps.into_iter().enumerate() {
        if at == 10 {
            project.write("later", "x\n");
            project.git(&["add", "later"]);
            project.git(&["commit", "-q", "-m", "Later"]);
        }
        let done = project.grove(args);
        let told = format!("{}{}", done.stdout, done.stderr);
        assert!(!told.contains(odd), "{args:?}: {told:?}");
        assert!(!told.trim().is_empty(), "{args:?}");
    }
    let list = project.grove(&["merge", "list", "--json"]);
    assert!(list.stdout.contains("an\u{9b}31m\u{202e}n/t-1"), "{list:?}");
    let missing = project.grove(&["merge", "undo", "no\u{202e}where", "--json"]);
    assert!(missing.stdout.contains("no\u{202e}where"), "{missing:?}");
}
