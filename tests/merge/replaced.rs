//! Objects of the store that something has replaced, found while a merge is planned.

use std::path::PathBuf;

use crate::support::{Arrived, BRANCH, Sandbox, item, text};
use grove::git::GitError;
use grove::merge::{MergeError, MergeItem, execute_train, journal_dir};

const OTHER: &str = "overstory/bob/t-2";

/// Two branches, after a first look at the store.
fn seen() -> Sandbox {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    for (branch, file) in [(BRANCH, "b"), (OTHER, "c")] {
        sandbox.commit(branch, &[(file, text("echo good\n"))], "work");
    }
    std::fs::create_dir_all(sandbox.root().join(".overstory")).unwrap();
    let mark = sandbox.root().join(".overstory/objects-seen");
    sandbox.repo().require_genuine(&mark).unwrap();
    sandbox
}

/// Gives an object the content of another.
fn replace(sandbox: &Sandbox) -> PathBuf {
    let file = |id: &str| {
        let objects = sandbox.root().join(".git/objects");
        objects.join(&id[..2]).join(&id[2..])
    };
    let good = file(&sandbox.tip(&format!("{BRANCH}:b")));
    let evil = file(&sandbox.blob("echo evil\n"));
    std::fs::remove_file(&good).unwrap();
    std::fs::copy(evil, &good).unwrap();
    good
}

fn says(error: &MergeError, file: &std::path::Path) {
    let MergeError::Git(GitError::Replaced { file: found, .. }) = error else {
        panic!("{error}");
    };
    assert!(found.ends_with(file.strip_prefix(file.ancestors().nth(3).unwrap()).unwrap()));
    assert!(error.to_string().contains("run `grove doctor`"), "{error}");
}

fn journal(sandbox: &Sandbox) -> usize {
    std::fs::read_dir(journal_dir(sandbox.root())).map_or(0, Iterator::count)
}

#[test]
fn a_merge_on_replaced_objects_is_refused_and_moves_nothing() {
    let sandbox = seen();
    let file = replace(&sandbox);
    let before = sandbox.state();
    for _ in 0..2 {
        let error = Sandbox::merge_with(&sandbox.context(), &mut |_| {}).unwrap_err();
        says(&error, &file);
    }
    assert_eq!(sandbox.state(), before);
    assert_eq!(journal(&sandbox), 0);
}

#[test]
fn a_train_on_replaced_objects_does_not_start_and_no_branch_is_blamed() {
    let sandbox = seen();
    let file = replace(&sandbox);
    let before = sandbox.state();
    let items: Vec<MergeItem> = [OTHER, BRANCH].map(item).into();
    let mut arrived = Arrived::default();
    let error = execute_train(&sandbox.context(), &items, None, &mut arrived).unwrap_err();
    says(&error, &file);
    assert!(arrived.0.is_empty(), "{:?}", arrived.0);
    assert_eq!(sandbox.state(), before);
    assert_eq!(journal(&sandbox), 0);
}
