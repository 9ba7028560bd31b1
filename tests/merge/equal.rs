//! What git merges without a question: the result is git's, byte for byte, and the account says that
//! nothing is missing. And criss-crosses, where git's own ancestor holds a conflict.

use crate::support::{BRANCH, Change, GONE, Sandbox, text};
use grove::git::Oid;
use grove::merge::{Conclusion, MergeOutcome, MergeReport, OnDisplaced, plan};
use grove::types::merge::MergeTier;

/// Merges and compares with what git makes of the same tips.
fn as_git_does(sandbox: &Sandbox) -> MergeReport {
    let expected = sandbox.git(&[
        "merge-tree",
        "--write-tree",
        "--no-messages",
        "main",
        BRANCH,
    ]);
    let report = sandbox.merge();
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::Landed, MergeTier::CleanMerge),
        "{report:#?}"
    );
    assert_eq!(sandbox.tip("main^{tree}"), expected);
    assert_eq!(sandbox.status(), "");
    let receipt = report.receipt.as_ref().unwrap();
    assert!(receipt.displaced.is_empty() && receipt.woven.is_empty());
    assert_eq!(receipt.account.displaced, 0);
    report
}

fn numbered(count: usize, end: &str) -> String {
    (0..count).map(|n| format!("line {n}{end}")).collect()
}

/// Both sides change the files as given; every case must be one that git merges.
fn clean(
    files: &[(&str, &str)],
    theirs: &[Change<'_>],
    ours: &[Change<'_>],
) -> (Sandbox, MergeReport) {
    let sandbox = Sandbox::new(files);
    sandbox.commit(BRANCH, theirs, "b");
    sandbox.commit("main", ours, "m");
    let report = as_git_does(&sandbox);
    (sandbox, report)
}

#[test]
fn line_ends_and_missing_newlines() {
    let crlf = numbered(12, "\r\n");
    let open = numbered(12, "\n").trim_end().to_owned();
    let files = [("win", crlf.as_str()), ("open", open.as_str())];
    let change = |text: &str, from: &str| text.replace(from, &format!("changed {from}"));
    let (sandbox, report) = clean(
        &files,
        &[
            ("win", text(&change(&crlf, "line 1\r"))),
            ("open", text(&change(&open, "line 1\n"))),
        ],
        &[
            ("win", text(&change(&crlf, "line 9"))),
            ("open", text(&change(&open, "line 9"))),
        ],
    );
    assert!(sandbox.show("main", "win").lines().count() == 12);
    assert!(!sandbox.show("main", "open").ends_with('\n'));
    assert_eq!(report.receipt.unwrap().account.compared, 2);
}

#[test]
fn modes_links_and_submodules_that_one_side_changes() {
    let sandbox = Sandbox::new(&[("run", "a\n"), ("other", "o\n")]);
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    let link = sandbox.blob("one");
    let ids = ["1", "2"].map(|digit| digit.repeat(40));
    sandbox.commit_raw(
        "main",
        &[("120000", &link, "link"), ("160000", &ids[0], "sub")],
        "s",
    );
    let run = sandbox.blob("a\n");
    let moved = sandbox.blob("two");
    sandbox.commit_raw(
        BRANCH,
        &[
            ("100755", &run, "run"),
            ("120000", &moved, "link"),
            ("160000", &ids[1], "sub"),
        ],
        "b",
    );
    sandbox.commit_raw("main", &[("100644", &sandbox.blob("o2\n"), "other")], "m");
    let report = as_git_does(&sandbox);
    let listed = sandbox.git(&["ls-tree", "main"]);
    assert!(listed.contains("100755") && listed.contains(&ids[1]) && listed.contains(&moved));
    assert_eq!(report.receipt.unwrap().account.taken_whole, 4);
}

#[test]
fn renames_deletions_and_renamed_folders() {
    let long = numbered(40, "\n");
    let files = [("d/x", long.as_str()), ("gone", "g\n"), ("y", "y\n")];
    let edited = long.replace("line 5\n", "line five\n");
    // Renamed by one, edited by the other; deleted by one, untouched by the other.
    clean(
        &files,
        &[("d/x", GONE), ("e/x", text(&long)), ("gone", GONE)],
        &[("d/x", text(&edited)), ("y", text("y2\n"))],
    );
    // Both renamed it alike, and each changed another part.
    let late = long.replace("line 30\n", "line thirty\n");
    let (sandbox, _) = clean(
        &files,
        &[("d/x", GONE), ("z", text(&edited))],
        &[("d/x", GONE), ("z", text(&late))],
    );
    assert_eq!(sandbox.files("main"), ["gone", "y", "z"]);
}

#[test]
fn a_file_of_fifty_megabytes() {
    let line = "x".repeat(1000);
    let big = |first: &str, last: &str| {
        let mut text = format!("{first}\n");
        for n in 0..50_000 {
            text.push_str(&format!("{n} {line}\n"));
        }
        text + last + "\n"
    };
    let (sandbox, report) = clean(
        &[("big", &big("first", "last"))],
        &[("big", text(&big("theirs", "last")))],
        &[("big", text(&big("first", "ours")))],
    );
    let merged = sandbox.read("big");
    assert!(
        merged.len() > 50_000_000 && merged.starts_with("theirs\n") && merged.ends_with("ours\n")
    );
    assert_eq!(report.receipt.unwrap().account.kept, 50_002);
}

/// `main` and the branch have each merged the other, with these two results for `f`.
fn crossed(base: &str, first: [&str; 2], results: [&str; 2]) -> Sandbox {
    let sandbox = Sandbox::new(&[("f", base)]);
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    sandbox.commit(BRANCH, &[("f", text(first[1]))], "b1");
    sandbox.commit("main", &[("f", text(first[0]))], "m1");
    let (main, branch) = (sandbox.tip("main"), sandbox.tip(BRANCH));
    for (name, result, parents) in [
        ("main", results[0], [&main, &branch]),
        (BRANCH, results[1], [&branch, &main]),
    ] {
        let id = sandbox.commit_for(&[("f", result)], &[parents[0], parents[1]]);
        sandbox.git(&["update-ref", &format!("refs/heads/{name}"), &id]);
    }
    assert_eq!(
        sandbox
            .git(&["merge-base", "--all", "main", BRANCH])
            .lines()
            .count(),
        2
    );
    sandbox
}

#[test]
fn a_criss_cross_whose_ancestors_contradict_each_other() {
    let base = numbered(20, "\n");
    let (ours, theirs) = (
        base.replace("line 5\n", "ours\n"),
        base.replace("line 5\n", "theirs\n"),
    );
    // Resolved alike: git's ancestor has markers where both sides have the same answer.
    let both = base.replace("line 5\n", "ours\ntheirs\n");
    let sandbox = crossed(&base, [&ours, &theirs], [&both, &both]);
    sandbox.commit(
        BRANCH,
        &[("f", text(&both.replace("line 1\n", "line one\n")))],
        "b2",
    );
    sandbox.commit("main", &[("f", text(&both.replace("line 15\n", "")))], "m2");
    as_git_does(&sandbox);
    let merged = both
        .replace("line 1\n", "line one\n")
        .replace("line 15\n", "");
    assert_eq!(sandbox.show("main", "f"), merged);

    // Resolved differently: contested, each side's answer reported or landed, and never a marker.
    let other = base.replace("line 5\n", "neither\n");
    let sandbox = crossed(&base, [&ours, &theirs], [&both, &other]);
    let MergeOutcome::ContentDisplaced(plan) = plan(&sandbox.repo(), "main", BRANCH).unwrap()
    else {
        panic!("it is contested");
    };
    assert_eq!(plan.displaced[0].text, "ours\ntheirs\n");
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "f"), other);
    assert_eq!(report.receipt.unwrap().displaced[0].text, "ours\ntheirs\n");
    assert!(Oid::from_str(&sandbox.tip("main")).is_ok());
}
