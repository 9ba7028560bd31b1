//! The merge train: many branches at once, some red, some contradicting others. What lands, in which
//! order, after how many gate runs, and that the target was green at every step.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::{Sandbox, gate, item, text};
use grove::merge::{
    Arrival, Conclusion, MergeContext, MergeError, MergeItem, MergeProgress, MergeReport,
    OnDisplaced, TrainObserver, execute_train, execute_train_until, recover,
};

/// Remembers who arrived, in which order, and what the target was then.
#[derive(Default)]
pub(crate) struct Watcher {
    pub(crate) arrived: Vec<(usize, Result<MergeReport, MergeError>)>,
}

impl TrainObserver for Watcher {
    fn progress(&mut self, _index: usize, _progress: MergeProgress<'_>) {}

    fn arrived(&mut self, arrival: Arrival) {
        self.arrived.push((arrival.index, arrival.result));
    }
}

impl Watcher {
    /// How the only one ended.
    pub(crate) fn only(mut self) -> Result<MergeReport, MergeError> {
        assert_eq!(self.arrived.len(), 1);
        self.arrived.remove(0).1
    }

    pub(crate) fn conclusions(&self) -> BTreeMap<usize, Conclusion> {
        self.arrived
            .iter()
            .map(|(index, result)| (*index, result.as_ref().unwrap().conclusion))
            .collect()
    }

    pub(crate) fn landed(&self) -> Vec<usize> {
        self.arrived
            .iter()
            .filter(|(_, r)| r.as_ref().is_ok_and(|r| r.conclusion == Conclusion::Landed))
            .map(|(index, _)| *index)
            .collect()
    }
}

pub(crate) fn branch(n: usize) -> String {
    format!("overstory/a{n}/t-{n}")
}

pub(crate) fn ride(sandbox: &Sandbox, context: &MergeContext, count: usize) -> Watcher {
    let items: Vec<MergeItem> = (0..count).map(|n| item(&branch(n))).collect();
    let mut watcher = Watcher::default();
    execute_train(context, &items, None, &mut watcher).unwrap();
    assert_eq!(watcher.arrived.len(), count, "each arrives once");
    assert_eq!(sandbox.status(), "", "the checkout moved along");
    watcher
}

/// Counts its runs in a file outside of the checkout and is red when a file says so.
pub(crate) fn counting_gate(sandbox: &Sandbox) -> (MergeContext, std::path::PathBuf) {
    let mut context = sandbox.context();
    let count = sandbox.notebook(&mut context).join("gate-runs");
    let command = format!("echo run >> {}; ! ls red-* 2>/dev/null", count.display());
    context.gates = vec![gate("tests", &command)];
    (context, count)
}

pub(crate) fn runs(count: &std::path::Path) -> usize {
    std::fs::read_to_string(count).map_or(0, |text| text.lines().count())
}

#[test]
fn gates_of_the_train_run_at_the_same_time() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    for n in 0..4 {
        let own = format!("file-{n}");
        sandbox.commit(&branch(n), &[(own.as_str(), text("x\n"))], "work");
    }
    let mut context = sandbox.context();
    let meeting = sandbox.notebook(&mut context).join("meeting");
    std::fs::create_dir(&meeting).unwrap();
    // Each gate waits until all four are there: one after the other they would wait for ever.
    let command = format!(
        "touch {0}/$$; while [ $(ls {0} | wc -l) -lt 4 ]; do sleep 0.05; done",
        meeting.display()
    );
    context.gates = vec![gate("meet", &command)];
    context.gate_time_limit = Duration::from_mins(2);
    context.parallel = 4;
    assert_eq!(ride(&sandbox, &context, 4).landed(), [0, 1, 2, 3]);
}

#[test]
fn the_limit_of_parallel_runs_is_kept() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    for n in 0..5 {
        let own = format!("file-{n}");
        sandbox.commit(&branch(n), &[(own.as_str(), text("x\n"))], "work");
    }
    let mut context = sandbox.context();
    let present = sandbox.notebook(&mut context).join("present");
    std::fs::create_dir(&present).unwrap();
    let command = format!(
        "touch {0}/$$; sleep 0.2; n=$(ls {0} | wc -l); rm {0}/$$; [ $n -le 2 ]",
        present.display()
    );
    context.gates = vec![gate("count", &command)];
    context.parallel = 2;
    assert_eq!(ride(&sandbox, &context, 5).landed(), [0, 1, 2, 3, 4]);
}

#[test]
fn a_branch_that_stands_on_another_waits_for_it() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(&branch(0), &[("red-0", text("x\n"))], "red");
    sandbox.git(&["branch", &branch(1), &branch(0)]);
    sandbox.commit(&branch(2), &[("good", text("x\n"))], "good");
    let (context, _) = counting_gate(&sandbox);
    let watcher = ride(&sandbox, &context, 3);
    let conclusions = watcher.conclusions();
    assert_eq!(conclusions[&0], Conclusion::GatesRed);
    assert_eq!(
        conclusions[&1],
        Conclusion::GatesRed,
        "it is not merged because the red one is not"
    );
    assert_eq!(conclusions[&2], Conclusion::Landed);
}

#[test]
fn a_flaky_gate_is_tried_again_and_reported() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(&branch(0), &[("new", text("x\n"))], "work");
    let (mut context, count) = counting_gate(&sandbox);
    let flaky = format!("echo run >> {0}; [ $(wc -l < {0}) -ge 2 ]", count.display());
    context.gates = vec![gate("tests", &flaky)];
    context.gate_retries = 2;
    let watcher = ride(&sandbox, &context, 1);
    let report = watcher.arrived[0].1.as_ref().unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed);
    assert_eq!(report.gates[0].attempts, 2);
    assert_eq!(
        report.warnings,
        ["gate tests is flaky: green only at attempt 2"]
    );
}

#[test]
fn branches_that_are_gone_or_targets_that_are_missing_concern_only_themselves() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(&branch(1), &[("new", text("x\n"))], "work");
    let context = sandbox.context();
    let items: Vec<MergeItem> = (0..2).map(|n| item(&branch(n))).collect();
    let mut watcher = Watcher::default();
    execute_train(&context, &items, None, &mut watcher).unwrap();
    assert!(matches!(
        watcher.arrived[0],
        (0, Err(MergeError::NoBranch { .. }))
    ));
    assert_eq!(watcher.landed(), [1]);

    let mut nowhere = sandbox.context();
    nowhere.target_branch = "nowhere".to_owned();
    let mut watcher = Watcher::default();
    execute_train(&nowhere, &items, None, &mut watcher).unwrap();
    assert_eq!(watcher.arrived.len(), 2);
    for (_, result) in &watcher.arrived {
        assert!(matches!(result, Err(MergeError::NoTarget { .. })));
    }
}

#[test]
fn a_target_that_somebody_moves_is_planned_for_again() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    for n in 0..2 {
        let own = format!("file-{n}");
        sandbox.commit(&branch(n), &[(own.as_str(), text("x\n"))], "work");
    }
    let mut context = sandbox.context();
    let moved = sandbox.root().join(".git/moved");
    // Somebody else, played by a gate that may.
    context.sandbox.default = grove::config::SandboxMode::Off;
    let other = sandbox.commit("main2", &[("other", text("o\n"))], "other");
    let command = format!(
        "mkdir {} 2>/dev/null || exit 0; git update-ref refs/heads/main {other}",
        moved.display()
    );
    context.gates = vec![gate("meddle", &command)];
    let watcher = ride(&sandbox, &context, 2);
    assert_eq!(watcher.landed(), [0, 1]);
    assert_eq!(sandbox.files("main"), ["a", "file-0", "file-1", "other"]);
}

#[test]
fn contested_branches_do_not_stop_the_others() {
    let sandbox = Sandbox::new(&[("a", "1\n2\n3\n")]);
    sandbox.commit(&branch(0), &[("a", text("1\nx\n3\n"))], "x");
    sandbox.commit(&branch(1), &[("a", text("1\ny\n3\n"))], "y");
    sandbox.commit(&branch(2), &[("b", text("b\n"))], "b");
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Escalate;
    let watcher = ride(&sandbox, &context, 3);
    let conclusions = watcher.conclusions();
    assert_eq!(conclusions[&0], Conclusion::Landed);
    assert_eq!(conclusions[&1], Conclusion::Held);
    assert_eq!(conclusions[&2], Conclusion::Landed);
    assert!(
        recover(sandbox.root())
            .unwrap()
            .iter()
            .all(|r| matches!(r.verdict, grove::merge::Verdict::Landed(_))),
        "only landed merges wait in the journal for their receipts to be stored"
    );
}

/// Runs in a process of its own, started by the test below: a train that is killed at a step of its
/// second car.
#[test]
#[ignore = "the other tests start it"]
fn victim() {
    use grove::merge::Step;
    struct Killer {
        step: String,
    }
    impl TrainObserver for Killer {
        fn progress(&mut self, index: usize, progress: MergeProgress<'_>) {
            let MergeProgress::Entered(entered) = progress else {
                return;
            };
            let name = match entered {
                Step::Planned => "planned",
                Step::Gated => "gated",
                Step::Landing => "landing",
                Step::Landed => "landed",
                Step::Undoing => "undoing",
            };
            if index == 1 && name == self.step {
                let own = rustix::process::getpid();
                rustix::process::kill_process(own, rustix::process::Signal::KILL).unwrap();
                unreachable!();
            }
        }

        fn arrived(&mut self, _arrival: Arrival) {}
    }
    let Ok(root) = std::env::var("GROVE_TEST_VICTIM") else {
        return;
    };
    let context = MergeContext {
        root: root.into(),
        target_branch: "main".to_owned(),
        gates: vec![gate("ok", "true")],
        sandbox: grove::config::SandboxConfig::default(),
        gate_time_limit: Duration::from_mins(1),
        driver_time_limit: Duration::from_mins(10),
        gate_retries: 0,
        parallel: 4,
        on_displaced: OnDisplaced::Hold,
        call_off: grove::merge::CallOff::default(),
        own_settings: grove::merge::OwnSettings::Hold,
    };
    let items: Vec<MergeItem> = (0..3).map(|n| item(&branch(n))).collect();
    let step = std::env::var("GROVE_TEST_STEP").unwrap();
    let result = execute_train(&context, &items, None, &mut Killer { step });
    panic!("survived: {result:?}");
}

#[test]
fn a_train_that_is_killed_leaves_each_branch_landed_or_untouched() {
    use grove::merge::Verdict;
    use std::os::unix::process::ExitStatusExt;
    for (step, landed) in [("planned", 0), ("gated", 1), ("landing", 2), ("landed", 2)] {
        let sandbox = Sandbox::new(&[("a", "a\n")]);
        for n in 0..3 {
            let own = format!("file-{n}");
            sandbox.commit(&branch(n), &[(own.as_str(), text("x\n"))], "work");
        }
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["train::victim", "--exact", "--ignored", "--nocapture"])
            .env("GROVE_TEST_VICTIM", sandbox.root())
            .env("GROVE_TEST_STEP", step)
            .output()
            .unwrap();
        assert_eq!(output.status.signal(), Some(9), "{step}: {output:?}");
        let recoveries = recover(sandbox.root()).unwrap();
        let landed_now = recoveries
            .iter()
            .filter(|r| matches!(r.verdict, Verdict::Landed(_)))
            .count();
        assert_eq!(landed_now, landed, "{step}: {recoveries:#?}");
        let files = sandbox.files("main");
        assert_eq!(files.len(), 1 + landed, "{step}: {files:?}");
        assert_eq!(sandbox.status(), "", "{step}");
        assert_eq!(sandbox.git(&["worktree", "list"]).lines().count(), 1);
        for recovery in recoveries {
            grove::merge::settle_journal(sandbox.root(), &recovery.id).unwrap();
        }
        let rest = ride(&sandbox, &sandbox.context(), 3);
        assert!(
            rest.arrived
                .iter()
                .all(|(_, r)| r.as_ref().unwrap().is_success())
        );
        assert_eq!(sandbox.files("main").len(), 4);
    }
}

/// A train that is to stop lands what is landing, and leaves the others as they were.
#[test]
fn a_train_that_is_to_stop_lands_nothing_more_and_leaves_no_trace_of_the_rest() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    for n in 0..4 {
        let file = format!("file-{n}");
        let mut changes = vec![(file.as_str(), text("x\n"))];
        if n == 2 {
            changes.push(("red-2", text("x\n")));
        }
        sandbox.commit(&branch(n), &changes, "work");
    }
    let (mut context, count) = counting_gate(&sandbox);
    let items: Vec<MergeItem> = (0..4).map(|n| item(&branch(n))).collect();
    for parallel in [1, 4] {
        context.parallel = parallel;
        let before = sandbox.tip("main");
        let mut watcher = Watcher::default();
        // It is asked before the first round of gates, and before each landing and round after that.
        let asked = AtomicUsize::new(0);
        let stops = || asked.fetch_add(1, Ordering::Relaxed) > 0;
        execute_train_until(
            sandbox.lock(),
            &stops,
            (&context, &items),
            None,
            &mut watcher,
        )
        .unwrap();
        assert_eq!(watcher.landed(), [0; 0]);
        assert_eq!(sandbox.tip("main"), before);
        assert!(recover(sandbox.root()).unwrap().is_empty());
        assert_eq!(sandbox.git(&["for-each-ref", "refs/grove"]), "");
    }
    let tested = runs(&count);
    let mut watcher = Watcher::default();
    execute_train_until(
        sandbox.lock(),
        &|| true,
        (&context, &items),
        None,
        &mut watcher,
    )
    .unwrap();
    assert_eq!(
        (watcher.arrived.len(), runs(&count)),
        (0, tested),
        "no gate has begun"
    );
    execute_train_until(
        sandbox.lock(),
        &|| false,
        (&context, &items),
        None,
        &mut watcher,
    )
    .unwrap();
    assert_eq!(watcher.landed(), [0, 1, 3]);
}
