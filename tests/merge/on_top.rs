//! Who commits on the target while a hook still runs that git calls at the end of a landing: the merge has landed, and
//! what came on top of it says nothing else.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::support::{BRANCH, Sandbox, text};
use grove::merge::{Conclusion, MergeReport, OnDisplaced, UndoOutcome, land_revert, recover, undo};

fn hook(sandbox: &Sandbox, name: &str, script: &str) {
    let hook = sandbox.root().join(".git/hooks").join(name);
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    // The hooks of what it does itself are not its business.
    let once = "[ ! -e .git/once ] || exit 0";
    std::fs::write(&hook, format!("#!/bin/sh\n{once}\n{script}\n")).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Two changes of one line: the branch's takes the target's away.
fn displacing() -> Sandbox {
    let sandbox = Sandbox::new(&[("f", "one\ntwo\nthree\n")]);
    let theirs = [("f", text("one\ntwo of the branch\nthree\n"))];
    sandbox.commit(BRANCH, &theirs, "work");
    sandbox.commit("main", &[("f", text("one\ntwo of main\nthree\n"))], "m");
    sandbox
}

fn lands(sandbox: &Sandbox) -> MergeReport {
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let receipt = report.receipt.as_ref().unwrap();
    assert_eq!(receipt.account.displaced, 1, "{receipt:#?}");
    let undo = sandbox.git(&["for-each-ref", "refs/grove/undo"]);
    assert_eq!(undo.lines().count(), 1, "{undo}");
    report
}

#[test]
fn a_commit_made_while_the_hook_runs_does_not_hide_what_has_landed() {
    let sandbox = displacing();
    let commits = "> .git/once; git commit -q --allow-empty -m 'on top'";
    hook(&sandbox, "post-merge", commits);
    let receipt = lands(&sandbox).receipt.unwrap();
    assert_eq!(sandbox.tip("main^"), receipt.merged_commit);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn nor_does_an_amended_merge() {
    let sandbox = displacing();
    let amends = "> .git/once; git commit -q --amend -m 'said better'";
    hook(&sandbox, "post-merge", amends);
    lands(&sandbox);
    assert_eq!(
        sandbox.git(&["log", "-1", "--format=%s", "main"]),
        "said better"
    );
}

#[test]
fn nor_does_a_target_that_is_renamed() {
    let sandbox = displacing();
    hook(&sandbox, "post-merge", "> .git/once; git branch -m trunk");
    let receipt = lands(&sandbox).receipt.unwrap();
    assert_eq!(sandbox.tip("trunk"), receipt.merged_commit);
}

#[test]
fn what_the_hook_takes_back_at_once_has_not_landed() {
    let sandbox = displacing();
    let before = sandbox.tip("main");
    hook(&sandbox, "post-merge", "git reset -q --hard ORIG_HEAD");
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let ended = Sandbox::merge_with(&context, &mut |_| {});
    assert!(ended.is_err(), "{ended:#?}");
    assert_eq!(sandbox.tip("main"), before);
    assert_eq!(sandbox.git(&["for-each-ref", "refs/grove/undo"]), "");
    assert!(recover(sandbox.root()).unwrap().is_empty());
}

#[test]
fn a_revert_with_a_commit_on_top_has_landed() {
    let sandbox = displacing();
    let receipt = lands(&sandbox).receipt.unwrap();
    sandbox.commit("main", &[("g", text("g\n"))], "later");
    let repo = sandbox.repo();
    let done = undo(sandbox.root(), &repo, &receipt).unwrap();
    let UndoOutcome::RevertPrepared { commit, .. } = done else {
        panic!("no revert: {done:?}")
    };
    let commits = "> .git/once; git commit -q --allow-empty -m 'on top'";
    hook(&sandbox, "post-merge", commits);
    let done = land_revert(&sandbox.context(), &repo, &receipt, &commit, &mut |_| {}).unwrap();
    assert!(matches!(done, UndoOutcome::Reverted { .. }), "{done:?}");
    assert_eq!(sandbox.tip("main^"), commit);
}

/// The branch is checked out nowhere, and the hook that is told of its move commits there and hangs.
fn hangs_after_a_commit(sandbox: &Sandbox) {
    sandbox.git(&["checkout", "-q", "--detach"]);
    let script = "[ \"$1\" = committed ] && grep -q refs/heads/main || exit 0\n> .git/once\n\
                  git update-ref refs/heads/main $(git commit-tree -p main -m 'on top' 'main^{tree}')\n\
                  sleep 1000";
    hook(sandbox, "reference-transaction", script);
}

#[test]
fn nor_does_a_commit_hide_it_where_the_hook_hangs_besides() {
    let sandbox = displacing();
    hangs_after_a_commit(&sandbox);
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    context.driver_time_limit = Duration::from_secs(3);
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let receipt = report.receipt.unwrap();
    assert_eq!(sandbox.tip("main^"), receipt.merged_commit);
    let said = report.warnings.join("\n");
    assert!(said.contains("main has moved, but a hook"), "{said}");
}

#[test]
fn an_undone_merge_with_a_commit_on_top_is_undone() {
    let sandbox = displacing();
    let receipt = lands(&sandbox).receipt.unwrap();
    hangs_after_a_commit(&sandbox);
    let repo = sandbox.repo().with_driver_limit(Duration::from_secs(3));
    let done = undo(sandbox.root(), &repo, &receipt).unwrap();
    assert!(matches!(done, UndoOutcome::Restored { .. }), "{done:?}");
    assert_eq!(sandbox.tip("main^"), receipt.target_before);
}
