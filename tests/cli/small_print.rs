//! Sentences of the contract that no recording shows, each held against the program.

use crate::support::TestProject;

fn session(project: &TestProject, agent: &str, capability: &str, tmux: &str) {
    project.grove_ok(&["status"]);
    let connection = rusqlite::Connection::open(project.overstory("sessions.db")).unwrap();
    connection
        .execute(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
             VALUES (?1, ?2, ?3, ?4, 'main', '', ?5, 'working', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
            (
                format!("session-1-{agent}"),
                agent,
                capability,
                project.root().display().to_string(),
                tmux,
            ),
        )
        .unwrap();
}

/// "Unknown name: `Unknown runtime: "x". Available: aider, amp, …`" (behaviours §8).
#[test]
fn an_unknown_runtime_is_told_every_name() {
    let project = TestProject::initialised();
    let done = project.grove(&["sling", "t-1", "--runtime", "gpt"]);
    assert_eq!(done.code, Some(1));
    let names = "Available: aider, amp, claude, codex, copilot, cursor, gemini, goose, opencode, pi, sapling\n";
    assert!(done.stderr.contains("Unknown runtime: \"gpt\""), "{done:?}");
    assert!(done.stderr.contains(names), "{done:?}");
}

/// "Outside any project most commands fail with `unable to open database file`" (§0): and make nothing.
#[test]
fn nothing_is_made_where_there_is_no_project() {
    let project = TestProject::new();
    for args in [
        &["watch", "--background"][..],
        &["watch"],
        &["log", "tool-start", "--agent", "a"],
        &["log", "session-end", "--agent", "a"],
        &["status"],
        &["discover", "--no-attach"],
    ] {
        let done = project.grove(args);
        assert_eq!(done.code, Some(1), "{args:?} {done:?}");
        let expected = "Error: unable to open database file";
        assert!(done.stderr.starts_with(expected), "{args:?} {done:?}");
        assert!(!project.overstory("").exists(), "{args:?}");
    }
}

/// "`--agent <n>`, `--json`: `agent S?`" (§2, prime): the agent that was asked for, whoever it is.
#[test]
fn prime_names_the_agent_that_was_asked_for() {
    let project = TestProject::initialised();
    let asked = |args: &[&str]| project.grove(args).json()["agent"].clone();
    assert_eq!(asked(&["prime", "--json"]), serde_json::Value::Null);
    assert_eq!(
        asked(&["prime", "--agent", "orchestrator", "--json"]),
        "orchestrator"
    );
}

/// "`tmuxSessions [{name, pid}]`" (§2, status), whether or not a session is recorded for them; and
/// "`tmuxOutput S?`" (§2, inspect) is the terminal of an agent that has one.
#[cfg(unix)]
#[test]
fn terminals_of_the_other_program_are_listed_and_shown() {
    let mut project = TestProject::initialised();
    project.install_script(
        "tmux",
        "case \"$3\" in list-sessions) echo overstory-p-a:42;; capture-pane) echo 'working on it';; *) exit 1;; esac",
    );
    let sockets = project.beside().join("sockets");
    project.set_env("TMUX_TMPDIR", sockets.to_str().unwrap());
    let listed =
        |project: &TestProject| project.grove(&["status", "--json"]).json()["tmuxSessions"].clone();
    assert_eq!(listed(&project), serde_json::json!([]));
    let socket = sockets.join(format!("tmux-{}", rustix::process::getuid().as_raw()));
    std::fs::create_dir_all(&socket).unwrap();
    std::fs::write(socket.join("overstory"), "").unwrap();
    let one = serde_json::json!([{"name": "overstory-p-a", "pid": 42}]);
    assert_eq!(listed(&project), one);

    session(&project, "a", "builder", "overstory-p-a");
    let shown = project.grove(&["inspect", "a", "--json"]).json();
    assert_eq!(shown["tmuxOutput"], "working on it");
    let text = project.grove_ok(&["inspect", "a"]);
    assert!(text.contains("Live Tmux Output"), "{text}");
    let without = project
        .grove(&["inspect", "a", "--no-tmux", "--json"])
        .json();
    assert_eq!(without["tmuxOutput"], serde_json::Value::Null);
}

/// A full screen runs the loop without a session of its own: it goes on with the run.
#[test]
fn stopping_the_orchestrator_beside_a_full_screen_leaves_the_run() {
    let project = TestProject::initialised();
    session(&project, "orchestrator", "orchestrator", "");
    project.write(".overstory/current-run.txt", "run-1");
    // What a full screen holds while it is open.
    let lease = std::fs::File::create(project.overstory("coordinator.lease")).unwrap();
    lease.lock().unwrap();
    std::fs::write(
        project.overstory("coordinator.lease"),
        format!("{} 0\n", std::process::id()),
    )
    .unwrap();
    let stopped = project.grove(&["orchestrator", "stop", "--json"]).json();
    assert_eq!(stopped["runCompleted"], false, "{stopped}");
    assert_eq!(project.read(".overstory/current-run.txt"), "run-1");
    drop(lease);
    session_again(&project);
    let stopped = project.grove(&["orchestrator", "stop", "--json"]).json();
    assert_eq!(stopped["runCompleted"], true, "{stopped}");
    assert!(!project.overstory("current-run.txt").exists());
}

fn session_again(project: &TestProject) {
    let connection = rusqlite::Connection::open(project.overstory("sessions.db")).unwrap();
    connection
        .execute("UPDATE sessions SET state = 'working'", ())
        .unwrap();
}

/// Switches without a rule in the contract's table never kept ov from reading a project.
#[test]
fn a_switch_that_is_no_switch_is_told_and_does_not_stop_anything() {
    let project = TestProject::initialised();
    project.write(
        ".overstory/config.local.yaml",
        "mulch:\n  enabled: off\nlogging:\n  verbose: Yes\nwatchdog:\n  tier0Enabled: false\n  tier0IntervalMs: -5\n",
    );
    let done = project.grove(&["prime", "--compact"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for said in [
        "config.local.yaml:2: mulch.enabled should be true or false, not \"off\"; taken as false",
        "config.local.yaml:4: logging.verbose should be true or false, not \"Yes\"; taken as true",
    ] {
        assert!(done.stderr.contains(said), "{done:?}");
    }
}
