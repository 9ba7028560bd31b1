//! The four outcomes of planning, and what each leaves behind.

use crate::support::{BRANCH, GONE, Sandbox, text};
use grove::merge::{Conclusion, MergeFailure, MergeOutcome, OnDisplaced, plan};
use grove::types::merge::{DisplacedKind, MergeTier};

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

fn planned(sandbox: &Sandbox) -> MergeOutcome {
    let before = sandbox.state();
    let outcome = plan(&sandbox.repo(), "main", BRANCH).unwrap();
    assert_eq!(sandbox.state(), before, "planning changes nothing");
    outcome
}

fn resolved(sandbox: &Sandbox, path: &str) -> String {
    match planned(sandbox) {
        MergeOutcome::Resolved(plan) => sandbox.show(&plan.tree.to_string(), path),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_clean_merge_lands_the_tree_that_git_makes() {
    let sandbox = Sandbox::new(&[("a.txt", TEN), ("keep", "k\n")]);
    sandbox.commit(
        BRANCH,
        &[
            ("a.txt", text(&TEN.replace("9\n", "nine\n"))),
            ("new", text("n\n")),
        ],
        "b",
    );
    sandbox.commit(
        "main",
        &[("a.txt", text(&TEN.replace("1\n2", "one\n2")))],
        "m",
    );
    let expected = sandbox.git(&["merge-tree", "--write-tree", "main", BRANCH]);
    let before = sandbox.tip("main");

    let report = sandbox.merge();

    assert_eq!(report.conclusion, Conclusion::Landed);
    assert_eq!(report.tier, MergeTier::CleanMerge);
    assert_eq!(sandbox.tip("main^{tree}"), expected);
    assert_eq!(sandbox.tip("main^1"), before);
    assert_eq!(sandbox.tip("main^2"), sandbox.tip(BRANCH));
    assert_eq!(
        sandbox.git(&["log", "-1", "--format=%s|%an", "main"]),
        format!("Merge branch '{BRANCH}' into main|Tester")
    );
    assert_eq!(sandbox.status(), "", "the checkout moved along");
    assert_eq!(sandbox.read("new"), "n\n");
    let receipt = report.receipt.unwrap();
    assert_eq!(sandbox.tip(&receipt.undo_ref), before);
}

#[test]
fn contested_lines_are_held_with_their_author_and_both_texts() {
    let sandbox = Sandbox::new(&[("a.txt", TEN)]);
    sandbox.commit(
        BRANCH,
        &[("a.txt", text(&TEN.replace("5\n6", "theirs\nsix")))],
        "b",
    );
    let earlier = "overstory/bob/t-9";
    sandbox.commit(
        earlier,
        &[("a.txt", text(&TEN.replace("5\n6", "ours\nours too")))],
        "work of bob",
    );
    sandbox.git(&["merge", "-q", "--no-ff", "--no-edit", earlier]);
    let before = sandbox.state();

    let report = sandbox.merge();

    assert_eq!(report.conclusion, Conclusion::Held);
    assert_eq!(sandbox.state(), before, "the target is untouched");
    let [hunk] = report.displaced.as_slice() else {
        panic!("{report:?}");
    };
    assert_eq!(
        (hunk.file.as_str(), hunk.kind),
        ("a.txt", DisplacedKind::Text)
    );
    assert_eq!((hunk.start_line, hunk.line_count), (5, 2));
    assert_eq!(hunk.text, "ours\nours too\n");
    assert_eq!(hunk.incoming, "theirs\nsix\n");
    assert_eq!(hunk.agent, "bob");
    assert_eq!(hunk.commit, sandbox.tip(earlier));
    assert_eq!(
        report.warnings,
        ["auto-resolve skipped for a.txt: canonical side has content that would be discarded"]
    );
}

#[test]
fn a_place_that_the_target_has_emptied_is_not_said_to_have_content() {
    let held = |ours: &str, theirs: &str| {
        let sandbox = Sandbox::new(&[("a.txt", TEN)]);
        sandbox.commit(BRANCH, &[("a.txt", text(theirs))], "theirs");
        sandbox.commit("main", &[("a.txt", text(ours))], "ours");
        let report = sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
        report.warnings.join("\n")
    };
    let (ours, theirs) = (
        TEN.replace("2\n3\n", ""),
        TEN.replace("2\n3\n", "2 more\n3\n"),
    );
    let why = "canonical side no longer has lines here that the branch changes";
    let said = format!("auto-resolve skipped for a.txt: {why}");
    assert_eq!(held(&ours, &theirs), said);
    // Elsewhere in the file it has.
    let (ours, theirs) = (ours.replace('8', "ours"), theirs.replace('8', "theirs"));
    let why = "canonical side has content that would be discarded";
    assert_eq!(
        held(&ours, &theirs),
        format!("auto-resolve skipped for a.txt: {why}")
    );
}

#[test]
fn the_commit_policy_lands_the_branch_and_reports_every_line() {
    let sandbox = Sandbox::new(&[("a.txt", TEN)]);
    sandbox.commit(
        BRANCH,
        &[("a.txt", text(&TEN.replace("5\n", "theirs\n")))],
        "b",
    );
    sandbox.commit(
        "main",
        &[("a.txt", text(&TEN.replace("5\n", "ours\n")))],
        "m",
    );
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed);
    assert_eq!(
        sandbox.show("main", "a.txt"),
        TEN.replace("5\n", "theirs\n")
    );
    let receipt = report.receipt.unwrap();
    assert_eq!(receipt.displaced[0].text, "ours\n");
    assert_eq!(receipt.account.displaced, 1);
}

#[test]
fn insertions_at_the_same_place_are_both_kept() {
    let sandbox = Sandbox::new(&[("a.txt", "top\nbottom\n")]);
    sandbox.commit(
        BRANCH,
        &[("a.txt", text("top\nfn b() {\n    b\n}\nbottom\n"))],
        "b",
    );
    sandbox.commit(
        "main",
        &[("a.txt", text("top\nfn a() {\n    a\n}\nbottom\n"))],
        "m",
    );
    assert_eq!(
        resolved(&sandbox, "a.txt"),
        "top\nfn a() {\n    a\n}\nfn b() {\n    b\n}\nbottom\n"
    );
    let report = sandbox.merge();
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::Landed, MergeTier::AutoResolve)
    );
    assert_eq!(report.conflict_files, ["a.txt"]);
    assert!(report.displaced.is_empty());
}

#[test]
fn changes_to_different_parts_of_a_line_are_woven_and_declared() {
    let sandbox = Sandbox::new(&[("a.rs", "fn pay(a: u8, b: u8) -> u8 {\n")]);
    sandbox.commit(
        BRANCH,
        &[("a.rs", text("fn pay(a: u8, b: u8) -> u64 {\n"))],
        "b",
    );
    sandbox.commit(
        "main",
        &[("a.rs", text("fn pay(a: u32, b: u8) -> u8 {\n"))],
        "m",
    );
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed);
    assert_eq!(
        sandbox.show("main", "a.rs"),
        "fn pay(a: u32, b: u8) -> u64 {\n"
    );
    assert_eq!(
        report.woven[0].lines,
        [
            "fn pay(a: u32, b: u8) -> u8 {",
            "fn pay(a: u8, b: u8) -> u64 {"
        ]
    );
}

#[test]
fn line_ends_and_the_final_newline_are_merged_as_one_property() {
    let sandbox = Sandbox::new(&[("a.txt", "1\n2\n3\n"), ("b.txt", "1\n2")]);
    sandbox.commit(
        BRANCH,
        &[("a.txt", text("1\n2\nthree\n")), ("b.txt", text("1\n2\n3"))],
        "b",
    );
    sandbox.commit(
        "main",
        &[
            ("a.txt", text("1\r\n2\r\n3\r\n")),
            ("b.txt", text("1\n2\n")),
        ],
        "m",
    );
    assert_eq!(resolved(&sandbox, "a.txt"), "1\r\n2\r\nthree\r\n");
    assert_eq!(resolved(&sandbox, "b.txt"), "1\n2\n3\n");
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
}

#[test]
fn union_files_keep_both_sides() {
    let sandbox = Sandbox::new(&[(".gitattributes", "log merge=union\n"), ("log", "a\nb\n")]);
    sandbox.commit(BRANCH, &[("log", text("a\ntheirs\n"))], "b");
    sandbox.commit("main", &[("log", text("a\nours\n"))], "m");
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
    assert_eq!(sandbox.show("main", "log"), "a\nours\ntheirs\n");
}

#[test]
fn lines_that_one_side_removed_and_the_other_changed_land_only_where_that_is_wanted() {
    let (changed, removed) = (TEN.replace("5\n", "five\n"), TEN.replace("5\n", ""));
    for (ours, theirs) in [(&changed, &removed), (&removed, &changed)] {
        let sandbox = Sandbox::new(&[("a.txt", TEN)]);
        sandbox.commit(BRANCH, &[("a.txt", text(theirs))], "b");
        sandbox.commit("main", &[("a.txt", text(ours))], "m");
        assert_eq!(sandbox.merge().conclusion, Conclusion::Held);
        let mut context = sandbox.context();
        context.on_displaced = OnDisplaced::Commit;
        let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        assert_eq!(report.displaced.len(), 1);
        assert_eq!(&sandbox.show("main", "a.txt"), theirs);
    }
}

#[test]
fn deletions_against_changes_are_held_in_both_directions() {
    let sandbox = Sandbox::new(&[("a.txt", TEN), ("b.txt", TEN)]);
    let changed = TEN.replace("5\n", "five\n");
    sandbox.commit(BRANCH, &[("a.txt", GONE), ("b.txt", text(&changed))], "b");
    sandbox.commit("main", &[("a.txt", text(&changed)), ("b.txt", GONE)], "m");
    let MergeOutcome::ContentDisplaced(plan) = planned(&sandbox) else {
        panic!();
    };
    let seen: Vec<_> = plan
        .displaced
        .iter()
        .map(|h| (h.file.as_str(), h.kind, h.line_count))
        .collect();
    assert_eq!(
        seen,
        [
            ("a.txt", DisplacedKind::DeletedByBranch, 10),
            ("b.txt", DisplacedKind::DeletedByTarget, 0)
        ]
    );
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(
        report.conclusion,
        Conclusion::Landed,
        "{:?}",
        report.error_message
    );
    assert_eq!(sandbox.files("main"), ["b.txt"]);
}

#[test]
fn a_rename_carries_the_other_sides_changes_along() {
    let sandbox = Sandbox::new(&[("old.txt", TEN)]);
    let changed = TEN.replace("5\n", "five\n");
    sandbox.commit(BRANCH, &[("old.txt", text(&changed))], "b");
    sandbox.commit("main", &[("old.txt", GONE), ("new.txt", text(TEN))], "m");
    let report = sandbox.merge();
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::Landed, MergeTier::CleanMerge)
    );
    assert_eq!(sandbox.files("main"), ["new.txt"]);
    assert_eq!(sandbox.show("main", "new.txt"), changed);

    let sandbox = Sandbox::new(&[("old.txt", TEN)]);
    sandbox.commit(
        BRANCH,
        &[("old.txt", text(&TEN.replace("5\n", "five\n")))],
        "b",
    );
    sandbox.commit(
        "main",
        &[
            ("old.txt", GONE),
            ("new.txt", text(&TEN.replace("5\n", "fünf\n"))),
        ],
        "m",
    );
    let MergeOutcome::ContentDisplaced(plan) = planned(&sandbox) else {
        panic!()
    };
    assert_eq!(plan.displaced[0].file, "new.txt");
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    assert_eq!(
        Sandbox::merge_with(&context, &mut |_| {})
            .unwrap()
            .conclusion,
        Conclusion::Landed
    );
    assert_eq!(sandbox.files("main"), ["new.txt"]);
}

#[test]
fn binaries_links_and_unrelated_histories_are_never_guessed() {
    let sandbox = Sandbox::empty();
    sandbox.commit("main", &[("bin", Some(b"\0base"))], "base");
    sandbox.commit(BRANCH, &[("bin", Some(b"\0theirs"))], "b");
    sandbox.commit("main", &[("bin", Some(b"\0ours"))], "m");
    let MergeOutcome::ContentDisplaced(plan) = planned(&sandbox) else {
        panic!()
    };
    assert_eq!(plan.displaced[0].kind, DisplacedKind::Binary);
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    assert_eq!(
        Sandbox::merge_with(&context, &mut |_| {})
            .unwrap()
            .conclusion,
        Conclusion::Landed
    );

    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let tree = sandbox.tip("main^{tree}");
    let orphan = sandbox.git(&["commit-tree", &tree, "-m", "orphan"]);
    sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &orphan]);
    assert_eq!(
        planned(&sandbox),
        MergeOutcome::Failed(MergeFailure::UnrelatedHistories { shallow: false })
    );
    assert_eq!(sandbox.merge().conclusion, Conclusion::Failed);
}

#[test]
fn a_clone_without_its_history_is_completed_and_not_joined_by_force() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(BRANCH, &[("b", Some(b"b\n"))], "b");
    sandbox.commit("main", &[("c", Some(b"c\n"))], "c");
    let tips = format!("{}\n{}\n", sandbox.tip("main"), sandbox.tip(BRANCH));
    let folder = sandbox.git(&["rev-parse", "--absolute-git-dir"]);
    std::fs::write(std::path::Path::new(&folder).join("shallow"), tips).unwrap();
    let MergeOutcome::Failed(failure) = planned(&sandbox) else {
        panic!()
    };
    assert_eq!(failure, MergeFailure::UnrelatedHistories { shallow: true });
    assert!(
        failure.to_string().contains("git fetch --unshallow"),
        "{failure}"
    );
    std::fs::remove_file(std::path::Path::new(&folder).join("shallow")).unwrap();
    assert!(matches!(planned(&sandbox), MergeOutcome::Clean(_)));
}

#[test]
fn a_branch_that_is_already_in_is_merged_without_a_commit() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(BRANCH, &[("b", text("b\n"))], "b");
    sandbox.git(&["merge", "-q", "--ff-only", BRANCH]);
    let before = sandbox.state();
    let report = sandbox.merge();
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::AlreadyMerged, MergeTier::CleanMerge)
    );
    assert_eq!(sandbox.state(), before);
}

#[test]
fn a_criss_cross_is_measured_against_both_ancestors() {
    let sandbox = Sandbox::new(&[("a.txt", TEN)]);
    sandbox.commit(
        BRANCH,
        &[("a.txt", text(&TEN.replace("2\n", "two\n")))],
        "b1",
    );
    sandbox.commit(
        "main",
        &[("a.txt", text(&TEN.replace("9\n", "nine\n")))],
        "m1",
    );
    let (main1, branch1) = (sandbox.tip("main"), sandbox.tip(BRANCH));
    let tree = sandbox.git(&["merge-tree", "--write-tree", &main1, &branch1]);
    let on_main = sandbox.git(&[
        "commit-tree",
        &tree,
        "-p",
        &main1,
        "-p",
        &branch1,
        "-m",
        "x1",
    ]);
    let on_branch = sandbox.git(&[
        "commit-tree",
        &tree,
        "-p",
        &branch1,
        "-p",
        &main1,
        "-m",
        "x2",
    ]);
    sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &on_branch]);
    sandbox.git(&["reset", "-q", "--hard", &on_main]);
    let both = TEN.replace("2\n", "two\n").replace("9\n", "nine\n");
    sandbox.commit(
        BRANCH,
        &[("a.txt", text(&both.replace("5\n", "five\n")))],
        "b2",
    );
    sandbox.commit("main", &[("a.txt", text(&both.replace("7\n", "")))], "m2");
    let report = sandbox.merge();
    assert_eq!(
        report.conclusion,
        Conclusion::Landed,
        "{:?}",
        report.error_message
    );
    assert_eq!(
        sandbox.show("main", "a.txt"),
        both.replace("5\n", "five\n").replace("7\n", "")
    );
}

#[test]
fn a_call_that_each_side_adds_at_another_place_is_not_taken_for_one() {
    let base = "foo()\n{\nend\nfoo()\na\na\nfoo()\nline 478 of 2\nz\n";
    // The target puts a call for the line; the branch edits the line, and adds a call further up.
    let ours = "first\n{\nend\nfoo()\na\na\nfoo()\nfoo()\nz\n";
    let theirs = "foo()\n{\nend\nfoo()\nfoo()\na\nb\nfoo()\nline 478\nz\n{\nend\n";
    let sandbox = Sandbox::new(&[("f.txt", base)]);
    sandbox.commit(BRANCH, &[("f.txt", text(theirs))], "t");
    sandbox.commit("main", &[("f.txt", text(ours))], "o");
    let outcome = plan(&sandbox.repo(), "main", BRANCH).unwrap();
    let MergeOutcome::ContentDisplaced(plan) = outcome else {
        panic!("{outcome:#?}");
    };
    let mut texts = plan.displaced.iter().map(|hunk| hunk.text.as_str());
    assert!(texts.any(|text| text == "foo()\n"), "{plan:#?}");
}
