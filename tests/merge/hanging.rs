//! Merge drivers, hooks and filters of the user's that do not end.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{BRANCH, Sandbox, item, text};
use grove::merge::{
    Ahead, Arrival, Conclusion, MergeContext, MergeProgress, TrainObserver, execute_train, plan,
    recover,
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

/// What hangs, and writes down who does; what it starts besides leaves its group.
fn hangs(sandbox: &Sandbox) -> String {
    let pids = sandbox.root().join(".git/pids").display().to_string();
    format!("echo $$ >> '{pids}'; setsid sleep 1000 & echo $! >> '{pids}'; sleep 1000; wait")
}

fn hook(sandbox: &Sandbox, name: &str, script: &str) {
    let hooks = sandbox.root().join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    let hook = hooks.join(name);
    std::fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A branch that changes a file and adds one, and little time.
fn landing() -> (Sandbox, MergeContext) {
    let sandbox = Sandbox::new(&[("a", "a\n"), (".gitattributes", "*.big filter=big\n")]);
    let changes = [
        ("a", text("b\n")),
        ("b", text("b\n")),
        ("c.big", text("big\n")),
    ];
    sandbox.commit(BRANCH, &changes, "work");
    let mut context = sandbox.context();
    context.driver_time_limit = Duration::from_secs(1);
    (sandbox, context)
}

fn no_lock_is_left(sandbox: &Sandbox) {
    for lock in [
        "index.lock",
        "HEAD.lock",
        "refs/heads/main.lock",
        "packed-refs.lock",
    ] {
        assert!(!sandbox.root().join(".git").join(lock).exists(), "{lock}");
    }
}

/// Merges, is ended before anything has landed, and lands when what hangs is gone.
fn ended_and_nothing_landed(
    sandbox: &Sandbox,
    context: &MergeContext,
    begin: impl FnOnce(),
    end: impl FnOnce(),
) {
    let before = sandbox.state();
    begin();
    let error = Sandbox::merge_with(context, &mut |_| {}).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("did not end within 1 s"), "{said}");
    assert!(error.is_passing(), "{said}");
    all_are_gone(sandbox);
    no_lock_is_left(sandbox);
    end();
    assert_eq!(sandbox.state(), before, "all is as it was");
    assert_eq!(
        recover(sandbox.root()).unwrap().len(),
        0,
        "the journal knows"
    );
    let report = Sandbox::merge_with(context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn a_filter_that_sleeps_for_ever_leaves_the_checkout_as_it_was() {
    let (sandbox, context) = landing();
    let smudge = |command: &str| {
        sandbox.git(&["config", "filter.big.smudge", command]);
    };
    let hangs = hangs(&sandbox);
    ended_and_nothing_landed(&sandbox, &context, || smudge(&hangs), || smudge("cat"));
}

#[test]
fn so_does_a_hook_that_is_asked_whether_the_branch_may_move() {
    let (sandbox, context) = landing();
    let name = "reference-transaction";
    let script = format!("grep -q refs/heads/main || exit 0\n{}", hangs(&sandbox));
    ended_and_nothing_landed(
        &sandbox,
        &context,
        || hook(&sandbox, name, &script),
        || std::fs::remove_file(sandbox.root().join(".git/hooks").join(name)).unwrap(),
    );
}

#[test]
fn a_hook_that_sleeps_for_ever_after_a_merge_is_ended_and_the_merge_has_landed() {
    let (sandbox, context) = landing();
    hook(&sandbox, "post-merge", &hangs(&sandbox));
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let said = report.warnings.join("\n");
    assert!(said.contains("did not end within 1 s"), "{said}");
    all_are_gone(&sandbox);
    no_lock_is_left(&sandbox);
    assert_eq!(sandbox.status(), "");
    assert_eq!(sandbox.read("b"), "b\n");
}

#[test]
fn what_a_hook_leaves_running_on_purpose_goes_on() {
    let (sandbox, mut context) = landing();
    context.driver_time_limit = Duration::from_mins(10);
    let pids = sandbox.root().join(".git/pids").display().to_string();
    let script = format!("sleep 1000 > '{pids}.out' 2>&1 & echo $! > '{pids}'");
    hook(&sandbox, "post-merge", &script);
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(report.warnings, [""; 0]);
    let pid = sandbox.read(".git/pids").trim().to_owned();
    assert!(is_running(&pid), "{pid}");
    let ended = std::process::Command::new("kill").arg(&pid).status();
    assert!(ended.unwrap().success());
}
