//! A target that a checkout stands on without having it as HEAD: rebased, bisected. What landed there
//! would be thrown away when that ends.

use crate::support::{BRANCH, Sandbox, text};
use grove::merge::{Conclusion, UndoOutcome, undo};
use std::process::Command;

/// `main` is checked out, and changed the same line as `other`.
fn ready() -> Sandbox {
    let sandbox = Sandbox::new(&[("a", "a\n"), ("b", "b\n")]);
    sandbox.commit(BRANCH, &[("sub/new", text("n\n"))], "work");
    sandbox.commit("other", &[("a", text("theirs\n"))], "other");
    sandbox.commit("main", &[("a", text("ours\n"))], "ours");
    sandbox
}

/// Begins what stops half-way, so it may fail.
fn begin(sandbox: &Sandbox, at: &std::path::Path, args: &[&str]) {
    let output = Command::new("git")
        .current_dir(at)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert_ne!(
        sandbox.git(&["-C", at.to_str().unwrap(), "branch", "--show-current"]),
        "main",
        "{output:?}"
    );
}

/// The merge is refused with these words and leaves everything as it was.
fn refused(sandbox: &Sandbox, words: &[&str]) {
    let before = sandbox.state();
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Refused, "{report:?}");
    let told = report.error_message.unwrap();
    for word in words {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert_eq!(sandbox.state(), before);
}

#[test]
fn a_target_that_is_being_rebased_is_not_landed_into() {
    for (how, state) in [("--merge", "rebase-merge"), ("--apply", "rebase-apply")] {
        let sandbox = ready();
        let root = sandbox.root().to_path_buf();
        begin(&sandbox, &root, &["rebase", "-q", how, "other"]);
        assert!(root.join(".git").join(state).join("head-name").exists());
        let place = root.display().to_string();
        refused(
            &sandbox,
            &["main is being rebased at", &place, "git rebase --continue"],
        );
        sandbox.git(&["rebase", "--abort"]);
        assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
    }
}

#[test]
fn a_target_that_is_being_rebased_in_another_worktree_is_not_landed_into() {
    let sandbox = ready();
    sandbox.git(&["checkout", "-q", "--detach"]);
    let beside = sandbox.root().join(".git/beside");
    let place = beside.to_str().unwrap();
    sandbox.git(&["worktree", "add", "-q", place, "main"]);
    begin(&sandbox, &beside, &["rebase", "-q", "other"]);
    refused(&sandbox, &["main is being rebased at", place]);
    // Gone with its folder: nobody can go on with it.
    std::fs::remove_dir_all(&beside).unwrap();
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
}

#[test]
fn a_target_that_follows_a_rebase_of_another_branch_is_not_landed_into() {
    let sandbox = ready();
    sandbox.git(&["checkout", "-q", "-b", "topic"]);
    sandbox.commit("topic", &[("b", text("topic\n"))], "topic");
    let root = sandbox.root().to_path_buf();
    begin(&sandbox, &root, &["rebase", "-q", "--update-refs", "other"]);
    refused(&sandbox, &["main is being rebased at"]);
}

#[test]
fn a_target_that_a_bisect_comes_back_to_is_not_landed_into() {
    let sandbox = ready();
    for n in 0..4 {
        sandbox.commit("main", &[("b", text(&format!("{n}\n")))], "more");
    }
    let root = sandbox.root().to_path_buf();
    begin(&sandbox, &root, &["bisect", "start", "main", "main~4"]);
    refused(
        &sandbox,
        &["a bisect that began on main", "git bisect reset"],
    );
    sandbox.git(&["bisect", "reset"]);
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
}

#[test]
fn a_merge_is_not_taken_back_from_a_target_that_is_being_rebased() {
    let sandbox = ready();
    let receipt = sandbox.merge().receipt.unwrap();
    let root = sandbox.root().to_path_buf();
    begin(&sandbox, &root, &["rebase", "-q", "other"]);
    let tip = sandbox.git(&["rev-parse", "main"]);
    let outcome = undo(&root, &sandbox.repo(), &receipt).unwrap();
    assert!(
        matches!(outcome, UndoOutcome::Refused { .. }),
        "{outcome:?}"
    );
    assert_eq!(sandbox.git(&["rev-parse", "main"]), tip);
}

#[test]
fn a_journal_file_that_is_no_text_does_not_stop_every_merge() {
    let sandbox = ready();
    let journal = sandbox.root().join(".overstory/merge-journal");
    std::fs::create_dir_all(&journal).unwrap();
    std::fs::write(journal.join("x.json"), b"\xff\xfe{\0").unwrap();
    assert_eq!(grove::merge::recover(sandbox.root()).unwrap(), []);
    assert!(journal.join("x.unreadable").exists());
    assert!(!journal.join("x.json").exists());
}
