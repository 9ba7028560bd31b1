//! `nudge`: what is said of agents that cannot be reached.

use rusqlite::{Connection, params};

use crate::support::TestProject;

fn session(project: &TestProject, agent: &str, pid: Option<u32>) {
    project.grove_ok(&["status"]);
    Connection::open(project.overstory("sessions.db"))
        .unwrap()
        .execute(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, pid, started_at, last_activity)
             VALUES ('session-' || ?1, ?1, 'builder', '/w', 'b', 't-1', '', 'working', ?2, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
            params![agent, pid],
        )
        .unwrap();
}

fn reason(project: &TestProject, agent: &str) -> String {
    let json = project.grove(&["nudge", agent, "--json"]).json();
    assert_eq!(json["delivered"], false, "{json}");
    json["reason"].as_str().unwrap().to_owned()
}

#[test]
fn a_nudge_that_failed_may_be_repeated_at_once() {
    let project = TestProject::initialised();
    session(&project, "ann", None);
    let first = reason(&project, "ann");
    assert!(first.contains("no running host"), "{first}");
    assert_eq!(reason(&project, "ann"), first);
    assert!(!project.overstory("nudge-state.json").exists());
    // "Each attempt records a `custom` event for the target `{type nudge, from, message, delivered}`".
    let events = project.sql(
        "events.db",
        "SELECT json_extract(data, '$.delivered') FROM events WHERE event_type = 'custom' AND agent_name = 'ann'",
    );
    assert_eq!(events, [["0"], ["0"]]);
}

#[test]
fn nobody_is_told_to_start_a_second_agent_beside_one_that_ov_runs() {
    let project = TestProject::initialised();
    session(&project, "ann", Some(std::process::id()));
    let reason = reason(&project, "ann");
    assert!(reason.contains("grove mail send --to ann"), "{reason}");
    assert!(!reason.contains("sling"), "{reason}");
}

#[test]
fn agents_that_only_nudge_each_other_are_stopped_and_somebody_above_is_told() {
    let mut project = TestProject::initialised();
    for agent in ["ann", "ben"] {
        session(&project, agent, None);
    }
    drop(grove::db::EventStore::open(&project.overstory("events.db")).unwrap());
    let events = Connection::open(project.overstory("events.db")).unwrap();
    for _ in 0..12 {
        for (from, to) in [("ann", "ben"), ("ben", "ann")] {
            let nudge =
                format!(r#"{{"type":"nudge","from":"{from}","message":"m","delivered":true}}"#);
            events
                .execute(
                    "INSERT INTO events (agent_name, event_type, data) VALUES (?1, 'custom', ?2)",
                    [to, &nudge],
                )
                .unwrap();
        }
    }
    // A person is not held up.
    let person = reason(&project, "ben");
    assert!(person.contains("no running host"), "{person}");
    for (from, to) in [("ann", "ben"), ("ben", "ann")] {
        project.set_env("GROVE_ACTING_FOR", from);
        let refused = project.grove(&["nudge", to, "--force"]);
        assert_eq!(refused.code, Some(1), "{refused:#?}");
        assert!(refused.stderr.contains("10 minutes"), "{refused:#?}");
    }
    let told = "SELECT from_agent, to_agent, subject FROM messages WHERE type = 'escalation'";
    assert_eq!(
        project.sql("mail.db", told),
        [[
            "watchdog",
            "orchestrator",
            "ann and ben only answer each other"
        ]]
    );
}
