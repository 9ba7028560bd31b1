//! A death is told to the parent once, whoever sees it: the agent's host alone, or whoever watches
//! after a host that was killed.

use crate::support::{LONG, SHORT, TestProject, kill_9, wait_until};

/// Recipient, subject and payload's cause of every mail about a death.
fn obituaries(project: &TestProject) -> Vec<Vec<String>> {
    project.sql(
        "mail.db",
        "SELECT to_agent, subject, json_extract(payload, '$.reason') FROM messages WHERE type = 'worker_died'",
    )
}

fn wait_for_mail(project: &TestProject) -> Vec<Vec<String>> {
    wait_until(
        "the death is told",
        LONG,
        || Some(obituaries(project)).filter(|mail| !mail.is_empty()),
        || project.report(),
    )
}

/// Waits until a watchdog that is started now has looked at every agent: it has seen that somebody
/// of the other program is gone.
fn let_the_watchdog_look(project: &TestProject) {
    project.record_theirs();
    project.grove_ok(&["watch", "--background", "--interval", "500"]);
    wait_until(
        "the watchdog has looked",
        LONG,
        || (!project.mail("theirs", "worker_died").is_empty()).then_some(()),
        || project.report(),
    );
}

#[test]
fn a_death_that_nobody_watches_is_told_by_the_agents_host() {
    let project = TestProject::initialised();
    project.sling(
        "ann",
        "- write: {path: half.txt, content: \"half done\\n\"}\n- wait: 0.5\n- crash\n",
    );
    let mail = wait_for_mail(&project);
    let told = [
        "orchestrator",
        "[WATCHDOG] worker_died: ann",
        "ended by signal Aborted",
    ];
    assert_eq!(mail, [told]);
    assert_eq!(project.state("ann").as_deref(), Some("zombie"));
    let told = "SELECT body FROM messages WHERE type = 'worker_died'";
    let body = &project.sql("mail.db", told)[0][0];
    let saved = body.split("saved at ").nth(1).unwrap_or_default();
    assert_eq!(
        project.git(&["show", &format!("{}:half.txt", saved.trim_end_matches('.'))]),
        "half done"
    );

    let_the_watchdog_look(&project);
    assert_eq!(project.mail("ann", "worker_died").len(), 1);
    let events = "SELECT 1 FROM events WHERE agent_name = 'ann' AND event_type = 'custom' AND json_extract(data, '$.type') = 'worker_died'";
    // The mail is there a moment before the event.
    wait_until(
        "the event is there",
        SHORT,
        || (!project.sql("events.db", events).is_empty()).then_some(()),
        || project.report(),
    );
    assert_eq!(project.sql("events.db", events).len(), 1);
}

#[test]
fn an_end_in_order_is_no_death() {
    let project = TestProject::initialised();
    project.sling(
        "ann",
        "- write: {path: a.txt, content: a}\n- commit: Add\n- done: added\n- exit: 0\n",
    );
    let (host, _) = project.pids("ann").unwrap();
    project.wait_gone("its host has gone", &[host]);
    assert_eq!(project.state("ann").as_deref(), Some("completed"));
    assert_eq!(obituaries(&project), Vec::<Vec<String>>::new());
}

#[test]
fn the_death_of_an_agent_whose_host_was_killed_while_telling_it_is_told_by_the_next_watchdog() {
    let project = TestProject::initialised();
    project.sling("ann", "- hang\n");
    let (host, _) = project.pids("ann").unwrap();
    let started = &project.sql("grove.db", "SELECT host_start FROM hosts")[0][0];
    let id = &project.sql("sessions.db", "SELECT id FROM sessions")[0][0];
    kill_9(host);
    project.wait_gone("its host is gone", &[host]);
    // The host had begun: it holds what follows the death, and has done none of it.
    let grove = rusqlite::Connection::open(project.overstory("grove.db")).unwrap();
    grove
        .execute(
            "INSERT INTO actions (key, detail, done_at) VALUES (?1, ?2, '')",
            [format!("died:{id}"), format!("held by {host} {started}")],
        )
        .unwrap();
    drop(grove);
    let_the_watchdog_look(&project);
    wait_until(
        "the death is told",
        LONG,
        || (project.mail("ann", "worker_died").len() == 1).then_some(()),
        || project.report(),
    );
}

#[test]
fn an_agent_whose_host_was_killed_while_nobody_watched_is_shown_dead_everywhere() {
    let project = TestProject::initialised();
    project.sling("ann", "- hang\n");
    let (host, _) = project.pids("ann").unwrap();
    kill_9(host);
    project.wait_gone("its host is gone", &[host]);
    // Long ago, a process that is gone counts as one that ended in order.
    for quiet in ["now", "2020-01-01T00:00:00.000Z"] {
        if quiet != "now" {
            let sessions = rusqlite::Connection::open(project.overstory("sessions.db")).unwrap();
            let change = "UPDATE sessions SET last_activity = ?1";
            sessions.execute(change, [quiet]).unwrap();
        }
        let shown = project.grove_ok(&["status"]);
        assert!(shown.contains("0 active, 1 dead"), "{quiet}: {shown}");
        assert!(shown.contains("x ann [builder] zombie"), "{quiet}: {shown}");
        assert!(
            shown.contains("Dead: its host was killed"),
            "{quiet}: {shown}"
        );
        let json = project.grove(&["status", "--json"]).json();
        assert_eq!(json["agents"][0]["state"], "zombie", "{quiet}: {json}");
        let json = project.grove(&["agents", "discover", "--json"]).json();
        assert_eq!(json["agents"][0]["state"], "zombie", "{quiet}: {json}");
        let json = project.grove(&["inspect", "ann", "--json"]).json();
        assert_eq!(json["session"]["state"], "zombie", "{quiet}: {json}");
    }
    // Nobody has written it: that is up to whoever watches.
    assert_ne!(project.state("ann").as_deref(), Some("zombie"));
}

#[test]
fn a_project_that_wants_no_mail_about_deaths_gets_none() {
    let project = TestProject::initialised();
    project.write(
        ".overstory/config.local.yaml",
        "watchdog:\n  notifyParentOnDeath: false\n",
    );
    project.sling("ann", "- wait: 0.5\n- crash\n");
    let (host, _) = project.pids("ann").unwrap();
    project.wait_gone("its host has gone", &[host]);
    assert_eq!(project.state("ann").as_deref(), Some("zombie"));
    assert_eq!(obituaries(&project), Vec::<Vec<String>>::new());
    let told = "SELECT 1 FROM events WHERE event_type = 'custom' AND json_extract(data, '$.type') = 'worker_died'";
    assert_eq!(project.sql("events.db", told).len(), 1);
}

#[test]
fn an_agent_whose_worktree_was_moved_away_can_still_say_so() {
    let project = TestProject::initialised();
    project.write(
        "wait.sh",
        "#!/bin/sh\nuntil [ -e \"$OVERSTORY_PROJECT_ROOT/moved\" ]; do sleep 0.05; done\n",
    );
    project.commit_all();
    let spec = project.script(
        "ben",
        "steps:\n\
         - print: \"begun\"\n\
         - run: \"sh ./wait.sh\"\n\
         - mail: {to: orchestrator, type: status, subject: \"my worktree is gone\", body: b}\n\
         - hang\n",
    );
    let sling = ["sling", "t-1", "--name", "ben", "--runtime", "script"];
    project.grove_ok(&[&sling[..], &["--spec", &spec]].concat());
    let shown = || crate::sandbox::recorded(&project, "ben");
    wait_until(
        "the agent has begun",
        LONG,
        || shown().contains("wait.sh").then_some(()),
        || project.report(),
    );
    let away = project.beside().join("away");
    std::fs::rename(project.overstory("worktrees/ben"), away).unwrap();
    project.write("moved", "");
    wait_until(
        "its mail has come",
        LONG,
        || (!project.mail("ben", "status").is_empty()).then_some(()),
        || format!("{}\n{}", shown(), project.report()),
    );
}
