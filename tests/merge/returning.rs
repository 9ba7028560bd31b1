//! Lines that one side deleted and that are in the result all the same: never unsaid, whoever put
//! them back.

use std::path::Path;

use crate::support::{BRANCH, GONE, Sandbox, item, text};
use grove::merge::{
    Choices, Conclusion, ConflictResolver, ContestedFile, Decision, MergeItem, MergeReport,
    OnDisplaced, Review, execute_reviewed, execute_with_resolver,
};
use grove::types::merge::MergeTier;

/// The target deletes a line beside the contested one; the branch keeps it.
fn contested() -> Sandbox {
    let sandbox = Sandbox::new(&[("f", "a\nold way();\nb\nc\nd\n")]);
    sandbox.commit(
        BRANCH,
        &[("f", text("a\nold way();\ntheirs\nc\nd\n"))],
        "theirs",
    );
    sandbox.commit("main", &[("f", text("a\nours\nc\nd\n"))], "ours");
    sandbox
}

struct Answers(&'static str);

impl ConflictResolver for Answers {
    fn answer(
        &self,
        _: &MergeItem,
        _: MergeTier,
        _: &ContestedFile,
        _: &Path,
    ) -> Result<String, String> {
        Ok(self.0.to_owned())
    }
}

fn says_so(sandbox: &Sandbox, report: &MergeReport) {
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert!(sandbox.show("main", "f").contains("old way"));
    let receipt = report.receipt.as_ref().unwrap();
    let back: Vec<(&str, &str, &str)> = receipt
        .brought_back
        .iter()
        .map(|line| {
            (
                line.file.as_str(),
                line.text.as_str(),
                line.removed_by.as_str(),
            )
        })
        .collect();
    assert_eq!(back, [("f", "old way();", "target")]);
    assert_eq!(receipt.account.brought_back, 1);
    let warning = "f: a line that the target had removed is back: old way();";
    assert!(
        report.warnings.iter().any(|said| said == warning),
        "{:?}",
        report.warnings
    );
}

#[test]
fn a_model_that_brings_a_deleted_line_back_is_told_on() {
    let sandbox = contested();
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Escalate;
    let resolver = Answers("a\nold way();\nours\ntheirs\nc\nd\n");
    let report = execute_with_resolver(&context, &item(BRANCH), &resolver, &mut |_| {}).unwrap();
    assert_eq!(report.tier, MergeTier::AiResolve);
    says_so(&sandbox, &report);

    let sandbox = contested();
    let resolver = Answers("a\nours\ntheirs\nc\nd\n");
    let report = execute_with_resolver(
        &grove::merge::MergeContext {
            root: sandbox.root().to_path_buf(),
            ..context
        },
        &item(BRANCH),
        &resolver,
        &mut |_| {},
    )
    .unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert!(
        report.receipt.unwrap().brought_back.is_empty(),
        "nothing came back"
    );
}

#[test]
fn a_person_who_brings_a_deleted_line_back_is_told_so() {
    let own = Decision::Text("old way();\nours\ntheirs\n".to_owned());
    for decision in [own, Decision::Both] {
        let sandbox = contested();
        let repo = sandbox.repo();
        let review = Review {
            target: repo.branch_tip("main").unwrap(),
            branch: repo.branch_tip(BRANCH).unwrap(),
            choices: Choices::Hunks(vec![decision]),
            tier: MergeTier::AutoResolve,
            made: Vec::new(),
        };
        let (context, item) = (sandbox.context(), item(BRANCH));
        let report = execute_reviewed(&context, &item, &review, &mut |_| {}).unwrap();
        says_so(&sandbox, &report);
    }
}

#[test]
fn a_clean_merge_that_brings_a_moved_line_back_says_so() {
    let ten: String = (0..20).map(|n| format!("line {n}\n")).collect();
    let sandbox = Sandbox::new(&[("f", &ten)]);
    let moved = ten.replace("line 3\n", "") + "line 3\n";
    sandbox.commit(BRANCH, &[("f", text(&moved))], "move it");
    sandbox.commit(
        "main",
        &[("f", text(&ten.replace("line 3\n", "")))],
        "delete it",
    );
    let report = sandbox.merge();
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::Landed, MergeTier::CleanMerge)
    );
    assert!(
        sandbox.show("main", "f").ends_with("line 3\n"),
        "as git does"
    );
    assert_eq!(
        report.warnings,
        ["f: a line that the target had removed is back: line 3"]
    );
}

/// The lines that a receipt names as back: place, text and who had removed them.
fn named(report: &MergeReport) -> Vec<(String, &str, &str)> {
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let receipt = report.receipt.as_ref().unwrap();
    let back = receipt.brought_back.iter();
    let back: Vec<_> = back
        .map(|line| {
            let place = format!("{}:{}", line.file, line.line);
            (place, line.text.as_str(), line.removed_by.as_str())
        })
        .collect();
    assert_eq!(receipt.account.brought_back, back.len() as u64);
    back
}

fn merged(base: &str, ours: &str, theirs: &str) -> MergeReport {
    let lines = |words: &str| words.replace(' ', "\n") + "\n";
    let sandbox = Sandbox::new(&[("f", &lines(base))]);
    sandbox.commit(BRANCH, &[("f", text(&lines(theirs)))], "theirs");
    sandbox.commit("main", &[("f", text(&lines(ours)))], "ours");
    landed_whatever_is_displaced(&sandbox)
}

/// Lands the branch's side of what is contested.
fn landed_whatever_is_displaced(sandbox: &Sandbox) -> MergeReport {
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    Sandbox::merge_with(&context, &mut |_| {}).unwrap()
}

#[test]
fn deleted_lines_that_are_back_are_named_though_the_side_has_equal_ones_elsewhere() {
    let report = merged("x a x c x e f", "x a e f", "x a x NEW c x e f");
    let line = |at: &str, text| (format!("f:{at}"), text, "target");
    assert_eq!(
        named(&report),
        [line("3", "x"), line("5", "c"), line("6", "x")],
        "{report:#?}"
    );
    let warning = "f: 3 lines that the target had removed are back, first: x";
    assert!(
        report.warnings.iter().any(|said| said == warning),
        "{:?}",
        report.warnings
    );
}

#[test]
fn deleted_braces_that_are_back_are_named() {
    let report = merged("a b c d e };", "a", "a b NEW c d e };");
    let texts: Vec<&str> = named(&report).iter().map(|(_, text, _)| *text).collect();
    assert_eq!(texts, ["b", "c", "d", "e", "};"], "{report:#?}");
}

#[test]
fn deleted_lines_that_are_back_are_named_in_a_file_that_the_branch_renamed() {
    let lines = |words: &str| words.replace(' ', "\n") + "\n";
    let stays = "one two three four five six seven eight nine ten";
    let (base, ours) = (format!("{stays} x a x c x e f"), format!("{stays} x a e f"));
    let sandbox = Sandbox::new(&[("f", &lines(&base))]);
    let theirs = lines(&format!("{stays} x a x NEW c x e f"));
    sandbox.commit(BRANCH, &[("f", GONE), ("g", text(&theirs))], "theirs");
    sandbox.commit("main", &[("f", text(&lines(&ours)))], "ours");
    let report = landed_whatever_is_displaced(&sandbox);
    let line = |at: &str, text| (format!("g:{at}"), text, "target");
    assert_eq!(
        named(&report),
        [line("13", "x"), line("15", "c"), line("16", "x")],
        "{report:#?}"
    );
}

#[test]
fn a_clean_merge_names_no_line_that_a_side_left_or_put_in_elsewhere() {
    let report = merged(
        "{ one } { two } { three } { four }",
        "{ one } { two } { four }",
        "{ one } { two } { three } { four } { five }",
    );
    assert_eq!(named(&report), []);
    let report = merged(
        "x a b c d e x f g h",
        "a b c d e x f g h",
        "x a b c d e f g x h",
    );
    assert_eq!(report.tier, MergeTier::CleanMerge);
    assert_eq!(named(&report), []);
}

#[test]
fn a_deleted_line_that_the_other_side_moved_to_another_depth_is_named() {
    let lines = |words: &str| words.replace(' ', "\n").replace('_', " ") + "\n";
    let (head, tail) = ("a b c d e", "f g h i j");
    let base = format!("{head} ____call(1); {tail}");
    let kept = format!("{head} {tail}");
    let moved = format!("{kept} call(1);");
    let report = |base: &str, ours: &str, theirs: &str| {
        let sandbox = Sandbox::new(&[("f", &lines(base))]);
        sandbox.commit(BRANCH, &[("f", text(&lines(theirs)))], "theirs");
        sandbox.commit("main", &[("f", text(&lines(ours)))], "ours");
        landed_whatever_is_displaced(&sandbox)
    };
    let back = |by| [("f:11".to_owned(), "call(1);", by)];
    let found = report(&base, &kept, &moved);
    assert_eq!(found.tier, MergeTier::CleanMerge);
    assert_eq!(named(&found), back("target"), "{found:#?}");
    let found = report(&base, &moved, &kept);
    assert_eq!(named(&found), back("branch"), "{found:#?}");
    // Who has it somewhere has not deleted it.
    let also = |text: &str| format!("__call(1); {text}");
    let found = report(&also(&base), &also(&kept), &also(&moved));
    assert_eq!(named(&found), []);
    let other = format!("{kept} call(2);");
    assert_eq!(named(&report(&base, &kept, &other)), []);
}

#[test]
fn a_line_in_other_words_amid_a_deleted_block_that_the_other_side_moved_is_named() {
    let (head, tail) = ("a b c d e", "f g h i j");
    let base = format!("{head} one() call(1) two() three() {tail}");
    let moved = format!("{head} {tail} one() call(2) two() three()");
    let report = merged(&base, &format!("{head} {tail}"), &moved);
    let line = |at: &str, text| (format!("f:{at}"), text, "target");
    assert_eq!(
        named(&report),
        [
            line("11", "one()"),
            line("12", "call(2)"),
            line("13", "two()"),
            line("14", "three()")
        ],
        "{report:#?}"
    );
}
