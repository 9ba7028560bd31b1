//! A branch whose merge was taken back is not merged, though git finds all of its commits in the
//! target: it is not cleaned away, closes no task, and still counts as somebody's work.

use crate::support::TestProject;

const ANN: &str = "overstory/ann/t-ann";

/// Ann's branch was merged into main and taken back by a revert; her worktree is still there.
fn taken_back(capability: &str, state: &str) -> TestProject {
    let project = TestProject::initialised();
    let path = project.overstory("worktrees/ann");
    let path = path.to_str().unwrap();
    project.git(&["worktree", "add", "-q", "-b", ANN, path]);
    std::fs::write(format!("{path}/work.txt"), "one\ntwo\n").unwrap();
    project.git_in(path.as_ref(), &["add", "-A"]);
    project.git_in(path.as_ref(), &["commit", "-q", "-m", "Work"]);
    project.git(&["merge", "-q", "--no-ff", "--no-edit", ANN]);
    project.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    project.grove_ok(&["status"]);
    let connection = rusqlite::Connection::open(project.overstory("sessions.db")).unwrap();
    connection
        .execute(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
             VALUES ('session-1-ann', 'ann', ?1, ?2, ?3, 't-ann', '', ?4, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
            [capability, path, ANN, state],
        )
        .unwrap();
    project
}

fn merge_again(project: &TestProject) {
    // What git itself needs to bring reverted work back.
    project.git(&["revert", "--no-edit", "HEAD"]);
}

#[test]
fn a_branch_whose_merge_was_taken_back_is_not_cleaned_as_merged() {
    let project = taken_back("builder", "completed");
    let done = project.grove(&["worktree", "clean", "--json"]).json();
    assert_eq!(done["cleaned"], serde_json::json!([]), "{done}");
    assert_eq!(done["skipped"], serde_json::json!([ANN]), "{done}");
    assert!(project.overstory("worktrees/ann").is_dir());
    merge_again(&project);
    let done = project.grove(&["worktree", "clean", "--json"]).json();
    assert_eq!(done["cleaned"], serde_json::json!([ANN]), "{done}");
}

#[test]
fn stopping_with_the_worktree_says_where_work_that_was_taken_back_is_kept() {
    let project = taken_back("builder", "zombie");
    let said = project.grove_ok(&["stop", "ann", "--clean-worktree"]);
    assert!(said.contains("refs/grove/kept/"), "{said}");
}

#[test]
fn a_lead_does_not_close_its_task_on_a_merge_that_was_taken_back() {
    let mut project = taken_back("lead", "working");
    project.grove_ok(&["init", "--tools", "seeds"]);
    let id = project.grove(&["task", "create", "Lead", "--json"]).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let connection = rusqlite::Connection::open(project.overstory("sessions.db")).unwrap();
    connection
        .execute("UPDATE sessions SET task_id = ?1", [&id])
        .unwrap();
    project.set_env("GROVE_ACTING_FOR", "ann");
    let mail = ["--to", "boss", "--subject", "Ready", "--body", "b"];
    project.grove_ok(&[&["mail", "send", "--type", "merge_ready"][..], &mail].concat());
    let refused = project.grove(&["task", "close", &id]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.stderr.contains("not merged into main"),
        "{refused:?}"
    );
    merge_again(&project);
    project.grove_ok(&["task", "close", &id]);
}

#[test]
fn finished_work_that_was_taken_back_still_counts_in_the_overlaps() {
    let project = taken_back("builder", "completed");
    let found = project.grove(&["conflicts", "--json"]).json();
    assert_eq!(
        found["agents"][0]["files"][0]["path"], "work.txt",
        "{found}"
    );
    merge_again(&project);
    let found = project.grove(&["conflicts", "--json"]).json();
    assert_eq!(found["agents"], serde_json::json!([]), "{found}");
}
