//! Conflicts that no choice between two texts settles: the failure says in one plain sentence what is so and what to
//! do, and who does that can merge.

use grove::merge::{Ahead, Conclusion, MergeReport, predict};
use grove::types::merge::{MergeStatus, MergeTier};

use crate::support::{BRANCH, Change, GONE, Sandbox, text};

/// Nothing lands, and both the attempt and looking ahead say `expected`; no model is promised.
fn says(sandbox: &Sandbox, expected: &str) -> MergeReport {
    let before = sandbox.state();
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Failed, "{report:#?}");
    assert_eq!(report.queue_status(), MergeStatus::Conflict);
    assert_eq!(report.error_message.as_deref(), Some(expected));
    assert_eq!(sandbox.state(), before);
    let repo = sandbox.repo();
    let ahead = Ahead::of(&repo, sandbox.root());
    let ahead = predict(
        &ahead,
        ("main", BRANCH),
        &grove::merge::Decided::default(),
        &|_, _| false,
    )
    .unwrap();
    assert_eq!(ahead.predicted_tier, MergeTier::AutoResolve);
    assert!(!ahead.would_require_agent);
    assert_eq!(ahead.conflict_files, report.conflict_files);
    assert_eq!(ahead.reason, format!("no tier can merge this: {expected}"));
    report
}

/// The advice is taken on the branch.
fn then_lands(sandbox: &Sandbox, changes: &[Change<'_>]) {
    sandbox.commit(BRANCH, changes, "as advised");
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
}

fn numbers() -> String {
    (1..40).map(|n| format!("{n}\n")).collect()
}

/// On its way git finds the file in the way of the directory, and then that nothing is left of it.
#[test]
fn what_git_merges_lands_though_it_speaks_of_a_conflict_on_the_way() {
    let lines =
        |word: &str, last: u32| -> String { (1..last).map(|n| format!("{word} {n}\n")).collect() };
    let (build, why) = (lines("line", 18), lines("why", 10));
    let sandbox = Sandbox::new(&[("build", &build), ("y", &why)]);
    let shorter = lines("why", 9) + "ann\n";
    sandbox.commit(BRANCH, &[("y", text(&shorter))], "b");
    let run = format!("{build}new\n");
    let ours = [
        ("build", GONE),
        ("build/run", text(&run)),
        ("y", GONE),
        ("z", text(&why)),
    ];
    sandbox.commit("main", &ours, "m");
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "z"), shorter);
    assert_eq!(sandbox.show("main", "build/run"), run);
    assert_eq!(sandbox.git(&["ls-tree", "--name-only", "main"]), "build\nz");
}

#[test]
fn a_rename_onto_a_file_of_the_other_side() {
    for renamed_on_target in [true, false] {
        let a = numbers();
        let sandbox = Sandbox::new(&[("a", &a)]);
        let renamed = a.replace("\n5\n", "\nfive\n");
        let renames = [("a", GONE), ("b", text(&renamed))];
        let changed = a.replace("\n5\n", "\nV\n");
        let adds = [("a", text(&changed)), ("b", text("another\n"))];
        let (ours, theirs) = if renamed_on_target {
            (renames, adds)
        } else {
            (adds, renames)
        };
        sandbox.commit(BRANCH, &theirs, "b");
        sandbox.commit("main", &ours, "m");
        let (renamed_on, other_on) = if renamed_on_target {
            ("the target", "the branch")
        } else {
            ("the branch", "the target")
        };
        let report = says(
            &sandbox,
            &format!(
                "a was renamed to b on {renamed_on}, {other_on} changed the same lines of it and has another file b: \
                 give one of the two another name there, then merge again"
            ),
        );
        assert_eq!(report.conflict_files, ["a", "b"]);
        // Now it is a place like any other.
        let advised = if renamed_on_target {
            [("b", GONE), ("other", text("another\n"))]
        } else {
            [("b", GONE), ("other", text(&renamed))]
        };
        sandbox.git(&["checkout", "-q", BRANCH]);
        sandbox.commit(BRANCH, &advised, "as advised");
        sandbox.git(&["checkout", "-q", "main"]);
        let report = sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    }
}

#[test]
fn a_directory_that_went_to_several_places() {
    let files: Vec<(String, String)> = (1..5)
        .map(|n| (n.to_string(), numbers() + &n.to_string().repeat(9)))
        .collect();
    let paths = |folders: [&str; 2]| -> Vec<String> {
        let folder = |at: usize| folders[at / 2];
        let names = files.iter().enumerate();
        names
            .map(|(at, (name, _))| format!("{}/{name}", folder(at)))
            .collect()
    };
    let (before, after) = (paths(["d", "d"]), paths(["e", "f"]));
    let base: Vec<(&str, &str)> = before
        .iter()
        .zip(&files)
        .map(|(path, (_, content))| (path.as_str(), content.as_str()))
        .collect();
    let sandbox = Sandbox::new(&base);
    sandbox.commit(BRANCH, &[("d/new", text("new\n"))], "b");
    let gone = before.iter().map(|path| (path.as_str(), GONE));
    let moved = after.iter().zip(&files);
    let moved = moved.map(|(path, (_, content))| (path.as_str(), text(content)));
    let changes: Vec<Change<'_>> = gone.chain(moved).collect();
    sandbox.commit("main", &changes, "m");
    says(
        &sandbox,
        "the files of d went to several directories on the target, and the branch has new d/new: move that on the \
         branch to where it belongs, then merge again",
    );
    then_lands(&sandbox, &[("d/new", GONE), ("e/new", text("new\n"))]);
}

#[test]
fn a_link_against_a_file() {
    for (link_on_target, is_new) in [(true, false), (false, false), (true, true), (false, true)] {
        let sandbox = Sandbox::new(&[("z", "z\n"), ("a", "a\n")]);
        sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
        let path = if is_new { "n" } else { "a" };
        let (link, file) = (sandbox.blob("z"), sandbox.blob("changed\n"));
        let (link, file) = (("120000", &*link, path), ("100644", &*file, path));
        let (ours, theirs) = if link_on_target {
            (link, file)
        } else {
            (file, link)
        };
        sandbox.commit_raw(BRANCH, &[theirs], "b");
        sandbox.commit_raw("main", &[ours], "m");
        let (on_target, on_branch) = if link_on_target {
            ("a link", "a file")
        } else {
            ("a file", "a link")
        };
        let advice = if is_new {
            "rename one of them there"
        } else {
            "make it the same on both"
        };
        let report = says(
            &sandbox,
            &format!(
                "{path} is {on_target} on the target and {on_branch} on the branch: {advice}, then merge again"
            ),
        );
        assert_eq!(report.conflict_files, [path]);
        if is_new {
            then_lands(&sandbox, &[("n", GONE), ("m", text("changed\n"))]);
        } else {
            sandbox.commit_raw(BRANCH, &[ours], "as advised");
            assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
        }
    }
}

#[test]
fn two_directories_whose_new_files_would_meet() {
    let x = numbers();
    let y: String = (100..140).map(|n| format!("{n}\n")).collect();
    let sandbox = Sandbox::new(&[("d/x", &x), ("g/y", &y)]);
    let added = [("d/new", text("of d\n")), ("g/new", text("of g\n"))];
    sandbox.commit(BRANCH, &added, "b");
    let renamed = [
        ("d/x", GONE),
        ("g/y", GONE),
        ("e/x", text(&x)),
        ("e/y", text(&y)),
    ];
    sandbox.commit("main", &renamed, "m");
    says(
        &sandbox,
        "d/new and g/new would all become e/new, as their directories were renamed by the other side: move them to \
         where they belong on the side that added them, then merge again",
    );
    let advised = [
        ("d/new", GONE),
        ("g/new", GONE),
        ("e/d", text("of d\n")),
        ("e/g", text("of g\n")),
    ];
    then_lands(&sandbox, &advised);
}

#[test]
fn what_else_contradicts_itself_is_said_besides() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let files = [("d", text("file\n")), ("e", text("file\n"))];
    sandbox.commit(BRANCH, &files, "b");
    sandbox.commit("main", &[("d/x", text("x\n")), ("e/x", text("x\n"))], "m");
    let report = sandbox.merge();
    let said = |path: &str| {
        format!(
            "{path} is a file on the branch and a directory on the target: rename one of them there, then merge again"
        )
    };
    assert_eq!(report.error_message, Some(said("d")));
    assert_eq!(report.warnings, [said("e")]);
}

#[test]
fn branches_without_a_common_history_are_told_what_to_do() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let tree = sandbox.tip("main^{tree}");
    let orphan = sandbox.git(&["commit-tree", &tree, "-m", "orphan"]);
    sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &orphan]);
    let said = sandbox.merge().error_message.unwrap();
    assert!(
        said.contains("rebase the branch")
            && said.contains("git merge --allow-unrelated-histories"),
        "{said}"
    );
}
