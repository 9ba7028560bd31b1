//! A target whose checkout is not where git lists it, or cannot be found at all: nobody can take it along, and whoever
//! goes on there would take out what landed meanwhile.

use std::path::{Path, PathBuf};

use crate::support::{BRANCH, Sandbox, text};
use grove::merge::{Conclusion, UndoOutcome, undo};

/// `main` is checked out in a worktree beside the main checkout.
fn ready() -> (Sandbox, tempfile::TempDir, PathBuf) {
    let sandbox = Sandbox::new(&[("a", "a\n"), ("b", "b\n")]);
    sandbox.commit(BRANCH, &[("a", text("a2\n"))], "work");
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    let beside = tempfile::tempdir().unwrap();
    let place = beside.path().canonicalize().unwrap().join("x");
    sandbox.git(&["worktree", "add", "-q", place.to_str().unwrap(), "main"]);
    (sandbox, beside, place)
}

/// The merge is refused with these words and leaves everything as it was.
fn refused(sandbox: &Sandbox, words: &[&str]) {
    let before = sandbox.git(&["for-each-ref"]);
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Refused, "{report:?}");
    let told = report.error_message.unwrap();
    for word in words {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert_eq!(sandbox.git(&["for-each-ref"]), before);
}

fn lands(sandbox: &Sandbox) {
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:?}");
}

#[test]
fn a_target_whose_worktree_was_moved_by_hand_is_not_landed_into() {
    let (sandbox, beside, place) = ready();
    let moved = beside.path().join("x2");
    std::fs::rename(&place, &moved).unwrap();
    std::fs::write(moved.join("b"), "mine\n").unwrap();
    let listed = place.to_str().unwrap();
    refused(
        &sandbox,
        &["main is checked out at", listed, "git worktree repair"],
    );
    sandbox.git(&["worktree", "repair", moved.to_str().unwrap()]);
    lands(&sandbox);
    let read = |file: &str| std::fs::read_to_string(moved.join(file)).unwrap();
    assert_eq!((read("a"), read("b")), ("a2\n".into(), "mine\n".into()));
}

#[test]
fn a_target_whose_worktree_is_gone_lands_when_git_has_forgotten_that() {
    let (sandbox, _beside, place) = ready();
    std::fs::remove_dir_all(&place).unwrap();
    refused(&sandbox, &["is not there", "git worktree prune"]);
    sandbox.git(&["worktree", "prune"]);
    lands(&sandbox);
}

#[test]
fn a_target_whose_locked_worktree_is_away_is_not_landed_into() {
    let (sandbox, _beside, place) = ready();
    let why = "on the disk in the drawer";
    let place = place.to_str().unwrap();
    sandbox.git(&["worktree", "lock", "--reason", why, place]);
    std::fs::remove_dir_all(place).unwrap();
    refused(&sandbox, &[why, "git worktree unlock"]);
}

#[test]
fn a_merge_is_not_taken_back_under_a_worktree_that_was_moved() {
    let (sandbox, beside, place) = ready();
    let receipt = sandbox.merge().receipt.unwrap();
    std::fs::rename(&place, beside.path().join("x2")).unwrap();
    let tip = sandbox.tip("main");
    let outcome = undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
    assert!(
        matches!(outcome, UndoOutcome::Refused { .. }),
        "{outcome:?}"
    );
    assert_eq!(sandbox.tip("main"), tip);
}

/// An agent can write what git lists of its worktree, and would stop every landing.
#[test]
fn an_agent_that_lists_its_worktree_as_moved_with_the_target_stops_nothing() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(BRANCH, &[("a", text("a2\n"))], "work");
    let agents = sandbox.root().join(".overstory/worktrees/bob");
    let agents = agents.to_str().unwrap();
    sandbox.git(&["worktree", "add", "-q", "-b", "overstory/bob/t", agents]);
    let admin = sandbox.root().join(".git/worktrees/bob");
    std::fs::write(admin.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(admin.join("gitdir"), "/nowhere/at/all/.git\n").unwrap();
    lands(&sandbox);
}

#[test]
fn a_main_checkout_that_cannot_be_found_from_a_worktree_is_not_landed_under() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let git = |place: &Path, args: &[&str]| Sandbox::git_in(place, args);
    let (main, gits) = (at("p"), at("g"));
    let separate = format!("--separate-git-dir={}", gits.display());
    git(dir.path(), &["init", "-q", "-b", "main", &separate, "p"]);
    for (key, value) in [("user.name", "T"), ("user.email", "t@example.org")] {
        git(&main, &["config", key, value]);
    }
    std::fs::write(main.join("a"), "a\n").unwrap();
    git(&main, &["add", "a"]);
    git(&main, &["commit", "-q", "-m", "base"]);
    let beside = at("w");
    let path = beside.to_str().unwrap();
    git(&main, &["worktree", "add", "-q", "-b", BRANCH, path]);
    std::fs::write(beside.join("a"), "a2\n").unwrap();
    git(&beside, &["commit", "-q", "-a", "-m", "work"]);
    std::fs::write(main.join("a"), "mine\n").unwrap();
    let before = git(&main, &["rev-parse", "main"]);
    let mut context = Sandbox::empty().context();
    context.root.clone_from(&beside);
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Refused, "{report:?}");
    let told = report.error_message.unwrap();
    let found = gits.canonicalize().unwrap();
    assert!(told.contains(found.to_str().unwrap()), "{told}");
    assert!(told.contains("start grove in that checkout"), "{told}");
    assert_eq!(git(&main, &["rev-parse", "main"]), before);
}
