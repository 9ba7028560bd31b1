//! Ctrl-C and its like while git is at work for a merge: git ends with grove, and no lock of it is left.
#![cfg(target_os = "linux")]

use crate::support::{Finished, GROVE, LONG, TestProject, alive, wait_until};
use std::process::{Child, Stdio};

pub(super) const ANN: &str = "overstory/ann/t-1";
const BOB: &str = "overstory/bob/t-2";
const ASKED_FOR_AN_END: [(&str, i32); 3] = [("INT", 130), ("TERM", 143), ("HUP", 129)];

/// Ann's branch changes `a` and a file that a filter writes, and bob's adds one.
pub(super) fn project() -> TestProject {
    let project = TestProject::initialised();
    std::fs::write(
        project.overstory("config.local.yaml"),
        "project:\n  qualityGates: []\n",
    )
    .unwrap();
    project.write(".gitattributes", "*.big filter=big\n*.lock merge=slow\n");
    for file in ["a", "c.big", "deps.lock"] {
        project.write(file, "old\n");
    }
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    work(&project, ANN, &[("a", "new\n"), ("c.big", "new\n")]);
    work(&project, BOB, &[("bob", "new\n")]);
    project
}

fn work(project: &TestProject, branch: &str, files: &[(&str, &str)]) {
    project.git(&["checkout", "-q", "-b", branch, "main"]);
    for (file, text) in files {
        project.write(file, text);
        project.git(&["add", file]);
    }
    project.git(&["commit", "-q", "-m", "Work"]);
    project.git(&["checkout", "-q", "main"]);
}

/// A command that hangs, and writes down who does; what it starts besides leaves its group.
pub(super) fn hangs(project: &TestProject) -> String {
    let pids = project.beside().join("pids");
    std::fs::remove_file(&pids).ok();
    let pids = pids.display();
    format!("echo $$ >> '{pids}'; setsid sleep 1000 & echo $! >> '{pids}'; sleep 1000; wait")
}

pub(super) fn hook(project: &TestProject, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let hook = project.root().join(".git/hooks").join(name);
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A command of grove's that heeds all signals, whatever the test was started to ignore.
pub(super) fn start(project: &TestProject, args: &[&str]) -> Child {
    project
        .command("env")
        .args(["--default-signal", GROVE])
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub(super) fn who_hangs(project: &TestProject) -> Vec<i64> {
    let text = std::fs::read_to_string(project.beside().join("pids")).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

pub(super) fn signal(project: &TestProject, name: &str, child: &Child) {
    let sent = project
        .command("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// Sends a signal as soon as something hangs; all of it ends, and no lock stays.
pub(super) fn interrupted(project: &TestProject, mut child: Child, name: &str) -> Finished {
    wait_until(
        "something hangs",
        LONG,
        || (who_hangs(project).len() >= 2).then_some(()),
        || project.report(),
    );
    signal(project, name, &child);
    let ended = wait_until(
        "grove has ended",
        LONG,
        || child.try_wait().unwrap(),
        || project.report(),
    );
    let output = child.wait_with_output().unwrap();
    wait_until(
        "everything that hung has ended",
        LONG,
        || (!who_hangs(project).into_iter().any(alive)).then_some(()),
        || project.report(),
    );
    for lock in ["index.lock", "HEAD.lock", "refs/heads/main.lock"] {
        assert!(!project.root().join(".git").join(lock).exists(), "{lock}");
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Finished {
        code: ended.code(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

fn statuses(project: &TestProject) -> Vec<Vec<String>> {
    let asked = "SELECT branch_name, status FROM merge_queue ORDER BY id";
    project.sql("merge-queue.db", asked)
}

#[test]
fn a_landing_that_is_interrupted_leaves_no_git_and_no_lock_and_its_branch_waits() {
    for (name, code) in ASKED_FOR_AN_END {
        let project = project();
        let before = project.git(&["rev-parse", "main"]);
        // Asked before anything of the checkout has changed that only a filter can put back.
        hook(
            &project,
            "reference-transaction",
            &format!("grep -q refs/heads/main || exit 0\n{}", hangs(&project)),
        );
        project.git(&["config", "filter.big.smudge", "cat"]);
        let merge = start(&project, &["merge", "--branch", ANN]);
        let done = interrupted(&project, merge, name);
        assert_eq!(done.code, Some(code), "{done:?}");
        let said = format!("interrupted: {ANN} is in the queue as before, and main is untouched");
        assert!(done.stderr.contains(&said), "{done:?}");
        assert_eq!(project.git(&["rev-parse", "main"]), before);
        assert_eq!(project.git(&["status", "--porcelain"]), "");
        assert_eq!(statuses(&project), [[ANN, "pending"]]);
        let held = project.sql("grove.db", "SELECT queue_id FROM merge_progress");
        assert!(held.is_empty(), "{held:?}");
        std::fs::remove_file(project.root().join(".git/hooks/reference-transaction")).unwrap();
        project.grove_ok(&["merge", "--all"]);
        assert_eq!(statuses(&project), [[ANN, "merged"]]);
    }
}

/// What only the hanging filter can write stays as it is, and the next merge says what it does about it.
#[test]
fn an_interrupted_landing_that_cannot_be_put_back_is_brought_to_its_end_by_the_next_merge() {
    let project = project();
    project.git(&["config", "filter.big.clean", "cat"]);
    project.git(&["config", "filter.big.smudge", &hangs(&project)]);
    let merge = start(&project, &["merge", "--branch", ANN]);
    let done = interrupted(&project, merge, "INT");
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(
        done.stderr
            .contains(&format!("interrupted: the merge of {ANN} was interrupted")),
        "{done:?}"
    );
    assert!(
        done.stderr
            .contains("the next `grove merge` finishes it or takes it back")
    );
    assert_eq!(statuses(&project), [[ANN, "pending"]]);
    assert_eq!(project.git(&["status", "--porcelain"]).trim(), "D c.big");
    let seen = project.grove(&["doctor", "--category", "merge"]);
    let said = format!("{}{}", seen.stdout, seen.stderr);
    let half = format!("{} may be half written", project.root().display());
    assert!(said.contains(&half), "{said}");
    assert_eq!(seen.code, Some(0), "nobody has to do anything: {said}");

    project.git(&["config", "filter.big.smudge", "cat"]);
    let next = project.grove(&["merge", "--branch", BOB]);
    assert_eq!(next.code, Some(0), "{next:?}");
    let said = format!("the merge of {ANN}, which was broken off, has landed on main");
    assert!(next.stderr.contains(&said), "{next:?}");
    assert_eq!(statuses(&project), [[ANN, "merged"], [BOB, "merged"]]);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_landing_that_has_moved_its_branch_is_finished() {
    let project = project();
    hook(&project, "post-merge", &hangs(&project));
    project.git(&["config", "filter.big.smudge", "cat"]);
    let merge = start(&project, &["merge", "--branch", ANN]);
    let done = interrupted(&project, merge, "INT");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("Result: Merged"), "{done:?}");
    assert!(
        done.stdout.contains("because grove was asked to end"),
        "{done:?}"
    );
    assert_eq!(statuses(&project), [[ANN, "merged"]]);
    assert_eq!(project.read("c.big"), "new\n");
}

#[test]
fn an_undo_that_is_interrupted_leaves_the_merge_and_no_lock() {
    let project = project();
    project.git(&["config", "filter.big.clean", "cat"]);
    project.git(&["config", "filter.big.smudge", "cat"]);
    project.grove_ok(&["merge", "--branch", ANN]);
    let merged = project.git(&["rev-parse", "main"]);
    project.git(&["config", "filter.big.smudge", &hangs(&project)]);
    let undo = start(&project, &["merge", "undo", "1"]);
    let done = interrupted(&project, undo, "INT");
    assert_eq!(done.code, Some(130), "{done:?}");
    let said = format!("interrupted: the merge of {ANN} is still on main; ");
    assert!(done.stderr.contains(&said), "{done:?}");
    assert_eq!(project.git(&["rev-parse", "main"]), merged);

    project.git(&["config", "filter.big.smudge", "cat"]);
    project.grove_ok(&["merge", "undo", "1"]);
    assert_eq!(project.read("c.big"), "old\n");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn gates_end_with_it_and_their_branch_waits() {
    let project = project();
    let gate = format!(
        "project:\n  qualityGates:\n    - name: g\n      command: \"{}\"\n      description: d\nsandbox:\n  gates: \"off\"\n",
        hangs(&project)
    );
    std::fs::write(project.overstory("config.local.yaml"), gate).unwrap();
    let merge = start(&project, &["merge", "--branch", ANN]);
    let done = interrupted(&project, merge, "INT");
    assert_eq!(done.code, Some(130), "{done:?}");
    let said = format!("interrupted: {ANN} is in the queue as before, and main is untouched");
    assert!(done.stderr.contains(&said), "{done:?}");
    assert_eq!(statuses(&project), [[ANN, "pending"]]);
    let left: Vec<_> = std::fs::read_dir(project.overstory("scratch"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Merges that are only looked at run the merge drivers of the user.
#[test]
fn looking_ahead_ends_with_the_driver_it_waits_for() {
    let project = project();
    project.git(&["config", "merge.slow.driver", &hangs(&project)]);
    work(&project, "overstory/eve/t-3", &[("deps.lock", "theirs\n")]);
    project.write("deps.lock", "ours\n");
    project.git(&["commit", "-q", "-a", "-m", "Ours"]);
    let look = start(
        &project,
        &["merge", "--dry-run", "--branch", "overstory/eve/t-3"],
    );
    let done = interrupted(&project, look, "INT");
    assert_eq!(done.code, Some(130), "{done:?}");
    assert_eq!(
        project.git(&["status", "--porcelain"]),
        "",
        "what git had made for the driver is gone"
    );
}

/// Whose work meets is read from worktrees, through the filters of the user.
#[test]
fn looking_for_conflicts_ends_with_the_filter_it_waits_for() {
    let project = project();
    project.grove_ok(&["status"]);
    let worktree = project.overstory("worktrees/eve");
    let (path, branch) = (worktree.to_str().unwrap(), "overstory/eve/t-3");
    project.git(&["worktree", "add", "-q", "-b", branch, path]);
    std::fs::write(worktree.join("c.big"), "changed\n").unwrap();
    let sessions = rusqlite::Connection::open(project.overstory("sessions.db")).unwrap();
    sessions
        .execute(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
             VALUES ('eve', 'eve', 'builder', ?1, ?2, 't', '', 'working', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
            [path, branch],
        )
        .unwrap();
    project.git(&["config", "filter.big.clean", &hangs(&project)]);
    let look = start(&project, &["conflicts"]);
    let done = interrupted(&project, look, "INT");
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(
        done.stderr.contains("interrupted: nothing was changed"),
        "{done:?}"
    );
    let own = project.root().join(".git/worktrees/eve/index.lock");
    assert!(!own.exists());
}

/// What has landed is read from the store; only a note of it goes through hooks of the user.
#[test]
fn a_note_that_a_hook_keeps_waiting_ends_with_it() {
    let project = project();
    project.git(&["config", "filter.big.smudge", "cat"]);
    project.grove_ok(&["merge", "--branch", ANN]);
    hook(
        &project,
        "reference-transaction",
        &format!("grep -q refs/notes || exit 0\n{}", hangs(&project)),
    );
    for args in [&["merge", "list"][..], &["merge", "show", "1"]] {
        project.grove_ok(args);
    }
    assert!(who_hangs(&project).is_empty());
    let show = start(&project, &["merge", "show", "1", "--note"]);
    let done = interrupted(&project, show, "TERM");
    assert_eq!(done.code, Some(143), "{done:?}");
    let notes = project.root().join(".git/refs/notes");
    let left = std::fs::read_dir(notes).into_iter().flatten().flatten();
    let left: Vec<_> = left.map(|file| file.file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Whoever does not want to wait for what is taken back asks twice.
#[test]
fn asked_twice_it_ends_at_once_and_the_next_merge_brings_it_to_its_end() {
    let project = project();
    project.git(&["config", "filter.big.clean", "cat"]);
    // Hangs for good: also when it is asked to end, and when files are put back.
    let filter = format!("trap '' TERM INT; {}", hangs(&project));
    project.git(&["config", "filter.big.smudge", &filter]);
    let merge = start(&project, &["merge", "--branch", ANN]);
    wait_until(
        "the filter hangs",
        LONG,
        || (who_hangs(&project).len() >= 2).then_some(()),
        || project.report(),
    );
    signal(&project, "INT", &merge);
    wait_until(
        "the files are put back",
        LONG,
        || (who_hangs(&project).len() >= 4).then_some(()),
        || project.report(),
    );
    let done = interrupted(&project, merge, "INT");
    assert_eq!(done.code, Some(130), "{done:?}");
    project.git(&["config", "filter.big.smudge", "cat"]);
    project.grove_ok(&["merge", "--all"]);
    assert_eq!(statuses(&project), [[ANN, "merged"]]);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

/// What passes a signal on that the terminal has sent to everybody makes two of one: what is taken back takes little time.
#[test]
fn two_signals_at_once_leave_no_checkout_behind() {
    for name in ["INT", "TERM"] {
        let project = project();
        project.git(&["config", "filter.big.smudge", "cat"]);
        let gate = format!(
            "project:\n  qualityGates:\n    - name: g\n      command: \"{}\"\n      description: d\nsandbox:\n  gates: \"off\"\n",
            hangs(&project)
        );
        std::fs::write(project.overstory("config.local.yaml"), gate).unwrap();
        let merge = start(&project, &["merge", "--branch", ANN]);
        wait_until(
            "the gate hangs",
            LONG,
            || (who_hangs(&project).len() >= 2).then_some(()),
            || project.report(),
        );
        signal(&project, name, &merge);
        let done = interrupted(&project, merge, name);
        assert!(matches!(done.code, Some(130 | 143)), "{done:?}");
        let left: Vec<_> = std::fs::read_dir(project.overstory("scratch"))
            .unwrap()
            .collect();
        assert!(left.is_empty(), "{left:?}");
        let listed = project.git(&["worktree", "list"]);
        assert_eq!(listed.lines().count(), 1, "{listed}");
        assert_eq!(statuses(&project), [[ANN, "pending"]]);
    }
}
