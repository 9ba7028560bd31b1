//! Whose lines are displaced, also where the two sides call the file by different names.

use crate::support::{BRANCH, GONE, Sandbox, text};
use grove::merge::{Conclusion, OnDisplaced};
use grove::types::merge::DisplacedHunk;

fn lines(ninth: &str) -> String {
    let line = |n: u32| format!("line {n}\n");
    (1..=24)
        .map(|n| {
            if n == 9 {
                ninth.to_owned() + "\n"
            } else {
                line(n)
            }
        })
        .collect()
}

/// A base with these files, and what eve does to one of them on the target while the branch has done the other.
fn displaced(
    base: &[(&str, &str)],
    branch: &[(&str, Option<&[u8]>)],
    eve: &[(&str, Option<&[u8]>)],
) -> (Sandbox, Vec<DisplacedHunk>) {
    let sandbox = Sandbox::new(base);
    sandbox.commit(BRANCH, branch, "branch");
    sandbox.git(&["config", "user.name", "eve"]);
    sandbox.commit("main", eve, "work of eve");
    let eves = sandbox.tip("main");
    sandbox.git(&["config", "user.name", "Tester"]);
    sandbox.commit("main", &[("later", text("later\n"))], "later");
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert!(!report.displaced.is_empty(), "{report:#?}");
    for hunk in &report.displaced {
        assert_eq!((&hunk.agent, &hunk.commit), (&"eve".to_owned(), &eves));
    }
    (sandbox, report.displaced)
}

#[test]
fn lines_are_displaced_with_their_author_when_the_branch_renamed_the_file() {
    let (old, ours, theirs) = (lines("line 9"), lines("ours"), lines("theirs"));
    let (_sandbox, hunks) = displaced(
        &[("ci.yml", &old)],
        &[("ci.yml", GONE), ("moved/ci.yml", text(&theirs))],
        &[("ci.yml", text(&ours))],
    );
    assert_eq!(
        (&*hunks[0].file, &*hunks[0].text),
        ("moved/ci.yml", "ours\n")
    );
}

#[test]
fn lines_are_displaced_with_their_author_when_the_target_renamed_the_file() {
    let (old, ours, theirs) = (lines("line 9"), lines("ours"), lines("theirs"));
    let (_sandbox, hunks) = displaced(
        &[("ci.yml", &old)],
        &[("ci.yml", text(&theirs))],
        &[("ci.yml", GONE), ("moved/ci.yml", text(&ours))],
    );
    assert_eq!(
        (&*hunks[0].file, &*hunks[0].text),
        ("moved/ci.yml", "ours\n")
    );
}

#[test]
fn a_file_that_both_added_has_an_author_when_the_branch_renamed_its_folder() {
    let (old, ours, theirs) = (lines("line 9"), "a\nours\nb\n", "a\ntheirs\nb\n");
    let (_sandbox, hunks) = displaced(
        &[("dir/one", &old), ("dir/two", "two\n")],
        &[
            ("dir/one", GONE),
            ("dir/two", GONE),
            ("new/one", text(&old)),
            ("new/two", text("two\n")),
            ("new/three", text(theirs)),
        ],
        &[("dir/three", text(ours))],
    );
    assert_eq!((&*hunks[0].file, &*hunks[0].text), ("new/three", "ours\n"));
}

#[test]
fn a_deletion_has_an_author_when_the_branch_renamed_the_file() {
    let (old, theirs) = (lines("line 9"), lines("theirs"));
    let (_sandbox, hunks) = displaced(
        &[("ci.yml", &old)],
        &[("ci.yml", GONE), ("moved/ci.yml", text(&theirs))],
        &[("ci.yml", GONE)],
    );
    assert_eq!(&*hunks[0].file, "moved/ci.yml");
}
