//! Where `sd`, `ml` and the contract answered otherwise, each under the name of what was seen.

use crate::support::TestProject;
use serde_json::Value;

fn json_of(project: &TestProject, args: &[&str]) -> Value {
    project.grove(&[args, &["--json"]].concat()).json()
}

fn ids(answer: &Value) -> Vec<String> {
    let issues = answer["issues"].as_array().unwrap().iter();
    issues
        .map(|issue| issue["id"].as_str().unwrap().to_owned())
        .collect()
}

fn with_tasks(fields: &[(&str, &str)]) -> TestProject {
    let project = TestProject::initialised();
    let lines: String = fields
        .iter()
        .map(|(id, more)| format!("{{\"id\":\"{id}\",\"title\":\"t\",\"status\":\"open\",\"type\":\"task\",\"priority\":2{more}}}\n"))
        .collect();
    project.write(".seeds/issues.jsonl", &lines);
    project
}

#[test]
fn a_task_that_is_put_off_by_a_day_without_a_time_is_not_ready() {
    let days = ["2999-01-01", "2999", "2999/01/01", "Jan 1 2999"];
    let fields: Vec<(String, String)> = days
        .iter()
        .chain(&["2001-01-01", "soon"])
        .enumerate()
        .map(|(n, day)| {
            (
                format!("s-{n}"),
                format!(",\"extensions\":{{\"scheduledFor\":\"{day}\"}}"),
            )
        })
        .collect();
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(id, more)| (id.as_str(), more.as_str()))
        .collect();
    let project = with_tasks(&fields);
    let ready = json_of(&project, &["task", "ready", "--respect-schedule"]);
    assert_eq!(ids(&ready), ["s-4", "s-5"], "{ready}");
}

/// `sd` runs on bun: what names no zone is the time of the place.
#[test]
fn a_task_that_is_put_off_is_read_as_sd_reads_it() {
    let mut days: Vec<String> = [
        "January 1, 2999 10:00 PM",
        "1/1/2999 10:00 PM",
        "2999-01-01 10:00:00 +0200",
        "2999-01-01 10:00 PST",
        "2999-01-01t10:00z",
        "2999.01.01",
        "foo 2999",
        "Tue Jan 01 2999 10:00:00 GMT+0100 (Central European Standard Time)",
    ]
    .map(str::to_owned)
    .to_vec();
    let now = grove::platform::clock::now();
    let hours_away = |hours: i64| grove::types::Timestamp(now.0 + hours * 3_600_000).iso();
    // Clocks are twelve hours behind UTC: what they show in six hours is past in UTC.
    days.push(hours_away(-6).trim_end_matches('Z').to_owned());
    let put_off = days.len();
    days.push(hours_away(-18).trim_end_matches('Z').to_owned());
    days.extend(
        [
            "1/1/01",
            "2001-01-01 10:00 PST",
            "2999-13-01",
            "2999 foo",
            // West of UTC that is after the end of time.
            "275760-09-13",
        ]
        .map(str::to_owned),
    );
    let fields: Vec<(String, String)> = days
        .iter()
        .enumerate()
        .map(|(n, day)| {
            (
                format!("s-{n}"),
                format!(",\"extensions\":{{\"scheduledFor\":\"{day}\"}}"),
            )
        })
        .collect();
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(id, more)| (id.as_str(), more.as_str()))
        .collect();
    let mut project = with_tasks(&fields);
    project.set_env("TZ", "AAA12");
    let ready = json_of(&project, &["task", "ready", "--respect-schedule"]);
    let expected: Vec<String> = (put_off..days.len()).map(|n| format!("s-{n}")).collect();
    assert_eq!(ids(&ready), expected, "{ready}");
}

#[test]
fn labels_are_taken_as_they_are_and_all_of_a_list_are_wanted() {
    let project = with_tasks(&[
        ("s-1", ",\"labels\":[\"a\",\"b\"]"),
        ("s-2", ",\"labels\":[\"A\"]"),
        ("s-3", ",\"labels\":[\"b\"]"),
    ]);
    for command in ["list", "ready"] {
        let of = |label: &str| ids(&json_of(&project, &["task", command, "--label", label]));
        assert_eq!(of("a"), ["s-1"]);
        assert_eq!(of("a, b"), ["s-1"]);
        assert_eq!(of("b"), ["s-1", "s-3"]);
    }
}

#[test]
fn of_several_tasks_those_that_are_there_are_shown() {
    let project = with_tasks(&[("s-1", "")]);
    let done = project.grove(&["task", "show", "s-1", "ghost", "--json"]);
    let json = done.json();
    assert_eq!(done.code, Some(1), "{json}");
    assert_eq!(json["success"], false);
    assert_eq!(ids(&json), ["s-1"]);
    assert_eq!(json["errors"][0]["id"], "ghost");
    let done = project.grove(&["task", "show", "s-1", "ghost"]);
    assert!(done.stdout.contains("s-1"), "{done:#?}");
    assert!(done.stderr.contains("ghost"), "{done:#?}");
}

#[test]
fn options_that_take_several_values_end_at_the_next_option() {
    let project = TestProject::initialised();
    project.write(
        ".mulch/mulch.config.yaml",
        include_str!("recorded/mulch.config.yaml"),
    );
    for (name, text) in [
        ("cli", include_str!("recorded/cli.jsonl")),
        ("db", include_str!("recorded/db.jsonl")),
    ] {
        project.write(&format!(".mulch/expertise/{name}.jsonl"), text);
    }
    for list in [&["--files", "src/a.ts"][..], &["--exclude-domain", "cli"]] {
        let args = [&["expertise", "prime"], list].concat();
        let json = json_of(&project, &args);
        assert_eq!(json["command"], "expertise prime", "{json}");
        let limited = [&args[..], &["--budget", "100"]].concat();
        assert!(!project.grove_ok(&limited).contains("--budget"));
    }
    let none = project.grove(&["expertise", "prime", "--budget", "0"]);
    assert_eq!(none.code, Some(1), "{none:#?}");
    assert!(none.stderr.contains("positive integer"), "{none:#?}");
}

#[test]
fn work_lands_on_the_branch_of_origin_also_where_it_is_not_local_yet() {
    let project = TestProject::new();
    let root = project.root();
    project.git(&["branch", "-m", "trunk"]);
    project.git(&["branch", "feature/x"]);
    let clone = project.beside().join("clone");
    let (from, to) = (root.display().to_string(), clone.display().to_string());
    project.git(&["clone", "-q", "-b", "feature/x", &from, &to]);
    let mut command = project.command(crate::support::GROVE);
    let output = command.args(["init"]).current_dir(&clone).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let config = std::fs::read_to_string(clone.join(".overstory/config.yaml")).unwrap();
    assert!(config.contains("canonicalBranch: trunk"), "{config}");
    assert!(said.contains("git branch trunk origin/trunk"), "{said}");
}

#[test]
fn hooks_that_are_no_list_are_not_called_installed() {
    let project = TestProject::initialised();
    project.write(".overstory/hooks.json", "{\"hooks\":{\"Stop\":\"x\"}}");
    let done = project.grove(&["hooks", "install"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(
        done.stderr.contains("hooks.Stop is not a list") && done.stderr.contains("grove update"),
        "{done:#?}"
    );
}

#[test]
fn a_group_has_no_task_without_an_id() {
    let project = TestProject::initialised();
    let done = project.grove(&["group", "create", "g", "", "--skip-validation"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(done.stderr.contains("cannot be empty"), "{done:#?}");
    assert!(!project.overstory("groups.json").exists());
}

#[test]
fn a_folder_in_the_place_of_a_file_is_named_with_the_next_step() {
    let project = TestProject::initialised();
    std::fs::create_dir_all(project.overstory("current-run.txt")).unwrap();
    let done = project.grove(&["run", "complete"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(done.stderr.contains("move the folder aside"), "{done:#?}");
    std::fs::create_dir_all(project.overstory("groups.json")).unwrap();
    let done = project.grove(&["group", "list"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(done.stderr.contains("move the folder aside"), "{done:#?}");
}

#[test]
fn sessions_with_the_old_and_the_new_name_of_a_column_are_read() {
    let project = TestProject::initialised();
    let connection = rusqlite::Connection::open(project.overstory("sessions.db")).unwrap();
    connection
        .execute_batch(
            "ALTER TABLE sessions ADD COLUMN bead_id TEXT;
             ALTER TABLE sessions DROP COLUMN claude_session_id;
             INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, bead_id, tmux_session, state, started_at, last_activity)
             VALUES ('s', 'b1', 'builder', '/w', 'x', '', 't-7', '', 'completed', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');",
        )
        .unwrap();
    drop(connection);
    let done = project.grove(&["inspect", "b1", "--json"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert_eq!(done.json()["session"]["taskId"], "t-7", "{done:#?}");
}
