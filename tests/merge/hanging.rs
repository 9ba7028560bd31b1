//! Merge drivers, hooks and filters of the user's that do not end.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{Arrived, BRANCH, GONE, Sandbox, gate, item, text};
use grove::merge::overlap::changes_of;
use grove::merge::{
    Ahead, Conclusion, MergeContext, UndoOutcome, Verdict, execute_train, plan, recover,
    recover_within, undo,
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

const SAID: &str = "merge driver slow did not end within 1 s on deps.lock and was ended with everything it had \
    started; nothing is merged: see what it waits for, or raise `merge.driverTimeoutMs`";

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

/// A driver that is told the path hangs at one of two files.
#[test]
fn the_file_at_which_a_driver_hangs_is_named() {
    let (sandbox, context) = hanging();
    for (branch, line) in [(BRANCH, "theirs"), ("main", "ours")] {
        let lock = format!("{BASE}{line}\n");
        for file in ["a.lock", "z.lock"] {
            sandbox.commit(branch, &[(file, text(&lock))], line);
        }
    }
    sandbox.git(&["config", "merge.other.driver", "true"]);
    let error = Sandbox::merge_with(&context, &mut |_| {}).unwrap_err();
    // `a.lock` and `z.lock` are new on both sides: those git merges with an empty base.
    let said = error.to_string();
    let several = "merge driver slow did not end within 1 s on one of a.lock, deps.lock, z.lock and was ended";
    assert!(said.contains(several), "{said}");
    all_are_gone(&sandbox);

    let script = format!("test \"$1\" != z.lock || {{ {}; }}", hangs(&sandbox));
    hook(&sandbox, "driver", &script);
    let driver = sandbox.root().join(".git/hooks/driver");
    sandbox.git(&[
        "config",
        "merge.slow.driver",
        &format!("{} %P", driver.display()),
    ]);
    let error = Sandbox::merge_with(&context, &mut |_| {}).unwrap_err();
    let said = error.to_string();
    let one = "merge driver slow did not end within 1 s on z.lock and was ended";
    assert!(said.contains(one), "{said}");
    all_are_gone(&sandbox);
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

/// A branch that changes a file that a filter writes, one beside it, and removes a third.
fn landing_over_files() -> (Sandbox, MergeContext) {
    let sandbox = Sandbox::new(&[
        (".gitattributes", "*.big filter=big\n"),
        ("a", "a\n"),
        ("c.big", "c\n"),
        ("gone", "x\n"),
        ("z", "z\n"),
    ]);
    let changes = [
        ("a", text("b\n")),
        ("c.big", text("big\n")),
        ("gone", GONE),
        ("z", text("z2\n")),
    ];
    sandbox.commit(BRANCH, &changes, "work");
    sandbox.git(&["config", "filter.big.clean", "cat"]);
    let mut context = sandbox.context();
    context.driver_time_limit = Duration::from_secs(1);
    (sandbox, context)
}

#[test]
fn a_filter_that_hangs_keeps_only_its_own_file_from_being_put_back() {
    let (sandbox, context) = landing_over_files();
    sandbox.git(&["config", "filter.big.smudge", &hangs(&sandbox)]);
    let error = Sandbox::merge_with(&context, &mut |_| {}).unwrap_err();
    let said = error.to_string();
    let named = "left as they are, because a filter writes or reads them: c.big: ";
    assert!(said.contains(named), "{said}");
    all_are_gone(&sandbox);
    no_lock_is_left(&sandbox);
    assert_eq!(sandbox.status().trim(), "D c.big");

    // The next start waits for it no longer than it may.
    let waits = recover_within(sandbox.root(), context.driver_time_limit).unwrap();
    let [recovery] = waits.as_slice() else {
        panic!("{waits:?}");
    };
    let Verdict::Waits { reason } = &recovery.verdict else {
        panic!("{recovery:?}");
    };
    assert!(reason.contains("did not end within 1 s"), "{reason}");
    no_lock_is_left(&sandbox);

    sandbox.git(&["config", "filter.big.smudge", "cat"]);
    let recovered = recover(sandbox.root()).unwrap();
    let [recovery] = recovered.as_slice() else {
        panic!("{recovered:?}");
    };
    assert!(
        matches!(recovery.verdict, Verdict::Landed(_)),
        "{recovery:?}"
    );
    assert_eq!(sandbox.status(), "");
    assert_eq!(sandbox.read("c.big"), "big\n");
}

/// The lock of the target is held meanwhile.
#[test]
fn a_filter_that_has_hung_is_not_waited_for_as_long_again_by_the_same_process() {
    let (sandbox, context) = landing_over_files();
    sandbox.git(&["config", "filter.big.smudge", &hangs(&sandbox)]);
    Sandbox::merge_with(&context, &mut |_| {}).unwrap_err();
    let recovered = recover_within(sandbox.root(), Duration::from_mins(10)).unwrap();
    let [recovery] = recovered.as_slice() else {
        panic!("{recovered:?}");
    };
    let Verdict::Waits { reason } = &recovery.verdict else {
        panic!("{recovery:?}");
    };
    assert!(reason.contains("did not end within 5 s"), "{reason}");
    all_are_gone(&sandbox);
    no_lock_is_left(&sandbox);

    sandbox.git(&["config", "filter.big.smudge", "cat"]);
    let recovered = recover(sandbox.root()).unwrap();
    assert!(
        matches!(recovered.as_slice(), [only] if matches!(only.verdict, Verdict::Landed(_))),
        "{recovered:?}"
    );
    assert_eq!(sandbox.read("c.big"), "big\n");
}

#[test]
fn what_cannot_be_told_apart_because_a_filter_hangs_is_named() {
    let sandbox = Sandbox::new(&[
        (".gitattributes", "*.big filter=big\n"),
        ("c.big", "c\n"),
        ("d.big", "d\n"),
        ("gone", "x\n"),
    ]);
    let changes = [
        ("c.big", text("one\n")),
        ("d.big", text("two\n")),
        ("gone", GONE),
    ];
    sandbox.commit(BRANCH, &changes, "work");
    let mut context = sandbox.context();
    context.driver_time_limit = Duration::from_secs(1);
    // Writes one file in its own way, and then nothing works any more.
    let down = sandbox.root().join(".git/down");
    let filter = |then: &str| {
        let (down, hangs) = (down.display(), hangs(&sandbox));
        format!("test -e '{down}' && {{ {hangs}; }}; {then}")
    };
    let breaks = format!("touch '{}'; tr a-z A-Z", down.display());
    sandbox.git(&["config", "filter.big.clean", &filter("tr A-Z a-z")]);
    sandbox.git(&["config", "filter.big.smudge", &filter(&breaks)]);
    let error = Sandbox::merge_with(&context, &mut |_| {}).unwrap_err();
    let said = error.to_string();
    let named = "left as they are, because a filter writes or reads them: c.big, d.big: ";
    assert!(said.contains(named), "{said}");
    assert_eq!(sandbox.read("gone"), "x\n");
    all_are_gone(&sandbox);
    no_lock_is_left(&sandbox);
}

#[test]
fn a_signature_that_nobody_checks_in_time_is_not_waited_for() {
    let (sandbox, context) = landing();
    let commit = sandbox.git(&["cat-file", "commit", BRANCH]);
    let signed = commit.replacen(
        "\n\n",
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n aGVsbG8=\n -----END PGP SIGNATURE-----\n\n",
        1,
    );
    let file = sandbox.root().join(".git/signed");
    std::fs::write(&file, signed + "\n").unwrap();
    let made = sandbox.git(&["hash-object", "-t", "commit", "-w", ".git/signed"]);
    sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), made.trim()]);
    hook(&sandbox, "gpg", &hangs(&sandbox));
    let gpg = sandbox.root().join(".git/hooks/gpg");
    sandbox.git(&["config", "gpg.program", gpg.to_str().unwrap()]);
    sandbox.git(&["config", "merge.verifySignatures", "true"]);
    let error = Sandbox::merge_with(&context, &mut |_| {}).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("did not end within 1 s"), "{said}");
    all_are_gone(&sandbox);
}

#[test]
fn a_worktree_whose_filter_hangs_is_not_looked_at_for_ever() {
    let (sandbox, context) = landing_over_files();
    sandbox.git(&["config", "filter.big.clean", &hangs(&sandbox)]);
    sandbox.write("c.big", "mine\n");
    let repo = sandbox.repo().with_driver_limit(context.driver_time_limit);
    let base = repo.branch_tip("main").unwrap();
    let error = changes_of(&repo, sandbox.root(), base).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("did not end within 1 s"), "{said}");
    all_are_gone(&sandbox);
}

/// Whether a process runs that was started with these words.
fn runs_somewhere(words: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
    lines.any(|line| {
        String::from_utf8_lossy(&line)
            .replace('\0', " ")
            .contains(words)
    })
}

#[test]
fn a_filter_that_hangs_in_the_checkout_of_a_gate_is_ended_and_named() {
    let (sandbox, mut context) = landing();
    context.gates = vec![gate("tests", "true")];
    // In the sandbox of that checkout nobody can write down who hangs.
    let words = format!("sleep 98765.{}", std::process::id());
    let smudge = format!("setsid {words} & {words}; cat");
    sandbox.git(&["config", "filter.big.smudge", &smudge]);
    let before = sandbox.state();
    let error = Sandbox::merge_with(&context, &mut |_| {}).unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("`git reset -q --hard` did not end within 1 s"),
        "{said}"
    );
    assert!(said.contains(&words), "{said}");
    assert!(said.contains("`merge.driverTimeoutMs`"), "{said}");
    assert!(error.is_passing(), "{said}");
    assert_eq!(sandbox.state(), before);
    let deadline = Instant::now() + Duration::from_secs(10);
    while runs_somewhere(&words) {
        assert!(Instant::now() < deadline, "it runs still");
        std::thread::sleep(Duration::from_millis(10));
    }
    sandbox.git(&["config", "filter.big.smudge", "cat"]);
    context.driver_time_limit = Duration::from_mins(10);
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
}

#[test]
fn who_is_to_sign_and_waits_for_a_password_is_ended_and_named() {
    let (sandbox, context) = landing();
    hook(&sandbox, "gpg", &hangs(&sandbox));
    let gpg = sandbox.root().join(".git/hooks/gpg");
    let gpg = gpg.to_str().unwrap();
    sandbox.git(&["config", "gpg.program", gpg]);
    sandbox.git(&["config", "user.signingKey", "me"]);
    sandbox.git(&["config", "commit.gpgSign", "true"]);
    let before = sandbox.state();
    let error = Sandbox::merge_with(&context, &mut |_| {}).unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("`git commit-tree -S -p` did not end within 1 s"),
        "{said}"
    );
    assert!(said.contains(gpg), "{said}");
    assert!(said.contains("`merge.driverTimeoutMs`"), "{said}");
    assert!(error.is_passing(), "{said}");
    all_are_gone(&sandbox);
    assert_eq!(sandbox.state(), before);
}

/// A hook that hangs when it is told that this ref has moved.
fn hangs_when_told_of(sandbox: &Sandbox, name: &str) {
    let script = format!("[ \"$1\" = committed ] && grep -q {name} || exit 0\nsleep 1000");
    hook(sandbox, "reference-transaction", &script);
}

/// The ref has moved by then: it is not tried again and again.
#[test]
fn a_hook_that_hangs_when_it_is_told_of_the_undo_ref_is_named_and_the_merge_lands() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(BRANCH, &[("b", text("b\n"))], "work");
    hangs_when_told_of(&sandbox, "refs/grove/undo/");
    let mut context = sandbox.context();
    context.driver_time_limit = Duration::from_secs(3);
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let said = report.warnings.join("\n");
    assert!(said.contains("has moved, but a hook"), "{said}");
    assert!(said.contains("reference-transaction"), "{said}");
    let undo = sandbox.git(&["for-each-ref", "refs/grove/undo"]);
    assert_eq!(undo.lines().count(), 1, "{undo}");
}

#[test]
fn a_hook_that_hangs_when_it_is_told_that_the_target_went_back_is_named_and_the_merge_is_taken_back()
 {
    for elsewhere in [false, true] {
        let sandbox = Sandbox::new(&[("a", "a\n")]);
        sandbox.commit(BRANCH, &[("b", text("b\n"))], "work");
        let receipt = sandbox.merge().receipt.unwrap();
        if elsewhere {
            sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
        }
        hangs_when_told_of(&sandbox, "refs/heads/main");
        let repo = sandbox.repo().with_driver_limit(Duration::from_secs(3));
        let done = undo(sandbox.root(), &repo, &receipt).unwrap();
        let UndoOutcome::Restored { to, warnings, .. } = done else {
            panic!("{done:?}");
        };
        assert_eq!(sandbox.tip("main"), to);
        let said = warnings.join("\n");
        assert!(said.contains("main has moved, but a hook"), "{said}");
        assert!(said.contains("reference-transaction"), "{said}");
    }
}
