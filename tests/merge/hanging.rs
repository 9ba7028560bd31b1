//! Merge drivers of the user's that do not end.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{BRANCH, Sandbox, item, text};
use grove::merge::{
    Ahead, Arrival, Conclusion, MergeContext, MergeProgress, TrainObserver, execute_train, plan,
};

const BASE: &str = "one\ntwo\nthree\n";

/// A driver that hangs, and writes down who does; what it starts besides leaves its group.
fn hanging() -> (Sandbox, MergeContext) {
    let sandbox = Sandbox::new(&[
        (".gitattributes", "*.lock merge=slow\n"),
        ("deps.lock", BASE),
    ]);
    let pids = sandbox.root().join(".git/pids");
    let driver = format!(
        "echo $$ >> '{0}'; setsid sleep 1000 & echo $! >> '{0}'; sleep 1000; wait",
        pids.display()
    );
    sandbox.git(&["config", "merge.slow.driver", &driver]);
    for (branch, line) in [(BRANCH, "theirs"), ("main", "ours")] {
        let lock = format!("{BASE}{line}\n");
        sandbox.commit(branch, &[("deps.lock", text(&lock))], line);
    }
    let mut context = sandbox.context();
    context.driver_time_limit = Duration::from_secs(1);
    (sandbox, context)
}

fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

fn all_are_gone(sandbox: &Sandbox) {
    let pids = sandbox.read(".git/pids");
    assert!(pids.lines().count() >= 2, "{pids}");
    let deadline = Instant::now() + Duration::from_secs(10);
    while pids.lines().any(is_running) {
        assert!(Instant::now() < deadline, "still there: {pids}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

const SAID: &str = "merge driver slow did not end within 1 s and was ended with everything it had started; nothing is \
    merged: see what it waits for, or raise `merge.driverTimeoutMs`";

#[test]
fn a_driver_that_sleeps_for_ever_is_ended_and_nothing_is_merged() {
    let (sandbox, mut context) = hanging();
    let before = sandbox.state();
    let error = Sandbox::merge_with(&context, &mut |_| {}).unwrap_err();
    assert_eq!(error.to_string(), SAID);
    assert!(error.is_passing(), "it is none of the branch's doing");
    assert_eq!(sandbox.state(), before);
    all_are_gone(&sandbox);

    // As soon as it answers, all is there to be merged.
    sandbox.git(&["config", "merge.slow.driver", "cat %B >> %A"]);
    context.driver_time_limit = Duration::from_mins(10);
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let lock = sandbox.show("main", "deps.lock");
    assert!(
        lock.contains("ours\n") && lock.contains("theirs\n"),
        "{lock}"
    );
}

#[test]
fn a_look_ahead_does_not_wait_for_it_either() {
    let (sandbox, context) = hanging();
    let repo = sandbox.repo().with_driver_limit(context.driver_time_limit);
    let ahead = Ahead::of(&repo, sandbox.root());
    let error = plan(ahead.repo(), "main", BRANCH).unwrap_err();
    assert_eq!(error.to_string(), SAID);
    all_are_gone(&sandbox);
}

#[derive(Default)]
struct Arrived(Vec<Arrival>);

impl TrainObserver for Arrived {
    fn progress(&mut self, _index: usize, _progress: MergeProgress<'_>) {}

    fn arrived(&mut self, arrival: Arrival) {
        self.0.push(arrival);
    }
}

#[test]
fn it_does_not_stop_the_branches_beside_it() {
    let (sandbox, context) = hanging();
    let other = "overstory/bob/t-2";
    sandbox.commit(other, &[("beside", text("x\n"))], "beside");
    let mut arrived = Arrived::default();
    execute_train(&context, &[item(BRANCH), item(other)], None, &mut arrived).unwrap();
    let [hung, landed] = arrived.0.as_slice() else {
        panic!("{:?}", arrived.0);
    };
    assert_eq!(hung.result.as_ref().unwrap_err().to_string(), SAID);
    assert_eq!(
        landed.result.as_ref().unwrap().conclusion,
        Conclusion::Landed
    );
    assert_eq!(sandbox.status(), "");
}
