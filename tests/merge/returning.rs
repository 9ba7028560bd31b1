//! Lines that one side deleted and that are in the result all the same: never unsaid, whoever put
//! them back.

use std::path::Path;

use crate::support::{BRANCH, Sandbox, item, text};
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
