//! A merge that is killed at any step ends, at the next start, landed or as if it had never begun;
//! and a landed merge can be taken back.

use std::process::Command;

use crate::support::{BRANCH, Sandbox, gate, text};
use grove::merge::{
    Conclusion, MergeProgress, Step, UndoOutcome, Verdict, recover, revert_by_hand, settle_journal,
    undo,
};

fn ready() -> Sandbox {
    let sandbox = Sandbox::new(&[("a", "a\n"), ("b", "b\n"), ("gone", "x\n")]);
    let work = [
        ("a", text("a2\n")),
        ("sub/new", text("n\n")),
        ("gone", crate::support::GONE),
    ];
    sandbox.commit(BRANCH, &work, "work");
    sandbox.commit("main", &[("b", text("b2\n"))], "m");
    sandbox
}

const STEPS: [(&str, Step); 4] = [
    ("planned", Step::Planned),
    ("gated", Step::Gated),
    ("landing", Step::Landing),
    ("landed", Step::Landed),
];

/// Runs in a process of its own, started by `killed_at`: merges, and is killed at the given step.
#[test]
#[ignore = "the other tests start it"]
fn victim() {
    let Ok(root) = std::env::var("GROVE_TEST_VICTIM") else {
        return;
    };
    let step = std::env::var("GROVE_TEST_STEP").unwrap();
    let half = std::env::var("GROVE_TEST_HALF_UPDATED").is_ok();
    let context = grove::merge::MergeContext {
        root: root.clone().into(),
        target_branch: "main".to_owned(),
        gates: vec![gate("ok", "true")],
        sandbox: grove::config::SandboxConfig::default(),
        gate_time_limit: std::time::Duration::from_mins(1),
        driver_time_limit: std::time::Duration::from_mins(10),
        gate_retries: 0,
        parallel: 4,
        on_displaced: grove::merge::OnDisplaced::Hold,
        call_off: grove::merge::CallOff::default(),
        own_settings: grove::merge::OwnSettings::Hold,
    };
    let die = || {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
            .unwrap();
        unreachable!();
    };
    let result = grove::merge::execute(&context, &crate::support::item(BRANCH), &mut |progress| {
        match progress {
            MergeProgress::Entered(entered) if STEPS.contains(&(step.as_str(), entered)) => {
                if half {
                    // What a git that is killed while updating the checkout leaves.
                    std::fs::create_dir_all(format!("{root}/sub")).unwrap();
                    std::fs::write(format!("{root}/sub/new"), "").unwrap();
                    std::fs::write(format!("{root}/a"), "a2\n").unwrap();
                    std::fs::remove_file(format!("{root}/gone")).unwrap();
                }
                die();
            }
            MergeProgress::Gate(grove::merge::GateProgress::Started { .. }) if step == "gates" => {
                die();
            }
            MergeProgress::Entered(_)
            | MergeProgress::Gate(_)
            | MergeProgress::Asking { .. }
            | MergeProgress::Waiting
            | MergeProgress::PlanningAgain { .. } => {}
        }
    });
    panic!("survived: {result:?}");
}

fn killed_at(sandbox: &Sandbox, step: &str, half_updated: bool) {
    use std::os::unix::process::ExitStatusExt;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["recovery::victim", "--exact", "--ignored", "--nocapture"])
        .env("GROVE_TEST_VICTIM", sandbox.root())
        .env("GROVE_TEST_STEP", step);
    if half_updated {
        command.env("GROVE_TEST_HALF_UPDATED", "1");
    }
    let output = command.output().unwrap();
    assert_eq!(
        output.status.signal(),
        Some(9),
        "{step}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn only_verdict(sandbox: &Sandbox) -> (String, Verdict) {
    let mut all = recover(sandbox.root()).unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    let one = all.remove(0);
    assert_eq!((one.branch.as_str(), one.target.as_str()), (BRANCH, "main"));
    (one.id, one.verdict)
}

fn is_clean(sandbox: &Sandbox) {
    assert_eq!(sandbox.status(), "");
    assert_eq!(sandbox.git(&["worktree", "list"]).lines().count(), 1);
    let own = sandbox.root().join(".overstory");
    let left: Vec<_> = walk(&own)
        .into_iter()
        .filter(|path| !path.ends_with("/merge-main.lease") && !path.ends_with("/objects-seen"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

fn walk(dir: &std::path::Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path.display().to_string());
        }
    }
    files
}

#[test]
fn killed_before_landing_it_is_rolled_back_and_can_be_done_again() {
    for step in ["planned", "gates", "gated"] {
        let sandbox = ready();
        let before = sandbox.state();
        killed_at(&sandbox, step, false);
        let (_, verdict) = only_verdict(&sandbox);
        assert!(
            matches!(verdict, Verdict::RolledBack { .. }),
            "{step}: {verdict:?}"
        );
        assert_eq!(sandbox.state(), before, "{step}");
        is_clean(&sandbox);
        assert!(recover(sandbox.root()).unwrap().is_empty());
        assert_eq!(sandbox.merge().conclusion, Conclusion::Landed, "{step}");
    }
}

#[test]
fn killed_while_landing_it_is_landed() {
    for half_updated in [false, true] {
        let sandbox = ready();
        killed_at(&sandbox, "landing", half_updated);
        let (id, verdict) = only_verdict(&sandbox);
        let Verdict::Landed(receipt) = verdict else {
            panic!("half updated {half_updated}: {verdict:?}");
        };
        assert_eq!(receipt.merged_commit, sandbox.tip("main"));
        assert_eq!(sandbox.read("a"), "a2\n");
        assert_eq!(sandbox.read("sub/new"), "n\n");
        assert!(!sandbox.root().join("gone").exists());
        settle_journal(sandbox.root(), &id).unwrap();
        is_clean(&sandbox);
    }
}

#[test]
fn killed_while_landing_what_was_taken_out_of_the_branch_since_does_not_land() {
    for half_updated in [false, true] {
        let sandbox = ready();
        sandbox.commit(BRANCH, &[("secret", text("s\n"))], "a mistake");
        killed_at(&sandbox, "landing", half_updated);
        let own = format!("refs/heads/{BRANCH}");
        sandbox.git(&["update-ref", &own, &format!("{BRANCH}~1")]);
        let before = sandbox.tip("main");
        let (_, verdict) = only_verdict(&sandbox);
        let Verdict::RolledBack { reason } = verdict else {
            panic!("half updated {half_updated}: {verdict:?}");
        };
        let said = format!("{BRANCH} no longer has what was to land");
        assert!(reason.ends_with(&said), "{reason}");
        assert_eq!(sandbox.tip("main"), before);
        is_clean(&sandbox);
        assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
        assert!(!sandbox.files("main").contains(&"secret".to_owned()));
    }
}

#[test]
fn killed_while_landing_a_file_the_user_has_written_since_is_kept() {
    let sandbox = ready();
    killed_at(&sandbox, "landing", true);
    sandbox.write("a", "my own\n");
    let before = sandbox.tip("main");
    let (_, verdict) = only_verdict(&sandbox);
    let Verdict::RolledBack { reason } = verdict else {
        panic!("{verdict:?}");
    };
    assert!(
        reason.contains("uncommitted changes would be overwritten: a; "),
        "{reason}"
    );
    assert_eq!(sandbox.tip("main"), before);
    assert_eq!(sandbox.status(), " M a", "the rest was put back");
    assert_eq!(sandbox.read("a"), "my own\n");
}

#[test]
fn killed_after_landing_the_receipt_is_reported_until_it_is_stored() {
    let sandbox = ready();
    killed_at(&sandbox, "landed", false);
    let tip = sandbox.tip("main");
    for _ in 0..2 {
        let (id, verdict) = only_verdict(&sandbox);
        let Verdict::Landed(receipt) = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(
            (id, receipt.merged_commit),
            (receipt.id.clone(), tip.clone())
        );
    }
    let (id, _) = only_verdict(&sandbox);
    settle_journal(sandbox.root(), &id).unwrap();
    assert!(recover(sandbox.root()).unwrap().is_empty());
    is_clean(&sandbox);
}

#[test]
fn undo_restores_the_target_byte_for_byte() {
    let sandbox = ready();
    let before = (sandbox.tip("main"), sandbox.read("a"), sandbox.read("gone"));
    let receipt = sandbox.merge().receipt.unwrap();
    let merged = sandbox.tip("main");
    sandbox.write("unrelated", "mine\n");

    sandbox.write("a", "edited\n");
    let refused = undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
    assert!(
        matches!(refused, UndoOutcome::Refused { .. }),
        "{refused:?}"
    );
    assert_eq!(sandbox.tip("main"), merged);
    sandbox.git(&["checkout", "-q", "a"]);

    let done = undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
    let UndoOutcome::Restored {
        to,
        redo_ref,
        warnings,
    } = done
    else {
        panic!("{done:?}");
    };
    assert_eq!(warnings, [""; 0]);
    assert_eq!(to, before.0);
    assert_eq!(
        (sandbox.tip("main"), sandbox.read("a"), sandbox.read("gone")),
        before
    );
    assert_eq!(sandbox.tip(&redo_ref), merged);
    assert_eq!(sandbox.status(), "?? unrelated");
    assert!(!sandbox.root().join("sub/new").exists());
    assert_eq!(
        undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap(),
        UndoOutcome::NotThere
    );
}

#[test]
fn undo_of_a_branch_that_is_not_checked_out_moves_only_the_ref() {
    let sandbox = ready();
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    let before = sandbox.state();
    let receipt = sandbox.merge().receipt.unwrap();
    undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
    let mut after = sandbox.state();
    after.retain(|name, _| !name.starts_with("refs/grove/"));
    assert_eq!(after, before);
}

#[test]
fn undo_below_other_commits_prepares_a_revert() {
    let sandbox = ready();
    let receipt = sandbox.merge().receipt.unwrap();
    sandbox.commit("main", &[("later", text("l\n"))], "later");
    let tip = sandbox.tip("main");
    let done = undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
    let UndoOutcome::RevertPrepared {
        commit, reference, ..
    } = done
    else {
        panic!("{done:?}");
    };
    assert_eq!(
        sandbox.tip("main"),
        tip,
        "landing it is the user's decision"
    );
    assert_eq!(sandbox.tip(&reference), commit);
    assert_eq!(sandbox.tip(&format!("{commit}^")), tip);
    assert_eq!(sandbox.files(&commit), ["a", "b", "gone", "later"]);
    assert_eq!(sandbox.show(&commit, "a"), "a\n");

    sandbox.commit("main", &[("a", text("a3\n"))], "same place");
    assert_eq!(
        undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap(),
        UndoOutcome::RevertConflicts {
            files: vec!["a".to_owned()]
        }
    );
    let said = revert_by_hand(&receipt, &["a".to_owned()]);
    let (_, command) = said.rsplit_once(": git ").unwrap();
    // git does what it says, and leaves the places to a person.
    let mut git = std::process::Command::new("git");
    let git = git.current_dir(sandbox.root()).args(command.split(' '));
    let reverted = git.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(!reverted.status.success(), "the same place was changed");
    assert!(sandbox.read("a").contains("<<<<<<<"), "{said}");
    assert!(!sandbox.root().join("sub/new").exists(), "{said}");
}

#[test]
fn killed_while_landing_a_git_that_is_still_at_work_is_waited_for() {
    let sandbox = ready();
    killed_at(&sandbox, "landing", false);
    let journal = std::fs::read_dir(sandbox.root().join(".overstory/merge-journal"))
        .unwrap()
        .flatten()
        .next()
        .unwrap();
    let entry: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(journal.path()).unwrap()).unwrap();
    let merged = entry["receipt"]["mergedCommit"]
        .as_str()
        .unwrap()
        .to_owned();
    // The orphaned git: has written the files, and holds the index until the branch has moved.
    let git = sandbox.root().join(".git");
    let (index, own, lock) = (
        git.join("index"),
        git.join("orphan"),
        git.join("index.lock"),
    );
    std::fs::copy(&index, &own).unwrap();
    let written = Command::new("git")
        .current_dir(sandbox.root())
        .args(["read-tree", "-m", "-u", "main", &merged])
        .env("GIT_INDEX_FILE", &own)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status();
    assert!(written.unwrap().success());
    std::fs::rename(&own, &lock).unwrap();
    let orphan = std::thread::spawn({
        let merged = merged.clone();
        move || {
            let pause = std::time::Duration::from_millis(300);
            std::thread::sleep(pause);
            std::fs::write(git.join("refs/heads/main"), format!("{merged}\n")).unwrap();
            std::fs::rename(&lock, &index).unwrap();
        }
    });
    let (_, verdict) = only_verdict(&sandbox);
    orphan.join().unwrap();
    assert!(matches!(verdict, Verdict::Landed(_)), "{verdict:?}");
    assert_eq!(sandbox.tip("main"), merged);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn what_a_write_that_was_killed_left_in_the_journal_goes_with_the_next_start() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let journal = sandbox.root().join(".overstory/merge-journal");
    std::fs::create_dir_all(&journal).unwrap();
    let at = |name: &str| journal.join(name);
    let (old, new) = (at(".grove-abcdefghi1"), at(".grove-abcdefghi2"));
    let gone = at(".grove-999999999-1-abcdefghij.lock");
    for path in [&old, &new, &gone] {
        std::fs::write(path, "{").unwrap();
    }
    let file = std::fs::File::options().write(true).open(&old).unwrap();
    // Who wrote it is not in its name, but nobody has it open.
    let before = std::time::Duration::from_mins(if cfg!(target_os = "linux") { 2 } else { 1500 });
    file.set_modified(std::time::SystemTime::now() - before)
        .unwrap();
    drop(file);
    recover(sandbox.root()).unwrap();
    assert!(!old.exists(), "left for a day");
    assert!(!gone.exists() || !cfg!(unix), "its writer is gone");
    assert!(new.exists(), "somebody may be writing it");
}

/// As `kill -9` leaves it: git, of everybody, stops at such an entry.
#[test]
fn a_worktree_that_git_was_killed_while_making_stops_no_merge() {
    let sandbox = ready();
    let mut context = sandbox.context();
    context.gates = vec![gate("test", "true")];
    let git = sandbox.root().join(".git/worktrees");
    let scratch = sandbox.root().join(".overstory/scratch/99999999-abcd1234");
    std::fs::create_dir_all(&scratch).unwrap();
    for (entry, files) in [
        (
            "99999999-abcd1234",
            &[
                ("commondir", String::new()),
                ("gitdir", format!("{}/.git\n", scratch.display())),
            ][..],
        ),
        (
            "99999998-abcd1234",
            &[("locked", "initializing".to_owned())],
        ),
    ] {
        let entry = git.join(entry);
        std::fs::create_dir_all(&entry).unwrap();
        for (name, text) in files {
            std::fs::write(entry.join(name), text).unwrap();
        }
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        std::fs::File::open(&entry)
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
    }
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{:#?}", report.gates);
    assert!(!scratch.exists());
    assert!(!git.exists() || std::fs::read_dir(&git).unwrap().next().is_none());
}
