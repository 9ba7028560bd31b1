//! Merges that are cancelled while their gates run: the target stays, the others land.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{Sandbox, gate, item, text};
use grove::merge::{
    Arrival, CallOff, Conclusion, ConflictResolver, ContestedFile, MergeContext, MergeError,
    MergeItem, MergeProgress, MergeReport, OnDisplaced, TrainObserver, execute, execute_train,
    execute_train_until, recover,
};
use grove::types::merge::MergeTier;

fn branch(n: usize) -> String {
    format!("overstory/a{n}/t-{n}")
}

/// Three branches; the gates of the second one never end.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(&[("base", "text\n")]);
    for n in 0..3 {
        let own = format!("file-{n}");
        let mut changes = vec![(own.as_str(), text("work\n"))];
        if n == 1 {
            changes.push(("hangs", text("x\n")));
        }
        sandbox.commit(&branch(n), &changes, &own);
    }
    sandbox
}

/// Cancels as soon as the gates of the second branch run.
struct Canceller {
    merges: CallOff,
    all: bool,
    arrived: Vec<(usize, Result<MergeReport, MergeError>)>,
}

impl TrainObserver for Canceller {
    fn progress(&mut self, index: usize, progress: MergeProgress<'_>) {
        match progress {
            MergeProgress::Gate(_) if index == 1 && self.all => self.merges.all(),
            MergeProgress::Gate(_) if index == 1 => self.merges.branch(&branch(1)),
            MergeProgress::Gate(_)
            | MergeProgress::Entered(_)
            | MergeProgress::Asking { .. }
            | MergeProgress::Waiting
            | MergeProgress::PlanningAgain { .. } => {}
        }
    }

    fn arrived(&mut self, arrival: Arrival) {
        self.arrived.push((arrival.index, arrival.result));
    }
}

fn ride(sandbox: &Sandbox, all: bool) -> Vec<(usize, Result<MergeReport, MergeError>)> {
    let mut context = sandbox.context();
    context.gates = vec![gate("tests", "test ! -e hangs || exec tail -f /dev/null")];
    let items: Vec<MergeItem> = (0..3).map(|n| item(&branch(n))).collect();
    let mut observer = Canceller {
        merges: context.call_off.clone(),
        all,
        arrived: Vec::new(),
    };
    execute_train(&context, &items, None, &mut observer).unwrap();
    let mut arrived = observer.arrived;
    arrived.sort_by_key(|(index, _)| *index);
    assert_eq!(sandbox.status(), "");
    // Whoever stores what has landed settles that; of the others nothing is left in the journal.
    let landed = arrived.iter().filter(|(_, result)| result.is_ok()).count();
    assert_eq!(recover(sandbox.root()).unwrap().len(), landed);
    arrived
}

#[test]
fn a_branch_that_is_cancelled_in_a_train_holds_up_nobody() {
    let sandbox = sandbox();
    let arrived = ride(&sandbox, false);
    let landed = |n: usize| {
        let report = arrived[n].1.as_ref();
        report.is_ok_and(|report| report.conclusion == Conclusion::Landed)
    };
    assert!(landed(0) && landed(2), "{arrived:?}");
    let error = arrived[1].1.as_ref().unwrap_err();
    assert!(matches!(error, MergeError::CalledOff { waits: false, .. }));
    let files = sandbox.files("main");
    assert!(!files.contains(&"hangs".to_owned()), "{files:?}");
}

#[test]
fn all_that_is_cancelled_comes_to_its_end_and_waits() {
    let sandbox = sandbox();
    let arrived = ride(&sandbox, true);
    assert_eq!(arrived.len(), 3);
    for (index, result) in &arrived[1..] {
        assert!(
            matches!(result, Err(MergeError::CalledOff { waits: true, .. })),
            "{index}: {result:?}"
        );
    }
    assert!(!sandbox.files("main").contains(&"file-2".to_owned()));
}

#[test]
fn a_single_merge_is_cancelled_at_its_gate_and_lands_when_it_is_asked_for_again() {
    let sandbox = sandbox();
    let mut context = sandbox.context();
    context.gates = vec![gate("tests", "exec tail -f /dev/null")];
    let before = sandbox.state();
    let merges = context.call_off.clone();
    let cancelled = execute(&context, &item(&branch(0)), &mut |progress| {
        if let MergeProgress::Gate(_) = progress {
            merges.branch(&branch(0));
        }
    });
    let error = cancelled.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the merge of overstory/a0/t-0 was cancelled"
    );
    assert_eq!(sandbox.state(), before);
    context.gates.clear();
    context.call_off.begin(&branch(0));
    let report = execute(&context, &item(&branch(0)), &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed);
}

/// What git waits for.
#[cfg(target_os = "linux")]
#[derive(Debug, Clone, Copy)]
enum Hangs {
    Driver,
    Signer,
}

/// A branch that is cancelled while git waits for a program that never ends, nor does what that has started in a session
/// of its own.
#[cfg(target_os = "linux")]
fn cancelled_in(hangs: Hangs, all: bool) -> (Sandbox, MergeContext) {
    let sandbox = Sandbox::new(&[
        (".gitattributes", "*.lock merge=slow\n"),
        ("a.lock", "a\n"),
        ("deps.lock", "a\n"),
    ]);
    for (name, side) in [(branch(0).as_str(), "theirs"), ("main", "ours")] {
        let locks = [("a.lock", text(side)), ("deps.lock", text(side))];
        let own = [(side, text(side))];
        let changes = match hangs {
            Hangs::Driver => &locks[..],
            Hangs::Signer => &own,
        };
        sandbox.commit(name, changes, side);
    }
    let inside = |name: &str| sandbox.root().join(".git").join(name);
    let (begun, pids) = (inside("begun"), inside("pids"));
    let made = std::process::Command::new("mkfifo").arg(&begun).status();
    assert!(made.unwrap().success());
    let script = format!(
        "echo $$ >> '{0}'; setsid sleep 1000 & echo $! >> '{0}'; echo > '{1}'; sleep 1000; wait",
        pids.display(),
        begun.display()
    );
    match hangs {
        Hangs::Driver => {
            sandbox.git(&["config", "merge.slow.driver", &script]);
        }
        Hangs::Signer => {
            use std::os::unix::fs::PermissionsExt;
            let signer = inside("signer");
            std::fs::write(&signer, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&signer, std::fs::Permissions::from_mode(0o755)).unwrap();
            sandbox.git(&["config", "gpg.program", signer.to_str().unwrap()]);
            sandbox.git(&["config", "user.signingKey", "me"]);
            sandbox.git(&["config", "commit.gpgSign", "true"]);
        }
    }
    let context = sandbox.context();
    let merges = context.call_off.clone();
    std::thread::spawn(move || {
        std::fs::read(begun).unwrap();
        if all {
            merges.all();
        } else {
            merges.branch(&branch(0));
        }
    });
    (sandbox, context)
}

/// All that has been started is gone, and so are the files that git had made for it.
#[cfg(target_os = "linux")]
fn nothing_is_left(sandbox: &Sandbox) {
    let pids = sandbox.read(".git/pids");
    assert!(pids.lines().count() >= 2, "{pids}");
    let is_running = |pid: &str| {
        let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while pids.lines().any(is_running) {
        assert!(std::time::Instant::now() < deadline, "still there: {pids}");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(sandbox.status(), "");
}

#[cfg(target_os = "linux")]
#[derive(Default)]
struct Heard {
    entered: usize,
    arrived: Vec<Arrival>,
}

#[cfg(target_os = "linux")]
impl TrainObserver for Heard {
    fn progress(&mut self, _: usize, progress: MergeProgress<'_>) {
        if let MergeProgress::Entered(_) = progress {
            self.entered += 1;
        }
    }

    fn arrived(&mut self, arrival: Arrival) {
        self.arrived.push(arrival);
    }
}

#[cfg(target_os = "linux")]
fn ends_with_it(hangs: Hangs) {
    for all in [false, true] {
        let (sandbox, context) = cancelled_in(hangs, all);
        let before = sandbox.state();
        let mut heard = 0;
        let error = execute(&context, &item(&branch(0)), &mut |_| heard += 1).unwrap_err();
        assert!(
            matches!(error, MergeError::CalledOff { waits, .. } if waits == all),
            "{error}"
        );
        assert_eq!(heard, 0, "it came as far as the journal");
        assert_eq!(sandbox.state(), before);
        nothing_is_left(&sandbox);

        let (sandbox, context) = cancelled_in(hangs, all);
        let before = sandbox.state();
        let mut observer = Heard::default();
        execute_train(&context, &[item(&branch(0))], None, &mut observer).unwrap();
        assert_eq!(observer.entered, 0, "it came as far as the journal");
        let error = observer.arrived.remove(0).result.unwrap_err();
        assert!(
            matches!(error, MergeError::CalledOff { waits, .. } if waits == all),
            "{error}"
        );
        assert_eq!(sandbox.state(), before);
        nothing_is_left(&sandbox);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_cancelled_while_a_merge_driver_runs_ends_with_the_driver() {
    ends_with_it(Hangs::Driver);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_cancelled_while_the_merge_is_signed_ends_with_whoever_signs() {
    ends_with_it(Hangs::Signer);
}

/// Notes that gates run.
struct Paused<'a> {
    runs: &'a AtomicBool,
    arrived: usize,
}

impl TrainObserver for Paused<'_> {
    fn progress(&mut self, _: usize, progress: MergeProgress<'_>) {
        if let MergeProgress::Gate(_) = progress {
            self.runs.store(true, Ordering::Relaxed);
        }
    }

    fn arrived(&mut self, _: Arrival) {
        self.arrived += 1;
    }
}

/// Pauses as soon as gates run, which never end by themselves; nothing lands.
fn pause(sandbox: &Sandbox, items: &[MergeItem], resolver: Option<&dyn ConflictResolver>) {
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Escalate;
    context.gates = vec![gate("tests", "exec tail -f /dev/null")];
    let before = sandbox.state();
    let runs = AtomicBool::new(false);
    let stops = || runs.load(Ordering::Relaxed);
    let mut observer = Paused {
        runs: &runs,
        arrived: 0,
    };
    execute_train_until(
        sandbox.lock(),
        &stops,
        (&context, items),
        resolver,
        &mut observer,
    )
    .unwrap();
    assert!(stops());
    assert_eq!(observer.arrived, 0);
    assert_eq!(sandbox.state(), before);
    assert!(recover(sandbox.root()).unwrap().is_empty());
}

#[test]
fn gates_that_run_for_a_train_are_ended_when_nothing_is_to_land_any_more() {
    let items: Vec<MergeItem> = (0..3).map(|n| item(&branch(n))).collect();
    pause(&sandbox(), &items, None);
}

/// Says that both lines belong there.
struct Both;

impl ConflictResolver for Both {
    fn offers(&self, tier: MergeTier) -> bool {
        tier == MergeTier::AiResolve
    }

    fn answer(
        &self,
        _: &MergeItem,
        _: MergeTier,
        _: &ContestedFile,
        _: &Path,
    ) -> Result<String, String> {
        Ok("start\nours\ntheirs\nend\n".to_owned())
    }
}

#[test]
fn so_are_those_of_a_branch_that_a_model_was_asked_about() {
    let sandbox = Sandbox::new(&[("list", "start\nline\nend\n")]);
    sandbox.commit(
        &branch(0),
        &[("list", text("start\ntheirs\nend\n"))],
        "theirs",
    );
    sandbox.commit("main", &[("list", text("start\nours\nend\n"))], "ours");
    pause(&sandbox, &[item(&branch(0))], Some(&Both));
}
