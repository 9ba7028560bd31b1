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
        let ahead = ["merge", "--branch", branch, "--into", into, "--dry-run"];
        let said = project.grove_ok(&ahead);
        assert!(said.contains("already an ancestor"), "{said}");
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
    let why = "uncommitted changes would be overwritten: list.txt; commit or stash them, then try again\n";
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
fn what_a_gate_printed_in_one_line_is_shown_as_far_as_people_read_it() {
    let gate =
        "\n    - name: tests\n      command: printf '%050000d' 0; exit 3\n      description: green";
    let project = project(gate);
    refused(&project, &["merge", "--branch", ANN]);
    let shown = project.grove_ok(&["merge", "show", "1"]);
    assert!(shown.len() < 2000, "{} bytes", shown.len());
    assert!(shown.contains("000… 49600 more bytes\n"), "{shown}");
    let json = project.grove(&["merge", "show", "1", "--json"]).json();
    let tail = json["report"]["gates"][0]["outputTail"].as_str().unwrap();
    assert_eq!(
        tail.trim_end().len(),
        50000,
        "programs get all that is kept"
    );
}

#[test]
fn files_of_yours_in_the_way_are_named_with_what_to_do_and_how_to_merge_then() {
    let project = project("[]");
    let args = ["merge", "--branch", ANN];
    project.write("list.txt", "mine\n");
    let done = project.grove(&args);
    let next = done.stderr.lines().last().unwrap_or_default();
    let said = refused(&project, &args);
    assert!(
        said.ends_with("list.txt; commit or stash them, then try again"),
        "{said}"
    );
    assert!(next.contains("nothing has changed on main"), "{done:?}");
    assert!(next.contains("the same command merges it"), "{done:?}");
    let shown = project.grove_ok(&["merge", "show", "1"]);
    let next = format!("Next:    'grove merge --branch {ANN}' merges it again\n");
    assert!(shown.contains(&next), "{shown}");
    project.git(&["stash", "-q"]);
    project.grove_ok(&args);
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

/// What a stash that is taken out leaves: git moves no checkout then, whatever else changes in it.
#[test]
fn conflicts_of_a_stash_are_named_before_a_landing_and_before_an_undo() {
    for lands_first in [false, true] {
        let project = project("[]");
        project.write("mine.txt", "at first\n");
        commit(&project, "Mine");
        project.write("mine.txt", "stashed\n");
        project.git(&["stash", "-q"]);
        project.write("mine.txt", "committed\n");
        commit(&project, "Mine again");
        let args: &[&str] = if lands_first {
            project.grove_ok(&["merge", "--branch", ANN]);
            &["merge", "undo", "1"]
        } else {
            &["merge", "--branch", ANN]
        };
        let mut pop = project.command("git");
        let popped = pop.args(["stash", "pop", "-q"]).output().unwrap();
        assert!(!popped.status.success());
        let before = (
            project.git(&["rev-parse", "main"]),
            project.read("mine.txt"),
        );
        let said = refused(&project, args);
        assert!(
            said.ends_with("conflicts there are not settled yet: mine.txt; settle them and `git add` the files, then try again"),
            "{said}"
        );
        let after = (
            project.git(&["rev-parse", "main"]),
            project.read("mine.txt"),
        );
        assert_eq!(after, before);
        project.git(&["checkout", "-q", "--ours", "mine.txt"]);
        project.git(&["add", "mine.txt"]);
        project.grove_ok(args);
    }
}

#[test]
fn many_files_in_the_way_are_counted() {
    let project = project("[]");
    project.git(&["checkout", "-q", ANN]);
    for at in 10..60 {
        project.write(&format!("new-{at}"), "by ann\n");
    }
    commit(&project, "Many");
    project.git(&["checkout", "-q", "main"]);
    for at in 10..60 {
        project.write(&format!("new-{at}"), "mine\n");
    }
    let said = refused(&project, &["merge", "--branch", ANN]);
    assert!(said.ends_with("new-10, new-11, new-12, new-13, new-14, new-15, new-16, new-17, new-18, new-19, new-20, new-21, new-22, new-23, new-24, new-25, new-26, new-27, new-28, new-29 and 30 more; move them away, then try again"), "{said}");
}

#[test]
fn what_was_said_of_a_landing_is_shown_with_it() {
    let gate = "\n    - name: tests\n      command: test -f ../ran || { touch ../ran; exit 1; }\n      description: green\nmerge:\n  gateRetries: 1\nsandbox:\n  gates: off";
    let project = project(gate);
    let said = project.grove_ok(&["merge", "--branch", ANN]);
    let note = "gate tests is flaky: green only at attempt 2";
    assert!(said.contains(note), "{said}");
    let shown = project.grove_ok(&["merge", "show", "1"]);
    assert!(shown.contains(&format!("Note:    {note}\n")), "{shown}");
}

#[test]
fn a_held_branch_is_told_that_nothing_has_changed_and_what_comes_next() {
    let project = project("[]");
    let config = "project:\n  qualityGates: []\nmerge:\n  aiResolveEnabled: false\n";
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    project.write("list.txt", "one\ntwo\nby you\n");
    commit(&project, "Yours");
    let tip = project.git(&["rev-parse", "main"]);
    let done = project.grove(&["merge", "--branch", ANN]);
    assert_eq!(done.code, Some(1), "{done:?}");
    let lines: Vec<&str> = done.stderr.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.contains("All enabled resolution tiers failed"));
    let next = at
        .and_then(|at| lines.get(at + 1))
        .unwrap_or_else(|| panic!("{done:?}"));
    assert!(next.contains("nothing has changed on main"), "{next}");
    assert!(
        next.contains("'grove merge show 1' lists what would be displaced"),
        "{next}"
    );
    assert_eq!(project.git(&["rev-parse", "main"]), tip);
    // With all that waits it is said of each.
    let waits = || {
        let queue = rusqlite::Connection::open(project.overstory("merge-queue.db")).unwrap();
        let pending = "UPDATE merge_queue SET status = 'pending'";
        queue.execute(pending, []).unwrap();
    };
    for args in [&["merge", "--all"][..], &["merge", "--all", "--json"]] {
        waits();
        let done = project.grove(args);
        let said = format!(
            "{ANN}: nothing has changed on main; 'grove merge show 1' lists what would be displaced"
        );
        assert!(done.stderr.lines().any(|line| line == said), "{done:?}");
        assert!(!done.stdout.contains("nothing has changed"), "{done:?}");
    }
    let shown = project.grove_ok(&["merge", "show", "1"]);
    assert!(shown.contains("Would be displaced: list.txt:3"), "{shown}");
}
