//! Leaving the full screen, or losing its terminal, while branches merge.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::{GROVE, SHORT, ScreenProcess, TestProject, wait_until};

/// A project whose only gate never ends.
fn project() -> TestProject {
    let project = TestProject::initialised();
    let config = project.read(".overstory/config.yaml");
    let gates = "project:
  qualityGates:
    - name: Hangs
      command: exec tail -f /dev/null
      description: never ends
";
    let config = config
        .replace("  qualityGates: []\n", "")
        .replacen("project:\n", gates, 1);
    project.write(".overstory/config.yaml", &config);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Gates"]);
    project
}

/// Queues branches that write a file each.
fn enqueue(project: &TestProject, agents: &[&str]) {
    let queue = grove::db::MergeQueueStore::open(&project.overstory("merge-queue.db")).unwrap();
    for agent in agents {
        let branch = format!("overstory/{agent}/t-{agent}");
        project.git(&["checkout", "-q", "-b", &branch]);
        project.write(&format!("{agent}.txt"), "text\n");
        project.git(&["add", "-A"]);
        project.git(&["commit", "-q", "-m", agent]);
        project.git(&["checkout", "-q", "main"]);
        queue
            .enqueue(&branch, &format!("t-{agent}"), agent, &[])
            .unwrap();
    }
}

fn states(project: &TestProject) -> Vec<String> {
    let rows = project.sql(
        "merge-queue.db",
        "SELECT status FROM merge_queue ORDER BY id",
    );
    rows.into_iter().flatten().collect()
}

fn until_gates_run(project: &TestProject, count: usize) {
    let running = "SELECT queue_id FROM merge_progress WHERE gate = 'Hangs'";
    wait_until(
        "the gates run",
        SHORT,
        || (project.sql("grove.db", running).len() == count).then_some(()),
        || project.report(),
    );
}

fn is_lease_free(project: &TestProject) -> bool {
    let lease = project.overstory("coordinator.lease");
    File::open(lease).map_or(true, |file| file.try_lock_shared().is_ok())
}

/// A grove in a terminal that can be closed at any moment: nothing else holds its other side.
struct Terminal {
    master: File,
    child: Child,
    seen: String,
}

impl Terminal {
    /// With `controls`, grove leads a session whose terminal this is, and is told by a signal when it is
    /// closed; else it has to notice.
    fn open(project: &TestProject, controls: bool) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC);
        let master: OwnedFd = master.unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let size = rustix::termios::Winsize {
            ws_row: 36,
            ws_col: 120,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        rustix::termios::tcsetwinsize(&master, size).unwrap();
        let slave = |name: &str| {
            let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
            Stdio::from(rustix::fs::open(name, flags, rustix::fs::Mode::empty()).unwrap())
        };
        let name = name.to_str().unwrap();
        let mut command = if controls {
            let mut command = project.command("setsid");
            command.args(["--ctty", GROVE]);
            command
        } else {
            project.command(GROVE)
        };
        let child = command
            .stdin(slave(name))
            .stdout(slave(name))
            .stderr(slave(name))
            .spawn()
            .unwrap();
        Self {
            master: File::from(master),
            child,
            seen: String::new(),
        }
    }

    fn until(&mut self, text: &str) {
        let end = Instant::now() + SHORT;
        while !self.seen.contains(text) {
            assert!(Instant::now() < end, "{text:?} is not in {}", self.seen);
            let mut ready = [PollFd::new(&self.master, PollFlags::IN)];
            let pause = Timespec {
                tv_sec: 1,
                tv_nsec: 0,
            };
            if poll(&mut ready, Some(&pause)).unwrap() == 0 {
                continue;
            }
            let mut bytes = [0; 16 * 1024];
            let length = self.master.read(&mut bytes).unwrap();
            self.seen
                .push_str(&String::from_utf8_lossy(&bytes[..length]));
        }
    }

    /// Types, and closes the terminal before anything of it can have been read.
    fn close_after(mut self, keys: &str) -> Child {
        self.master.write_all(keys.as_bytes()).unwrap();
        drop(self.master);
        self.child
    }
}

fn until_ended(child: &mut Child, project: &TestProject, what: &str) {
    let end = Instant::now() + SHORT;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            child.kill().ok();
            child.wait().ok();
            panic!("{what} is still there\n{}", project.report());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_terminal_that_is_closed_at_any_moment_of_leaving_ends_grove() {
    let project = TestProject::initialised();
    for round in 0..10 {
        for controls in [true, false] {
            for keys in ["3:q!\r", "q", ""] {
                let mut terminal = Terminal::open(&project, controls);
                terminal.until("NORMAL");
                let mut child = terminal.close_after(keys);
                let what = format!("round {round}, after {keys:?}, controlled {controls}: grove");
                until_ended(&mut child, &project, &what);
                assert!(is_lease_free(&project), "{what}");
            }
        }
    }
}

#[test]
fn a_closed_terminal_cancels_what_merges_and_gives_the_lease_back() {
    for controls in [true, false] {
        let project = project();
        enqueue(&project, &["ann", "ben"]);
        let before = project.git(&["rev-parse", "main"]);
        let mut terminal = Terminal::open(&project, controls);
        terminal.until("NORMAL");
        until_gates_run(&project, 2);
        assert!(!is_lease_free(&project));
        let mut child = terminal.close_after("");
        until_ended(&mut child, &project, "grove");
        assert!(is_lease_free(&project));
        // Ended in order: nothing was left for the next start to clear up.
        assert_eq!(states(&project), ["pending"; 2]);
        assert_eq!(project.git(&["rev-parse", "main"]), before);
    }
}

#[test]
fn leaving_while_branches_merge_asks_says_what_is_waited_for_and_can_be_cancelled() {
    let project = project();
    enqueue(&project, &["ann", "ben"]);
    let before = project.git(&["rev-parse", "main"]);
    let mut screen = ScreenProcess::start(&project, &[]);
    screen.wait_for("NORMAL", SHORT, || project.report());
    until_gates_run(&project, 2);
    screen.type_keys("3");
    screen.wait_for("Hangs", SHORT, || project.report());
    screen.type_keys("q");
    let asks = "Quit while 2 branches merge?";
    screen.wait_for(asks, SHORT, || project.report());
    // Staying is always possible.
    press_until(&screen, "\x1b", |screen| !screen.shows(asks));
    screen.type_keys("q");
    screen.wait_for(asks, SHORT, || project.report());
    press_until(&screen, "w", |screen| {
        screen.shows("waiting for 2 merges: overstory/ann/t-ann (gate Hangs, 1 of 1)")
    });
    assert!(screen.shows("ctrl-c cancels"), "{}", screen.text());
    screen.type_keys("\x03");
    assert_eq!(screen.wait_exit(SHORT), 0);
    assert_eq!(states(&project), ["pending"; 2]);
    assert_eq!(project.git(&["rev-parse", "main"]), before);

    let mut screen = ScreenProcess::start(&project, &[]);
    screen.wait_for("NORMAL", SHORT, || project.report());
    until_gates_run(&project, 2);
    screen.type_keys("3");
    screen.wait_for("Hangs", SHORT, || project.report());
    screen.type_keys("q");
    screen.wait_for(asks, SHORT, || project.report());
    press_until(&screen, "c", |screen| !screen.in_alternate_screen());
    assert_eq!(screen.wait_exit(SHORT), 0);
    assert_eq!(states(&project), ["pending"; 2]);
    assert_eq!(project.git(&["rev-parse", "main"]), before);
}

/// A dialog takes no keys in its first moment: what was typed before was not meant for it.
fn press_until(screen: &ScreenProcess, key: &str, is_done: impl Fn(&ScreenProcess) -> bool) {
    wait_until(
        &format!("{key:?} does something"),
        SHORT,
        || {
            let done = is_done(screen);
            if !done {
                screen.type_keys(key);
            }
            done.then_some(())
        },
        || screen.text(),
    );
}

#[test]
fn a_merge_under_way_is_cancelled_from_the_queue() {
    let project = project();
    enqueue(&project, &["ann"]);
    let before = project.git(&["rev-parse", "main"]);
    let screen = ScreenProcess::start(&project, &[]);
    screen.wait_for("NORMAL", SHORT, || project.report());
    until_gates_run(&project, 1);
    screen.type_keys("3");
    screen.wait_for("Hangs", SHORT, || project.report());
    screen.type_keys("x");
    screen.wait_for("was cancelled", SHORT, || project.report());
    wait_until(
        "it stays until somebody wants it again",
        SHORT,
        || (states(&project) == ["failed"]).then_some(()),
        || project.report(),
    );
    assert_eq!(project.git(&["rev-parse", "main"]), before);
    screen.type_keys("M");
    until_gates_run(&project, 1);
    screen.wait_for("merging ann", SHORT, || project.report());
    // The merge that was asked for here is what ctrl-c cancels first.
    screen.type_keys("\x03");
    screen.wait_for("merge of overstory/ann/t-ann was cancelled", SHORT, || {
        project.report()
    });
    assert!(screen.in_alternate_screen());
}

#[test]
fn a_loop_that_is_stopped_does_not_wait_for_gates_and_their_branch_waits_for_the_next_loop() {
    let project = project();
    enqueue(&project, &["ann"]);
    project.grove_ok(&["coordinator", "start", "--no-attach"]);
    until_gates_run(&project, 1);
    project.grove_ok(&["coordinator", "stop"]);
    assert_eq!(states(&project), ["pending"]);
    assert!(is_lease_free(&project));
}

#[test]
fn a_paused_queue_ends_the_gates_of_the_loop_and_what_they_tested_waits() {
    let project = project();
    enqueue(&project, &["ann", "ben"]);
    project.grove_ok(&["coordinator", "start", "--no-attach"]);
    until_gates_run(&project, 2);
    let paths = grove::platform::ProjectPaths::new(project.root());
    grove::coordinator::queue::set_paused(&paths, true).unwrap();
    let waits = || (states(&project) == ["pending", "pending"]).then_some(());
    wait_until("both wait again", SHORT, waits, || project.report());
    project.grove_ok(&["coordinator", "stop"]);
}
