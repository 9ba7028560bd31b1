//! What is not the content of a text file: modes, links, submodules, directories, odd names.

use crate::support::{BRANCH, GONE, Sandbox, item, text};
use grove::merge::{
    Choices, Conclusion, Decision, MergeFailure, MergeOutcome, OnDisplaced, Review,
    execute_reviewed, plan,
};
use grove::types::merge::{DisplacedKind, MergeTier};

fn planned(sandbox: &Sandbox) -> MergeOutcome {
    plan(&sandbox.repo(), "main", BRANCH).unwrap()
}

/// `main` without a checkout in the way, so that raw entries can be committed to both sides.
fn bare_ish(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new(files);
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    sandbox
}

fn committed(sandbox: &Sandbox) -> Conclusion {
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    report.conclusion
}

#[test]
fn a_changed_mode_and_changed_content_are_both_kept() {
    let sandbox = bare_ish(&[("run", "a\nb\nc\n")]);
    sandbox.commit_raw(
        BRANCH,
        &[("100755", &sandbox.blob("a\nb\nc\n"), "run")],
        "x",
    );
    sandbox.commit_raw(
        "main",
        &[("100644", &sandbox.blob("a\nB\nc\n"), "run")],
        "c",
    );
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
    let entry = sandbox.git(&["ls-tree", "main", "run"]);
    assert!(
        entry.starts_with("100755") && sandbox.show("main", "run") == "a\nB\nc\n",
        "{entry}"
    );
}

#[test]
fn a_new_file_of_which_only_the_permissions_differ_is_held_for_these() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let same = sandbox.repo().write_blob(b"same\n").unwrap().to_string();
    sandbox.commit_raw(BRANCH, &[("100755", &same, "n")], "b");
    sandbox.commit("main", &[("n", text("same\n"))], "m");
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let said =
        "auto-resolve skipped for n: canonical side gives it other permissions than the branch";
    assert_eq!(report.warnings, [said]);
}

#[test]
fn a_mode_follows_into_a_settled_conflict() {
    let sandbox = bare_ish(&[("run", "a\n")]);
    sandbox.commit_raw(
        BRANCH,
        &[("100755", &sandbox.blob("a\ntheirs\n"), "run")],
        "x",
    );
    sandbox.commit_raw(
        "main",
        &[("100644", &sandbox.blob("a\nours\n"), "run")],
        "c",
    );
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
    let entry = sandbox.git(&["ls-tree", "main", "run"]);
    assert!(entry.starts_with("100755"), "{entry}");
    assert_eq!(sandbox.show("main", "run"), "a\nours\ntheirs\n");
}

#[test]
fn links_that_point_elsewhere_on_both_sides_are_contested() {
    let sandbox = bare_ish(&[("a", "a\n")]);
    sandbox.commit_raw("main", &[("120000", &sandbox.blob("one"), "link")], "l");
    sandbox.commit_raw(BRANCH, &[("120000", &sandbox.blob("theirs"), "link")], "l");
    sandbox.commit_raw("main", &[("120000", &sandbox.blob("ours"), "link")], "l");
    let MergeOutcome::ContentDisplaced(plan) = planned(&sandbox) else {
        panic!();
    };
    let [hunk] = plan.displaced.as_slice() else {
        panic!("{plan:?}");
    };
    assert_eq!(
        (hunk.kind, hunk.text.as_str(), hunk.incoming.as_str()),
        (DisplacedKind::Symlink, "ours", "theirs")
    );
    assert_eq!(committed(&sandbox), Conclusion::Landed);
    assert_eq!(sandbox.show("main", "link"), "theirs");
}

#[test]
fn a_link_that_one_side_changed_and_the_other_deleted_lands_either_way() {
    for deleted_by_branch in [true, false] {
        let sandbox = bare_ish(&[("a", "a\n")]);
        sandbox.commit_raw("main", &[("120000", &sandbox.blob("one"), "link")], "l");
        sandbox.git(&["branch", "-q", "-f", BRANCH, "main"]);
        let (deletes, changes) = if deleted_by_branch {
            (BRANCH, "main")
        } else {
            ("main", BRANCH)
        };
        sandbox.commit(deletes, &[("link", GONE)], "gone");
        sandbox.commit_raw(changes, &[("120000", &sandbox.blob("two"), "link")], "l");
        let MergeOutcome::ContentDisplaced(plan) = planned(&sandbox) else {
            panic!();
        };
        let [hunk] = plan.displaced.as_slice() else {
            panic!("{plan:?}");
        };
        if deleted_by_branch {
            let kind = DisplacedKind::DeletedByBranch;
            assert_eq!((hunk.kind, hunk.text.as_str()), (kind, "two"));
            assert!(hunk.is_version());
        }
        assert_eq!(committed(&sandbox), Conclusion::Landed);
        let is_there = sandbox.files("main").contains(&"link".to_owned());
        assert_eq!(is_there, !deleted_by_branch);
    }
}

#[test]
fn submodules_and_changed_kinds_need_a_person() {
    let ids = ["1", "2", "3"].map(|digit| digit.repeat(40));
    let sandbox = bare_ish(&[("a", "a\n")]);
    sandbox.commit_raw("main", &[("160000", &ids[0], "sub")], "s");
    sandbox.commit_raw(BRANCH, &[("160000", &ids[1], "sub")], "s");
    sandbox.commit_raw("main", &[("160000", &ids[2], "sub")], "s");
    let outcome = planned(&sandbox);
    assert!(
        matches!(&outcome, MergeOutcome::Failed(MergeFailure::Submodule { paths, .. }) if *paths == ["sub"]),
        "{outcome:?}"
    );

    let sandbox = bare_ish(&[("a", "a\n")]);
    sandbox.commit_raw(BRANCH, &[("120000", &sandbox.blob("x"), "a")], "link");
    sandbox.commit_raw("main", &[("100644", &sandbox.blob("b\n"), "a")], "text");
    let before = sandbox.state();
    assert_eq!(committed(&sandbox), Conclusion::Failed);
    assert_eq!(sandbox.state(), before);

    let sandbox = bare_ish(&[("a", "a\n")]);
    sandbox.commit(BRANCH, &[("d", text("file\n"))], "file");
    sandbox.commit("main", &[("d/x", text("in a directory\n"))], "directory");
    assert!(matches!(
        planned(&sandbox),
        MergeOutcome::Failed(MergeFailure::Structure { .. })
    ));
    assert_eq!(committed(&sandbox), Conclusion::Failed);
}

#[test]
fn files_added_to_a_renamed_directory_move_along_with_a_warning() {
    let x: String = (0..30).map(|n| format!("{n}\n")).collect();
    let sandbox = Sandbox::new(&[("d/x", &x), ("d/y", "y\n")]);
    sandbox.commit(BRANCH, &[("d/new", text("new\n"))], "b");
    let renamed = [
        ("d/x", GONE),
        ("d/y", GONE),
        ("e/x", text(&x)),
        ("e/y", text("y\n")),
    ];
    sandbox.commit("main", &renamed, "m");
    let report = sandbox.merge();
    assert_eq!(
        report.conclusion,
        Conclusion::Landed,
        "{:?}",
        report.error_message
    );
    assert_eq!(sandbox.files("main"), ["e/new", "e/x", "e/y"]);
    assert_eq!(
        report.warnings,
        ["d/new is now e/new: its directory was renamed by the other side"]
    );
}

/// `x` with other names on both sides, and a change to each.
fn renamed_twice() -> Sandbox {
    let x: String = (0..30).map(|n| format!("{n}\n")).collect();
    let sandbox = Sandbox::new(&[("x", &x)]);
    let theirs = x.replace("5\n6", "five\n6");
    sandbox.commit(BRANCH, &[("x", GONE), ("theirs", text(&theirs))], "b");
    let ours = x.replace("25\n", "twenty-five\n");
    sandbox.commit("main", &[("x", GONE), ("ours", text(&ours))], "m");
    sandbox
}

#[test]
fn two_names_for_one_file_are_held_for_a_decision() {
    let sandbox = renamed_twice();
    let before = sandbox.state();
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Held);
    assert_eq!(sandbox.state(), before);
    let [hunk] = report.displaced.as_slice() else {
        panic!("{report:#?}");
    };
    assert_eq!(hunk.kind, DisplacedKind::Renamed);
    let names = [&hunk.base, &hunk.text, &hunk.incoming];
    assert_eq!(names, ["x", "ours", "theirs"]);
}

#[test]
fn a_decided_name_gets_the_changes_of_both_sides() {
    let cases: [(Option<Decision>, &[&str]); 4] = [
        (None, &["theirs"]),
        (Some(Decision::Ours), &["ours"]),
        (Some(Decision::Both), &["ours", "theirs"]),
        (Some(Decision::Text("sub/own".to_owned())), &["sub/own"]),
    ];
    for (decision, expected) in cases {
        let sandbox = renamed_twice();
        match decision {
            None => assert_eq!(committed(&sandbox), Conclusion::Landed),
            Some(decision) => {
                let repo = sandbox.repo();
                let tip = |branch: &str| repo.branch_tip(branch).unwrap();
                let review = Review {
                    target: tip("main"),
                    branch: tip(BRANCH),
                    choices: Choices::Hunks(vec![decision]),
                    tier: MergeTier::AutoResolve,
                    made: Vec::new(),
                };
                let (context, item) = (sandbox.context(), item(BRANCH));
                let report = execute_reviewed(&context, &item, &review, &mut |_| {}).unwrap();
                assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
            }
        }
        assert_eq!(sandbox.files("main"), expected);
        for name in expected {
            let merged = sandbox.show("main", name);
            assert!(merged.contains("five\n") && merged.contains("twenty-five\n"));
        }
    }
}

#[test]
fn two_names_and_two_versions_of_a_line_never_land_markers() {
    let x: String = (0..30).map(|n| format!("{n}\n")).collect();
    let sandbox = Sandbox::new(&[("x", &x)]);
    let changed = |to: &str| x.replace("5\n6", &format!("{to}\n6"));
    sandbox.commit(BRANCH, &[("x", GONE), ("theirs", text(&changed("b")))], "b");
    sandbox.commit("main", &[("x", GONE), ("ours", text(&changed("m")))], "m");
    let report = sandbox.merge();
    assert_eq!(report.displaced.len(), 2, "the name and the line");
    assert_eq!(committed(&sandbox), Conclusion::Landed);
    assert_eq!(sandbox.show("main", "theirs"), changed("b"));
}

#[test]
fn the_same_new_file_on_both_sides_is_compared_without_a_base() {
    let sandbox = Sandbox::new(&[("x", "x\n")]);
    sandbox.commit(
        BRANCH,
        &[("n", text("head\nshared\ntheirs\n")), ("m", text("a\nb\n"))],
        "b",
    );
    sandbox.commit(
        "main",
        &[("n", text("head\nshared\nours\n")), ("m", text("a\n"))],
        "m",
    );
    let MergeOutcome::ContentDisplaced(plan) = planned(&sandbox) else {
        panic!();
    };
    let [hunk] = plan.displaced.as_slice() else {
        panic!("{plan:?}");
    };
    assert_eq!(
        (hunk.file.as_str(), hunk.start_line, hunk.text.as_str()),
        ("n", 3, "ours\n")
    );
    assert_eq!(sandbox.show(&plan.tree.to_string(), "m"), "a\nb\n");
    assert_eq!(committed(&sandbox), Conclusion::Landed);
}

#[test]
fn names_that_mean_something_to_git_are_just_names() {
    let names = [
        ":(top)a",
        "*",
        "-b",
        "sp ace",
        "new\nline",
        "\u{fc}ml\u{e4}ut",
    ];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "1\n2\n3\n")).collect();
    let sandbox = bare_ish(&[("x", "x\n")]);
    for (branch, content) in [
        ("main", "1\n2\n3\n"),
        (BRANCH, "1\ntheirs\n3\n"),
        ("main", "1\nours\n3\n"),
    ] {
        let id = sandbox.blob(content);
        let entries: Vec<(&str, &str, &str)> = files
            .iter()
            .map(|(name, _)| ("100644", id.as_str(), *name))
            .collect();
        sandbox.commit_raw(branch, &entries, "c");
    }
    let MergeOutcome::ContentDisplaced(plan) = planned(&sandbox) else {
        panic!();
    };
    assert_eq!(plan.displaced.len(), names.len());
    for hunk in &plan.displaced {
        assert_eq!(
            (hunk.agent.as_str(), hunk.commit.as_str()),
            ("Tester", sandbox.tip("main").as_str()),
            "{}",
            hunk.file
        );
    }
    assert_eq!(committed(&sandbox), Conclusion::Landed);
}
