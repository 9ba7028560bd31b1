//! `grove guard`: what it explains, what it has refused, and the project's own rules in its answers.

use rusqlite::{Connection, params};

use crate::support::TestProject;

fn explain(project: &TestProject, command: &str, more: &[&str]) -> String {
    let args = [&["guard", "explain", command, "--worktree", "/w/ada"], more].concat();
    let done = project.grove(&args);
    assert_eq!(done.code, Some(0), "{done:?}");
    done.stdout
}

#[test]
fn an_explanation_shows_what_was_understood_what_would_run_and_why_not() {
    let project = TestProject::initialised();
    insta::assert_snapshot!(
        "guard_explain_refused",
        explain(
            &project,
            "cd src && X=push; bash -c \"git $X\" | tee log.txt",
            &[]
        )
    );
}

#[test]
fn an_explanation_of_an_allowed_command_says_so() {
    let project = TestProject::initialised();
    insta::assert_snapshot!(
        "guard_explain_allowed",
        explain(
            &project,
            "for f in *.rs; do echo \"$(wc -l < \"$f\")\"; done",
            &["--capability", "scout"]
        )
    );
}

#[test]
fn an_explanation_of_what_cannot_be_read_says_where_it_stopped() {
    let project = TestProject::initialised();
    insta::assert_snapshot!(
        "guard_explain_unreadable",
        explain(&project, "echo 'open", &[])
    );
}

#[test]
fn an_explanation_knows_the_projects_own_rules() {
    let project = TestProject::initialised();
    let config = project.overstory("config.yaml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(
        &config,
        format!("{text}\nguard:\n  block:\n    - make deploy*\n  allow:\n    - make docs\n"),
    )
    .unwrap();
    insta::assert_snapshot!(
        "guard_explain_project_rule",
        explain(&project, "env A=b make -j4 deploy-all", &[])
    );
    let allowed = explain(&project, "make docs", &["--capability", "reviewer"]);
    assert!(allowed.contains("Decision   allowed"), "{allowed}");
}

#[test]
fn a_bad_pattern_is_named_with_its_file_and_line() {
    let project = TestProject::initialised();
    let config = project.overstory("config.yaml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(
        &config,
        format!("{text}\nguard:\n  block:\n    - git push; ls\n"),
    )
    .unwrap();
    let done = project.grove(&["status"]);
    assert_ne!(done.code, Some(0));
    let said = done
        .stderr
        .lines()
        .find(|line| line.contains("guard.block"))
        .unwrap();
    assert!(
        said.contains("config.yaml:") && said.contains("shell syntax"),
        "{said}"
    );
}

#[test]
fn the_explanation_as_json_has_the_same_parts() {
    let project = TestProject::initialised();
    let args = [
        "guard",
        "explain",
        "git push",
        "--worktree",
        "/w/ada",
        "--json",
    ];
    let json = project.grove(&args).json();
    assert_eq!(json["decision"], "block");
    assert_eq!(json["rule"], "publish");
    assert_eq!(json["parsed"][0], "git push");
    assert_eq!(json["wouldRun"][0]["command"], "git push");
    assert_eq!(json["wouldRun"][0]["directory"], "/w/ada");
    assert!(json["instead"].as_str().unwrap().contains("merge queue"));
}

fn refused(project: &TestProject, agent: &str, rule: &str, command: &str, at: &str) {
    let connection = Connection::open(project.overstory("events.db")).unwrap();
    let data = serde_json::json!({"type": "guard_refused", "rule": rule, "reason": format!("{rule} is not allowed")});
    let args = serde_json::json!({"command": command});
    connection
        .execute(
            "INSERT INTO events (agent_name, event_type, tool_name, tool_args, level, data, created_at)
             VALUES (?1, 'custom', 'Bash', ?2, 'warn', ?3, ?4)",
            params![agent, args.to_string(), data.to_string(), at],
        )
        .unwrap();
}

fn session(project: &TestProject, agent: &str) {
    // Any command that reads sessions makes the store.
    project.grove(&["status"]);
    Connection::open(project.overstory("sessions.db"))
        .unwrap()
        .execute(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
             VALUES (?1, ?1, 'builder', '/w', 'b', 't', '', 'completed', '2026-01-01T09:00:00.000Z', '2026-01-01T09:00:00.000Z')",
            params![agent],
        )
        .unwrap();
}

fn with_refusals() -> TestProject {
    let project = TestProject::initialised();
    // Any command that reads events makes the store.
    project.grove(&["feed"]);
    refused(
        &project,
        "ada",
        "publish",
        "git push",
        "2026-01-01T10:00:00.000",
    );
    refused(
        &project,
        "ada",
        "publish",
        "git push\norigin",
        "2026-01-01T10:01:00.000",
    );
    refused(
        &project,
        "bob",
        "outside",
        "touch ../x",
        "2026-01-01T10:02:00.000",
    );
    let connection = Connection::open(project.overstory("events.db")).unwrap();
    // What only mentions a refusal is none.
    connection
        .execute(
            "INSERT INTO events (agent_name, event_type, level, data) VALUES ('ada', 'custom', 'warn', '{\"type\":\"note\",\"text\":\"guard_refused\"}')",
            [],
        )
        .unwrap();
    project
}

#[test]
fn the_log_shows_what_was_refused_and_counts_by_rule() {
    let project = with_refusals();
    insta::assert_snapshot!("guard_log", project.grove(&["guard", "log"]).stdout);
}

#[test]
fn the_log_is_narrowed_by_agent_rule_time_and_number() {
    let project = with_refusals();
    let total = |args: &[&str]| {
        let json = project
            .grove(&[&["guard", "log", "--json"], args].concat())
            .json();
        (
            json["total"].as_u64().unwrap(),
            json["refusals"].as_array().unwrap().len(),
        )
    };
    assert_eq!(total(&[]), (3, 3));
    assert_eq!(total(&["--agent", "ada"]), (2, 2));
    assert_eq!(total(&["--rule", "outside"]), (1, 1));
    assert_eq!(total(&["--since", "2026-01-01T10:01:00Z"]), (2, 2));
    assert_eq!(total(&["--limit", "1"]), (3, 1));
    assert_eq!(total(&["--rule", "destroy"]), (0, 0));
    let json = project
        .grove(&["guard", "log", "--json", "--limit", "1"])
        .json();
    assert_eq!(json["rules"][0]["rule"], "publish");
    assert_eq!(json["rules"][0]["count"], 2);
    assert_eq!(json["refusals"][0]["call"], "touch ../x");
    let done = project.grove(&["guard", "log", "--since", "yesterday"]);
    assert!(done.stderr.contains("--since"), "{done:?}");
}

#[test]
fn a_log_without_refusals_says_so() {
    let project = TestProject::initialised();
    assert_eq!(
        project.grove(&["guard", "log"]).stdout,
        "No call was refused.\n"
    );
}

#[test]
fn a_log_of_an_agent_that_is_not_there_names_those_that_are() {
    let project = with_refusals();
    for name in ["carl", "dora"] {
        session(&project, name);
    }
    let done = project.grove(&["guard", "log", "--agent", "nope"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.is_empty(), "{done:?}");
    assert!(
        done.stderr.contains("Agent not found: nope"),
        "{}",
        done.stderr
    );
    assert!(
        done.stderr.contains("carl") && done.stderr.contains("dora"),
        "{}",
        done.stderr
    );
    // One that is there and was refused nothing, and one whose session is gone but not what it was refused.
    let none = project.grove(&["guard", "log", "--agent", "carl"]);
    assert_eq!(none.stdout, "No call of carl was refused.\n");
    let gone = project.grove(&["guard", "log", "--agent", "ada", "--since", "1h"]);
    assert_eq!(gone.stdout, "No call of ada was refused.\n");
}

#[test]
fn a_log_of_a_rule_that_is_not_there_names_those_that_are() {
    let project = with_refusals();
    let done = project.grove(&["guard", "log", "--rule", "nope"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(
        done.stderr
            .contains("Invalid rule: nope. Must be one of: branch, credentials"),
        "{}",
        done.stderr
    );
    let none = project.grove(&["guard", "log", "--rule", "destroy"]);
    assert_eq!(none.stdout, "No call was refused by destroy.\n");
}

#[test]
fn an_explanation_for_a_capability_that_is_not_there_names_those_that_are() {
    let project = TestProject::initialised();
    let args = ["guard", "explain", "ls", "--capability", "nope"];
    let done = project.grove(&args);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.is_empty(), "{done:?}");
    assert!(
        done.stderr
            .contains("Invalid capability: nope. Must be one of: builder, coordinator"),
        "{}",
        done.stderr
    );
}
