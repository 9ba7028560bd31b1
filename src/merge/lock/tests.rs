//! One merge at a time, by whichever name of the branch.

use std::time::Duration;

use super::*;
use crate::git::trial;
use crate::merge::error::MergeError;

#[test]
fn one_owner_at_a_time_and_the_file_says_who() {
    let dir = tempfile::tempdir().unwrap();
    let lock = MergeLock::acquire(dir.path(), "feature/a:b").unwrap();
    let path = dir.path().join(".overstory/merge-feature-a-b.lock");
    let text = std::fs::read_to_string(&path).unwrap();
    let owner: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(owner["targetBranch"], "feature/a:b");
    assert_eq!(owner["pid"], std::process::id());
    let keys: Vec<&String> = owner.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["pid", "acquiredAt", "targetBranch"]);
    assert!(matches!(
        MergeLock::acquire(dir.path(), "feature/a:b"),
        Err(MergeError::Locked { by, .. }) if by.pid == Some(std::process::id())
    ));
    drop(lock);
    assert!(!path.exists());
    let left: Vec<_> = std::fs::read_dir(path.parent().unwrap())
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(left.len(), 1, "only the lease file stays: {left:?}");
}

#[test]
fn a_branch_and_its_other_name_have_one_lock() {
    let dir = trial::repository();
    let root = dir.path();
    let git = |args: &[&str]| trial::git(root, args);
    git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    git(&["symbolic-ref", "refs/heads/middle", "refs/heads/main"]);
    git(&["symbolic-ref", "refs/heads/alias", "refs/heads/middle"]);
    let is_locked = |branch: &str| {
        let taken = MergeLock::acquire(root, branch);
        let mine = Some(std::process::id());
        match taken {
            Ok(_) => false,
            Err(MergeError::Locked { by, .. }) => {
                assert_eq!(by.pid, mine);
                true
            }
            Err(error) => panic!("{error}"),
        }
    };
    for (first, then) in [("alias", "main"), ("main", "alias"), ("alias", "middle")] {
        let lock = MergeLock::acquire(root, first).unwrap();
        assert!(is_locked(then), "{first} {then}");
        assert!(held_since(root, then).is_some(), "{first} {then}");
        assert!(!is_locked("other"));
        drop(lock);
        assert!(!is_locked(then), "{first} {then}");
        assert_eq!(held_since(root, then), None);
    }
    // The file of these two is the same one.
    git(&["branch", "a/b"]);
    git(&["symbolic-ref", "refs/heads/a-b", "refs/heads/a/b"]);
    let lock = MergeLock::acquire(root, "a-b").unwrap();
    assert!(is_locked("a/b"));
    drop(lock);
    // ov knows only the name it was given.
    let lock = MergeLock::acquire(root, "alias").unwrap();
    assert!(lock_path(root, "alias").exists() && lock_path(root, "main").exists());
    drop(lock);
    let ov = format!(
        "{{\"pid\":{},\"acquiredAt\":\"2026-01-01T00:00:00.000Z\",\"targetBranch\":\"alias\"}}",
        std::process::id()
    );
    std::fs::write(lock_path(root, "alias"), ov).unwrap();
    std::fs::remove_file(lock_path(root, "alias").with_extension("lease")).unwrap();
    assert!(is_locked("alias"));
    assert!(held_since(root, "alias").is_some());
    assert!(!lock_path(root, "main").exists(), "nothing stays behind");
}

#[test]
fn a_holder_that_has_not_written_its_name_yet_is_called_another_process() {
    let dir = tempfile::tempdir().unwrap();
    let lock = MergeLock::acquire(dir.path(), "main").unwrap();
    let path = lock_path(dir.path(), "main");
    let lease = path.with_extension("lease");
    std::fs::remove_file(&path).unwrap();
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    for earlier in [String::new(), format!("{} 1 \n", gone.id())] {
        std::fs::write(&lease, earlier).unwrap();
        let said = MergeLock::acquire(dir.path(), "main")
            .unwrap_err()
            .to_string();
        assert_eq!(
            said,
            "branch main is being merged into by another process: wait for it to finish"
        );
    }
    drop(lock);
}

#[test]
fn a_reused_pid_does_not_keep_our_own_lock_alive() {
    let dir = tempfile::tempdir().unwrap();
    let path = lock_path(dir.path(), "main");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut other = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .unwrap();
    let text = format!(
        "{{\"pid\":{},\"acquiredAt\":\"x\",\"targetBranch\":\"main\"}}",
        other.id()
    );
    std::fs::write(&path, &text).unwrap();
    let foreign = MergeLock::acquire(dir.path(), "main");
    assert!(matches!(foreign, Err(MergeError::Locked { by, .. }) if by.pid == Some(other.id())));
    std::fs::write(path.with_extension("lease"), format!("{} 1\n", other.id())).unwrap();
    let own = MergeLock::acquire(dir.path(), "main");
    other.kill().unwrap();
    other.wait().unwrap();
    own.unwrap();
}

#[test]
fn a_dead_owners_lock_is_taken_over_and_an_unreadable_one_only_when_old() {
    let dir = tempfile::tempdir().unwrap();
    let path = lock_path(dir.path(), "main");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    let text = format!(
        "{{\"pid\":{},\"acquiredAt\":\"x\",\"targetBranch\":\"main\"}}",
        child.id()
    );
    std::fs::write(&path, text).unwrap();
    drop(MergeLock::acquire(dir.path(), "main").unwrap());

    std::fs::write(&path, "{").unwrap();
    assert!(matches!(
        MergeLock::acquire(dir.path(), "main"),
        Err(MergeError::LockUnusable { .. })
    ));
    let old = std::time::SystemTime::now() - Duration::from_secs(400);
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(old)
        .unwrap();
    drop(MergeLock::acquire(dir.path(), "main").unwrap());
}

#[test]
fn what_somebody_left_who_was_killed_while_taking_the_lock_is_gone_with_the_next_one() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(".overstory");
    std::fs::create_dir(&folder).unwrap();
    for left in ["merge-main.lock-new", "merge-main.lock-stale"] {
        std::fs::write(folder.join(left), "left").unwrap();
    }
    // Nobody runs with this number.
    let dead = r#"{"pid":4194304,"acquiredAt":"2026-01-01T00:00:00.000Z","targetBranch":"main"}"#;
    std::fs::write(folder.join("merge-main.lock"), dead).unwrap();
    drop(MergeLock::acquire(dir.path(), "main").unwrap());
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "only the lease file stays: {left:?}");
}
