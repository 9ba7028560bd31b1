//! Moving the target: gates first, races, and checkouts that are in the way.

use crate::support::{BRANCH, Sandbox, gate, text};
use grove::git::Oid;
use grove::merge::{
    Conclusion, GateProgress, LandOutcome, MergeError, MergeLock, MergeProgress, Step, land,
};

fn ready() -> Sandbox {
    let sandbox = Sandbox::new(&[("a", "a\n"), ("b", "b\n")]);
    sandbox.commit(
        BRANCH,
        &[("a", text("a2\n")), ("sub/new", text("n\n"))],
        "work",
    );
    sandbox.commit("main", &[("b", text("b2\n"))], "m");
    sandbox
}

#[test]
fn a_red_gate_leaves_everything_as_it_was() {
    let sandbox = ready();
    let before = sandbox.state();
    let mut context = sandbox.context();
    context.gates = vec![
        gate(
            "merged tree",
            "test \"$(cat a b)\" = \"$(printf 'a2\\nb2')\" && echo seen",
        ),
        gate("red", "echo why; exit 3"),
        gate("never", "true"),
    ];
    let mut events = Vec::new();
    let report = Sandbox::merge_with(&context, &mut |progress| {
        if let MergeProgress::Gate(gate) = progress {
            events.push(match gate {
                GateProgress::Started { index, total, .. } => format!("start {index}/{total}"),
                GateProgress::Finished { result, .. } => {
                    format!("{} {}", result.name, result.passed)
                }
            });
        }
    })
    .unwrap();
    assert_eq!(report.conclusion, Conclusion::GatesRed);
    assert_eq!(
        events,
        ["start 0/3", "merged tree true", "start 1/3", "red false"]
    );
    assert_eq!(report.gates[0].output_tail, "seen\n");
    assert_eq!(
        (
            report.gates[1].exit_code,
            report.gates[1].output_tail.as_str()
        ),
        (Some(3), "why\n")
    );
    assert_eq!(
        report.error_message.unwrap(),
        "quality gate red failed with exit code 3; nothing has landed"
    );
    assert_eq!(sandbox.state(), before);
    assert!(
        std::fs::read_dir(sandbox.root().join(".overstory/scratch"))
            .unwrap()
            .next()
            .is_none()
    );
    assert!(
        std::fs::read_dir(sandbox.root().join(".overstory/merge-journal"))
            .unwrap()
            .next()
            .is_none()
    );
}

#[test]
fn a_gate_that_hangs_is_ended_with_everything_it_started() {
    let sandbox = ready();
    let mut context = sandbox.context();
    context.gate_time_limit = std::time::Duration::from_millis(300);
    let pid_file = sandbox.notebook(&mut context).join("pid");
    context.gates = vec![gate(
        "hang",
        &format!("sleep 600 & echo $! > {}; wait", pid_file.display()),
    )];
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::GatesRed);
    assert!(report.gates[0].timed_out);
    let said = report.error_message.unwrap();
    assert!(!said.contains("within 0 s"), "{said}");
    let pid: i32 = std::fs::read_to_string(pid_file)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let gone = grove::platform::liveness::check(grove::types::host::ProcessId { pid, start: 0 });
    assert_eq!(gone, grove::platform::liveness::Liveness::Dead);
}

#[test]
fn output_of_a_gate_is_bounded_and_what_it_leaves_running_does_not_hold_the_merge() {
    let sandbox = ready();
    let mut context = sandbox.context();
    context.gates = vec![gate(
        "flood",
        "sleep 600 & yes line | head -c 1000000; echo end",
    )];
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    // Ten minutes are more than a gate has: held up by what it left, it would have run out of time.
    assert!(!report.gates[0].timed_out);
    assert_eq!(report.conclusion, Conclusion::Landed);
    let gate = &report.gates[0];
    assert!(gate.output_tail.ends_with("end\n") && gate.output_tail.len() <= 65536);
    assert_eq!(
        gate.output_tail.len() as u64 + gate.output_dropped,
        1_000_004
    );
}

#[test]
fn a_dirty_checkout_is_refused_with_the_files_and_stays_as_it_is() {
    let sandbox = ready();
    sandbox.write("a", "my edit\n");
    sandbox.write("sub/new", "mine\n");
    sandbox.write("unrelated", "mine\n");
    let before = sandbox.state();
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Refused);
    let message = report.error_message.unwrap();
    assert!(
        message.ends_with(
            "uncommitted changes would be overwritten: a; untracked files would be overwritten: sub/new; commit or \
             stash the changes, move the untracked files away, then try again"
        ),
        "{message}"
    );
    assert_eq!(sandbox.state(), before);
    assert_eq!(sandbox.read("a"), "my edit\n");
}

#[test]
fn uncommitted_changes_elsewhere_do_not_stop_a_landing() {
    let sandbox = ready();
    sandbox.write("b", "my edit\n");
    sandbox.write("unrelated", "mine\n");
    sandbox.git(&["add", "b"]);
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
    assert_eq!(sandbox.status(), "M  b\n?? unrelated");
    assert_eq!(
        (sandbox.read("a"), sandbox.read("b")),
        ("a2\n".to_owned(), "my edit\n".to_owned())
    );
}

#[test]
fn ignored_files_are_not_overwritten() {
    let sandbox = ready();
    sandbox.write(".git/info/exclude", "sub\n");
    sandbox.write("sub/new", "precious\n");
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Refused);
    assert_eq!(sandbox.read("sub/new"), "precious\n");
}

#[test]
fn a_target_that_moves_during_the_gates_is_planned_again() {
    let sandbox = ready();
    let mut context = sandbox.context();
    context.gates = vec![gate("ok", "true")];
    let mut moved = false;
    let mut again = 0;
    let report = Sandbox::merge_with(&context, &mut |progress| match progress {
        MergeProgress::Entered(Step::Gated) if !moved => {
            moved = true;
            sandbox.commit("main", &[("c", text("c\n"))], "somebody else");
        }
        MergeProgress::Asking { .. } | MergeProgress::Waiting => {}
        MergeProgress::PlanningAgain { .. } => again += 1,
        MergeProgress::Entered(_) | MergeProgress::Gate(_) => {}
    })
    .unwrap();
    assert_eq!((report.conclusion, again), (Conclusion::Landed, 1));
    assert_eq!(sandbox.files("main"), ["a", "b", "c", "sub/new"]);
    assert_eq!(sandbox.status(), "");
    assert_eq!(
        sandbox
            .git(&["for-each-ref", "refs/grove/undo"])
            .lines()
            .count(),
        1
    );
}

#[test]
fn a_target_that_is_not_checked_out_moves_by_compare_and_swap() {
    let sandbox = ready();
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed);
    assert_eq!(sandbox.status(), "");
    assert_eq!(sandbox.show("main", "a"), "a2\n");
    assert_eq!(
        sandbox.read("a"),
        "a\n",
        "the user's checkout is another branch"
    );

    let expected = Oid::from_str(&sandbox.tip("main^1")).unwrap();
    let new = Oid::from_str(&sandbox.tip("main")).unwrap();
    let entry = grove::platform::lease::wait_for(&sandbox.root().join(".git/entry")).unwrap();
    assert_eq!(
        land(&sandbox.repo(), "main", expected, new, "test", &entry).unwrap(),
        LandOutcome::TargetMoved { actual: Some(new) }
    );
}

#[test]
fn a_target_checked_out_in_another_worktree_moves_there() {
    let sandbox = ready();
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    let other = tempfile::tempdir().unwrap();
    let path = other.path().join("wt");
    sandbox.git(&["worktree", "add", "-q", path.to_str().unwrap(), "main"]);
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
    assert_eq!(std::fs::read_to_string(path.join("a")).unwrap(), "a2\n");
    assert_eq!(Sandbox::git_in(&path, &["status", "--porcelain"]), "");
}

#[test]
fn a_target_checked_out_twice_says_what_to_do() {
    let sandbox = ready();
    let other = tempfile::tempdir().unwrap();
    let path = other.path().join("wt");
    sandbox.git(&[
        "worktree",
        "add",
        "-q",
        "-f",
        path.to_str().unwrap(),
        "main",
    ]);
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Refused);
    let said = report.error_message.unwrap();
    assert!(
        said.ends_with("switch one to another branch, then merge again"),
        "{said}"
    );
}

#[test]
fn files_that_no_status_shows_are_listed_when_they_are_in_the_way() {
    let sandbox = ready();
    sandbox.git(&["update-index", "--skip-worktree", "a"]);
    std::fs::write(sandbox.root().join("a"), "hidden\n").unwrap();
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Refused, "{report:?}");
    let said = report.error_message.unwrap();
    assert!(
        said.contains("told to overlook would be overwritten: a; "),
        "{said}"
    );
    let left = std::fs::read_to_string(sandbox.root().join("a")).unwrap();
    assert_eq!(left, "hidden\n");
}

#[test]
fn an_ignored_file_in_the_place_of_a_folder_is_listed() {
    let sandbox = ready();
    sandbox.commit(BRANCH, &[("out/x", text("x\n"))], "folder");
    std::fs::write(sandbox.root().join(".git/info/exclude"), "out\n").unwrap();
    std::fs::write(sandbox.root().join("out"), "precious\n").unwrap();
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Refused, "{report:?}");
    let said = report.error_message.unwrap();
    assert!(said.contains("would be overwritten: out"), "{said}");
    let left = std::fs::read_to_string(sandbox.root().join("out")).unwrap();
    assert_eq!(left, "precious\n");
}

#[test]
fn a_gate_that_removes_its_checkout_is_named() {
    let sandbox = ready();
    let mut context = sandbox.context();
    context.sandbox.default = grove::config::SandboxMode::Off;
    let root = sandbox.root().display().to_string();
    let command = format!("p=\"$PWD\"; cd /; rm -rf \"$p\"; git -C '{root}' worktree prune");
    context.gates = vec![gate("tidy", &command)];
    let before = sandbox.tip("main");
    let said = match Sandbox::merge_with(&context, &mut |_| {}) {
        Ok(report) => report.error_message.unwrap_or_default(),
        Err(error) => error.to_string(),
    };
    assert!(
        said.starts_with("quality gate tidy left its checkout"),
        "{said}"
    );
    assert_eq!(sandbox.tip("main"), before);
}

#[test]
fn a_checkout_in_the_middle_of_a_merge_is_left_alone() {
    let sandbox = ready();
    sandbox.git(&["branch", "-q", "side", "main~1"]);
    sandbox.commit("side", &[("b", text("side\n"))], "s");
    let failed = std::process::Command::new("git")
        .current_dir(sandbox.root())
        .args(["cherry-pick", "side"])
        .output()
        .unwrap();
    assert!(!failed.status.success());
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Refused);
    assert!(
        report
            .error_message
            .unwrap()
            .contains("cherry-pick is under way")
    );
}

#[test]
fn two_merges_into_one_branch_exclude_each_other() {
    let sandbox = ready();
    let lock = MergeLock::acquire(sandbox.root(), "main").unwrap();
    let refused = Sandbox::merge_with(&sandbox.context(), &mut |_| {});
    assert!(matches!(refused, Err(MergeError::Locked { .. })));
    drop(lock);
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
}

#[test]
fn missing_branches_are_named() {
    let sandbox = ready();
    let mut context = sandbox.context();
    context.target_branch = "nowhere".to_owned();
    let error = Sandbox::merge_with(&context, &mut |_| {}).unwrap_err();
    assert!(matches!(error, MergeError::NoTarget { branch } if branch == "nowhere"));
    sandbox.git(&["branch", "-q", "-D", BRANCH]);
    let error = Sandbox::merge_with(&sandbox.context(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, MergeError::NoBranch { branch } if branch == BRANCH));
}
