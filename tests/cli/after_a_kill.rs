//! What those see who only look, after a merge was killed: its entries wait, whatever it has left in the queue.
#![cfg(unix)]

use std::process::Stdio;

use crate::support::{GROVE, LONG, TestProject, kill_9, wait_until};

#[test]
fn entries_of_a_killed_merge_are_shown_as_pending_and_nothing_is_written() {
    let project = TestProject::initialised();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    let gate = "project:\n  qualityGates:\n    - name: long\n      command: sleep 600\n      description: d\n";
    std::fs::write(project.overstory("config.local.yaml"), gate).unwrap();
    let queue = grove::db::MergeQueueStore::open(&project.overstory("merge-queue.db")).unwrap();
    for n in 0..3 {
        let name = format!("overstory/a{n}/t-{n}");
        project.git(&["checkout", "-q", "-b", &name]);
        project.write(&format!("file-{n}"), "x\n");
        project.git(&["add", "--", "."]);
        project.git(&["commit", "-q", "-m", "Work"]);
        project.git(&["checkout", "-q", "main"]);
        queue.enqueue(&name, "t", "a", &[]).unwrap();
    }
    let mut merge = project.command(GROVE);
    merge.args(["merge", "--all"]);
    merge.stdout(Stdio::null()).stderr(Stdio::null());
    let mut merge = merge.spawn().unwrap();
    let states = || project.sql("merge-queue.db", "SELECT status FROM merge_queue");
    let count = || project.grove(&["status", "--json"]).json()["mergeQueueCount"].clone();
    wait_until(
        "all are being merged",
        LONG,
        || (states() == [["merging"], ["merging"], ["merging"]]).then_some(()),
        || project.report(),
    );
    let listed = || {
        let list = project.grove(&["merge", "list", "--json"]).json();
        let merges = list["merges"].as_array().unwrap().clone();
        let status = |merge: &serde_json::Value| merge["status"].as_str().unwrap().to_owned();
        merges.iter().map(status).collect::<Vec<_>>()
    };
    assert_eq!(count(), 0);
    assert_eq!(listed(), ["merging"; 3]);
    kill_9(i64::from(merge.id()));
    merge.wait().unwrap();

    assert_eq!(count(), 3);
    assert_eq!(listed(), ["pending"; 3]);
    let dry = project
        .grove(&["merge", "--all", "--dry-run", "--json"])
        .json();
    assert_eq!(dry["entries"].as_array().unwrap().len(), 3, "{dry}");
    let one = project.grove_ok(&["merge", "--branch", "overstory/a0/t-0", "--dry-run"]);
    assert!(one.contains("Status: pending"), "{one}");
    assert_eq!(
        states(),
        [["merging"], ["merging"], ["merging"]],
        "nobody has written"
    );

    std::fs::write(
        project.overstory("config.local.yaml"),
        "project:\n  qualityGates: []\n",
    )
    .unwrap();
    project.grove_ok(&["merge", "--all"]);
    assert_eq!(states(), [["merged"], ["merged"], ["merged"]]);
}
