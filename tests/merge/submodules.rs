//! Submodules with git's real ones: moved, added and removed on one side or on both. What one side did is
//! taken, what only one of two can be right about is left to a person, and the target stays as it was.

use std::path::{Path, PathBuf};

use crate::support::{BRANCH, Sandbox, text};
use grove::merge::{Conclusion, MergeFailure, MergeOutcome, plan};

/// A project with a submodule `lib`, and the commits of that: the first is checked out, the second and
/// the third each follow the one before, the last stands beside them.
pub(crate) struct WithLib {
    pub(crate) sandbox: Sandbox,
    pub(crate) commits: [String; 4],
    _library: tempfile::TempDir,
}

fn committed(dir: &Path, line: &str) -> String {
    std::fs::write(dir.join("code"), line).unwrap();
    Sandbox::git_in(dir, &["add", "code"]);
    Sandbox::git_in(dir, &["commit", "-q", "-m", line]);
    Sandbox::git_in(dir, &["rev-parse", "HEAD"])
}

fn library() -> (tempfile::TempDir, [String; 4]) {
    let library = tempfile::tempdir().unwrap();
    let dir = library.path();
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.name", "Tester"],
        &["config", "user.email", "tester@example.org"],
    ] {
        Sandbox::git_in(dir, args);
    }
    let [one, two, three] = ["one", "two", "three"].map(|line| committed(dir, line));
    Sandbox::git_in(dir, &["checkout", "-q", "-b", "beside", &one]);
    let beside = committed(dir, "beside");
    Sandbox::git_in(dir, &["checkout", "-q", "main"]);
    (library, [one, two, three, beside])
}

pub(crate) fn with_lib() -> WithLib {
    let (library, commits) = library();
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let from = library.path().display().to_string();
    let allowed = ["-c", "protocol.file.allow=always"];
    let add = ["submodule", "--quiet", "add", from.as_str(), "lib"];
    sandbox.git(&[&allowed[..], &add].concat());
    Sandbox::git_in(
        &sandbox.root().join("lib"),
        &["checkout", "-q", &commits[0]],
    );
    sandbox.git(&["add", "lib"]);
    sandbox.git(&["commit", "-q", "-m", "lib"]);
    WithLib {
        sandbox,
        commits,
        _library: library,
    }
}

impl WithLib {
    pub(crate) fn moves(&self, branch: &str, to: usize) {
        self.sandbox
            .commit_raw(branch, &[("160000", &self.commits[to], "lib")], "move lib");
    }

    /// Removes the submodule on a branch that is not checked out.
    fn removes(&self, branch: &str) {
        let place: PathBuf = self.sandbox.root().join(".git/elsewhere");
        let path = place.display().to_string();
        self.sandbox
            .git(&["worktree", "add", "-q", "-B", branch, &path, "main"]);
        Sandbox::git_in(&place, &["rm", "-q", "-r", "lib", ".gitmodules"]);
        Sandbox::git_in(&place, &["commit", "-q", "-m", "remove lib"]);
        self.sandbox.git(&["worktree", "remove", "--force", &path]);
    }

    fn changes_on_main(&self) {
        self.sandbox.commit("main", &[("a", text("a2\n"))], "m");
    }

    /// Moves `main` while something else is checked out.
    fn moves_main(&self, to: usize) {
        self.sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
        self.moves("main", to);
    }

    fn at(&self, rev: &str) -> String {
        self.sandbox.git(&["rev-parse", &format!("{rev}:lib")])
    }

    /// What is said begins with `expected`.
    fn is_left_to_a_person(&self, expected: &str) {
        let before = self.sandbox.state();
        let outcome = plan(&self.sandbox.repo(), "main", BRANCH).unwrap();
        assert!(
            matches!(&outcome, MergeOutcome::Failed(MergeFailure::Submodule { paths, .. }) if *paths == ["lib"]),
            "{outcome:?}"
        );
        let report = self.sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Failed);
        let said = report.error_message.unwrap_or_default();
        assert!(said.starts_with(expected), "{said}");
        assert!(said.ends_with("then merge again"), "{said}");
        assert_eq!(self.sandbox.state(), before);
    }
}

#[test]
fn one_that_the_branch_moved_lands_and_its_checkout_is_the_users() {
    let lib = with_lib();
    lib.moves(BRANCH, 1);
    lib.changes_on_main();
    assert_eq!(lib.sandbox.merge().conclusion, Conclusion::Landed);
    assert_eq!(lib.at("main"), lib.commits[1]);
    // As after any `git merge`, the user updates it when it suits.
    let there = lib.sandbox.root().join("lib");
    assert_eq!(
        Sandbox::git_in(&there, &["rev-parse", "HEAD"]),
        lib.commits[0]
    );
    assert_eq!(lib.sandbox.status(), " M lib");
}

#[test]
fn one_whose_checkout_is_behind_since_the_last_merge_does_not_stop_the_next() {
    let lib = with_lib();
    lib.moves(BRANCH, 1);
    lib.changes_on_main();
    assert_eq!(lib.sandbox.merge().conclusion, Conclusion::Landed);
    assert_eq!(lib.sandbox.status(), " M lib");
    lib.moves(BRANCH, 2);
    let report = lib.sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:?}");
    assert_eq!(lib.at("main"), lib.commits[2]);
    assert_eq!(lib.sandbox.status(), " M lib");

    // What the user has put into the index would be overwritten.
    let there = lib.sandbox.root().join("lib");
    Sandbox::git_in(&there, &["checkout", "-q", &lib.commits[3]]);
    lib.sandbox.git(&["add", "lib"]);
    lib.moves(BRANCH, 1);
    let report = lib.sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Refused, "{report:?}");
    let said = report.error_message.unwrap_or_default();
    assert!(said.contains("would be overwritten: lib; "), "{said}");
}

#[test]
fn one_that_the_branch_removed_or_added_lands() {
    let lib = with_lib();
    lib.removes(BRANCH);
    lib.changes_on_main();
    assert_eq!(lib.sandbox.merge().conclusion, Conclusion::Landed);
    assert_eq!(lib.sandbox.files("main"), ["a"]);

    let lib = with_lib();
    let modules = lib
        .sandbox
        .blob("[submodule \"more\"]\n\tpath = more\n\turl = ../more\n");
    let entries = [
        ("160000", lib.commits[1].as_str(), "more"),
        ("100644", &modules, "more.gitmodules"),
    ];
    lib.sandbox.commit_raw(BRANCH, &entries, "add more");
    lib.changes_on_main();
    assert_eq!(lib.sandbox.merge().conclusion, Conclusion::Landed);
    let more = lib.sandbox.git(&["rev-parse", "main:more"]);
    assert_eq!(more, lib.commits[1]);
}

#[test]
fn one_that_both_moved_along_one_line_comes_to_the_later_commit() {
    for (ours, theirs, later) in [(1, 2, 2), (2, 1, 2)] {
        let lib = with_lib();
        lib.moves(BRANCH, theirs);
        lib.moves_main(ours);
        let report = lib.sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:?}");
        assert_eq!(lib.at("main"), lib.commits[later]);
    }
}

#[test]
fn one_that_both_moved_apart_is_left_to_a_person() {
    let lib = with_lib();
    lib.moves(BRANCH, 3);
    lib.moves_main(1);
    lib.is_left_to_a_person("both sides moved the submodule lib, to commits");
}

#[test]
fn one_that_became_a_directory_is_not_called_a_file() {
    let lib = with_lib();
    let file = lib.sandbox.repo().write_blob(b"x\n").unwrap().to_string();
    lib.sandbox
        .commit_raw(BRANCH, &[("100644", &file, "lib/x")], "directory");
    lib.moves_main(1);
    let report = lib.sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Failed, "{report:#?}");
    let expected = "lib is a submodule on the target and a directory on the branch: make it the same on both, then \
                    merge again";
    assert_eq!(report.error_message.as_deref(), Some(expected));
}

#[test]
fn one_that_one_side_removed_and_the_other_moved_is_left_to_a_person() {
    let lib = with_lib();
    lib.removes(BRANCH);
    lib.moves_main(1);
    lib.is_left_to_a_person("the submodule lib was removed on the branch and moved");

    let lib = with_lib();
    lib.moves(BRANCH, 1);
    lib.removes("other");
    lib.sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    lib.sandbox.git(&["branch", "-f", "main", "other"]);
    lib.is_left_to_a_person("the submodule lib was removed on the target and moved");
}
