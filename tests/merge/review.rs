//! Contested places decided by a person or written by a resolver: what lands, what the receipt lists,
//! and what is refused.

use std::cell::RefCell;

use crate::support::{BRANCH, GONE, Sandbox, item, text};
use grove::merge::{
    Choices, Conclusion, ConflictResolver, ContestedFile, Decision, MergeError, MergeItem,
    MergeOutcome, MergeReport, OnDisplaced, Review, execute_reviewed, execute_with_resolver, plan,
    plan_reviewed,
};
use grove::types::merge::MergeTier;

/// Two contested places in one file, and a file that the branch deleted.
fn contested() -> Sandbox {
    let base = "a\nb\nc\nd\ne\nf\ng\n";
    let sandbox = Sandbox::new(&[("f", base), ("gone", "x\n")]);
    let theirs = base
        .replace("b\n", "b theirs\n")
        .replace("f\n", "f theirs\n");
    sandbox.commit(BRANCH, &[("f", text(&theirs)), ("gone", GONE)], "theirs");
    let ours = base.replace("b\n", "b ours\n").replace("f\n", "f ours\n");
    sandbox.commit(
        "main",
        &[("f", text(&ours)), ("gone", text("x\ny\n"))],
        "ours",
    );
    sandbox
}

fn review(sandbox: &Sandbox, decisions: &[Decision]) -> Result<MergeReport, MergeError> {
    let MergeOutcome::ContentDisplaced(plan) = plan(&sandbox.repo(), "main", BRANCH).unwrap()
    else {
        panic!("nothing is contested");
    };
    let review = Review {
        target: plan.target,
        branch: plan.branch,
        choices: Choices::Hunks(decisions.to_vec()),
        tier: MergeTier::AutoResolve,
        made: Vec::new(),
    };
    execute_reviewed(&sandbox.context(), &item(BRANCH), &review, &mut |_| {})
}

#[test]
fn each_place_gets_what_was_decided_and_the_receipt_lists_what_went() {
    let sandbox = contested();
    let own = Decision::Text("f of both\n".to_owned());
    let report = review(&sandbox, &[Decision::Both, own, Decision::Ours]).unwrap();
    assert_eq!(
        report.conclusion,
        Conclusion::Landed,
        "{:?}",
        report.error_message
    );
    assert_eq!(
        sandbox.show("main", "f"),
        "a\nb ours\nb theirs\nc\nd\ne\nf of both\ng\n"
    );
    assert_eq!(sandbox.show("main", "gone"), "x\ny\n");
    let receipt = report.receipt.unwrap();
    let went: Vec<&str> = receipt
        .displaced
        .iter()
        .map(|hunk| hunk.text.as_str())
        .collect();
    assert_eq!(went, ["f ours\n", "f theirs\n"]);
    let agents: Vec<&str> = receipt
        .displaced
        .iter()
        .map(|hunk| hunk.agent.as_str())
        .collect();
    assert_eq!(agents, ["Tester", "ann"], "the branch is ann's");

    let sandbox = contested();
    let report = review(
        &sandbox,
        &[Decision::Ours, Decision::BothReversed, Decision::Theirs],
    )
    .unwrap();
    assert_eq!(
        report.conclusion,
        Conclusion::Landed,
        "{:?}",
        report.error_message
    );
    assert_eq!(
        sandbox.show("main", "f"),
        "a\nb ours\nc\nd\ne\nf theirs\nf ours\ng\n"
    );
    assert_eq!(sandbox.files("main"), ["f"]);
    let went: Vec<(String, String)> = report
        .displaced
        .into_iter()
        .map(|hunk| (hunk.text, hunk.commit))
        .collect();
    assert_eq!(
        went,
        [
            ("b theirs\n".to_owned(), sandbox.tip(BRANCH)),
            ("x\ny\n".to_owned(), sandbox.tip("main^1")),
        ]
    );
}

/// What the receipt says of the only hunk of a review, and its parts: first line, lines, and whether they are removals.
fn given_up(sandbox: &Sandbox, decision: Decision) -> (String, u64, Vec<(u64, u64, bool)>) {
    let receipt = review(sandbox, &[decision]).unwrap().receipt.unwrap();
    let [hunk] = receipt.displaced.as_slice() else {
        panic!("{:#?}", receipt.displaced);
    };
    assert_eq!((&*hunk.agent, &hunk.commit), ("ann", &sandbox.tip(BRANCH)));
    for part in &hunk.parts {
        assert_eq!((&part.agent, &part.commit), (&hunk.agent, &hunk.commit));
    }
    let parts = hunk.parts.iter();
    let parts = parts.map(|part| (part.start_line, part.line_count, part.removed));
    (hunk.text.clone(), hunk.line_count, parts.collect())
}

#[test]
fn a_line_of_the_base_is_not_credited_to_the_branch_when_ours_is_chosen() {
    // Ours rewords b, the branch c; it has only kept b.
    let sandbox = Sandbox::new(&[("f", "a\nb\nc\nd\n")]);
    sandbox.commit(BRANCH, &[("f", text("a\nb\nc ann\nx ann\nd\n"))], "work");
    sandbox.commit("main", &[("f", text("a\nb bob\nc bob\nd\n"))], "bob's");
    let (went, lines, parts) = given_up(&sandbox, Decision::Ours);
    assert_eq!((went.as_str(), lines), ("b\nc ann\nx ann\n", 3));
    assert_eq!(parts, [(3, 2, false)]);
    assert_eq!(sandbox.show("main", "f"), "a\nb bob\nc bob\nd\n");
}

#[test]
fn of_a_file_that_stays_deleted_the_branch_is_credited_with_what_it_wrote() {
    let sandbox = Sandbox::new(&[("f", "a\nb\nc\n"), ("g", "g\n")]);
    sandbox.commit(BRANCH, &[("f", text("a\nb ann\nc\n"))], "work");
    sandbox.commit("main", &[("f", GONE)], "deleted");
    let (went, lines, parts) = given_up(&sandbox, Decision::Ours);
    assert_eq!((went.as_str(), lines), ("a\nb ann\nc\n", 3));
    assert_eq!(parts, [(2, 1, false)]);
    assert_eq!(sandbox.files("main"), ["g"]);
}

#[test]
fn a_review_must_answer_everything_and_be_for_these_tips() {
    let sandbox = contested();
    let before = sandbox.state();
    let incomplete = review(&sandbox, &[Decision::Ours]);
    assert!(
        matches!(incomplete, Err(MergeError::ReviewIncomplete { .. })),
        "{incomplete:?}"
    );

    let MergeOutcome::ContentDisplaced(plan) = plan(&sandbox.repo(), "main", BRANCH).unwrap()
    else {
        panic!();
    };
    let review = Review {
        target: plan.branch,
        branch: plan.branch,
        choices: Choices::Hunks(vec![Decision::Ours; 3]),
        tier: MergeTier::AutoResolve,
        made: Vec::new(),
    };
    let outdated = execute_reviewed(&sandbox.context(), &item(BRANCH), &review, &mut |_| {});
    assert!(
        matches!(outdated, Err(MergeError::ReviewOutdated { .. })),
        "{outdated:?}"
    );
    assert_eq!(sandbox.state(), before);
}

/// Answers with the same text every time and remembers what it was asked.
struct Scripted {
    answer: Result<&'static str, &'static str>,
    asked: RefCell<Vec<ContestedFile>>,
}

impl ConflictResolver for Scripted {
    fn answer(
        &self,
        _item: &MergeItem,
        _tier: MergeTier,
        file: &ContestedFile,
        _dir: &std::path::Path,
    ) -> Result<String, String> {
        self.asked.borrow_mut().push(file.clone());
        self.answer.map(str::to_owned).map_err(str::to_owned)
    }
}

fn resolved_with(answer: Result<&'static str, &'static str>) -> (Sandbox, MergeReport, Scripted) {
    let sandbox = Sandbox::new(&[("f", "a\nb\nc\n")]);
    sandbox.commit(BRANCH, &[("f", text("a\ntheirs\nc\nnew\n"))], "theirs");
    sandbox.commit("main", &[("f", text("a\nours\nc\n"))], "ours");
    let before = sandbox.tip("main");
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Escalate;
    let resolver = Scripted {
        answer,
        asked: RefCell::default(),
    };
    let report = execute_with_resolver(&context, &item(BRANCH), &resolver, &mut |_| {}).unwrap();
    if report.conclusion != Conclusion::Landed {
        assert_eq!(sandbox.tip("main"), before);
    }
    (sandbox, report, resolver)
}

#[test]
fn a_resolver_that_keeps_both_sides_lands_as_ai_resolve() {
    let (sandbox, report, resolver) = resolved_with(Ok("a\nours\ntheirs\n// both\nc\nnew"));
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::Landed, MergeTier::AiResolve)
    );
    assert_eq!(
        sandbox.show("main", "f"),
        "a\nours\ntheirs\n// both\nc\nnew\n"
    );
    let asked = resolver.asked.into_inner();
    let [file] = asked.as_slice() else {
        panic!("{asked:?}")
    };
    assert_eq!(
        (file.base.as_str(), file.ours.as_str()),
        ("a\nb\nc\n", "a\nours\nc\n")
    );
    assert_eq!(file.hunks.len(), 1);
}

#[test]
fn a_resolver_that_loses_talks_or_fails_is_refused_and_the_merge_held() {
    let cases: [(Result<&str, &str>, &str); 5] = [
        (Ok("a\ntheirs\nc\nnew\n"), "ai-resolve rejected"),
        (Ok("Here is the merged file:\na\n"), "the answer is prose"),
        (
            Ok("a\n<<<<<<< main\nours\n=======\ntheirs\n>>>>>>> b\nc\nnew\n"),
            "conflict marker",
        ),
        (Ok(""), "the answer is empty"),
        (Err("no such program"), "no such program"),
    ];
    for (answer, expected) in cases {
        let (_, report, _) = resolved_with(answer);
        assert_eq!(
            (report.conclusion, report.tier),
            (Conclusion::Held, MergeTier::AiResolve)
        );
        let reason = report.warnings.last().unwrap();
        assert!(reason.contains(expected), "{answer:?}: {reason}");
        assert_eq!(
            report.error_message.unwrap(),
            "All enabled resolution tiers failed (last attempted: ai-resolve)"
        );
        assert_eq!(report.displaced[0].text, "ours\n");
    }
}

#[test]
fn what_a_branch_gives_up_is_its_own_agents_though_another_branch_has_the_same_tip() {
    let sandbox = contested();
    sandbox.git(&["branch", "overstory/aaa/t-9", BRANCH]);
    let ours = [Decision::Ours, Decision::Ours, Decision::Ours];
    let report = review(&sandbox, &ours).unwrap();
    let agents: Vec<&str> = report.displaced.iter().map(|hunk| &*hunk.agent).collect();
    assert!(!agents.is_empty());
    assert!(agents.iter().all(|agent| *agent == "ann"), "{agents:?}");
}

#[test]
fn where_only_the_commit_is_known_all_agents_with_it_are_named() {
    let sandbox = contested();
    sandbox.git(&["branch", "overstory/aaa/t-9", BRANCH]);
    let MergeOutcome::ContentDisplaced(open) = plan(&sandbox.repo(), "main", BRANCH).unwrap()
    else {
        panic!("nothing is contested");
    };
    let review = Review {
        target: open.target,
        branch: open.branch,
        choices: Choices::Hunks(vec![Decision::Ours; open.displaced.len()]),
        tier: MergeTier::AutoResolve,
        made: Vec::new(),
    };
    let planned = plan_reviewed(&sandbox.repo(), &review).unwrap();
    let agents: Vec<&str> = planned
        .plan()
        .unwrap()
        .displaced
        .iter()
        .map(|h| &*h.agent)
        .collect();
    assert!(
        agents.iter().all(|agent| *agent == "aaa, ann"),
        "{agents:?}"
    );
}

#[test]
fn a_file_that_both_added_with_other_lines_and_permissions_can_be_decided() {
    for (decision, mode) in [(Decision::Ours, "100644"), (Decision::Theirs, "100755")] {
        let sandbox = Sandbox::new(&[("a", "a\n")]);
        let theirs = sandbox.blob("one\ntheirs\nthree\n");
        sandbox.commit_raw(BRANCH, &[("100755", &theirs, "new")], "b");
        sandbox.commit("main", &[("new", text("one\nours\nthree\n"))], "m");
        let report = review(&sandbox, &[Decision::Both, decision]).unwrap();
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        assert_eq!(sandbox.show("main", "new"), "one\nours\ntheirs\nthree\n");
        let listed = sandbox.git(&["ls-tree", "main", "new"]);
        assert!(listed.starts_with(mode), "{listed}");
    }
}
