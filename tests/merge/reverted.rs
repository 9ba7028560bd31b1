//! Merging again what a revert took back: git regards the commits as merged, grove brings their work
//! back.

use crate::support::{BRANCH, Sandbox, item, text};
use grove::merge::{
    Conclusion, MergeOutcome, MergeReport, UndoOutcome, UndoProspect, execute, land_revert, plan,
    undo, undo_prospect,
};
use grove::types::merge::MergeReceipt;

const WORK: &str = "one\ntwo\nthree\n";

fn merge(sandbox: &Sandbox, branch: &str) -> MergeReport {
    execute(&sandbox.context(), &item(branch), &mut |_| {}).unwrap()
}

fn landed(sandbox: &Sandbox, branch: &str) -> MergeReceipt {
    let report = merge(sandbox, branch);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    report.receipt.unwrap()
}

/// Takes a merge below other commits back, and lands the revert.
fn take_back(sandbox: &Sandbox, receipt: &MergeReceipt) -> String {
    let repo = sandbox.repo();
    let done = undo(sandbox.root(), &repo, receipt).unwrap();
    let UndoOutcome::RevertPrepared { commit, .. } = done else {
        panic!("no revert: {done:?}")
    };
    let done = land_revert(&sandbox.context(), &repo, receipt, &commit, &mut |_| {}).unwrap();
    assert!(matches!(done, UndoOutcome::Reverted { .. }), "{done:?}");
    commit
}

/// Ann's work has landed, something else after it, and hers was taken back by a revert.
fn taken_back() -> (Sandbox, String) {
    let sandbox = Sandbox::new(&[("f", "base\n")]);
    sandbox.commit(BRANCH, &[("work", text(WORK))], "work");
    sandbox.commit(BRANCH, &[("f", text("base\nmore\n"))], "more");
    let receipt = landed(&sandbox, BRANCH);
    sandbox.commit("main", &[("later", text("later\n"))], "later");
    let revert = take_back(&sandbox, &receipt);
    assert_eq!(sandbox.files("main"), ["f", "later"]);
    (sandbox, revert)
}

fn all_there(sandbox: &Sandbox) {
    assert_eq!(sandbox.show("main", "work"), WORK);
    assert_eq!(sandbox.show("main", "f"), "base\nmore\n");
    assert_eq!(sandbox.show("main", "later"), "later\n");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn a_merge_that_a_revert_took_back_lands_whole_when_it_is_merged_again() {
    let (sandbox, revert) = taken_back();
    let report = merge(&sandbox, BRANCH);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let told = format!(
        "merged before and taken back by {}: what that took is brought back",
        &revert[..8]
    );
    assert!(report.warnings.contains(&told), "{:?}", report.warnings);
    let receipt = report.receipt.unwrap();
    assert_eq!(receipt.account.removed, 0, "{:?}", receipt.account);
    all_there(&sandbox);
    assert_eq!(
        merge(&sandbox, BRANCH).conclusion,
        Conclusion::AlreadyMerged
    );
}

#[test]
fn a_fix_after_the_undo_brings_the_earlier_work_along() {
    let (sandbox, _) = taken_back();
    sandbox.commit(BRANCH, &[("work", text("one\nTWO\nthree\n"))], "fix");
    let receipt = landed(&sandbox, BRANCH);
    assert_eq!(sandbox.show("main", "work"), "one\nTWO\nthree\n");
    assert_eq!(sandbox.show("main", "f"), "base\nmore\n");
    assert_eq!(receipt.account.removed, 0, "{:?}", receipt.account);
}

#[test]
fn what_was_taken_back_twice_comes_back_a_third_time() {
    let (sandbox, _) = taken_back();
    let again = landed(&sandbox, BRANCH);
    sandbox.commit("main", &[("last", text("last\n"))], "last");
    take_back(&sandbox, &again);
    assert_eq!(sandbox.files("main"), ["f", "last", "later"]);
    landed(&sandbox, BRANCH);
    all_there(&sandbox);
}

#[test]
fn the_first_of_two_merges_comes_back_though_the_second_stands() {
    let sandbox = Sandbox::new(&[("f", "base\n")]);
    sandbox.commit(BRANCH, &[("work", text(WORK))], "work");
    let first = landed(&sandbox, BRANCH);
    sandbox.commit(BRANCH, &[("second", text("second\n"))], "second");
    landed(&sandbox, BRANCH);
    take_back(&sandbox, &first);
    assert_eq!(sandbox.files("main"), ["f", "second"]);
    landed(&sandbox, BRANCH);
    assert_eq!(sandbox.files("main"), ["f", "second", "work"]);
}

#[test]
fn a_branch_that_started_from_the_merge_does_not_bring_it_back() {
    let sandbox = Sandbox::new(&[("f", "base\n")]);
    sandbox.commit(BRANCH, &[("work", text(WORK))], "work");
    let receipt = landed(&sandbox, BRANCH);
    let other = "overstory/ben/t-2";
    sandbox.commit(other, &[("other", text("other\n"))], "other");
    sandbox.commit("main", &[("later", text("later\n"))], "later");
    take_back(&sandbox, &receipt);
    landed(&sandbox, other);
    assert_eq!(sandbox.files("main"), ["f", "later", "other"]);
    landed(&sandbox, BRANCH);
    assert_eq!(sandbox.show("main", "work"), WORK);
}

#[test]
fn a_branch_on_top_of_the_one_that_was_taken_back_lands_whole() {
    let (sandbox, _) = taken_back();
    let on_top = "overstory/ben/t-2";
    sandbox.git(&["branch", on_top, BRANCH]);
    sandbox.commit(on_top, &[("top", text("top\n"))], "top");
    landed(&sandbox, on_top);
    all_there(&sandbox);
    assert_eq!(
        merge(&sandbox, BRANCH).conclusion,
        Conclusion::AlreadyMerged
    );
}

#[test]
fn a_revert_that_was_reverted_by_hand_leaves_nothing_to_bring_back() {
    let (sandbox, revert) = taken_back();
    sandbox.git(&["revert", "--no-edit", &revert]);
    let planned = plan(&sandbox.repo(), "main", BRANCH).unwrap();
    assert!(matches!(planned, MergeOutcome::Clean(plan) if plan.already_merged));
}

#[test]
fn a_message_on_another_branch_about_a_revert_changes_nothing() {
    let sandbox = Sandbox::new(&[("f", "base\n")]);
    sandbox.commit(BRANCH, &[("work", text(WORK))], "work");
    let receipt = landed(&sandbox, BRANCH);
    let other = "overstory/ben/t-2";
    let lie = format!("x\n\nThis reverts commit {}.", receipt.merged_commit);
    sandbox.commit(other, &[("other", text("other\n"))], &lie);
    landed(&sandbox, other);
    assert_eq!(
        merge(&sandbox, BRANCH).conclusion,
        Conclusion::AlreadyMerged
    );
}

#[test]
fn lines_that_the_target_changed_since_the_revert_are_contested_and_not_overwritten() {
    let (sandbox, _) = taken_back();
    sandbox.commit("main", &[("work", text("ours\n"))], "ours");
    let report = merge(&sandbox, BRANCH);
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    assert_eq!(sandbox.show("main", "work"), "ours\n");
}

#[test]
fn taking_back_twice_says_that_it_was_taken_back_and_by_which_commit() {
    let sandbox = Sandbox::new(&[("f", "base\n")]);
    sandbox.commit(BRANCH, &[("work", text(WORK))], "work");
    let receipt = landed(&sandbox, BRANCH);
    sandbox.commit("main", &[("later", text("later\n"))], "later");
    take_back(&sandbox, &receipt);
    let by = sandbox.tip("main");
    sandbox.commit("main", &[("more", text("more\n"))], "more");
    let again = undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
    assert_eq!(again, UndoOutcome::TakenBack { by: by.clone() });
    let prospect = undo_prospect(&sandbox.repo(), &receipt).unwrap();
    assert_eq!(prospect, UndoProspect::TakenBack { by });
}
