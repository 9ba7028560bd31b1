//! Values in the stores that no column was meant for: one odd row must not hide the others.

use rusqlite::Connection;

use crate::support::{Finished, TestProject};

fn execute(project: &TestProject, store: &str, sql: &str) {
    let connection = Connection::open(project.overstory(store)).unwrap();
    connection.execute_batch(sql).unwrap();
}

fn done(project: &TestProject, args: &[&str]) -> Finished {
    let done = project.grove(args);
    assert_eq!(done.code, Some(0), "{args:?}: {done:#?}");
    assert!(!done.stderr.contains("column"), "{args:?}: {done:#?}");
    done
}

fn sessions(project: &TestProject, pid: &str, depth: &str, level: &str) {
    project.grove_ok(&["status"]);
    execute(
        project,
        "sessions.db",
        &format!(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, pid, depth, escalation_level, started_at, last_activity)
             VALUES ('s-odd', 'odd', 'supervisor', '/nowhere', 'b', 't', '', 'working', {pid}, {depth}, {level}, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'),
                    ('s-even', 'even', 'builder', '/nowhere', 'b2', 't2', '', 'completed', NULL, 1, 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')"
        ),
    );
}

#[test]
fn a_fraction_among_the_tokens_hides_no_costs() {
    for odd in ["1.5", "1e20", "'many'", "x'00ff'"] {
        let project = TestProject::initialised();
        execute(
            &project,
            "metrics.db",
            &format!(
                "INSERT INTO sessions (agent_name, task_id, capability, started_at, duration_ms, input_tokens, cache_read_tokens, cache_creation_tokens, estimated_cost_usd, exit_code)
                 VALUES ('odd', 't', 'builder', '2026-01-02', {odd}, {odd}, {odd}, {odd}, {odd}, {odd}),
                        ('even', 't', 'builder', '2026-01-01', 7, 7, 7, 7, 0.5, 0)"
            ),
        );
        for args in [&["costs"][..], &["metrics"]] {
            let told = done(&project, args).stdout;
            assert!(
                told.contains("even") && told.contains("odd"),
                "{odd}: {told}"
            );
        }
        let costs = done(&project, &["costs", "--json"]).json();
        assert_eq!(costs["sessions"][1]["inputTokens"], 7, "{odd}: {costs}");
        done(&project, &["prime"]);
        done(&project, &["costs", "--by-capability"]);
    }
}

#[test]
fn half_a_number_in_a_session_hides_no_agent() {
    for odd in ["1.5", "1e20", "'x'"] {
        let project = TestProject::initialised();
        sessions(&project, odd, odd, odd);
        let json = done(&project, &["status", "--json"]).json();
        let names: Vec<_> = json["agents"].as_array().unwrap().iter().collect();
        assert!(
            names.iter().any(|a| a["agentName"] == "odd"),
            "{odd}: {json}"
        );
        for args in [
            &["agents", "discover"][..],
            &["worktree", "list"],
            &["supervisor", "status"],
            &["inspect", "odd"],
            &["clean", "--worktrees"],
        ] {
            done(&project, args);
        }
    }
}

#[test]
fn a_duration_with_a_fraction_and_texts_that_are_none_hide_no_event() {
    let project = TestProject::initialised();
    execute(
        &project,
        "events.db",
        "INSERT INTO events (agent_name, event_type, tool_name, tool_duration_ms, level, created_at)
         VALUES ('a', 'tool_start', 'Bash', 12.5, 'info', '2026-01-01T00:00:00.000'),
                ('a', 'tool_start', 'Bash', 'long', 'error', '2026-01-01T00:00:01.000'),
                ('a', CAST(x'ff' AS TEXT), 'Bash', NULL, 'info', '2026-01-01T00:00:02.000'),
                ('a', x'fe', NULL, NULL, 'info', '2026-01-01T00:00:03.000'),
                ('a', 'custom', NULL, NULL, 'error', CAST(x'32303236ff' AS TEXT)),
                (CAST(x'61ff' AS TEXT), 'custom', NULL, NULL, 'info', '2026-01-01T00:00:05.000')",
    );
    let since = ["--since", "2001-01-01T00:00:00Z", "--json"];
    let told = |command: &[&str]| {
        let args: Vec<&str> = command.iter().chain(&since).copied().collect();
        let json = done(&project, &args).json();
        json["events"].as_array().unwrap().clone()
    };
    let feed = told(&["feed"]);
    assert_eq!(feed.len(), 6, "{feed:?}");
    assert_eq!(feed[0]["toolDurationMs"], 12);
    let kinds: Vec<_> = feed
        .iter()
        .map(|e| e["eventType"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds.iter().filter(|k| **k == "\u{fffd}").count(),
        2,
        "{kinds:?}"
    );
    assert!(
        feed.iter().any(|e| e["agentName"] == "a\u{fffd}"),
        "{feed:?}"
    );
    assert_eq!(told(&["trace", "a"]).len(), 5);
    assert_eq!(told(&["replay"]).len(), 6);
    assert_eq!(told(&["errors"]).len(), 2);
    sessions(&project, "NULL", "0", "0");
    execute(
        &project,
        "sessions.db",
        "UPDATE sessions SET agent_name = 'a' WHERE agent_name = 'odd'",
    );
    done(&project, &["inspect", "a"]);
}

#[test]
fn a_snapshot_that_is_no_text_hides_no_other() {
    let project = TestProject::initialised();
    sessions(&project, "NULL", "0", "0");
    execute(
        &project,
        "metrics.db",
        "INSERT INTO token_snapshots (agent_name, input_tokens, output_tokens, cache_read_tokens, model_used, created_at)
         VALUES ('odd', 1.5, 1e20, 9e18, CAST(x'6dff' AS TEXT), CAST(x'32ff' AS TEXT)),
                (CAST(x'ff' AS TEXT), 1, 1, 1, 'm', '2026')",
    );
    let live = done(&project, &["costs", "--live", "--json"]).json();
    assert_eq!(live["agents"][0]["agentName"], "odd", "{live}");
    assert_eq!(live["agents"][0]["modelUsed"], "m\u{fffd}");
    assert_eq!(live["agents"][0]["snapshotAt"], "2\u{fffd}");
    assert!(done(&project, &["costs", "--live"]).stdout.contains("odd"));
}

#[test]
fn an_agent_that_began_when_the_clock_was_ahead_has_worked_for_no_time() {
    let project = TestProject::initialised();
    project.grove_ok(&["status"]);
    rusqlite::Connection::open(project.overstory("sessions.db"))
        .unwrap()
        .execute(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
             VALUES ('session-1', 'ann', 'builder', '/w', 'b', 't-1', '', 'working', '2099-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z')",
            [],
        )
        .unwrap();
    for args in [&["status"][..], &["inspect", "ann"]] {
        let shown = project.grove(args);
        assert!(shown.stdout.contains("ann"), "{shown:#?}");
        assert!(!shown.stdout.contains(" -"), "{shown:#?}");
        assert!(shown.stdout.contains("0s"), "{shown:#?}");
    }
}
