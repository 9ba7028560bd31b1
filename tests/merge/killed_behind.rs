//! `kill -9` in the middle of a checkout, after which the user commits or switches branches before grove starts again:
//! what the killed step wrote does not stay behind as if it were his.
#![cfg(target_os = "linux")]

use crate::killed::{OWN, arm, killed, merged, only, ready};
use crate::support::{BRANCH, Sandbox};
use grove::merge::{Step, Verdict, settle_journal, undo, unfinished};

/// What git tells users to do at a lock that is left.
fn go_on(sandbox: &Sandbox, args: &[&str]) {
    std::fs::remove_file(sandbox.root().join(".git/index.lock")).unwrap();
    sandbox.git(args);
}

fn as_before(sandbox: &Sandbox, status: &str) {
    assert_eq!(sandbox.status(), status);
    for (file, content) in [("a", "a\n"), ("gone", "x\n"), ("k", "k\n"), ("z", "z\n")] {
        assert_eq!(sandbox.read(file), content, "{file}");
    }
    assert!(!sandbox.root().join("j").exists());
}

fn landing() -> Sandbox {
    let sandbox = ready();
    arm(&sandbox);
    killed(&sandbox, None);
    let status = sandbox.status();
    assert!(
        status.contains(" M a") && status.contains(" D gone"),
        "{status}"
    );
    sandbox
}

#[test]
fn what_a_killed_landing_wrote_is_taken_back_when_the_user_has_committed_since() {
    let sandbox = landing();
    go_on(&sandbox, &["commit", "-q", "-m", "mine", "own"]);
    let recovery = only(&sandbox);
    let Verdict::RolledBack { reason } = recovery.verdict else {
        panic!("{recovery:?}");
    };
    assert_eq!(reason, "the target moved");
    as_before(&sandbox, "?? unknown");
}

#[test]
fn what_a_killed_landing_wrote_is_taken_back_when_the_user_has_switched_since() {
    let sandbox = landing();
    go_on(&sandbox, &["checkout", "-q", "-b", "topic"]);
    let recovery = only(&sandbox);
    assert!(
        matches!(recovery.verdict, Verdict::Landed(_)),
        "{recovery:?}"
    );
    assert_eq!(sandbox.show("main", "a"), "a2\n");
    as_before(&sandbox, OWN);
}

#[test]
fn what_the_user_has_changed_since_a_killed_landing_is_left_and_named() {
    for switch in [
        &["commit", "-q", "-m", "mine", "own"][..],
        &["checkout", "-q", "-b", "topic"],
    ] {
        let sandbox = landing();
        // Empty, it is the beginning of every version.
        sandbox.write("a", "");
        sandbox.write("gone", "again\n");
        go_on(&sandbox, switch);
        let recovery = only(&sandbox);
        let Verdict::RolledBack { reason } = recovery.verdict else {
            panic!("{recovery:?}");
        };
        assert!(reason.contains("left as they are at "), "{reason}");
        assert!(reason.ends_with(": a, gone"), "{reason}");
        assert_eq!(
            (sandbox.read("a"), sandbox.read("gone")),
            (String::new(), "again\n".into())
        );
        assert_eq!(sandbox.read("z"), "z\n");
    }
}

#[test]
fn what_the_user_has_committed_of_a_killed_landing_stays() {
    let sandbox = landing();
    go_on(&sandbox, &["commit", "-q", "-m", "mine", "a"]);
    let recovery = only(&sandbox);
    assert!(
        matches!(recovery.verdict, Verdict::RolledBack { .. }),
        "{recovery:?}"
    );
    assert_eq!(sandbox.read("a"), "a2\n");
    assert_eq!(sandbox.status(), OWN);
    assert_eq!(
        (sandbox.read("gone"), sandbox.read("k")),
        ("x\n".into(), "k\n".into())
    );
}

#[test]
fn what_a_killed_undo_wrote_is_taken_back_when_the_user_has_gone_on_since() {
    for (switch, status) in [
        (&["commit", "-q", "-m", "mine", "own"][..], "?? unknown"),
        (&["checkout", "-q", "-b", "topic"], OWN),
    ] {
        let (sandbox, receipt) = merged();
        arm(&sandbox);
        killed(&sandbox, Some(&receipt));
        assert!(!sandbox.root().join("j/new").exists());
        go_on(&sandbox, switch);
        let recovery = only(&sandbox);
        let Verdict::UndoRolledBack { reason } = &recovery.verdict else {
            // The commit on top has the merge: that is not taken back.
            panic!("{recovery:?}");
        };
        assert!(!reason.contains("left as they are"), "{reason}");
        assert_eq!(sandbox.status(), status);
        assert_eq!(sandbox.read("j/new"), "n\n");
        assert_eq!(sandbox.read("a"), "a2\n");
        undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
    }
}

#[test]
fn a_checkout_that_is_half_written_is_seen_and_nothing_of_it_changed_by_looking() {
    let sandbox = ready();
    assert_eq!(unfinished(sandbox.root()).unwrap(), Default::default());
    arm(&sandbox);
    killed(&sandbox, None);
    let lock = sandbox.root().join(".git/index.lock");
    let status = sandbox.status();
    let found = unfinished(sandbox.root()).unwrap();
    let [merge] = found.merges.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(
        (merge.branch.as_str(), merge.target.as_str(), merge.step),
        (BRANCH, "main", Step::Landing)
    );
    let [checkout] = merge.checkouts.as_slice() else {
        panic!("{found:?}");
    };
    let real = |path: &std::path::Path| path.canonicalize().unwrap();
    assert_eq!(real(&checkout.path), real(sandbox.root()));
    assert_eq!(real(&checkout.lock.as_ref().unwrap().0), real(&lock));
    assert!(lock.exists());
    assert_eq!(sandbox.status(), status);
    // The user has switched: it is named all the same, until it is put right.
    go_on(&sandbox, &["checkout", "-q", "-b", "topic"]);
    let found = unfinished(sandbox.root()).unwrap();
    assert_eq!(found.merges[0].checkouts.len(), 1, "{found:?}");
    let landing = sandbox.lock();
    assert!(unfinished(sandbox.root()).unwrap().merges.is_empty());
    drop(landing);
    let recovery = only(&sandbox);
    settle_journal(sandbox.root(), &recovery.id).unwrap();
    assert_eq!(unfinished(sandbox.root()).unwrap(), Default::default());
    let journal = grove::merge::journal_dir(sandbox.root());
    std::fs::write(journal.join("x.json"), "{").unwrap();
    let found = unfinished(sandbox.root()).unwrap();
    assert_eq!(found.unreadable, [journal.join("x.json")]);
    assert!(journal.join("x.json").exists());
}
