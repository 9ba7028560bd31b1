//! Whose lines are displaced, also where the two sides call the file by different names.

use crate::support::{BRANCH, GONE, Sandbox, item, text};
use grove::merge::{Conclusion, OnDisplaced, execute};
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

/// Lands the work of bob, begun where the target is now.
fn land_bobs(sandbox: &Sandbox) {
    let bobs = "overstory/bob/t-2";
    sandbox.commit(bobs, &[("of bob", text("bob\n"))], "bob's");
    let report = execute(&sandbox.context(), &item(bobs), &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
}

/// The agents of what the merge of the branch displaces.
fn displaced_from(sandbox: &Sandbox) -> Vec<String> {
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    report
        .displaced
        .into_iter()
        .map(|hunk| hunk.agent)
        .collect()
}

#[test]
fn what_was_on_the_target_before_an_agent_began_is_not_that_agents() {
    let sandbox = Sandbox::new(&[("f", "1\n2\n3\n")]);
    sandbox.commit(BRANCH, &[("f", text("1\ntheirs\n3\n"))], "branch");
    sandbox.commit("main", &[("f", text("1\nours\n3\n"))], "by a person");
    land_bobs(&sandbox);
    assert_eq!(displaced_from(&sandbox), ["Tester"]);
}

#[test]
fn an_agents_branch_that_the_target_was_moved_along_is_that_agents() {
    let sandbox = Sandbox::new(&[("f", "1\n2\n3\n")]);
    sandbox.commit(BRANCH, &[("f", text("1\ntheirs\n3\n"))], "branch");
    let carls = "overstory/carl/t-7";
    sandbox.git(&["checkout", "-q", "-b", carls]);
    sandbox.write("f", "1\ncarl's\n3\n");
    sandbox.git(&["commit", "-q", "-a", "-m", "carl's"]);
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["merge", "-q", "--ff-only", carls]);
    // Nothing of what this one begins with is its own.
    sandbox.git(&["branch", "overstory/dora/t-8"]);
    land_bobs(&sandbox);
    assert_eq!(displaced_from(&sandbox), ["carl"]);
}

#[test]
fn of_several_branches_in_one_merge_each_has_its_own_agent() {
    let sandbox = Sandbox::new(&[("f", "1\n2\n3\n"), ("g", "1\n2\n3\n")]);
    let theirs = text("1\ntheirs\n3\n");
    sandbox.commit(BRANCH, &[("f", theirs), ("g", theirs)], "branch");
    let (bobs, carls) = ("overstory/bob/t-2", "overstory/carl/t-7");
    sandbox.commit(bobs, &[("f", text("1\nbob's\n3\n"))], "bob's");
    sandbox.commit(carls, &[("g", text("1\ncarl's\n3\n"))], "carl's");
    sandbox.commit("main", &[("h", text("h\n"))], "by a person");
    sandbox.git(&["merge", "-q", "--no-edit", bobs, carls]);
    assert_eq!(displaced_from(&sandbox), ["bob", "carl"]);
}

#[test]
fn what_an_agents_branch_was_built_on_is_the_other_agents() {
    let sandbox = Sandbox::new(&[("f", "1\n2\n3\n"), ("g", "1\n2\n3\n")]);
    let theirs = text("1\ntheirs\n3\n");
    sandbox.commit(BRANCH, &[("f", theirs), ("g", theirs)], "branch");
    let (bobs, carls) = ("overstory/bob/t-2", "overstory/carl/t-7");
    for (branch, file, words) in [(bobs, "f", "bob's"), (carls, "g", "carl's")] {
        sandbox.git(&["checkout", "-q", "-b", branch]);
        sandbox.write(file, &format!("1\n{words}\n3\n"));
        sandbox.git(&["commit", "-q", "-a", "-m", words]);
    }
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.commit("main", &[("h", text("h\n"))], "by a person");
    sandbox.git(&["merge", "-q", "--no-edit", carls]);
    assert_eq!(displaced_from(&sandbox), ["bob", "carl"]);
}

#[test]
fn a_branch_that_a_service_merged_is_its_agents() {
    let sandbox = Sandbox::new(&[("f", "1\n2\n3\n")]);
    sandbox.commit(BRANCH, &[("f", text("1\ntheirs\n3\n"))], "branch");
    let bobs = "overstory/bob/t-2";
    sandbox.commit(bobs, &[("f", text("1\nbob's\n3\n"))], "bob's");
    let said = "Merge pull request #7 from org/overstory/bob/t-2";
    sandbox.git(&["merge", "-q", "--no-ff", "-m", said, bobs]);
    sandbox.git(&["branch", "-q", "-D", bobs]);
    assert_eq!(displaced_from(&sandbox), ["bob"]);
}

#[test]
fn a_branch_that_is_gone_since_the_target_was_moved_along_it_is_that_agents() {
    let sandbox = Sandbox::new(&[("f", "1\n2\n3\n")]);
    sandbox.commit(BRANCH, &[("f", text("1\ntheirs\n3\n"))], "branch");
    let carls = "overstory/carl/t-7";
    sandbox.commit(carls, &[("f", text("1\ncarl's\n3\n"))], "carl's");
    sandbox.git(&["merge", "-q", "--ff-only", carls]);
    sandbox.git(&["branch", "-q", "-D", carls]);
    assert_eq!(displaced_from(&sandbox), ["carl"]);
}
