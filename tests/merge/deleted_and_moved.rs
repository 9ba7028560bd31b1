//! A block that one side deleted and the other took to another file: git merges that without a question, and the
//! receipt says that the deleted lines are there all the same.

use crate::support::{BRANCH, GONE, Sandbox, text};
use grove::merge::{Conclusion, MergeReport};
use grove::types::merge::MergeTier;

const BLOCK: &str = "fn sum(a: u32, b: u32) -> u32 {\n    a + b\n}\n";

fn around(block: &str) -> String {
    format!("one\ntwo\nthree\n{block}four\nfive\nsix\n")
}

fn landed(sandbox: &Sandbox) -> MergeReport {
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    report
}

/// File, line and who had removed it.
fn back(report: &MergeReport) -> Vec<(&str, u64, &str)> {
    let receipt = report.receipt.as_ref().unwrap();
    let lines = receipt.brought_back.iter();
    lines
        .map(|back| (back.file.as_str(), back.line, back.removed_by.as_str()))
        .collect()
}

#[test]
fn deleted_lines_that_come_back_in_another_file_are_named() {
    for (is_moved_here, by) in [(false, "target"), (true, "branch")] {
        let sandbox = Sandbox::new(&[("a", &around(BLOCK)), ("b", "first\nlast\n")]);
        let moved = format!("first\n{BLOCK}last\n");
        let without = around("");
        let mover = [("a", text(&without)), ("b", text(&moved))];
        let (branch, main) = if is_moved_here {
            (&mover[..1], &mover[..])
        } else {
            (&mover[..], &mover[..1])
        };
        sandbox.commit(BRANCH, branch, "b");
        sandbox.commit("main", main, "m");
        let report = landed(&sandbox);
        assert_eq!(report.tier, MergeTier::CleanMerge);
        assert_eq!(sandbox.show("main", "b"), moved);
        assert_eq!(back(&report), [("b", 2, by), ("b", 3, by), ("b", 4, by)]);
        let said = format!("b: 3 lines that the {by} had removed are back");
        let warned = report.warnings.iter().any(|it| it.starts_with(&said));
        assert!(warned, "{:?}", report.warnings);
    }
}

#[test]
fn a_file_that_is_deleted_and_whose_block_went_to_a_new_one_is_named_too() {
    let sandbox = Sandbox::new(&[("a", BLOCK), ("b", "b\n")]);
    sandbox.commit(
        BRANCH,
        &[("a", GONE), ("b", text(&format!("b\n{BLOCK}and more\n")))],
        "m",
    );
    sandbox.commit("main", &[("a", GONE)], "d");
    let report = landed(&sandbox);
    assert_eq!(
        back(&report),
        [("b", 2, "target"), ("b", 3, "target"), ("b", 4, "target")]
    );
}

#[test]
fn what_both_sides_moved_or_nobody_moved_is_not_back() {
    let moved = format!("b\n{BLOCK}");
    for (ours, theirs) in [
        // Both moved it, each to a place of its own.
        (
            [("a", around("")), ("c", moved.clone())],
            [("a", around("")), ("b", moved.clone())],
        ),
        // Both deleted it, and one put something else elsewhere.
        (
            [("a", around("")), ("c", "c\n".to_owned())],
            [("a", around("")), ("b", "b\nfour\n".to_owned())],
        ),
    ] {
        let sandbox = Sandbox::new(&[("a", &around(BLOCK)), ("b", "b\n")]);
        let change = |branch: &str, files: &[(&str, String); 2]| {
            let files = files
                .each_ref()
                .map(|(name, content)| (*name, text(content)));
            sandbox.commit(branch, &files, "x");
        };
        change(BRANCH, &theirs);
        change("main", &ours);
        let report = landed(&sandbox);
        assert_eq!(back(&report), []);
    }
}
