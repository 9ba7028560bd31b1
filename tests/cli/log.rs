//! `log`: what the hooks of a CLI without a host report, and what is stored of it.

use crate::support::TestProject;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Output, Stdio};

/// A session row as ov writes one.
fn session(project: &TestProject, name: &str, capability: &str, state: &str, worktree: &str) {
    // Any command that opens the store makes it.
    project.grove_ok(&["status"]);
    let connection = rusqlite::Connection::open(project.overstory("sessions.db")).unwrap();
    connection
        .execute(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, run_id, started_at, last_activity)
             VALUES (?1, ?2, ?3, ?4, 'b', 'task-7', '', ?5, 'run-1', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
            (format!("session-1-{name}"), name, capability, worktree, state),
        )
        .unwrap();
}

fn log(project: &TestProject, args: &[&str], payload: &Value) -> Output {
    let mut child = project
        .command(env!("CARGO_BIN_EXE_grove"))
        .args(["log"])
        .args(args)
        .args(["--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(payload.to_string().as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

fn transcript(project: &TestProject) -> String {
    let path = project.home().join("t.jsonl");
    let line = json!({"type": "assistant", "message": {"id": "m", "model": "claude-opus-4",
        "usage": {"input_tokens": 1000, "output_tokens": 100}}});
    std::fs::write(&path, format!("{line}\n")).unwrap();
    path.display().to_string()
}

#[test]
fn calls_of_a_new_agent_at_the_same_moment_log_into_one_folder() {
    let project = TestProject::initialised();
    session(&project, "ann", "builder", "booting", "/nowhere");
    let payload = json!({"tool_name": "Read", "tool_input": {"file_path": "a"}});
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| log(&project, &["tool-start", "--agent", "ann"], &payload));
        }
    });
    let folders: Vec<_> = std::fs::read_dir(project.overstory("logs/ann"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    let lines = std::fs::read_to_string(folders[0].join("events.ndjson")).unwrap();
    assert_eq!(lines.lines().count(), 20);
}

#[test]
fn a_tool_call_is_stored_with_its_duration_and_without_secrets() {
    let project = TestProject::initialised();
    session(&project, "ann", "builder", "booting", "/nowhere");
    let payload = json!({"tool_name": "Bash", "session_id": "c1", "transcript_path": transcript(&project),
        "tool_input": {"command": "echo ghp_secret1", "timeout": 9}});
    log(&project, &["tool-start", "--agent", "ann"], &payload);
    assert_eq!(project.state("ann").as_deref(), Some("working"));
    log(&project, &["tool-end", "--agent", "ann"], &payload);
    let events = project.sql(
        "events.db",
        "SELECT event_type, run_id, session_id, tool_name, tool_args, data, tool_duration_ms IS NOT NULL FROM events ORDER BY id",
    );
    let args = "{\"command\":\"echo [REDACTED]\"}";
    let data = "{\"summary\":\"bash: echo [REDACTED]\"}";
    let row = |kind: &str, closed: &str| {
        [kind, &events[0][1], "c1", "Bash", args, data, closed].map(str::to_owned)
    };
    assert_eq!(events, [row("tool_start", "1"), row("tool_end", "0")]);
    let folder = std::fs::read_to_string(project.overstory("logs/ann/.current-session")).unwrap();
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
    assert_eq!(read("tools.ndjson").lines().count(), 3);
    for name in ["events.ndjson", "tools.ndjson", "session.log"] {
        assert!(!read(name).contains("ghp_secret1"), "{name}");
        assert!(read(name).contains("[REDACTED]"), "{name}");
    }
    let snapshots = "SELECT input_tokens, output_tokens, model_used, run_id FROM token_snapshots";
    assert_eq!(
        project.sql("metrics.db", snapshots),
        [["1000", "100", "claude-opus-4", "run-1"]]
    );
    // The next one is not due yet.
    log(&project, &["tool-end", "--agent", "ann"], &payload);
    assert_eq!(project.sql("metrics.db", snapshots).len(), 1);
}

#[test]
fn the_end_of_a_session_completes_it_and_remembers_it() {
    let project = TestProject::initialised();
    project.write(
        ".overstory/agents/ann/identity.yaml",
        "name: ann\ncapability: builder\ncreated: \"2026-01-01T00:00:00.000Z\"\nsessionsCompleted: 2\nexpertiseDomains: []\nrecentTasks: []\n",
    );
    let worktree = project.root().join(".overstory/worktrees/ann");
    project.git(&[
        "worktree",
        "add",
        "-q",
        "-b",
        "overstory/ann/task-7",
        worktree.to_str().unwrap(),
    ]);
    std::fs::write(worktree.join("new.txt"), "work\n").unwrap();
    let told = project.beside().join("told");
    std::fs::create_dir(&told).unwrap();
    let gate = told.join("gate-ran");
    project.write(
        ".overstory/config.local.yaml",
        &format!(
            "sandbox:\n  writable:\n    - {}\nproject:\n  qualityGates:\n    - name: Check\n      command: touch {} && ! touch {}\n      description: runs\n",
            told.display(),
            gate.display(),
            project.beside().join("elsewhere").display()
        ),
    );
    session(
        &project,
        "ann",
        "builder",
        "working",
        worktree.to_str().unwrap(),
    );
    let path = transcript(&project);
    let payload = json!({"session_id": "c1", "transcript_path": path});
    let output = log(
        &project,
        &["session-end", "--agent", "ann", "--verbose"],
        &payload,
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("quality gates: success"));
    assert!(gate.exists());
    assert!(!project.beside().join("elsewhere").exists());
    assert_eq!(project.state("ann").as_deref(), Some("completed"));
    let identity = project.read(".overstory/agents/ann/identity.yaml");
    assert!(identity.contains("sessionsCompleted: 3"), "{identity}");
    assert!(
        identity.contains("summary: Completed task task-7"),
        "{identity}"
    );
    assert_eq!(
        project.sql(
            "metrics.db",
            "SELECT agent_name, task_id, capability, input_tokens, output_tokens, estimated_cost_usd, run_id, exit_code IS NULL FROM sessions",
        ),
        [["ann", "task-7", "builder", "1000", "100", "0.0225", "run-1", "1"]]
    );
    assert_eq!(
        project.sql("events.db", "SELECT event_type, data FROM events"),
        [["session_end", &format!("{{\"transcriptPath\":\"{path}\"}}")]]
    );
    assert!(!project.overstory("logs/ann/.current-session").exists());
}

#[test]
fn a_lead_goes_on_after_its_turn() {
    let project = TestProject::initialised();
    session(&project, "lea", "lead", "working", "/nowhere");
    project.grove_ok(&["log", "session-end", "--agent", "lea"]);
    assert_eq!(project.state("lea").as_deref(), Some("working"));
    assert_eq!(project.sql("metrics.db", "SELECT 1 FROM sessions").len(), 1);
}

#[test]
fn a_name_that_leads_out_of_the_logs_is_refused() {
    let project = TestProject::initialised();
    let done = project.grove(&["log", "tool-start", "--agent", "../../x"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("not an agent's name"), "{done:#?}");
}

#[test]
fn the_cost_of_ones_own_session_is_read_from_the_newest_transcript() {
    let project = TestProject::initialised();
    let name = project.root().display().to_string().replace('/', "-");
    let folder = project.home().join(".claude/projects").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::rename(transcript(&project), folder.join("c1.jsonl")).unwrap();
    let own = project.grove(&["costs", "--self", "--json"]).json();
    assert_eq!(own["source"], "self");
    assert_eq!(own["model"], "claude-opus-4");
    assert_eq!(own["inputTokens"], 1000);
    assert_eq!(own["estimatedCostUsd"], 0.0225);
    let text = project.grove_ok(&["costs", "--self"]);
    assert!(text.contains("$0.02") && text.contains("1,000"), "{text}");
}

#[test]
fn the_end_of_a_session_says_whether_what_the_agent_was_told_has_helped() {
    let project = TestProject::initialised();
    std::fs::write(
        project.overstory("config.local.yaml"),
        "project:\n  qualityGates:\n    - name: Gate\n      command: test -f done.txt\n      description: passes\n",
    )
    .unwrap();
    let record = [
        "expertise",
        "record",
        "cli",
        "--type",
        "convention",
        "--content",
        "Errors name the next step",
        "--files",
        "done.txt",
        "--json",
    ];
    let told = project.grove(&record).json();
    let id = told["record"]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{told}"));
    project.git(&[
        "worktree",
        "add",
        "-q",
        "-b",
        "b",
        ".overstory/worktrees/ann",
    ]);
    let worktree = project.overstory("worktrees/ann");
    session(
        &project,
        "ann",
        "builder",
        "working",
        worktree.to_str().unwrap(),
    );
    std::fs::write(worktree.join("done.txt"), "done\n").unwrap();
    project.git_in(&worktree, &["add", "-A"]);
    project.git_in(&worktree, &["commit", "-q", "-m", "Done"]);
    let applied = json!({"taskId": "task-7", "agentName": "ann", "capability": "builder",
        "records": [{"id": id, "domain": "cli"}]});
    project.write(
        ".overstory/agents/ann/applied-records.json",
        &applied.to_string(),
    );
    project.grove_ok(&["log", "session-end", "--agent", "ann"]);
    let stored = project.read(".mulch/expertise/cli.jsonl");
    let line: Value = stored
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|line| line["id"] == id)
        .unwrap();
    assert_eq!(line["outcomes"][0]["status"], "success", "{stored}");
    assert!(
        !project
            .overstory("agents/ann/applied-records.json")
            .exists()
    );
}
