//! The coordinator's loop is killed between what it has decided and what it does.

use crate::support::{LONG, SHORT, TestProject, alive, kill_9, wait_until};

/// How the report of the agent stands: empty when it was dealt with, else who deals with it.
fn standing(project: &TestProject) -> Option<String> {
    let query = "SELECT detail FROM actions WHERE key LIKE 'report:%'";
    project.sql("grove.db", query).pop()?.pop()
}

fn queued(project: &TestProject) -> Vec<Vec<String>> {
    let query = "SELECT branch_name, status FROM merge_queue";
    project.sql("merge-queue.db", query)
}

fn loop_pid(project: &TestProject) -> i64 {
    let query = "SELECT pid FROM sessions WHERE agent_name = 'coordinator'";
    let row = project.sql("sessions.db", query).pop().unwrap();
    row[0].parse().unwrap()
}

/// Kills the loop, does something with its number, and starts another one. What the killed one has
/// open is closed by the system a moment after its end can be seen.
fn kill_and_start(project: &TestProject, between: impl FnOnce(i64)) {
    let pid = loop_pid(project);
    kill_9(pid);
    let gone = || (!alive(pid)).then_some(());
    wait_until("the loop ends", SHORT, gone, || project.report());
    between(pid);
    let started = || {
        let done = project.grove(&["coordinator", "start", "--no-attach"]);
        (done.code == Some(0)).then_some(())
    };
    wait_until("another loop starts", SHORT, started, || project.report());
}

#[test]
fn a_report_whose_loop_was_killed_before_it_was_queued_is_queued_once_by_the_next() {
    let project = TestProject::initialised();
    project.grove_ok(&["coordinator", "start", "--no-attach"]);
    // Nobody can write to the queue: the loop waits in the middle.
    let queue = rusqlite::Connection::open(project.overstory("merge-queue.db")).unwrap();
    queue.execute_batch("BEGIN IMMEDIATE").unwrap();
    let script = project.script(
        "ann",
        "steps:\n- write: {path: a.txt, content: \"by ann\\n\"}\n- commit: Write\n- done: written\n",
    );
    let args = ["--name", "ann", "--runtime", "script", "--spec", &script];
    project.grove_ok(&[&["sling", "t-ann"], &args[..]].concat());
    wait_until(
        "the loop deals with the report",
        LONG,
        || standing(&project).filter(|detail| detail.starts_with("held by")),
        || project.report(),
    );
    kill_and_start(&project, |_| {
        assert_eq!(queued(&project), [[""; 2]; 0]);
        queue.execute_batch("ROLLBACK").unwrap();
    });
    let merged = [["overstory/ann/t-ann", "merged"]];
    let is_merged = || (queued(&project) == merged).then_some(());
    wait_until("the branch is merged", LONG, is_merged, || project.report());
    assert_eq!(project.read("a.txt"), "by ann\n");
    assert_eq!(standing(&project).as_deref(), Some(""));

    // Killed a moment later: the entry is there, but nobody has noted it.
    kill_and_start(&project, |pid| {
        let grove = rusqlite::Connection::open(project.overstory("grove.db")).unwrap();
        let held =
            format!("UPDATE actions SET detail = 'held by {pid} 1' WHERE key LIKE 'report:%'");
        assert_eq!(grove.execute(&held, []).unwrap(), 1);
    });
    wait_until(
        "the next loop has noted it",
        SHORT,
        || standing(&project).filter(String::is_empty),
        || project.report(),
    );
    assert_eq!(queued(&project), merged);
    project.grove_ok(&["coordinator", "stop"]);
}
