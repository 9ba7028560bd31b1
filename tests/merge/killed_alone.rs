//! `kill -9` of grove alone: the git that it had started goes on, waits in a hook of the user's with the files and the index
//! written, and moves the branch last. Nothing is decided before that git has ended.
#![cfg(target_os = "linux")]

use std::time::Duration;

use crate::killed::{OWN, killed, merged, only, ready, script};
use crate::support::Sandbox;
use grove::git::Repo;
use grove::merge::{
    MergeError, RefusalReason, UndoOutcome, Verdict, recover_within, settle_journal, settle_undo,
    undo, unsettled,
};

/// The git of the killed grove stands in this hook until it is let go.
fn waits_in_a_hook(sandbox: &Sandbox) {
    let body = "[ \"$1\" = prepared ] && grep -q refs/heads/main || exit 0\n\
                [ ! -e .git/met ] || exit 0\n> .git/met\n\
                kill -9 $(cat .git/victim)\nuntil [ -e .git/go ] || [ ! -d .git ]; do sleep 0.02; done";
    script(sandbox, "hooks/reference-transaction", body);
}

fn is_told_and_nothing_touched(sandbox: &Sandbox, lock: &str) {
    let seen = (sandbox.tip("main"), sandbox.status(), entry(sandbox));
    let mut all = recover_within(sandbox.root(), Duration::from_millis(50)).unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    let Verdict::Waits { reason } = all.remove(0).verdict else {
        panic!("{all:?}");
    };
    assert!(
        reason.starts_with("the git (process ") && reason.contains(lock),
        "{reason}"
    );
    assert_eq!(
        (sandbox.tip("main"), sandbox.status(), entry(sandbox)),
        seen
    );
}

fn entry(sandbox: &Sandbox) -> String {
    let entries = unsettled(sandbox.root()).unwrap();
    assert_eq!(entries.len(), 1);
    entries[0].updated_at.clone()
}

fn let_go(sandbox: &Sandbox) {
    std::fs::write(sandbox.root().join(".git/go"), "").unwrap();
}

/// It lands, and the checkout has this in `a` then.
fn lands_when_let_go(sandbox: &Sandbox, lock: &str, a: &str) {
    waits_in_a_hook(sandbox);
    killed(sandbox, None);
    is_told_and_nothing_touched(sandbox, lock);
    let_go(sandbox);
    let recovery = only(sandbox);
    let Verdict::Landed(receipt) = recovery.verdict else {
        panic!("{recovery:?}");
    };
    assert_eq!(sandbox.tip("main"), receipt.merged_commit);
    assert_eq!(sandbox.status(), OWN);
    assert_eq!(sandbox.read("a"), a);
    settle_journal(sandbox.root(), &receipt.id).unwrap();
}

#[test]
fn a_git_that_outlived_its_grove_in_a_hook_lands_and_the_checkout_is_not_put_back() {
    lands_when_let_go(&ready(), "/HEAD.lock is there", "a2\n");
}

#[test]
fn a_git_that_outlived_its_grove_in_a_hook_moves_a_branch_that_is_nowhere_checked_out() {
    let sandbox = ready();
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    lands_when_let_go(&sandbox, "/refs/heads/main.lock is there", "a\n");
}

#[test]
fn a_git_that_outlived_its_grove_in_a_hook_takes_back_and_the_checkout_is_not_put_forward() {
    let (sandbox, receipt) = merged();
    waits_in_a_hook(&sandbox);
    killed(&sandbox, Some(&receipt));
    is_told_and_nothing_touched(&sandbox, "/HEAD.lock is there");
    // What it has written down is not replaced either.
    let again = undo(
        sandbox.root(),
        &Repo::open(sandbox.root()).unwrap(),
        &receipt,
    );
    assert!(
        matches!(
            again,
            Err(MergeError::Locked { .. })
                | Ok(UndoOutcome::Refused {
                    reason: RefusalReason::Locked { .. },
                    ..
                })
        ),
        "{again:?}"
    );
    let_go(&sandbox);
    let recovery = only(&sandbox);
    assert!(
        matches!(recovery.verdict, Verdict::Undone { .. }),
        "{recovery:?}"
    );
    assert_eq!(sandbox.tip("main"), receipt.target_before);
    assert_eq!(sandbox.status(), OWN);
    assert_eq!(sandbox.read("a"), "a\n");
    settle_undo(sandbox.root(), &receipt.id).unwrap();
}
