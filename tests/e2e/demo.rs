//! The demo leaves nothing behind, however it ends.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::support::{GROVE, LONG, SHORT, ScreenProcess, TestProject, wait_until};

fn start(project: &TestProject) -> Child {
    let mut command = project.command(GROVE);
    command
        .args(["demo", "--text"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Folders of demos.
fn demos(project: &TestProject) -> Vec<PathBuf> {
    let found = std::fs::read_dir(project.beside()).unwrap();
    found
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("grove-demo-"))
        .collect()
}

/// Waits until at least so many agents' folders are there.
fn agents_start(project: &TestProject, count: usize) {
    wait_until(
        "the demo's agents start",
        LONG,
        || {
            let demo = demos(project).pop()?;
            if count == 0 {
                return Some(());
            }
            let agents = std::fs::read_dir(demo.join(".overstory/worktrees")).ok()?;
            (agents.count() >= count).then_some(())
        },
        || format!("{:?}", demos(project)),
    );
}

fn signal(child: &Child, name: &str) {
    signal_pid(i64::from(child.id()), name);
}

fn signal_pid(pid: i64, name: &str) {
    let mut kill = Command::new("kill");
    assert!(
        kill.args([name, &pid.to_string()])
            .status()
            .unwrap()
            .success()
    );
}

fn nothing_is_left(project: &TestProject, what: &str) {
    assert_eq!(demos(project), Vec::<PathBuf>::new(), "{what}");
    wait_until(
        "no process of the demo is left",
        SHORT,
        || project.processes().is_empty().then_some(()),
        || format!("{what}: {:?}", project.processes()),
    );
}

#[test]
fn an_interrupted_demo_leaves_no_agents_and_no_folder() {
    // The number of agents: none yet, the lead alone, some of its builders.
    for (name, agents) in [("-INT", 0), ("-TERM", 1), ("-HUP", 3), ("-INT", 6)] {
        let project = TestProject::bare_folder();
        let mut demo = start(&project);
        agents_start(&project, agents);
        signal(&demo, name);
        assert_eq!(demo.wait().unwrap().code(), Some(1), "{name}");
        nothing_is_left(&project, &format!("{name} with {agents} agents"));
    }
}

#[test]
fn an_interrupted_demo_on_the_screen_leaves_no_agents_and_no_folder() {
    // Before the screen opens, and while it is open.
    for (name, agents) in [("-HUP", 0), ("-TERM", 1), ("-INT", 4), ("-HUP", 6)] {
        let project = TestProject::bare_folder();
        let mut demo = ScreenProcess::start(&project, &["demo"]);
        agents_start(&project, agents);
        signal_pid(demo.pid(), name);
        demo.wait_exit(LONG);
        nothing_is_left(&project, &format!("{name} with {agents} agents"));
    }
}

#[test]
fn a_killed_demo_is_cleared_away_by_the_next() {
    let project = TestProject::bare_folder();
    let mut demo = start(&project);
    agents_start(&project, 4);
    signal(&demo, "-KILL");
    demo.wait().unwrap();
    let dead = demos(&project);
    assert_eq!(dead.len(), 1);
    assert!(!project.processes().is_empty(), "nothing to clear away");
    let mut next = start(&project);
    wait_until(
        "the dead demo goes and the next one begins",
        LONG,
        || {
            let now = demos(&project);
            (!now.is_empty() && !now.contains(&dead[0])).then_some(())
        },
        || format!("{:?} {:?}", demos(&project), project.processes()),
    );
    // A demo that runs is left alone.
    let mut third = start(&project);
    wait_until(
        "two demos run",
        LONG,
        || (demos(&project).len() == 2).then_some(()),
        || format!("{:?}", demos(&project)),
    );
    for demo in [&mut next, &mut third] {
        signal(demo, "-TERM");
        assert_eq!(demo.wait().unwrap().code(), Some(1));
    }
    nothing_is_left(&project, "after three demos");
}
