//! A file that is text on one side and binary on the other: the lines of the text are listed and accounted for.

use crate::support::{BRANCH, Sandbox, item, text};
use grove::merge::{
    Ahead, Choices, Conclusion, Decision, MergeOutcome, MergeReport, OnDisplaced, Review,
    execute_reviewed, plan, predict,
};
use grove::types::merge::{DisplacedKind, MergeTier};

const BINARY: &[u8] = b"\0binary now";

fn changed(ours: &[u8], theirs: &[u8]) -> Sandbox {
    let sandbox = Sandbox::new(&[("f", "one\ntwo\n")]);
    sandbox.commit(BRANCH, &[("f", Some(theirs))], "theirs");
    sandbox.commit("main", &[("f", Some(ours))], "ours");
    sandbox
}

fn landed(sandbox: &Sandbox) -> MergeReport {
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    report
}

fn decided(sandbox: &Sandbox, decision: Decision) -> MergeReport {
    let MergeOutcome::ContentDisplaced(open) = plan(&sandbox.repo(), "main", BRANCH).unwrap()
    else {
        panic!("nothing is contested");
    };
    let review = Review {
        target: open.target,
        branch: open.branch,
        choices: Choices::Hunks(vec![decision; open.displaced.len()]),
        tier: MergeTier::AutoResolve,
        made: Vec::new(),
    };
    let report = execute_reviewed(&sandbox.context(), &item(BRANCH), &review, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    report
}

#[test]
fn the_lines_of_a_text_are_listed_when_the_branch_made_the_file_binary() {
    let ours = "one\ntwo\nthree important\nfour important\n";
    let report = landed(&changed(ours.as_bytes(), BINARY));
    let [hunk] = &*report.displaced else {
        panic!("{report:#?}")
    };
    assert_eq!((hunk.kind, &*hunk.text), (DisplacedKind::Binary, ours));
    assert_eq!((hunk.start_line, hunk.line_count), (1, 4));
    let account = report.receipt.unwrap().account;
    assert_eq!(account.displaced, 4, "{account:?}");

    // In UTF-16, each letter has a zero byte: what stands there is not gone.
    let wide: Vec<u8> = "one\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let report = landed(&changed(ours.as_bytes(), &wide));
    let [hunk] = &*report.displaced else {
        panic!("{report:#?}")
    };
    assert_eq!((hunk.line_count, &*hunk.text), (3, &ours[4..]));
}

#[test]
fn a_text_that_takes_the_place_of_a_binary_file_brings_lines_back() {
    let sandbox = changed(BINARY, b"one\nTWO\n");
    let report = landed(&sandbox);
    let [hunk] = &*report.displaced else {
        panic!("{report:#?}")
    };
    assert!(hunk.is_version(), "{hunk:#?}");
    let back = report.receipt.unwrap().brought_back;
    let back: Vec<(&str, &str)> = back
        .iter()
        .map(|line| (&*line.text, &*line.removed_by))
        .collect();
    assert_eq!(back, [("one", "target")]);
}

#[test]
fn whoever_decides_between_a_text_and_a_binary_file_is_told_of_the_other() {
    let (lines, binary) = (b"one\ntwo\nnew\n", BINARY);
    let shown = |report: &MergeReport| -> Vec<(bool, u64, String)> {
        let hunks = report.displaced.iter();
        hunks
            .map(|hunk| (hunk.is_version(), hunk.line_count, hunk.agent.clone()))
            .collect()
    };
    let tester = || "Tester".to_owned();
    let ann = || "ann".to_owned();
    let report = decided(&changed(lines, binary), Decision::Ours);
    assert_eq!(shown(&report), [(true, 0, ann())]);
    let report = decided(&changed(lines, binary), Decision::Theirs);
    assert_eq!(shown(&report), [(false, 3, tester())]);
    let report = decided(&changed(binary, lines), Decision::Ours);
    assert_eq!(shown(&report), [(false, 3, ann())]);
    let own = || Decision::Text("one\nnew\nmine\n".to_owned());
    let report = decided(&changed(lines, binary), own());
    assert_eq!(shown(&report), [(false, 1, tester()), (true, 0, ann())]);
    assert_eq!(report.displaced[0].text, "two\n");
}

#[test]
fn a_text_that_the_target_emptied_goes_as_a_version() {
    let report = landed(&changed(b"", BINARY));
    assert!(report.displaced[0].is_version(), "{report:#?}");
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(BRANCH, &[("new", Some(BINARY))], "theirs");
    sandbox.commit("main", &[("new", text("of main\n"))], "ours");
    assert_eq!(landed(&sandbox).displaced[0].text, "of main\n");
}

#[test]
fn no_model_is_promised_where_a_contest_is_not_between_texts() {
    let other = b"\0binary too";
    for (ours, theirs) in [(&b"one\nnew\n"[..], BINARY), (other, BINARY)] {
        let sandbox = changed(ours, theirs);
        let repo = sandbox.repo();
        let ahead = Ahead::of(&repo, sandbox.root());
        let foretold = predict(
            &ahead,
            ("main", BRANCH),
            &grove::merge::Decided::default(),
            &|_, _| true,
        )
        .unwrap();
        assert_eq!(foretold.predicted_tier, MergeTier::AutoResolve);
        assert!(!foretold.would_require_agent);
        assert_eq!(foretold.conflict_files, ["f"]);
        let said = "f has contentful canonical; no model can be asked: f is not ";
        assert!(foretold.reason.starts_with(said), "{}", foretold.reason);
        let report = sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
        assert_eq!(report.tier, MergeTier::AutoResolve);
    }
}
