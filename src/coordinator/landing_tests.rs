//! Landings by the loop that find no room on the disk, or that only a person may do.

use super::*;

use crate::config::QualityGate;
use crate::coordinator::merge_due::merge_due;
use crate::coordinator::queue;
use crate::coordinator::work::Listener;
use crate::git::trial::{git, repository};
use crate::platform::FsError;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

struct Project {
    dir: tempfile::TempDir,
    paths: ProjectPaths,
    row: QueueRow,
}

/// A branch that waits and could land.
fn project() -> Project {
    let dir = repository();
    let root = dir.path();
    git(root, &["commit", "-q", "--allow-empty", "-m", "base"]);
    git(root, &["checkout", "-q", "-b", "overstory/ann/t-1"]);
    git(root, &["commit", "-q", "--allow-empty", "-m", "work"]);
    git(root, &["checkout", "-q", "main"]);
    std::fs::create_dir(root.join(".overstory")).unwrap();
    let paths = ProjectPaths::new(root);
    let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
    let row = queue
        .enqueue("overstory/ann/t-1", "t-1", "ann", &[])
        .unwrap();
    Project { dir, paths, row }
}

impl Project {
    fn status(&self) -> MergeStatus {
        let queue = MergeQueueStore::open(&self.paths.merge_queue_db()).unwrap();
        queue.all().unwrap()[0].entry.status
    }

    fn retry(&self) -> Option<RetryRow> {
        let grove = GroveStore::open(&self.paths.grove_db()).unwrap();
        grove.merge_retries().unwrap().get(&self.row.id).copied()
    }

    fn why(&self) -> String {
        let grove = GroveStore::open(&self.paths.grove_db()).unwrap();
        let (_, _, report) = grove.merge_reports().unwrap().remove(0);
        report["errorMessage"].as_str().unwrap().to_owned()
    }

    fn mails(&self) -> usize {
        let mail = crate::db::MailStore::open(&self.paths.mail_db()).unwrap();
        mail.list(&crate::db::mail::MailFilter::default())
            .unwrap()
            .len()
    }

    /// What the loop merges when it looks, with these gates; what it says about it.
    fn round(&self, gates: &[QualityGate]) -> Vec<String> {
        let mut config = Config::default();
        config.project.canonical_branch = "main".to_owned();
        config.project.quality_gates = gates.to_vec();
        let listener: Listener = Arc::new(|_| {});
        let (id, call_off) = (self.row.id, CallOff::default());
        merge_due(&self.paths, &config, id, &call_off, &listener).unwrap()
    }

    /// An attempt that ends with this error of a file.
    fn fail(&self, kind: std::io::ErrorKind) -> String {
        self.end(MergeError::Fs(FsError {
            op: "write",
            path: "/p".into(),
            source: kind.into(),
        }))
    }

    /// An attempt that ends with this error.
    fn end(&self, error: MergeError) -> String {
        let queue = MergeQueueStore::open(&self.paths.merge_queue_db()).unwrap();
        let from = [self.status()];
        let merging = MergeStatus::Merging;
        assert!(
            queue
                .change_status(self.row.id, &from, merging, None)
                .unwrap()
        );
        match conclude(&self.paths, &self.row, "main", Err(error)).unwrap() {
            Landed::Error(why) => why,
            other @ (Landed::Report(_) | Landed::Busy(_) | Landed::Paused | Landed::Stopped(_)) => {
                panic!("{other:?}")
            }
        }
    }
}

#[test]
fn a_landing_that_found_no_room_says_when_it_is_tried_again_and_gives_up_in_the_end() {
    let project = project();
    let first = project.fail(std::io::ErrorKind::StorageFull);
    assert!(first.contains("after 1 min (try 1 of 8)"), "{first}");
    assert_eq!(project.why(), first);
    assert_eq!(project.status(), MergeStatus::Failed);
    assert_eq!(project.retry().unwrap().number, 1);
    let told = project.mails();
    assert!(told > 0);
    for number in 2..=8 {
        project.fail(std::io::ErrorKind::StorageFull);
        assert_eq!(project.retry().unwrap().number, number);
    }
    assert_eq!(project.mails(), told, "nobody wants to hear of every try");
    let last = project.fail(std::io::ErrorKind::StorageFull);
    assert!(last.contains("grove merge --all"), "{last}");
    assert_eq!(project.retry(), None);
    assert!(project.mails() > told);
    assert!(queue::retrying(&project.paths).unwrap().is_empty());
}

#[test]
fn a_merge_that_was_cancelled_is_known_as_such_and_lands_when_it_is_asked_for() {
    let project = project();
    project.end(MergeError::CalledOff {
        branch: "overstory/ann/t-1".to_owned(),
        waits: false,
    });
    let report = || {
        let grove = GroveStore::open(&project.paths.grove_db()).unwrap();
        grove.merge_reports().unwrap().remove(0).2
    };
    assert!(was_cancelled(&report()) && !failed_in_passing(&report()));
    assert!(queue::to_land(&project.paths).unwrap().is_empty());
    project.fail(std::io::ErrorKind::PermissionDenied);
    assert!(!was_cancelled(&report()) && failed_in_passing(&report()));
}

#[test]
fn another_failure_ends_the_tries() {
    let project = project();
    project.fail(std::io::ErrorKind::StorageFull);
    assert_eq!(queue::retrying(&project.paths).unwrap().len(), 1);
    let why = project.fail(std::io::ErrorKind::PermissionDenied);
    assert!(!why.contains("tries it again"), "{why}");
    assert_eq!(project.retry(), None);
}

/// A full file system where gates have their checkouts; `None` where this process may not mount one.
#[cfg(target_os = "linux")]
fn full(path: &Path) -> Option<()> {
    std::fs::create_dir_all(path).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=16k", "tmpfs"])
        .arg(path)
        .output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return None;
    }
    // Full to the last byte.
    drop(std::fs::write(path.join("filler"), vec![0_u8; 1 << 20]));
    Some(())
}

#[test]
#[cfg(target_os = "linux")]
fn the_loop_lands_it_when_there_is_room_again_and_not_before_its_time() {
    let project = project();
    let gate = QualityGate {
        name: "ok".to_owned(),
        command: "true".to_owned(),
        description: String::new(),
    };
    let round = || project.round(std::slice::from_ref(&gate));
    let scratch = project.dir.path().join(".overstory/scratch");
    if full(&scratch).is_none() {
        // Not captured, as what tests print is.
        writeln!(
            std::io::stderr(),
            "skipped: no file system can be mounted here"
        )
        .unwrap();
        return;
    }
    let said = round();
    let unmounted = Command::new("umount").arg(&scratch).status();
    assert!(unmounted.unwrap().success());
    assert!(said[0].contains("tries it again"), "{said:?}");
    assert_eq!(project.status(), MergeStatus::Failed);
    assert!(round()[0].contains("is gone"), "it is not due yet");
    let due = RetryRow {
        due_ms: 0,
        ..project.retry().unwrap()
    };
    let grove = GroveStore::open(&project.paths.grove_db()).unwrap();
    grove.set_merge_retry(project.row.id, Some(due)).unwrap();
    round();
    assert_eq!(project.status(), MergeStatus::Merged);
    assert_eq!(project.retry(), None);
}

#[test]
fn the_loop_leaves_a_branch_that_changes_its_own_guard_to_a_person() {
    let project = project();
    let root = project.dir.path();
    git(root, &["checkout", "-q", "overstory/ann/t-1"]);
    std::fs::write(root.join(".overstory/config.yaml"), "sandbox: off\n").unwrap();
    git(root, &["add", "-f", ".overstory/config.yaml"]);
    git(root, &["commit", "-q", "-m", "work"]);
    git(root, &["checkout", "-q", "main"]);
    let said = project.round(&[]);
    assert!(said[0].contains("only a person lands that"), "{said:?}");
    assert_eq!(project.status(), MergeStatus::Conflict);
    assert!(!root.join(".overstory/config.yaml").exists());
    assert!(
        project.round(&[])[0].contains("is gone"),
        "it is not tried again"
    );
    assert!(project.mails() > 0);
}
