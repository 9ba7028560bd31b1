//! What is read of an agent's may be anything by now: a pipe that nobody writes to, a link to a device without an end.
#![cfg(unix)]

use crate::odd_names::agent;
use crate::support::TestProject;
use std::os::unix::fs::symlink;

fn pipe(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

/// Whatever stands in the place of its instructions, an agent's files are looked at.
#[test]
fn instructions_that_are_no_file_keep_nobody_waiting() {
    let project = TestProject::initialised();
    let [ann, ben, cay] = ["ann", "ben", "cay"].map(|name| agent(&project, name));
    let elsewhere = project.beside().join("pipe");
    std::fs::create_dir_all(project.beside()).unwrap();
    pipe(&elsewhere);
    for (worktree, is_pipe) in [(&ann, true), (&ben, false)] {
        std::fs::create_dir_all(worktree.join(".claude")).unwrap();
        for name in [".claude/CLAUDE.md", "AGENTS.md", "GEMINI.md"] {
            if is_pipe {
                pipe(&worktree.join(name));
            } else {
                symlink(&elsewhere, worktree.join(name)).unwrap();
            }
        }
        std::fs::write(worktree.join("same.txt"), "x\n").unwrap();
    }
    symlink("/dev/zero", cay.join("AGENTS.md")).unwrap();
    let found = project.grove(&["conflicts", "--json"]).json();
    assert_eq!(found["overlaps"][0]["file"], "same.txt", "{found}");
    let found = project.grove_ok(&["agents", "discover"]);
    for name in ["ann", "ben", "cay"] {
        assert!(found.contains(name), "{found}");
    }
}
