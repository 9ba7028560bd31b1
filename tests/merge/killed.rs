//! `kill -9` of grove together with its git in the middle of a checkout, or of grove alone between the
//! checkout and the branch: the next start makes index, files and branch agree again, and what the user
//! has changed stays.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use crate::support::{BRANCH, GONE, Sandbox, gate, text};
use grove::merge::{
    GateProgress, Recovery, UndoOutcome, Verdict, land_revert, recover, settle_journal,
    settle_undo, undo, unsettled,
};
use grove::types::merge::MergeReceipt;
use rustix::process::{Signal, getpid, kill_process};

/// `k` goes through a filter that can be armed to kill.
pub(crate) fn ready() -> Sandbox {
    let sandbox = Sandbox::new(&[
        (".gitattributes", "k filter=deadly\n"),
        ("a", "a\n"),
        ("b", "b\n"),
        ("gone", "x\n"),
        ("k", "k\n"),
        ("own", "o\n"),
        ("z", "z\n"),
    ]);
    let work = [
        ("a", text("a2\n")),
        ("gone", GONE),
        ("j/new", text("n\n")),
        ("k", text("k2\n")),
        ("z", text("z2\n")),
    ];
    sandbox.commit(BRANCH, &work, "work");
    sandbox.commit("main", &[("b", text("b2\n"))], "m");
    let filter = script(
        &sandbox,
        "filter",
        "[ ! -e \"$0.armed\" ] || {\nrm \"$0.armed\"\nkill -9 $(cat \"${0%/*}/victim\") $PPID\n}\ncat",
    );
    sandbox.git(&["config", "filter.deadly.smudge", &filter]);
    sandbox.write("own", "mine\n");
    sandbox.write("unknown", "mine\n");
    sandbox
}

pub(crate) const OWN: &str = " M own\n?? unknown";

pub(crate) fn script(sandbox: &Sandbox, name: &str, body: &str) -> String {
    let path = sandbox.root().join(".git").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Runs in a process of its own, started by `killed`.
#[test]
#[ignore = "the other tests start it"]
fn victim() {
    let Ok(root) = std::env::var("GROVE_TEST_VICTIM") else {
        return;
    };
    let root = std::path::PathBuf::from(root);
    std::fs::write(root.join(".git/victim"), std::process::id().to_string()).unwrap();
    let receipt = std::fs::read_to_string(root.join(".git/receipt")).ok();
    let revert = std::fs::read_to_string(root.join(".git/revert")).ok();
    let dies_at = std::fs::read_to_string(root.join(".git/dies-at")).unwrap_or_default();
    let gates = if dies_at.is_empty() {
        Vec::new()
    } else {
        vec![gate("ok", "true")]
    };
    let context = grove::merge::MergeContext {
        root: root.clone(),
        target_branch: "main".to_owned(),
        gates,
        sandbox: grove::config::SandboxConfig::default(),
        gate_time_limit: std::time::Duration::from_mins(1),
        driver_time_limit: std::time::Duration::from_mins(10),
        gate_retries: 0,
        parallel: 4,
        on_displaced: grove::merge::OnDisplaced::Hold,
        call_off: grove::merge::CallOff::default(),
        own_settings: grove::merge::OwnSettings::Hold,
    };
    if let Some(receipt) = receipt {
        let receipt: MergeReceipt = serde_json::from_str(&receipt).unwrap();
        let repo = grove::git::Repo::open(&root).unwrap();
        let done = match revert {
            Some(commit) => land_revert(&context, &repo, &receipt, &commit, &mut |progress| {
                let now = match progress {
                    GateProgress::Started { .. } => "gate begins",
                    GateProgress::Finished { .. } => "gate is green",
                };
                if now == dies_at {
                    kill_process(getpid(), Signal::KILL).unwrap();
                }
            }),
            None => undo(&root, &repo, &receipt),
        };
        panic!("survived: {done:?}");
    }
    let result = grove::merge::execute(&context, &crate::support::item(BRANCH), &mut |_| {});
    panic!("survived: {result:?}");
}

pub(crate) fn killed(sandbox: &Sandbox, undone: Option<&MergeReceipt>) {
    if let Some(receipt) = undone {
        let receipt = serde_json::to_string(receipt).unwrap();
        std::fs::write(sandbox.root().join(".git/receipt"), receipt).unwrap();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["killed::victim", "--exact", "--ignored", "--nocapture"])
        .env("GROVE_TEST_VICTIM", sandbox.root())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.signal(), Some(9), "{said}");
}

/// git dies while it writes `k`: before it is `a`, after it `z`.
pub(crate) fn arm(sandbox: &Sandbox) {
    std::fs::write(sandbox.root().join(".git/filter.armed"), "").unwrap();
}

fn killed_while_landing() -> (Sandbox, String) {
    let sandbox = ready();
    let before = sandbox.tip("main");
    arm(&sandbox);
    killed(&sandbox, None);
    assert!(sandbox.root().join(".git/index.lock").exists());
    assert_eq!(sandbox.tip("main"), before);
    let status = sandbox.status();
    assert!(
        status.contains(" M a") && status.contains(" D gone"),
        "{status}"
    );
    (sandbox, before)
}

pub(crate) fn merged() -> (Sandbox, MergeReceipt) {
    let sandbox = ready();
    let receipt = sandbox.merge().receipt.unwrap();
    settle_journal(sandbox.root(), &receipt.id).unwrap();
    assert_eq!(sandbox.status(), OWN);
    (sandbox, receipt)
}

pub(crate) fn only(sandbox: &Sandbox) -> Recovery {
    let mut all = recover(sandbox.root()).unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

pub(crate) fn lock_is_gone(sandbox: &Sandbox, recovery: &Recovery) {
    let lock = sandbox.root().join(".git/index.lock");
    assert!(!lock.exists());
    assert_eq!(
        recovery.removed_locks,
        [lock.canonicalize().unwrap_or(lock)]
    );
}

fn can_be_undone(sandbox: &Sandbox, receipt: &MergeReceipt) {
    let done = undo(sandbox.root(), &sandbox.repo(), receipt).unwrap();
    assert!(matches!(done, UndoOutcome::Restored { .. }), "{done:?}");
    settle_undo(sandbox.root(), &receipt.id).unwrap();
    assert!(unsettled(sandbox.root()).unwrap().is_empty());
    assert_eq!(sandbox.tip("main"), receipt.target_before);
    assert_eq!(sandbox.status(), OWN);
    for (path, content) in [
        ("a", "a\n"),
        ("k", "k\n"),
        ("gone", "x\n"),
        ("own", "mine\n"),
    ] {
        assert_eq!(sandbox.read(path), content);
    }
    assert!(!sandbox.root().join("j").exists());
}

#[test]
fn git_killed_while_landing_leaves_a_lock_that_is_removed_and_the_merge_lands() {
    let (sandbox, _) = killed_while_landing();
    let recovery = only(&sandbox);
    lock_is_gone(&sandbox, &recovery);
    let Verdict::Landed(receipt) = recovery.verdict else {
        panic!("{recovery:?}");
    };
    assert_eq!(sandbox.tip("main"), receipt.merged_commit);
    assert_eq!(sandbox.status(), OWN);
    assert_eq!(sandbox.read("z"), "z2\n");
    assert_eq!(sandbox.read("own"), "mine\n");
}

#[test]
fn git_killed_while_landing_a_file_the_user_has_written_since_is_kept_and_named() {
    let (sandbox, before) = killed_while_landing();
    sandbox.write("z", "my own\n");
    let recovery = only(&sandbox);
    lock_is_gone(&sandbox, &recovery);
    let Verdict::RolledBack { reason } = &recovery.verdict else {
        panic!("{recovery:?}");
    };
    assert!(
        reason.contains("uncommitted changes would be overwritten: z; "),
        "{reason}"
    );
    assert_eq!(sandbox.tip("main"), before);
    assert_eq!(sandbox.status(), " M own\n M z\n?? unknown");
    assert_eq!(sandbox.read("z"), "my own\n");
    assert_eq!(sandbox.read("a"), "a\n");
}

#[test]
fn a_lock_that_a_living_git_may_hold_stays_and_the_next_start_goes_on() {
    let (sandbox, before) = killed_while_landing();
    let mut git = Command::new("git")
        .args(["cat-file", "--batch"])
        .current_dir(sandbox.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let recovery = only(&sandbox);
    drop(git.stdin.take());
    git.wait().unwrap();
    let Verdict::Waits { reason } = recovery.verdict else {
        panic!("{recovery:?}");
    };
    let pid = format!("process {}", git.id());
    assert!(
        reason.contains("index.lock") && reason.contains(&pid),
        "{reason}"
    );
    assert!(sandbox.root().join(".git/index.lock").exists());
    assert_eq!(sandbox.tip("main"), before);
    assert!(matches!(only(&sandbox).verdict, Verdict::Landed(_)));
    assert_eq!(sandbox.status(), OWN);
}

#[test]
fn killed_between_the_checkout_and_the_branch_an_undo_is_rolled_back() {
    let (sandbox, receipt) = merged();
    let hook = "hooks/reference-transaction";
    let body = "[ \"$1\" = prepared ] && grep -q refs/heads/main || exit 0\nkill -9 $(cat .git/victim)\nexit 1";
    let path = script(&sandbox, hook, body);
    killed(&sandbox, Some(&receipt));
    std::fs::remove_file(path).unwrap();
    assert_eq!(sandbox.tip("main"), receipt.merged_commit);
    assert!(
        sandbox.status().contains("D  j/new"),
        "{}",
        sandbox.status()
    );
    assert_eq!(unsettled(sandbox.root()).unwrap().len(), 1);
    let recovery = only(&sandbox);
    assert!(
        matches!(recovery.verdict, Verdict::UndoRolledBack { .. }),
        "{recovery:?}"
    );
    assert_eq!(sandbox.tip("main"), receipt.merged_commit);
    assert_eq!(sandbox.status(), OWN);
    assert!(recover(sandbox.root()).unwrap().is_empty());
    can_be_undone(&sandbox, &receipt);
}

#[test]
fn git_killed_while_undoing_the_half_done_checkout_is_put_back() {
    let (sandbox, receipt) = merged();
    arm(&sandbox);
    killed(&sandbox, Some(&receipt));
    assert!(!sandbox.root().join("j/new").exists());
    let recovery = only(&sandbox);
    lock_is_gone(&sandbox, &recovery);
    assert_eq!(sandbox.status(), OWN);
    assert_eq!(sandbox.read("j/new"), "n\n");
    can_be_undone(&sandbox, &receipt);
}

#[test]
fn what_the_user_has_written_since_an_undo_was_killed_is_kept_and_named() {
    let (sandbox, receipt) = merged();
    arm(&sandbox);
    killed(&sandbox, Some(&receipt));
    sandbox.write("a", "my own\n");
    sandbox.write("j/new", "my own too\n");
    sandbox.write("j/other", "beside\n");
    let recovery = only(&sandbox);
    let Verdict::UndoRolledBack { reason } = &recovery.verdict else {
        panic!("{recovery:?}");
    };
    assert!(reason.ends_with("left as they are: a, j/new"), "{reason}");
    assert_eq!(sandbox.read("a"), "my own\n");
    assert_eq!(sandbox.read("j/new"), "my own too\n");
    assert_eq!(
        sandbox.status(),
        " M a\n M j/new\n M own\n?? j/other\n?? unknown"
    );
}

#[test]
fn killed_after_the_branch_moved_an_undo_is_reported_until_it_is_stored() {
    let (sandbox, receipt) = merged();
    undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
    for _ in 0..2 {
        let Verdict::Undone { undo, .. } = only(&sandbox).verdict else {
            panic!("not told");
        };
        assert_eq!(undo.to, receipt.target_before);
    }
    settle_undo(sandbox.root(), &receipt.id).unwrap();
    assert!(recover(sandbox.root()).unwrap().is_empty());
}
