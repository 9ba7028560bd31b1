//! `clean` and `worktree clean`: what goes, what stays, and that no work is lost on the way.

use crate::support::{SHORT, TestProject, alive, wait_until};

/// A worktree of an agent with one commit of its own and one file that is in no commit.
pub(crate) fn worktree(project: &TestProject, agent: &str) -> std::path::PathBuf {
    let path = project.overstory("worktrees").join(agent);
    let branch = format!("overstory/{agent}/t-{agent}");
    project.git(&[
        "worktree",
        "add",
        "-q",
        "-b",
        &branch,
        path.to_str().unwrap(),
    ]);
    std::fs::write(path.join("committed.txt"), agent).unwrap();
    project.git_in(&path, &["add", "-A"]);
    project.git_in(&path, &["commit", "-q", "-m", "Work"]);
    std::fs::write(path.join("loose.txt"), agent).unwrap();
    path
}

pub(crate) fn session(project: &TestProject, agent: &str, capability: &str, state: &str) {
    project.grove_ok(&["status"]);
    let connection = rusqlite::Connection::open(project.overstory("sessions.db")).unwrap();
    let path = project.root().join(".overstory/worktrees").join(agent);
    connection
        .execute(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
             VALUES (?1, ?2, ?3, ?4, ?5, 't', '', ?6, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
            (
                format!("session-1-{agent}"),
                agent,
                capability,
                path.display().to_string(),
                format!("overstory/{agent}/t-{agent}"),
                state,
            ),
        )
        .unwrap();
}

/// "`mulchHealth {checked, domainsNearLimit […], stalePruneCandidates, doctorIssues,
/// doctorWarnings}?`" (§5): only with `--all`, and only where there is expertise.
#[test]
fn the_health_of_expertise_comes_with_all() {
    let project = TestProject::initialised();
    let health = |args: &[&str]| project.grove(args).json()["mulchHealth"].take();
    assert!(health(&["clean", "--all", "--json"]).is_null());
    project.grove_ok(&["init", "--tools", "mulch"]);
    assert!(health(&["clean", "--mail", "--json"]).is_null());
    let good = serde_json::json!({"checked": true, "domainsNearLimit": [],
        "stalePruneCandidates": 0, "doctorIssues": 0, "doctorWarnings": 0});
    assert_eq!(health(&["clean", "--all", "--json"]), good);
    let record = ["--type", "convention", "--content", "x"];
    project.grove_ok(&[&["expertise", "record", "d"][..], &record].concat());
    project.write(".mulch/expertise/stray.jsonl", "");
    let bad = health(&["clean", "--all", "--json"]);
    assert_eq!(bad["doctorWarnings"], 1, "{bad}");
    let said = project.grove_ok(&["clean", "--all"]);
    assert!(
        said.starts_with("Expertise: 0 issues, 1 warning"),
        "{said:?}"
    );
    project.write(".overstory/config.local.yaml", "mulch:\n  enabled: false\n");
    assert!(health(&["clean", "--all", "--json"]).is_null());
}

/// Names of the refs that keep removed work, and that they really hold it.
pub(crate) fn kept(project: &TestProject, agent: &str) {
    let commits = format!("refs/grove/kept/overstory/{agent}/t-{agent}");
    assert!(
        project.has_revision(&format!("{commits}:committed.txt")),
        "{commits}"
    );
    let saved = project.git(&[
        "for-each-ref",
        "--format=%(refname)",
        &format!("refs/grove/saved/{agent}"),
    ]);
    assert!(
        project.has_revision(&format!("{saved}:loose.txt")),
        "{saved}"
    );
}

#[test]
fn cleaning_everything_keeps_all_work() {
    let project = TestProject::initialised();
    worktree(&project, "ann");
    session(&project, "ann", "builder", "working");
    project.git(&["branch", "overstory/old/t-9"]);
    project.write(".overstory/specs/t.md", "spec\n");
    project.grove_ok(&[
        "mail",
        "send",
        "--to",
        "ann",
        "--subject",
        "s",
        "--body",
        "b",
    ]);
    let groups = project.overstory("groups.json");
    std::fs::write(&groups, "[]\n").unwrap();
    let cleaned = project.grove(&["clean", "--all", "--json"]).json();
    for (field, value) in [
        ("sessionEndEventsLogged", serde_json::json!(1)),
        ("worktreesCleaned", 1.into()),
        ("branchesDeleted", 1.into()),
        ("mailWiped", true.into()),
        ("sessionsCleared", true.into()),
        ("specsCleared", true.into()),
    ] {
        assert_eq!(cleaned[field], value, "{field}: {cleaned}");
    }
    kept(&project, "ann");
    assert!(project.has_revision("refs/grove/kept/overstory/old/t-9"));
    assert_eq!(project.git(&["branch", "--list", "overstory/*"]), "");
    for gone in ["mail.db", "sessions.db", "worktrees/ann", "specs/t.md"] {
        assert!(!project.overstory(gone).exists(), "{gone}");
    }
    assert!(groups.exists());
    let events = "SELECT data FROM events WHERE event_type = 'session_end'";
    assert_eq!(
        project.sql("events.db", events),
        [["{\"reason\":\"clean\",\"capability\":\"builder\"}"]]
    );
    let again = project.grove(&["clean", "--all", "--json"]).json();
    assert_eq!(again["sessionsCleared"], false, "{again}");
    assert_eq!(again["worktreesCleaned"], 0, "{again}");
}

#[test]
fn a_running_agent_is_stopped_before_its_files_go() {
    let project = TestProject::initialised();
    let script = project.script("ann", "steps:\n- run: sleep 300\n");
    project.grove_ok(&[
        "sling",
        "t-1",
        "--name",
        "ann",
        "--runtime",
        "script",
        "--spec",
        &script,
    ]);
    let (host, cli) = project.pids("ann").unwrap();
    let refused = project.grove(&["clean", "--sessions"]);
    assert_eq!(refused.code, Some(1), "{refused:#?}");
    assert!(
        refused.stderr.contains("agents are running: ann"),
        "{refused:#?}"
    );
    assert!(alive(host) && project.overstory("sessions.db").exists());
    let cleaned = project.grove(&["clean", "--all", "--json"]).json();
    assert_eq!(cleaned["worktreesCleaned"], 1, "{cleaned}");
    wait_until(
        "host and agent are gone",
        SHORT,
        || (!alive(host) && !alive(cli)).then_some(()),
        || project.report(),
    );
    assert!(!project.overstory("worktrees/ann").exists());
    assert!(!project.overstory("sessions.db").exists());
    // The name is free again.
    project.grove_ok(&[
        "sling",
        "t-1",
        "--name",
        "ann",
        "--runtime",
        "script",
        "--spec",
        &script,
    ]);
    project.grove_ok(&["stop", "ann", "--force"]);
}

#[test]
fn stores_stay_while_a_coordinator_works_on_them() {
    let project = TestProject::initialised();
    project.grove_ok(&["coordinator", "start"]);
    let refused = project.grove(&["clean", "--all"]);
    assert_eq!(refused.code, Some(1), "{refused:#?}");
    assert!(
        refused.stderr.contains("grove coordinator stop"),
        "{refused:#?}"
    );
    assert!(project.overstory("sessions.db").exists());
    project.grove_ok(&["coordinator", "stop"]);
    project.grove_ok(&["clean", "--all"]);
}

#[test]
fn one_agent_is_cleaned_and_the_others_are_not_touched() {
    let project = TestProject::initialised();
    for agent in ["ann", "ben"] {
        worktree(&project, agent);
        session(&project, agent, "builder", "working");
        project.write(&format!(".overstory/logs/{agent}/s/events.ndjson"), "");
    }
    let text = project.grove_ok(&["clean", "--agent", "ann"]);
    assert!(
        text.contains("Removed 1 worktree") && text.contains("Cleared logs/"),
        "{text}"
    );
    kept(&project, "ann");
    assert_eq!(project.state("ann").as_deref(), Some("completed"));
    assert_eq!(project.state("ben").as_deref(), Some("working"));
    assert!(project.overstory("worktrees/ben/loose.txt").exists());
    assert!(project.overstory("logs/ben/s/events.ndjson").exists());
    assert!(!project.overstory("logs/ann").exists());
    let unknown = project.grove(&["clean", "--agent", "nobody"]);
    assert!(
        unknown.stderr.contains("Agent \"nobody\" not found"),
        "{unknown:#?}"
    );
    let both = project.grove(&["clean", "--agent", "ben", "--mail"]);
    assert_eq!(both.code, Some(1));
}

#[test]
fn unmerged_worktrees_stay_unless_forced() {
    let project = TestProject::initialised();
    for (agent, state) in [("ann", "completed"), ("ben", "working")] {
        worktree(&project, agent);
        session(&project, agent, "builder", state);
    }
    let ann = "overstory/ann/t-ann";
    let careful = project.grove(&["worktree", "clean", "--json"]).json();
    assert_eq!(careful["skipped"], serde_json::json!([ann]), "{careful}");
    assert!(project.overstory("worktrees/ann").exists());
    project.grove_ok(&[
        "mail",
        "send",
        "--to",
        "x",
        "--from",
        "ann",
        "--subject",
        "s",
        "--body",
        "b",
    ]);
    let forced = project
        .grove(&["worktree", "clean", "--force", "--json"])
        .json();
    assert_eq!(forced["cleaned"], serde_json::json!([ann]), "{forced}");
    assert_eq!(
        (&forced["pruned"], &forced["mailPurged"]),
        (&1.into(), &1.into()),
        "{forced}"
    );
    kept(&project, "ann");
    assert_eq!(project.state("ann"), None);
    assert_eq!(project.state("ben").as_deref(), Some("working"));
}

#[test]
fn issues_of_a_lead_are_committed_before_its_branch_goes() {
    let project = TestProject::initialised();
    project.write(".seeds/issues.jsonl", "{\"id\":\"a\"}\n");
    project.git(&["add", ".seeds"]);
    project.git(&["commit", "-q", "-m", "Issues"]);
    let path = worktree(&project, "lea");
    session(&project, "lea", "lead", "completed");
    std::fs::write(
        path.join(".seeds/issues.jsonl"),
        "{\"id\":\"a\"}\n{\"id\":\"b\"}\n",
    )
    .unwrap();
    project.git_in(
        &path,
        &["commit", "-q", "-m", "More issues", "--", ".seeds"],
    );
    // What the user has staged is theirs.
    project.write("mine.txt", "staged\n");
    project.git(&["add", "mine.txt"]);
    let done = project.grove(&["worktree", "clean", "--json"]).json();
    let branch = serde_json::json!(["overstory/lea/t-lea"]);
    assert_eq!(
        (&done["cleaned"], &done["seedsPreserved"]),
        (&branch, &branch),
        "{done}"
    );
    assert_eq!(
        project
            .git(&["show", "HEAD:.seeds/issues.jsonl"])
            .lines()
            .count(),
        2
    );
    assert!(!project.has_revision("HEAD:mine.txt") && !project.has_revision("HEAD:committed.txt"));
    assert_eq!(
        project.git(&["status", "--porcelain", "mine.txt"]),
        "A  mine.txt"
    );
    kept(&project, "lea");
}

#[test]
fn a_worktree_with_running_agents_inside_is_left_alone() {
    let project = TestProject::initialised();
    let path = worktree(&project, "ann");
    session(&project, "ann", "builder", "completed");
    project.git(&["merge", "-q", "overstory/ann/t-ann"]);
    std::fs::create_dir(path.join(".overstory")).unwrap();
    let inner = rusqlite::Connection::open(path.join(".overstory/sessions.db")).unwrap();
    inner
        .execute_batch(&format!(
            "CREATE TABLE sessions (pid INTEGER); INSERT INTO sessions VALUES ({})",
            std::process::id()
        ))
        .unwrap();
    let done = project.grove(&["worktree", "clean", "--json"]).json();
    let branch = serde_json::json!(["overstory/ann/t-ann"]);
    assert_eq!(done["blockedByChildren"], branch, "{done}");
    inner.execute("DELETE FROM sessions", []).unwrap();
    let done = project.grove(&["worktree", "clean", "--json"]).json();
    assert_eq!(done["cleaned"], branch, "{done}");
}

#[test]
fn stopping_with_its_worktree_keeps_the_work() {
    let project = TestProject::initialised();
    worktree(&project, "ann");
    session(&project, "ann", "builder", "zombie");
    let done = project
        .grove(&["stop", "ann", "--clean-worktree", "--json"])
        .json();
    assert_eq!(
        (&done["worktreeRemoved"], &done["branchDeleted"]),
        (&true.into(), &true.into()),
        "{done}"
    );
    kept(&project, "ann");
    let again = project
        .grove(&["stop", "ann", "--clean-worktree", "--json"])
        .json();
    assert_eq!(
        (&again["worktreeRemoved"], &again["branchDeleted"]),
        (&false.into(), &false.into()),
        "{again}"
    );
}

#[test]
fn cleaning_without_a_readable_repository_removes_nothing_and_fails() {
    let project = TestProject::initialised();
    session(&project, "a", "builder", "working");
    std::fs::rename(project.root().join(".git"), project.root().join(".away")).unwrap();
    for args in [
        &["clean", "--worktrees"][..],
        &["clean", "--branches", "--json"],
        &["clean", "--all"],
        &["clean", "--mail", "--worktrees"],
    ] {
        let done = project.grove(args);
        assert_eq!(done.code, Some(1), "{args:?} {done:?}");
        let said = format!("{}{}", done.stdout, done.stderr);
        assert!(said.contains("not in a git repository"), "{done:?}");
        assert_eq!(project.state("a").as_deref(), Some("working"), "{args:?}");
        assert!(project.overstory("mail.db").exists(), "{args:?}");
    }
}
