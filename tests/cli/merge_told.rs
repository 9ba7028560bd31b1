//! What `merge` says in one line: of targets that cannot be merged into, of files that are in the way, and of why an
//! entry failed.

use crate::support::TestProject;

const ANN: &str = "overstory/ann/t-1";

fn project(gates: &str) -> TestProject {
    let project = TestProject::initialised();
    let config = format!("project:\n  qualityGates: {gates}\n");
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    project.write("list.txt", "one\ntwo\nthree\n");
    commit(&project, "Set up");
    project.git(&["checkout", "-q", "-b", ANN]);
    project.write("list.txt", "one\ntwo\nby ann\n");
    commit(&project, "Work");
    project.git(&["checkout", "-q", "main"]);
    project
}

fn commit(project: &TestProject, message: &str) {
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", message]);
}

/// The one line of an error.
fn refused(project: &TestProject, args: &[&str]) -> String {
    let done = project.grove(args);
    assert_eq!(done.code, Some(1), "{done:?}");
    let mut lines = done.stderr.lines().filter(|line| line.contains("Error ["));
    let line = lines.next().unwrap_or_else(|| panic!("{done:?}"));
    assert_eq!(lines.next(), None, "{done:?}");
    line.to_owned()
}

#[test]
fn a_branch_is_not_merged_into_itself_and_is_not_queued_for_it() {
    let project = project("[]");
    project.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    let entries = || project.sql("merge-queue.db", "SELECT status FROM merge_queue");
    for (branch, into) in [(ANN, ANN), ("main", "main"), ("alias", "main")] {
        let said = refused(&project, &["merge", "--branch", branch, "--into", into]);
        assert!(said.contains("into itself"), "{said}");
        assert!(said.contains("--into"), "{said}");
        assert!(entries().is_empty(), "{branch}");
    }
    project.grove_ok(&["merge", "--branch", ANN]);
    refused(&project, &["merge", "--branch", ANN, "--into", ANN]);
    assert_eq!(entries(), [["merged"]]);
}

#[test]
fn a_target_without_a_commit_is_named() {
    let project = project("[]");
    project.git(&["checkout", "-q", "--orphan", "fresh"]);
    project.git(&["rm", "-q", "-r", "--cached", "."]);
    for args in [
        &["merge", "--branch", ANN, "--into", "fresh"][..],
        &["merge", "--branch", ANN, "--into", "fresh", "--dry-run"],
    ] {
        let said = refused(&project, args);
        assert!(said.contains("fresh has no commit yet"), "{said}");
        assert!(said.contains("--into"), "{said}");
    }
    // It says so of the branch that HEAD is, also when that is not the target.
    let said = refused(&project, &["merge", "--branch", ANN, "--into", "main"]);
    assert!(said.contains("fresh has no commit yet"), "{said}");
    assert!(
        project
            .sql("merge-queue.db", "SELECT 1 FROM merge_queue")
            .is_empty(),
        "nothing is queued"
    );
}

#[test]
fn the_list_says_why_an_entry_failed() {
    let gate = "\n    - name: tests\n      command: exit 3\n      description: green";
    let project = project(gate);
    refused(&project, &["merge", "--branch", ANN]);
    let listed = project.grove_ok(&["merge", "list"]);
    assert!(
        listed.contains("failed, clean-merge, gate tests was red\n"),
        "{listed}"
    );
    let json = project.grove(&["merge", "list", "--json"]).json();
    let entry = json["merges"][0].as_object().unwrap();
    assert!(
        !entry
            .keys()
            .any(|key| key.contains("why") || key.contains("error")),
        "{json}"
    );

    let config = "project:\n  qualityGates: []\n";
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    project.write("list.txt", "mine\n");
    refused(&project, &["merge", "--branch", ANN]);
    let listed = project.grove_ok(&["merge", "list"]);
    let why = "uncommitted changes would be overwritten: list.txt\n";
    assert!(listed.contains(why), "{listed}");
    project.git(&["checkout", "-q", "list.txt"]);
    project.grove_ok(&["merge", "--branch", ANN]);
    let listed = project.grove_ok(&["merge", "list"]);
    assert!(listed.contains("merged, clean-merge, as "), "{listed}");
    project.grove_ok(&["merge", "undo", "1"]);
    let listed = project.grove_ok(&["merge", "list"]);
    assert!(
        listed.contains("failed, clean-merge, undone, as "),
        "{listed}"
    );
}

#[test]
fn changes_that_git_was_told_to_overlook_are_named_with_what_shows_them() {
    for told in ["skip-worktree", "assume-unchanged"] {
        let project = project("[]");
        let overlook = format!("--{told}");
        project.git(&["update-index", &overlook, "list.txt"]);
        project.write("list.txt", "mine\n");
        let said = refused(&project, &["merge", "--branch", ANN]);
        names(&said);
        project.git(&["checkout", "-q", "--force", "main"]);
        project.git(&["update-index", "--no-skip-worktree", "list.txt"]);
        project.git(&["update-index", "--no-assume-unchanged", "list.txt"]);
        project.git(&["checkout", "-q", "--", "list.txt"]);
        project.grove_ok(&["merge", "--branch", ANN]);
        let merged = project.git(&["rev-parse", "main"]);
        project.git(&["update-index", &overlook, "list.txt"]);
        project.write("list.txt", "mine\n");
        let said = refused(&project, &["merge", "undo", "1"]);
        names(&said);
        assert_eq!(project.git(&["rev-parse", "main"]), merged);
        assert_eq!(project.read("list.txt"), "mine\n");
    }
}

fn names(said: &str) {
    let advice = "changes that git was told to overlook would be overwritten: list.txt; `git update-index \
                  --no-skip-worktree --no-assume-unchanged -- list.txt` has git show them";
    assert!(said.ends_with(advice), "{said}");
}
