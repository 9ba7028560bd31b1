//! The merge queue, seen through the engine of the screen: real repositories, real gates, merges of
//! this process and of others. A gate waits for a word in a pipe, so that nothing depends on time.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use grove::engine::command::{Command, CommandId, Request};
use grove::engine::event::{EngineEvent, EngineHandle};
use grove::engine::review::ReviewView;
use grove::engine::view::{
    AttemptView, MergeState, MergeStep, MergeView, ProjectView, UndoView, UndoWay,
};
use grove::engine::{self, EngineOptions};

use crate::support::{GROVE, SHORT, TestProject, kill_9, wait_until};

/// A project with two gates; the second one waits for its pipe and is red if it reads `red`.
pub(crate) fn project() -> TestProject {
    let project = TestProject::initialised();
    let pipe = pipe(&project);
    project.git(&["config", "user.name", "Tester"]);
    project.git(&["config", "user.email", "tester@example.org"]);
    fresh_pipe(&project);
    let script = format!(
        "#!/bin/sh\n[ -e {}/open ] && exit 0\nread word < {}\necho heard $word\n[ \"$word\" != red ]\n",
        project.beside().display(),
        pipe.display()
    );
    project.write("wait.sh", &script);
    let config = project.read(".overstory/config.yaml");
    let gates = "project:
  qualityGates:
    - name: Quick
      command: \"true\"
      description: at once
    - name: Slow
      command: sh wait.sh
      description: waits
";
    assert!(!config.contains("qualityGates:\n    - "), "{config}");
    let config = config
        .replace("  qualityGates: []\n", "")
        .replacen("project:\n", gates, 1);
    project.write(".overstory/config.yaml", &config);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Gates"]);
    project
}

fn pipe(project: &TestProject) -> PathBuf {
    project.beside().join("pipe")
}

fn fresh_pipe(project: &TestProject) {
    std::fs::remove_file(pipe(project)).ok();
    let made = project.command("mkfifo").arg(pipe(project)).status();
    assert!(made.unwrap().success());
}

/// Lets one waiting gate go on. Opening the pipe waits for the gate to be there.
pub(crate) fn say(project: &TestProject, word: &str) {
    let mut file = std::fs::File::options()
        .write(true)
        .open(pipe(project))
        .unwrap();
    writeln!(file, "{word}").unwrap();
}

/// A branch that writes one file, queued as an agent's.
pub(crate) fn branch(project: &TestProject, agent: &str, file: &str, text: &str) -> String {
    let name = format!("overstory/{agent}/t-{agent}");
    let worktree = project.beside().join(agent);
    let path = worktree.to_str().unwrap().to_owned();
    project.git(&["worktree", "add", "-q", "-b", &name, &path, "main"]);
    std::fs::write(worktree.join(file), text).unwrap();
    project.git_in(&worktree, &["add", "-A"]);
    project.git_in(&worktree, &["commit", "-q", "-m", file]);
    project.git(&["worktree", "remove", "--force", &path]);
    name
}

/// Queues branches without landing them: nothing else puts a row into the queue by hand.
pub(crate) fn enqueue(project: &TestProject, branches: &[&str]) {
    let queue = grove::db::MergeQueueStore::open(&project.overstory("merge-queue.db")).unwrap();
    for branch in branches {
        let mut parts = branch.split('/').skip(1);
        let (agent, task) = (parts.next().unwrap(), parts.next().unwrap());
        queue.enqueue(branch, task, agent, &[]).unwrap();
    }
}

/// The engine as a screen has it, and what it has said last.
pub(crate) struct Screen {
    handle: Option<EngineHandle>,
    thread: Option<std::thread::JoinHandle<()>>,
    pub(crate) merges: Vec<MergeView>,
    pub(crate) project: ProjectView,
    pub(crate) review: Option<Box<ReviewView>>,
    pub(crate) accepted: Option<Result<String, String>>,
    undo: Option<UndoView>,
    attempts: Vec<AttemptView>,
    done: Vec<(CommandId, Result<String, String>)>,
    next: u64,
}

impl Screen {
    pub(crate) fn open(project: &TestProject, look_only: bool) -> Self {
        let options = EngineOptions {
            root: project.root(),
            look_only,
            call_off: grove::merge::CallOff::default(),
        };
        let (handle, thread) = engine::start(options).unwrap();
        let mut screen = Self {
            handle: Some(handle),
            thread: Some(thread),
            merges: Vec::new(),
            project: ProjectView::default(),
            review: None,
            accepted: None,
            undo: None,
            attempts: Vec::new(),
            done: Vec::new(),
            next: 0,
        };
        screen.until("the project is known", |s| !s.project.name.is_empty());
        screen
    }

    pub(crate) fn ask(&mut self, command: Command) -> CommandId {
        self.next += 1;
        let id = CommandId(self.next);
        let handle = self.handle.as_ref().unwrap();
        handle
            .commands
            .blocking_send(Request { id, command })
            .unwrap();
        id
    }

    /// Takes events until something holds.
    pub(crate) fn until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let end = std::time::Instant::now() + SHORT;
        while !holds(self) {
            match self.handle.as_mut().unwrap().events.try_recv() {
                Ok(EngineEvent::Merge(merges)) => self.merges = merges,
                Ok(EngineEvent::Project(project)) => self.project = project,
                Ok(EngineEvent::Review { result, .. }) => self.review = Some(result.unwrap()),
                Ok(EngineEvent::Accepted { result, .. }) => self.accepted = Some(result),
                Ok(EngineEvent::Undo(view)) => self.undo = Some(view),
                Ok(EngineEvent::Attempts { attempts, .. }) => self.attempts = attempts,
                Ok(EngineEvent::CommandDone { id, result }) => self.done.push((id, result)),
                Ok(_) => {}
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
            assert!(
                std::time::Instant::now() < end,
                "did not happen: {what}\n{:#?}\n{:?}",
                self.merges,
                self.done
            );
        }
    }

    pub(crate) fn answer(&mut self, id: CommandId) -> Result<String, String> {
        self.until("an answer", |s| s.done.iter().any(|(d, _)| *d == id));
        let found = self.done.iter().find(|(d, _)| *d == id);
        found.unwrap().1.clone()
    }

    pub(crate) fn of(&self, agent: &str) -> Option<&MergeView> {
        self.merges.iter().find(|m| m.agent == agent)
    }

    pub(crate) fn state(&self, agent: &str) -> Option<MergeState> {
        self.of(agent).map(|m| m.state)
    }

    pub(crate) fn running(&self, agent: &str) -> Option<&str> {
        self.of(agent)?.gates.as_ref()?.current.as_deref()
    }

    fn order(&self) -> Vec<&str> {
        self.merges.iter().map(|m| m.agent.as_str()).collect()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        drop(self.handle.take());
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

pub(crate) fn merge_in_terminal(project: &TestProject, args: &[&str]) -> Child {
    let mut command = project.command(GROVE);
    command
        .arg("merge")
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

pub(crate) fn tree(project: &TestProject) -> (String, String) {
    (
        project.git(&["rev-parse", "main"]),
        project.git(&["rev-parse", "main^{tree}"]),
    )
}

#[test]
fn gates_are_seen_while_they_run_and_the_receipt_after() {
    let project = project();
    let branch = branch(&project, "ann", "ann.txt", "one\ntwo\n");
    let mut screen = Screen::open(&project, false);
    screen.ask(Command::PauseMerges { paused: true });
    screen.until("the pause is shown", |s| {
        s.project.merge_paused_ms.is_some()
    });
    enqueue(&project, &[&branch]);
    screen.until("it waits", |s| s.state("ann") == Some(MergeState::Pending));
    let asked = screen.ask(Command::MergeNow { branch });
    screen.until("the second gate runs", |s| s.running("ann") == Some("Slow"));
    let gates = screen.of("ann").unwrap().gates.clone().unwrap();
    assert_eq!((gates.done, gates.total, gates.elsewhere), (1, 2, None));
    assert_eq!(gates.step, MergeStep::Gates);
    assert!(gates.began_ms > 0 && gates.since_ms >= gates.began_ms);
    say(&project, "green");
    screen.answer(asked).unwrap();
    screen.until("it has landed", |s| {
        s.state("ann") == Some(MergeState::Merged)
    });
    screen.until("nothing runs", |s| s.of("ann").unwrap().gates.is_none());
    let receipt = screen.of("ann").unwrap().receipt.clone().unwrap();
    assert_eq!(receipt.commit, tree(&project).0);
    assert_eq!(receipt.displaced, 0);
    let names: Vec<&str> = receipt.gates.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["Quick", "Slow"]);
}

#[test]
fn a_red_gate_is_told_with_the_end_of_its_output_and_can_be_tried_again() {
    let project = project();
    let branch = branch(&project, "ann", "ann.txt", "one\n");
    let before = tree(&project);
    let mut screen = Screen::open(&project, false);
    enqueue(&project, &[&branch]);
    screen.until("the loop merges it", |s| s.running("ann") == Some("Slow"));
    say(&project, "red");
    screen.until("it has failed", |s| {
        s.state("ann") == Some(MergeState::Failed)
    });
    let red = screen.of("ann").unwrap().red_gate.clone().unwrap();
    assert_eq!(
        (red.name.as_str(), red.how.as_str()),
        ("Slow", "exit code 1")
    );
    assert_eq!(red.tail, ["heard red"]);
    assert_eq!(tree(&project), before);
    // The loop tells of it a moment before it lets the target go.
    screen.until("nobody merges", |_| {
        grove::merge::held_since(&project.root(), "main").is_none()
    });
    let again = screen.ask(Command::MergeNow {
        branch: branch.clone(),
    });
    screen.until("it is tried again", |s| s.running("ann") == Some("Slow"));
    say(&project, "red");
    let why = screen.answer(again).unwrap_err();
    assert!(why.contains("gate Slow is red"), "{why}");
}

#[test]
fn the_merge_of_a_command_line_is_seen_live_and_not_after_it_was_killed() {
    let project = project();
    let branch = branch(&project, "ann", "ann.txt", "one\n");
    let mut screen = Screen::open(&project, true);
    let mut other = merge_in_terminal(&project, &["--branch", &branch]);
    screen.until("its second gate runs", |s| s.running("ann") == Some("Slow"));
    let gates = screen.of("ann").unwrap().gates.clone().unwrap();
    assert_eq!(gates.elsewhere, Some(other.id()));
    assert_eq!((gates.done, gates.total), (1, 2));

    kill_9(i64::from(other.id()));
    other.wait().unwrap();
    screen.until("its progress is gone", |s| {
        s.of("ann").unwrap().gates.is_none()
    });
    drop(screen);
    // The killed one's gate still sits at the pipe: the next one gets a pipe of its own.
    fresh_pipe(&project);
    // The next one that coordinates finds the entry and lands it.
    let mut screen = Screen::open(&project, false);
    screen.until("it is merged again", |s| s.running("ann") == Some("Slow"));
    assert_eq!(
        screen.of("ann").unwrap().gates.as_ref().unwrap().elsewhere,
        None
    );
    say(&project, "green");
    screen.until("it has landed", |s| {
        s.state("ann") == Some(MergeState::Merged)
    });
}

#[test]
fn order_and_pause_are_kept_and_honoured_by_a_coordinator_without_a_screen() {
    let project = project();
    let names = ["ann", "ben", "cat"];
    let branches = names.map(|n| branch(&project, n, &format!("{n}.txt"), "x\n"));
    let mut screen = Screen::open(&project, true);
    let pause = screen.ask(Command::PauseMerges { paused: true });
    screen.answer(pause).unwrap();
    let all: Vec<&str> = branches.iter().map(String::as_str).collect();
    enqueue(&project, &all);
    screen.until("all wait", |s| s.order() == names);
    let last = screen.of("cat").unwrap().id;
    for _ in 0..2 {
        let moved = screen.ask(Command::ReorderMerge {
            id: last,
            earlier: true,
        });
        screen.answer(moved).unwrap();
    }
    screen.until("cat is first", |s| s.order() == ["cat", "ann", "ben"]);
    let no = screen.ask(Command::ReorderMerge {
        id: last,
        earlier: true,
    });
    assert!(screen.answer(no).is_err());
    drop(screen);

    project.grove_ok(&["coordinator", "start", "--no-attach"]);
    let mut screen = Screen::open(&project, false);
    assert!(screen.project.merge_paused_ms.is_some());
    screen.until("the order is still there", |s| {
        s.order() == ["cat", "ann", "ben"]
    });
    let waits = |s: &Screen| s.merges.iter().all(|m| m.state == MergeState::Pending);
    // Whatever the coordinator does about this, landing is not among it.
    project.grove_ok(&[
        "mail",
        "send",
        "--to",
        "coordinator",
        "--subject",
        "x",
        "--body",
        "x",
    ]);
    assert!(waits(&screen), "{:?}", screen.merges);
    let refused = screen.ask(Command::MergeNow {
        branch: branches[1].clone(),
    });
    assert!(screen.answer(refused).unwrap_err().contains("paused"));
    assert!(waits(&screen), "{:?}", screen.merges);

    // All are tested at the same time; they land in the order of the queue.
    std::fs::write(project.beside().join("open"), "").unwrap();
    let resume = screen.ask(Command::PauseMerges { paused: false });
    screen.answer(resume).unwrap();
    screen.until("all have landed", |s| {
        s.merges.len() == 3 && s.merges.iter().all(|m| m.state == MergeState::Merged)
    });
    let log = project.git(&["log", "--first-parent", "--reverse", "--format=%s", "main"]);
    let landed: Vec<&str> = log.lines().filter(|l| l.starts_with("Merge")).collect();
    let at = |agent: &str| landed.iter().position(|l| l.contains(agent)).unwrap();
    assert!(at("cat") < at("ann") && at("ann") < at("ben"), "{landed:?}");
    project.grove_ok(&["coordinator", "stop"]);
}

#[test]
fn a_dropped_branch_comes_back_to_its_place() {
    let project = project();
    let branches = ["ann", "ben"].map(|n| branch(&project, n, &format!("{n}.txt"), "x\n"));
    let mut screen = Screen::open(&project, true);
    enqueue(&project, &[&branches[0], &branches[1]]);
    screen.until("both wait", |s| s.order() == ["ann", "ben"]);
    let before = screen.of("ann").unwrap().clone();
    let dropped = screen.ask(Command::DropMerge {
        branch: branches[0].clone(),
    });
    screen.answer(dropped).unwrap();
    screen.until("it is gone", |s| s.order() == ["ben"]);
    assert!(project.has_revision(&branches[0]));
    let back = screen.ask(Command::RestoreMerge { id: before.id });
    screen.answer(back).unwrap();
    screen.until("it is back", |s| s.order() == ["ann", "ben"]);
    assert_eq!(screen.of("ann"), Some(&before));
    let twice = screen.ask(Command::RestoreMerge { id: before.id });
    assert!(screen.answer(twice).is_err());
}

#[test]
fn an_undo_gives_back_exactly_what_was_there() {
    let project = project();
    let branch = branch(&project, "ann", "ann.txt", "one\n");
    let before = tree(&project);
    let mut screen = Screen::open(&project, false);
    enqueue(&project, &[&branch]);
    say(&project, "green");
    screen.until("it has landed", |s| {
        s.state("ann") == Some(MergeState::Merged)
    });
    let landed = tree(&project);
    let id = screen.of("ann").unwrap().id;
    let planned = screen.ask(Command::PlanUndo { id });
    screen.answer(planned).unwrap();
    screen.until("what it takes is told", |s| s.undo.is_some());
    let view = screen.undo.take().unwrap();
    assert_eq!(view.from, landed.0);
    assert_eq!(
        view.way,
        UndoWay::Exact {
            to: before.0.clone()
        }
    );
    assert_eq!(view.files, ["ann.txt"]);
    assert_eq!(tree(&project), landed, "looking changes nothing");
    // The train that landed it gives the lock back a moment after it has told.
    let lock = project.overstory("merge-main.lock");
    screen.until("the lock is free", |_| !lock.exists());
    let undone = screen.ask(Command::UndoMerge { id, revert: None });
    screen.answer(undone).unwrap();
    assert_eq!(tree(&project), before);
    assert!(!project.root().join("ann.txt").exists());
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    screen.until("the row says so", |s| {
        s.of("ann").is_some_and(|m| m.undone_ms.is_some())
    });
}

#[test]
fn when_the_target_has_moved_a_revert_is_shown_and_lands_after_its_gates() {
    let project = project();
    let branch = branch(&project, "ann", "ann.txt", "one\n");
    let mut screen = Screen::open(&project, false);
    enqueue(&project, &[&branch]);
    say(&project, "green");
    screen.until("it has landed", |s| {
        s.state("ann") == Some(MergeState::Merged)
    });
    project.write("later.txt", "later\n");
    project.git(&["add", "later.txt"]);
    project.git(&["commit", "-q", "-m", "Later work"]);
    let id = screen.of("ann").unwrap().id;
    screen.ask(Command::PlanUndo { id });
    screen.until("what it takes is told", |s| s.undo.is_some());
    let view = screen.undo.take().unwrap();
    let UndoWay::Revert {
        commit,
        on_top,
        patch,
    } = view.way
    else {
        panic!("not a revert: {:?}", view.way)
    };
    assert_eq!(on_top, 1);
    assert!(
        patch.iter().any(|line| line.contains("ann.txt")),
        "{patch:?}"
    );
    let lock = project.overstory("merge-main.lock");
    screen.until("the lock is free", |_| !lock.exists());
    let undone = screen.ask(Command::UndoMerge {
        id,
        revert: Some(commit.clone()),
    });
    screen.until("its gate runs", |s| s.running("ann") == Some("Slow"));
    let step = screen.of("ann").unwrap().gates.as_ref().unwrap().step;
    assert_eq!(step, MergeStep::Reverting);
    say(&project, "green");
    screen.answer(undone).unwrap();
    assert_eq!(tree(&project).0, commit);
    assert!(!project.root().join("ann.txt").exists());
    assert_eq!(project.read("later.txt"), "later\n");
    screen.until("the row names the revert", |s| {
        s.of("ann").unwrap().revert.as_deref() == Some(&commit)
    });
    screen.ask(Command::MergeHistory { id });
    screen.until("the attempts are told", |s| !s.attempts.is_empty());
    let [attempt] = screen.attempts.as_slice() else {
        panic!("one landing is one attempt: {:#?}", screen.attempts)
    };
    assert_eq!(attempt.revert.as_deref(), Some(commit.as_str()));
    assert!(attempt.commit.is_some() && attempt.why.is_none());
}

#[test]
fn a_dry_run_and_the_agents_at_the_same_lines_are_known_while_somebody_looks() {
    let project = project();
    project.write("soup.md", "one\ntwo\nthree\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Soup"]);
    let clean = branch(&project, "ann", "ann.txt", "one\n");
    let rival = branch(&project, "ben", "soup.md", "one\nTWO\nthree\n");
    project.write("soup.md", "one\n2\nthree\n");
    project.git(&["commit", "-q", "-am", "Our soup"]);
    let mut screen = Screen::open(&project, true);
    enqueue(&project, &[&clean, &rival]);
    screen.until("both wait", |s| s.merges.len() == 2);
    assert!(screen.merges.iter().all(|m| m.forecast.is_none()));
    let objects = || project.git(&["count-objects", "-v"]);
    let before = objects();
    screen.ask(Command::WatchMerges { on: true });
    screen.until("both are foreseen", |s| {
        s.merges.iter().all(|m| m.forecast.is_some())
    });
    let ann = screen.of("ann").unwrap().forecast.clone().unwrap();
    assert_eq!(ann.tier.as_deref(), Some("clean-merge"));
    assert!(ann.is_clean());
    assert_eq!(ann.changes[0].lines, Some((1, 0)));
    let ben = screen.of("ben").unwrap().forecast.clone().unwrap();
    assert_eq!(ben.displaced.len(), 1);
    assert_eq!(ben.displaced[0].file, "soup.md");
    assert_eq!(ben.conflict_files, ["soup.md"]);
    assert_eq!(objects(), before, "looking ahead leaves nothing behind");
}

#[test]
fn all_that_is_clean_lands_and_both_sides_of_the_rest_can_be_kept() {
    let project = project();
    project.write("soup.md", "one\ntwo\nthree\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Soup"]);
    let clean = branch(&project, "ann", "ann.txt", "one\n");
    let rival = branch(&project, "ben", "soup.md", "one\nTWO\nthree\n");
    project.write("soup.md", "one\n2\nthree\n");
    project.git(&["commit", "-q", "-am", "Our soup"]);
    let mut screen = Screen::open(&project, false);
    let pause = screen.ask(Command::PauseMerges { paused: true });
    screen.answer(pause).unwrap();
    enqueue(&project, &[&clean, &rival]);
    screen.until("both wait", |s| s.merges.len() == 2);
    let all = screen.ask(Command::MergeClean);
    say(&project, "green");
    let told = screen.answer(all).unwrap();
    assert!(
        told.contains("1 of 1 merged") && told.contains(&rival),
        "{told}"
    );
    screen.until("one has landed", |s| {
        s.state("ann") == Some(MergeState::Merged)
    });
    assert_eq!(screen.state("ben"), Some(MergeState::Pending));
    let none = screen.ask(Command::MergeClean);
    assert!(
        screen
            .answer(none)
            .unwrap_err()
            .contains("nothing that waits is clean")
    );

    let now = screen.ask(Command::MergeNow {
        branch: rival.clone(),
    });
    assert!(screen.answer(now).unwrap_err().contains("held: 1 line"));
    screen.until("it is for review", |s| {
        s.state("ben") == Some(MergeState::Review)
    });
    let both = screen.ask(Command::KeepBoth { branch: rival });
    screen.until("its gate runs", |s| s.running("ben") == Some("Slow"));
    say(&project, "green");
    screen.answer(both).unwrap();
    assert_eq!(project.read("soup.md"), "one\n2\nTWO\nthree\n");
}

#[test]
fn a_loop_with_a_screen_waits_for_the_merge_of_a_command_line() {
    let project = project();
    let branches = ["ann", "ben"].map(|n| branch(&project, n, &format!("{n}.txt"), "x\n"));
    let mut other = merge_in_terminal(&project, &["--branch", &branches[0]]);
    let mut screen = Screen::open(&project, false);
    screen.until("ann is tested", |s| s.running("ann") == Some("Slow"));
    enqueue(&project, &[&branches[1]]);
    screen.until("ben waits", |s| s.state("ben") == Some(MergeState::Pending));
    say(&project, "green");
    assert!(other.wait().unwrap().success());
    screen.until("then ben is merged", |s| s.running("ben") == Some("Slow"));
    say(&project, "green");
    screen.until("both have landed", |s| {
        s.merges.iter().all(|m| m.state == MergeState::Merged)
    });
    wait_until(
        "the loop is through",
        SHORT,
        || {
            project
                .sql("grove.db", "SELECT queue_id FROM merge_progress")
                .is_empty()
                .then_some(())
        },
        || project.report(),
    );
}
