//! `merge --all` on a disk that is full before all of it has landed: what has is said, and what has not waits.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use crate::merge_interrupted::hook;
use crate::support::TestProject;

const ANN: &str = "overstory/ann/t-1";
const BOB: &str = "overstory/bob/t-2";

/// A small file system at a place, if this process may mount one.
struct Small<'s>(&'s Path);

impl<'s> Small<'s> {
    fn at(path: &'s Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(path).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(path)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(path)),
            other => {
                crate::support::skipped(format!("no file system can be mounted here: {other:?}"));
                None
            }
        }
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(self.0).status().ok();
    }
}

fn project() -> TestProject {
    let project = TestProject::initialised();
    commit(&project, "Set up");
    project
}

fn commit(project: &TestProject, message: &str) {
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", message]);
}

fn branch(project: &TestProject, name: &str, file: &str, text: &str) {
    project.git(&["checkout", "-q", "-b", name, "main"]);
    project.write(file, text);
    commit(project, "Work");
    project.git(&["checkout", "-q", "main"]);
    let queue = grove::db::MergeQueueStore::open(&project.overstory("merge-queue.db")).unwrap();
    queue.enqueue(name, "t", "a", &[]).unwrap();
}

fn configure(project: &TestProject, gates: &str) {
    let config = format!("project:\n  qualityGates: {gates}\n");
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
}

fn statuses(project: &TestProject) -> Vec<Vec<String>> {
    project.sql(
        "merge-queue.db",
        "SELECT status FROM merge_queue ORDER BY id",
    )
}

#[test]
fn merging_all_says_what_has_landed_when_the_disk_fills_up_in_between() {
    let project = project();
    let state = project.overstory("");
    let aside = project.beside().join("state");
    let mut copy = Command::new("cp");
    assert!(
        copy.arg("-a")
            .arg(&state)
            .arg(&aside)
            .status()
            .unwrap()
            .success()
    );
    let Some(small) = Small::at(&state, "8m") else {
        return;
    };
    let mut copy = Command::new("cp");
    copy.arg("-a").arg(aside.join(".")).arg(&state);
    assert!(copy.status().unwrap().success());
    configure(&project, "[]");
    branch(&project, ANN, "ann", "ann\n");
    branch(&project, BOB, "bob", "bob\n");
    let filler = project.overstory("filler");
    let fills = format!(
        "head -c 20000000 /dev/zero > '{}' || true",
        filler.display()
    );
    hook(&project, "post-merge", &fills);
    let done = project.grove(&["merge", "--all"]);
    let said = format!("{}{}", done.stdout, done.stderr);
    assert!(project.root().join("ann").exists(), "{said}");
    assert!(!project.root().join("bob").exists(), "{said}");
    assert_eq!(done.code, Some(1), "{said}");
    assert!(!said.contains("nothing was changed"), "{said}");
    assert!(done.stdout.contains("Result: Merged"), "{said}");
    assert!(
        done.stdout
            .contains("Not merged, and in the queue as before: "),
        "{said}"
    );
    assert!(
        done.stdout.contains("Done: 1 merged, 0 failed, 1 waits."),
        "{said}"
    );

    std::fs::remove_file(&filler).unwrap();
    std::fs::remove_file(project.root().join(".git/hooks/post-merge")).unwrap();
    project.grove_ok(&["merge", "--all"]);
    assert!(project.root().join("bob").exists());
    assert_eq!(statuses(&project), [["merged"], ["merged"]]);
    drop(small);
}

#[test]
fn a_gate_whose_checkout_does_not_fit_on_the_disk_keeps_its_branch_in_the_queue() {
    let project = project();
    let gate = "\n    - name: ok\n      command: \"true\"\n      description: d";
    configure(&project, gate);
    let large: String = (0..60_000).map(|n| format!("line {n}\n")).collect();
    branch(&project, ANN, "large", &large);
    let scratch = project.overstory("scratch");
    let Some(small) = Small::at(&scratch, "300k") else {
        return;
    };
    let done = project.grove(&["merge", "--branch", ANN]);
    let said = format!("{}{}", done.stdout, done.stderr);
    assert_eq!(done.code, Some(1), "{said}");
    assert!(said.contains("no room on the disk"), "{said}");
    assert!(said.contains("KiB free"), "{said}");
    assert!(
        said.contains("a running coordinator tries it again"),
        "{said}"
    );
    assert_eq!(
        said.matches("nothing was changed").count(),
        2,
        "once a line: {said}"
    );
    let listed = project.grove_ok(&["merge", "list"]);
    assert!(listed.contains("no room on the disk"), "{listed}");
    let asked = "SELECT number FROM merge_retries";
    assert_eq!(project.sql("grove.db", asked).len(), 1);
    drop(small);
    project.grove_ok(&["merge", "--all"]);
    assert_eq!(statuses(&project), [["merged"]]);
}
