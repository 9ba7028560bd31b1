//! A user's mistakes: one line that names the thing and the next step, exit code 1, nothing left behind.

use crate::support::{Finished, SHORT, ScreenProcess, TestProject};
use rusqlite::Connection;

/// What must be the same before and after a failed command.
#[derive(Debug, PartialEq)]
struct Left {
    worktrees: String,
    branches: String,
    folders: Vec<String>,
    sessions: Vec<Vec<String>>,
    launches: Vec<Vec<String>>,
    hosts: Vec<Vec<String>>,
    mail: Vec<Vec<String>>,
    processes: Vec<i64>,
}

fn left(project: &TestProject) -> Left {
    let folder = project.overstory("worktrees");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    Left {
        worktrees: project.git(&["worktree", "list", "--porcelain"]),
        branches: project.git(&["for-each-ref", "refs/heads"]),
        folders: entries
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect(),
        sessions: project.sql("sessions.db", "SELECT agent_name, id, state FROM sessions"),
        launches: project.sql("grove.db", "SELECT session_id FROM launches"),
        hosts: project.sql("grove.db", "SELECT agent FROM hosts"),
        mail: project.sql("mail.db", "SELECT id FROM messages"),
        processes: project.processes(),
    }
}

/// Exit code 1 and one line on stderr that holds these words; below it, indented, may stand what to
/// do next. Gives all of it.
fn one_line(done: &Finished, words: &[&str]) -> String {
    assert_eq!(done.code, Some(1), "{done:#?}");
    let lines: Vec<&str> = done.stderr.lines().collect();
    let errors = lines.iter().filter(|l| !l.starts_with("  ")).count();
    assert!(
        errors == 1 && lines.len() <= 3,
        "not one line and its hints: {done:#?}"
    );
    for word in words {
        assert!(done.stderr.contains(word), "{word:?} is missing: {done:#?}");
    }
    for trace in ["panicked", "stack backtrace", "RUST_BACKTRACE", ".rs:"] {
        assert!(!done.stderr.contains(trace), "{done:#?}");
    }
    assert!(done.stdout.is_empty(), "{done:#?}");
    done.stderr.clone()
}

fn fails_and_leaves_nothing(project: &TestProject, args: &[&str], words: &[&str]) {
    let before = left(project);
    one_line(&project.grove(args), words);
    assert_eq!(
        left(project),
        before,
        "grove {args:?} left something behind"
    );
}

#[test]
fn a_folder_that_is_no_repository() {
    let project = TestProject::bare_folder();
    for args in [
        &["init"][..],
        &["sling", "t-1"],
        &["status"],
        &["merge", "--all"],
    ] {
        let done = project.grove(args);
        let line = one_line(&done, &[]);
        assert!(
            line.contains("git") || line.contains("grove init"),
            "{line}"
        );
    }
    assert!(!project.root().join(".overstory").exists());
}

#[test]
fn a_repository_without_a_commit() {
    let project = TestProject::empty();
    one_line(&project.grove(&["init"]), &["commit"]);
    one_line(&project.grove(&["sling", "t-1"]), &[]);
    assert!(!project.root().join(".overstory").exists());
}

#[test]
fn a_detached_head() {
    let project = TestProject::new();
    project.git(&["checkout", "-q", "--detach"]);
    one_line(&project.grove(&["init"]), &["detached", "git switch"]);
    assert!(!project.root().join(".overstory").exists());

    // A project that has its branch: agents start from that, wherever the checkout is just now.
    project.git(&["checkout", "-q", "main"]);
    project.grove_ok(&["init", "--yes"]);
    project.git(&["checkout", "-q", "--detach"]);
    project.git(&["commit", "-q", "--allow-empty", "-m", "Elsewhere"]);
    let spec = project.script("ends", "steps:\n- hang\n");
    project.grove_ok(&[
        "sling",
        "t-1",
        "--name",
        "ann",
        "--runtime",
        "script",
        "--spec",
        &spec,
    ]);
    assert_eq!(
        project.git(&["rev-parse", "overstory/ann/t-1"]),
        project.git(&["rev-parse", "main"])
    );
}

#[test]
fn a_bare_repository() {
    let project = TestProject::bare_folder();
    project.git(&["init", "-q", "--bare", "."]);
    one_line(&project.grove(&["init"]), &["git"]);
    one_line(&project.grove(&["sling", "t-1"]), &[]);
    assert!(!project.root().join(".overstory").exists());
}

#[test]
fn a_project_that_was_never_set_up() {
    let project = TestProject::new();
    for args in [&["sling", "t-1"][..], &["merge", "--all"], &["stop", "x"]] {
        one_line(&project.grove(args), &["grove init"]);
    }
}

#[test]
fn words_that_nothing_is_called_by() {
    let project = TestProject::initialised();
    project.install_script("claude", "sleep 60");
    let sling = |more: &[&'static str]| [&["sling", "t-1"], more].concat();
    fails_and_leaves_nothing(
        &project,
        &sling(&["--capability", "plumber"]),
        &["plumber", "builder"],
    );
    fails_and_leaves_nothing(
        &project,
        &sling(&["--runtime", "emacs"]),
        &["emacs", "claude"],
    );
    fails_and_leaves_nothing(
        &project,
        &sling(&["--runtime", "goose"]),
        &["goose", "claude"],
    );
    fails_and_leaves_nothing(&project, &sling(&["--name", "../up"]), &["../up"]);
    fails_and_leaves_nothing(&project, &sling(&["--spec", "nowhere.md"]), &["nowhere.md"]);
    fails_and_leaves_nothing(
        &project,
        &sling(&["--base-branch", "nowhere"]),
        &["nowhere"],
    );
    fails_and_leaves_nothing(&project, &["stop", "nobody"], &["nobody"]);
}

#[test]
fn an_agent_program_that_is_missing() {
    let project = TestProject::initialised();
    fails_and_leaves_nothing(
        &project,
        &["sling", "t-1", "--runtime", "claude"],
        &["claude", "npm"],
    );
}

#[test]
fn an_agent_program_that_ends_at_once() {
    let project = TestProject::initialised();
    project.install_script("claude", "echo 'no licence found' >&2; exit 3");
    for mode in ["--pty", "--headless"] {
        let before = left(&project);
        let done = project.grove(&["sling", "t-1", "--runtime", "claude", mode]);
        assert_eq!(done.code, Some(1), "{done:#?}");
        let first = done.stderr.lines().next().unwrap_or_default();
        assert!(
            first.contains("did not start") && first.contains("code 3"),
            "{done:#?}"
        );
        assert!(
            done.stderr.contains("no licence found"),
            "what it said is shown: {done:#?}"
        );
        assert!(done.stdout.is_empty(), "{done:#?}");
        assert_eq!(left(&project), before);
    }
}

#[test]
fn a_name_that_is_taken() {
    let project = TestProject::initialised();
    let spec = project.script("waits", "steps:\n- hang\n");
    let start = |task: &'static str| {
        [
            "sling",
            task,
            "--runtime",
            "script",
            "--spec",
            spec.as_str(),
            "--name",
            "ann",
        ]
    };
    project.grove_ok(&start("t-1"));
    fails_and_leaves_nothing(&project, &start("t-2"), &["ann", "--name"]);
}

#[test]
fn a_configuration_that_cannot_be_read() {
    let project = TestProject::initialised();
    let good = project.read(".overstory/config.yaml");
    for (bad, line) in [
        ("{{{\n", "config.yaml:1"),
        ("project:\n  qualityGates: 7\n", "config.yaml:2"),
        ("agents:\n  maxConcurrent: many\n", "config.yaml:2"),
    ] {
        project.write(".overstory/config.yaml", bad);
        fails_and_leaves_nothing(&project, &["sling", "t-1", "--runtime", "script"], &[line]);
    }
    project.write(".overstory/config.yaml", &good);
    project.grove_ok(&["status"]);
}

#[test]
fn a_database_that_somebody_holds() {
    let project = TestProject::initialised();
    let spec = project.script("ends", "steps:\n- print: hello\n");
    project.grove_ok(&["status"]);
    let holder = Connection::open(project.overstory("sessions.db")).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let branches = project.git(&["for-each-ref"]);
    let done = project.grove(&["sling", "t-1", "--runtime", "script", "--spec", &spec]);
    one_line(&done, &["sessions.db", "locked"]);
    assert_eq!(project.git(&["for-each-ref"]), branches);
    holder.execute_batch("COMMIT").unwrap();
    drop(holder);
    project.grove_ok(&["sling", "t-1", "--runtime", "script", "--spec", &spec]);
}

#[test]
fn a_database_that_is_corrupt() {
    let project = TestProject::initialised();
    let spec = project.script("ends", "steps:\n- print: hello\n");
    project.grove_ok(&["status"]);
    let path = project.overstory("sessions.db");
    for suffix in ["-wal", "-shm"] {
        std::fs::remove_file(project.overstory(&format!("sessions.db{suffix}"))).ok();
    }
    let garbage = b"this is not a database, however long one looks at it. ".repeat(200);
    std::fs::write(&path, &garbage).unwrap();
    let branches = project.git(&["for-each-ref"]);
    for args in [
        &["status"][..],
        &["sling", "t-1", "--runtime", "script", "--spec", &spec],
    ] {
        one_line(&project.grove(args), &["sessions.db"]);
    }
    assert_eq!(project.git(&["for-each-ref"]), branches);
    assert_eq!(
        std::fs::read(&path).unwrap(),
        garbage,
        "the broken file is kept as it was"
    );
    // What does not need that store goes on working.
    project.grove_ok(&["mail", "list"]);
}

#[test]
fn no_terminal() {
    let project = TestProject::initialised();
    let done = project.grove(&[]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(
        !done.stderr.is_empty() && !done.stderr.contains("panicked"),
        "{done:#?}"
    );
    assert!(!done.stdout.contains('\x1b'), "no escape codes into a pipe");
}

#[test]
fn a_terminal_that_is_too_small() {
    let project = TestProject::initialised();
    let mut screen = ScreenProcess::start_sized(&project, &[], 30, 6);
    screen.wait_for("needs 60x16", SHORT, || project.report());
    screen.resize(120, 36);
    screen.wait_for("Fleet", SHORT, || project.report());
    screen.type_keys("q");
    assert_eq!(screen.wait_exit(SHORT), 0);
}
