//! `kill -9` while a prepared revert lands, at each step of it: the next start takes back what was begun or
//! says that it was done, and the revert can be landed again.
#![cfg(target_os = "linux")]

use crate::killed::{OWN, arm, killed, lock_is_gone, merged, only, script};
use crate::support::{Sandbox, gate, text};
use grove::merge::{UndoOutcome, Verdict, land_revert, recover, settle_undo, undo, unsettled};
use grove::types::merge::MergeReceipt;

/// A merge with something on top of it, and the commit that would revert it.
struct Prepared {
    sandbox: Sandbox,
    receipt: MergeReceipt,
    commit: String,
    tip: String,
}

fn prepared() -> Prepared {
    let (sandbox, receipt) = merged();
    sandbox.commit("main", &[("b", text("b3\n"))], "on top");
    let UndoOutcome::RevertPrepared { commit, .. } =
        undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap()
    else {
        panic!("not prepared");
    };
    std::fs::write(sandbox.root().join(".git/revert"), &commit).unwrap();
    let tip = sandbox.tip("main");
    Prepared {
        sandbox,
        receipt,
        commit,
        tip,
    }
}

impl Prepared {
    fn is_untouched(&self) {
        assert_eq!(self.sandbox.tip("main"), self.tip);
        assert_eq!(self.sandbox.status(), OWN);
        assert_eq!(self.sandbox.read("j/new"), "n\n");
        assert_eq!(self.sandbox.read("k"), "k2\n");
        assert!(unsettled(self.sandbox.root()).unwrap().is_empty());
    }

    fn can_be_landed(&self) {
        let repo = self.sandbox.repo();
        let context = self.sandbox.context();
        let done = land_revert(&context, &repo, &self.receipt, &self.commit, &mut |_| {}).unwrap();
        let commit = self.commit.clone();
        let warnings = Vec::new();
        assert_eq!(done, UndoOutcome::Reverted { commit, warnings });
        settle_undo(self.sandbox.root(), &self.receipt.id).unwrap();
        self.is_reverted();
    }

    fn is_reverted(&self) {
        assert_eq!(self.sandbox.tip("main"), self.commit);
        assert_eq!(self.sandbox.status(), OWN);
        for (path, content) in [
            ("a", "a\n"),
            ("b", "b3\n"),
            ("gone", "x\n"),
            ("k", "k\n"),
            ("own", "mine\n"),
            ("z", "z\n"),
        ] {
            assert_eq!(self.sandbox.read(path), content);
        }
        assert!(!self.sandbox.root().join("j").exists());
        assert!(unsettled(self.sandbox.root()).unwrap().is_empty());
    }

    fn rolls_back(&self) {
        let recovery = only(&self.sandbox);
        assert!(
            matches!(recovery.verdict, Verdict::UndoRolledBack { .. }),
            "{recovery:?}"
        );
        self.is_untouched();
        self.can_be_landed();
    }
}

#[test]
fn git_killed_while_a_revert_lands_the_half_done_checkout_is_put_back() {
    let prepared = prepared();
    arm(&prepared.sandbox);
    killed(&prepared.sandbox, Some(&prepared.receipt));
    assert_eq!(prepared.sandbox.tip("main"), prepared.tip);
    assert!(prepared.sandbox.root().join(".git/index.lock").exists());
    let recovery = only(&prepared.sandbox);
    lock_is_gone(&prepared.sandbox, &recovery);
    assert!(
        matches!(recovery.verdict, Verdict::UndoRolledBack { .. }),
        "{recovery:?}"
    );
    prepared.is_untouched();
    prepared.can_be_landed();
}

#[test]
fn what_the_user_has_written_since_a_revert_was_killed_is_kept_and_named() {
    let prepared = prepared();
    arm(&prepared.sandbox);
    killed(&prepared.sandbox, Some(&prepared.receipt));
    prepared.sandbox.write("a", "my own\n");
    let recovery = only(&prepared.sandbox);
    let Verdict::UndoRolledBack { reason } = &recovery.verdict else {
        panic!("{recovery:?}");
    };
    assert!(reason.ends_with("left as they are: a"), "{reason}");
    assert_eq!(prepared.sandbox.read("a"), "my own\n");
    assert_eq!(prepared.sandbox.status(), " M a\n M own\n?? unknown");
}

#[test]
fn killed_between_the_checkout_and_the_branch_a_revert_is_rolled_back() {
    let prepared = prepared();
    let body = "[ \"$1\" = prepared ] && grep -q refs/heads/main || exit 0\n\
                kill -9 $(cat .git/victim) $PPID\nexit 1";
    let hook = script(&prepared.sandbox, "hooks/reference-transaction", body);
    killed(&prepared.sandbox, Some(&prepared.receipt));
    std::fs::remove_file(hook).unwrap();
    for lock in ["refs/heads/main.lock", "HEAD.lock"] {
        std::fs::remove_file(prepared.sandbox.root().join(".git").join(lock)).ok();
    }
    assert_eq!(prepared.sandbox.tip("main"), prepared.tip);
    prepared.rolls_back();
}

#[test]
fn killed_after_the_branch_moved_a_revert_is_reported_until_it_is_stored() {
    let prepared = prepared();
    let body = "[ \"$1\" = committed ] && grep -q refs/heads/main || exit 0\n\
                kill -9 $(cat .git/victim)";
    let hook = script(&prepared.sandbox, "hooks/reference-transaction", body);
    killed(&prepared.sandbox, Some(&prepared.receipt));
    std::fs::remove_file(hook).unwrap();
    for _ in 0..2 {
        let Verdict::Undone { undo, .. } = only(&prepared.sandbox).verdict else {
            panic!("not told");
        };
        assert_eq!(undo.to, prepared.commit);
    }
    settle_undo(prepared.sandbox.root(), &prepared.receipt.id).unwrap();
    assert!(recover(prepared.sandbox.root()).unwrap().is_empty());
    prepared.is_reverted();
}

#[test]
fn killed_during_the_gates_a_revert_has_done_nothing_and_leaves_nothing() {
    for step in ["gate begins", "gate is green"] {
        let prepared = prepared();
        let root = prepared.sandbox.root().to_path_buf();
        std::fs::write(root.join(".git/dies-at"), step).unwrap();
        killed(&prepared.sandbox, Some(&prepared.receipt));
        let scratch = || std::fs::read_dir(root.join(".overstory/scratch")).unwrap();
        assert_eq!(scratch().count(), 1, "{step}: it ran in there");
        prepared.is_untouched();
        assert!(recover(&root).unwrap().is_empty(), "{step}");
        assert_eq!(scratch().count(), 0, "{step}");
        let listed = prepared.sandbox.git(&["worktree", "list"]);
        assert_eq!(listed.lines().count(), 1, "{step}: {listed}");
        prepared.is_untouched();
        prepared.can_be_landed();
    }
}

#[test]
fn a_revert_says_which_files_its_gates_changed_and_lands_without_that() {
    let prepared = prepared();
    let mut context = prepared.sandbox.context();
    context.gates = vec![gate("tidy", "echo tidied > a && echo tidied > b")];
    let repo = prepared.sandbox.repo();
    let (receipt, commit) = (&prepared.receipt, &prepared.commit);
    let done = land_revert(&context, &repo, receipt, commit, &mut |_| {}).unwrap();
    let UndoOutcome::Reverted { warnings, .. } = done else {
        panic!("{done:?}");
    };
    let changed = "gate tidy changed 2 files: a, b; the revert lands without that";
    assert!(warnings.iter().any(|said| said == changed), "{warnings:?}");
    settle_undo(prepared.sandbox.root(), &receipt.id).unwrap();
    prepared.is_reverted();

    let again = self::prepared();
    context = again.sandbox.context();
    context.gates = vec![gate("bad", "echo tidied > a; false")];
    let repo = again.sandbox.repo();
    let done = land_revert(&context, &repo, &again.receipt, &again.commit, &mut |_| {}).unwrap();
    let UndoOutcome::GateRed { gate, warnings } = done else {
        panic!("{done:?}");
    };
    assert_eq!(gate, "bad");
    assert!(warnings[0].contains("changed 1 file: a"), "{warnings:?}");
    again.is_untouched();
}
