//! The review through the engine that the full screen talks to: a real repository, a real queue.

use std::thread::JoinHandle;

use grove::db::MergeQueueStore;
use grove::engine::command::{Command, CommandId, Request};
use grove::engine::event::{EngineEvent, EngineHandle, Level};
use grove::engine::review::{Decision, ReviewView};
use grove::engine::view::UndoWay;
use grove::engine::{EngineOptions, start};
use grove::merge::size;
use grove::platform::ProjectPaths;
use grove::types::merge::{MergeStatus, MergeTier};

use crate::support::{BRANCH, GONE, Sandbox, text};

/// An engine on a sandbox, and the number of the branch in the queue.
pub(crate) struct Front {
    handle: Option<EngineHandle>,
    thread: Option<JoinHandle<()>>,
    next: u64,
}

impl Front {
    pub(crate) fn on(sandbox: &Sandbox) -> Self {
        Self::started(sandbox, true)
    }

    fn started(sandbox: &Sandbox, look_only: bool) -> Self {
        let options = EngineOptions {
            root: sandbox.root().to_path_buf(),
            look_only,
            call_off: grove::merge::CallOff::default(),
        };
        let (handle, thread) = start(options).unwrap();
        Self {
            handle: Some(handle),
            thread: Some(thread),
            next: 1,
        }
    }

    fn send(&mut self, command: Command) -> CommandId {
        let id = CommandId(self.next);
        self.next += 1;
        let handle = self.handle.as_mut().unwrap();
        handle
            .commands
            .blocking_send(Request { id, command })
            .unwrap();
        id
    }

    pub(crate) fn wait<T>(&mut self, mut wanted: impl FnMut(EngineEvent) -> Option<T>) -> T {
        loop {
            let event = self.handle.as_mut().unwrap().events.blocking_recv();
            if let Some(found) = wanted(event.expect("the engine ended")) {
                return found;
            }
        }
    }

    pub(crate) fn load(&mut self, id: i64) -> ReviewView {
        self.send(Command::Review { id });
        self.wait(|event| match event {
            EngineEvent::Review { result, .. } => Some(*result.unwrap()),
            _ => None,
        })
    }

    pub(crate) fn decide(&mut self, id: i64, place: &str, decision: Decision) {
        let sent = self.send(Command::Decide {
            id,
            place: place.to_owned(),
            decision: Some(decision),
        });
        assert_eq!(self.done(sent), Ok(String::new()));
    }

    fn done(&mut self, sent: CommandId) -> Result<String, String> {
        self.wait(|event| match event {
            EngineEvent::CommandDone { id, result } if id == sent => Some(result),
            _ => None,
        })
    }

    /// The outer error is a review of what has moved.
    pub(crate) fn accept(
        &mut self,
        view: &ReviewView,
        decisions: Vec<(String, Decision)>,
    ) -> Result<Result<String, String>, Box<ReviewView>> {
        self.send(Command::AcceptReview {
            id: view.id,
            target_tip: view.target_tip.clone(),
            branch_tip: view.branch_tip.clone(),
            decisions,
        });
        self.wait(|event| match event {
            EngineEvent::Accepted { result, .. } => Some(Ok(result)),
            EngineEvent::Review { result, .. } => Some(Err(result.unwrap())),
            _ => None,
        })
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.handle = None;
        self.thread.take().unwrap().join().unwrap();
    }
}

/// A held merge: two contested places, and a file that the branch deleted.
pub(crate) fn held() -> (Sandbox, i64) {
    let base = "a\nb\nc\nd\ne\nf\ng\n";
    let sandbox = Sandbox::new(&[("f", base), ("gone", "x\n"), ("bytes", "\u{0}\u{1}old\n")]);
    let theirs = base
        .replace("b\n", "b theirs\n")
        .replace("f\n", "f theirs\n");
    sandbox.commit(BRANCH, &[("f", text(&theirs)), ("gone", GONE)], "theirs");
    let ours = base.replace("b\n", "b ours\n").replace("f\n", "f ours\n");
    let changes = [("f", text(&ours)), ("gone", text("x\ny\n"))];
    sandbox.commit("main", &changes, "ours");
    gated(&sandbox, "fine", "true");
    let id = queued(&sandbox);
    (sandbox, id)
}

/// The entry of the branch, held.
fn queued(sandbox: &Sandbox) -> i64 {
    let paths = ProjectPaths::new(sandbox.root().to_path_buf());
    let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
    queue
        .enqueue(BRANCH, "t-1", "ann", &["f".to_owned()])
        .unwrap();
    let id = queue.by_branch(BRANCH).unwrap().unwrap().id;
    let from = [MergeStatus::Pending];
    let tier = Some(MergeTier::AutoResolve);
    assert!(
        queue
            .change_status(id, &from, MergeStatus::Conflict, tier)
            .unwrap()
    );
    id
}

#[test]
fn ends_in_the_same_words_come_with_whose_they_are_and_where() {
    // Git itself takes the two ends for one, where it finds no conflict in the file.
    let sandbox = Sandbox::new(&[("f.rb", "a\nb\nc\nd\ne\n")]);
    let theirs = "a\nif y\nb\nend\nc\nd\ne ann\n";
    sandbox.commit(BRANCH, &[("f.rb", text(theirs))], "theirs");
    let ours = "if x\na\nb\nend\nc\nd\ne bob\n";
    sandbox.commit("main", &[("f.rb", text(ours))], "ours");
    gated(&sandbox, "fine", "true");
    let report = sandbox.merge();
    assert_eq!(size(&report.displaced[0]), "one of two in the same words");
    let mut front = Front::on(&sandbox);
    let id = queued(&sandbox);
    let view = front.load(id);
    let [place, last] = view.places.as_slice() else {
        panic!("{view:#?}");
    };
    assert!(place.is_alike() && !last.is_alike(), "{view:#?}");
    assert_eq!((place.ours.first, place.theirs.first), (Some(4), Some(4)));
    let decisions = all(&view, &[Decision::Both, Decision::Theirs]);
    front.accept(&view, decisions).unwrap().unwrap();
    assert_eq!(
        sandbox.show("main", "f.rb"),
        "if x\na\nif y\nb\nend\nend\nc\nd\ne ann\n"
    );
}

/// Configures the project with one quality gate.
fn gated(sandbox: &Sandbox, name: &str, command: &str) {
    let gate = format!("    - name: {name}\n      command: {command}\n      description: gate\n");
    let project = "project:\n  name: x\n  canonicalBranch: main\n  qualityGates:\n";
    let config = format!("{project}{gate}merge:\n  gateRetries: 0\n");
    sandbox.write(".overstory/config.yaml", &config);
}

fn status(sandbox: &Sandbox) -> MergeStatus {
    let paths = ProjectPaths::new(sandbox.root().to_path_buf());
    let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
    queue.by_branch(BRANCH).unwrap().unwrap().entry.status
}

pub(crate) fn all(view: &ReviewView, decisions: &[Decision]) -> Vec<(String, Decision)> {
    assert_eq!(view.places.len(), decisions.len());
    let keys = view.places.iter().map(|place| place.key.clone());
    keys.zip(decisions.iter().cloned()).collect()
}

/// Every file of the checkout with its bytes.
fn checkout(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    let files = sandbox.files("main");
    let read = |file: &String| std::fs::read(sandbox.root().join(file)).unwrap();
    files
        .into_iter()
        .map(|file| (file.clone(), read(&file)))
        .collect()
}

#[test]
fn what_lands_when_the_screen_opens_is_told_before_and_after() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(BRANCH, &[("a", text("a2\n"))], "work");
    sandbox.write(
        ".overstory/config.yaml",
        "project:\n  name: x\n  canonicalBranch: main\n  qualityGates: []\n",
    );
    let paths = ProjectPaths::new(sandbox.root().to_path_buf());
    let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
    queue.enqueue(BRANCH, "t-1", "ann", &[]).unwrap();
    let mut front = Front::started(&sandbox, false);
    let mut told = || {
        front.wait(|event| match event {
            EngineEvent::Toast { level, text } => Some((level, text)),
            _ => None,
        })
    };
    let begun = format!("merging what waits into main: {BRANCH}");
    assert_eq!(told(), (Level::Info, begun));
    assert_eq!(told(), (Level::Info, format!("{BRANCH} → main: merged")));
    assert_eq!(sandbox.show("main", "a"), "a2\n");
}

#[test]
fn accept_is_impossible_until_each_place_is_decided_and_undo_restores_main_byte_for_byte() {
    let (sandbox, id) = held();
    let before = (sandbox.tip("main"), checkout(&sandbox), sandbox.status());
    let mut front = Front::on(&sandbox);
    let view = front.load(id);
    assert_eq!(view.places[0].ours.lines[0].text, "b ours");
    assert_eq!(view.places[0].ours.before.last().unwrap().text, "a");

    let full = all(&view, &[Decision::Both, Decision::Theirs, Decision::Ours]);
    for missing in 0..full.len() {
        let mut some = full.clone();
        some.remove(missing);
        let refused = front.accept(&view, some).unwrap().unwrap_err();
        assert!(refused.contains("has no decision yet"), "{refused}");
        assert_eq!(sandbox.tip("main"), before.0);
        assert_eq!(status(&sandbox), MergeStatus::Conflict);
    }
    let landed = front.accept(&view, full).unwrap().unwrap();
    assert!(landed.starts_with("landed on main as "), "{landed}");
    assert_eq!(
        sandbox.read("f"),
        "a\nb ours\nb theirs\nc\nd\ne\nf theirs\ng\n"
    );
    assert_eq!(sandbox.read("gone"), "x\ny\n");
    assert_eq!(status(&sandbox), MergeStatus::Merged);

    let undo = front.send(Command::UndoMerge { id, revert: None });
    let said = front.done(undo).unwrap();
    assert!(said.contains("byte for byte"), "{said}");
    assert_eq!(
        (sandbox.tip("main"), checkout(&sandbox), sandbox.status()),
        before
    );
    assert_eq!(status(&sandbox), MergeStatus::Failed);
    assert_eq!(front.load(id).places.len(), 3, "it can be reviewed again");
}

#[test]
fn decisions_survive_the_end_of_the_program() {
    let (sandbox, id) = held();
    let written = Decision::Text {
        text: "f of both\n\ttabbed\n".to_owned(),
        proposed: false,
    };
    let mut front = Front::on(&sandbox);
    let view = front.load(id);
    front.decide(id, &view.places[0].key, Decision::Ours);
    front.decide(id, &view.places[0].key, Decision::BothReversed);
    front.decide(id, &view.places[1].key, written.clone());
    drop(front);

    let again = Front::on(&sandbox).load(id);
    let decisions: Vec<_> = again
        .places
        .into_iter()
        .map(|place| place.decision)
        .collect();
    assert_eq!(
        decisions,
        [Some(Decision::BothReversed), Some(written), None]
    );
}

#[test]
fn a_target_that_has_moved_is_said_and_loaded_and_nothing_lands() {
    let (sandbox, id) = held();
    let mut front = Front::on(&sandbox);
    let view = front.load(id);
    let decisions = all(&view, &[Decision::Ours, Decision::Ours, Decision::Ours]);
    for (key, decision) in &decisions {
        front.decide(id, key, decision.clone());
    }
    let now = "a\nb ours again\nc\nd\ne\nf ours\ng\n";
    sandbox.commit("main", &[("f", text(now))], "main goes on");
    let tip = sandbox.tip("main");

    let moved = front.accept(&view, decisions).unwrap_err();
    let said = moved.moved.clone().unwrap();
    assert_eq!(said, "main has moved, nothing landed: one place is new");
    assert_eq!(sandbox.tip("main"), tip);
    assert_eq!(status(&sandbox), MergeStatus::Conflict);
    let kept: Vec<bool> = moved.places.iter().map(|p| p.decision.is_some()).collect();
    assert_eq!(
        kept,
        [false, true, true],
        "only what has changed is open again"
    );
    let decisions = all(&moved, &[Decision::Ours, Decision::Ours, Decision::Ours]);
    assert!(front.accept(&moved, decisions).unwrap().is_ok());
    assert_eq!(sandbox.read("f"), now);
}

#[test]
fn a_red_gate_lands_nothing_and_is_named() {
    let (sandbox, id) = held();
    gated(&sandbox, "never", "exit 3");
    let tip = sandbox.tip("main");
    let mut front = Front::on(&sandbox);
    let view = front.load(id);
    let decisions = all(
        &view,
        &[Decision::Theirs, Decision::Theirs, Decision::Theirs],
    );
    let refused = front.accept(&view, decisions).unwrap().unwrap_err();
    assert!(refused.contains("quality gate never"), "{refused}");
    assert_eq!(sandbox.tip("main"), tip);
}

#[test]
fn a_merge_with_work_on_top_is_reverted_only_after_it_was_shown() {
    let (sandbox, id) = held();
    let mut front = Front::on(&sandbox);
    let view = front.load(id);
    let decisions = all(&view, &[Decision::Theirs, Decision::Ours, Decision::Ours]);
    front.accept(&view, decisions).unwrap().unwrap();
    sandbox.commit("main", &[("other", text("new\n"))], "main goes on");
    let tip = sandbox.tip("main");

    front.send(Command::PlanUndo { id });
    let undo = front.wait(|event| match event {
        EngineEvent::Undo(view) => Some(view),
        _ => None,
    });
    let UndoWay::Revert { commit, patch, .. } = undo.way else {
        panic!("not a revert: {:?}", undo.way)
    };
    assert!(patch.iter().any(|line| line == "+b ours"), "{patch:?}");
    assert_eq!(sandbox.tip("main"), tip, "nothing has happened yet");
    let revert = Some(commit);
    let land = front.send(Command::UndoMerge { id, revert });
    let said = front.done(land).unwrap();
    assert!(said.ends_with("the revert"), "{said}");
    assert_eq!(sandbox.read("f"), "a\nb ours\nc\nd\ne\nf ours\ng\n");
    assert_eq!(sandbox.read("other"), "new\n");
}

#[test]
fn a_place_is_looked_up_when_it_is_looked_at_and_not_before() {
    let (sandbox, id) = held();
    let mut front = Front::on(&sandbox);
    let view = front.load(id);
    assert!(
        view.places
            .iter()
            .all(|place| !place.is_looked_up && place.agent.is_none())
    );
    let key = view.places[0].key.clone();
    let look_up = Command::LookUp {
        id,
        place: key.clone(),
    };
    front.send(look_up.clone());
    let place = front.wait(|event| match event {
        EngineEvent::Place { place, .. } => Some(*place),
        _ => None,
    });
    assert_eq!((place.key, place.is_looked_up), (key, true));
    assert_eq!(place.agent.as_deref(), Some("Tester"));
    assert_eq!(place.decision, None);

    // What has landed meanwhile has moved the place.
    sandbox.commit(
        "main",
        &[("f", text("new\na\nb ours\nc\nd\ne\nf ours\ng\n"))],
        "later",
    );
    front.send(look_up);
    let moved = front.wait(|event| match event {
        EngineEvent::Place { place, .. } => Some(*place),
        _ => None,
    });
    let line = |first: Option<usize>| first.unwrap();
    assert_eq!(line(moved.ours.first), line(place.ours.first) + 1);
}

#[test]
#[cfg(unix)]
fn a_driver_that_makes_something_else_at_landing_leaves_the_review_open() {
    let (sandbox, id) = held();
    let log = sandbox.root().join(".git/ran");
    let driver = format!(
        "echo ran >> '{log}'; cat %B >> %A; wc -l < '{log}' >> %A",
        log = log.display()
    );
    sandbox.git(&["config", "merge.gen.driver", &driver]);
    std::fs::write(sandbox.root().join(".git/info/attributes"), "f merge=gen\n").unwrap();
    let mut front = Front::on(&sandbox);
    let view = front.load(id);
    let decisions: Vec<(String, Decision)> = view
        .places
        .iter()
        .map(|place| (place.key.clone(), Decision::Theirs))
        .collect();
    let before = sandbox.tip("main");
    let ended = front.accept(&view, decisions);
    let why = ended.unwrap().unwrap_err();
    assert!(
        why.contains("merge driver made something else of f"),
        "{why}"
    );
    assert_eq!(sandbox.tip("main"), before);
    let paths = ProjectPaths::new(sandbox.root().to_path_buf());
    let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
    let entry = queue.by_branch(BRANCH).unwrap().unwrap().entry;
    assert_eq!(
        entry.status,
        MergeStatus::Conflict,
        "it is still to be decided"
    );
}
