//! `kill -9` of the grove that runs quality gates: nothing that they have started goes on.
#![cfg(target_os = "linux")]

use crate::support::{GROVE, LONG, TestProject, alive, kill_9, wait_until};

/// Leaves its group, its session and everything by which it could be known, twice over.
const GATE: &str = "#!/bin/sh\n\
    pids=$1\n\
    echo $$ >> $pids\n\
    setsid env -i sh -c \"echo \\$\\$ >> $pids; exec sleep 600\" &\n\
    (env -i setsid sh -c \"(sh -c 'echo \\$\\$ >> $pids; exec sleep 600' &)\" &)\n\
    sleep 600\n";

fn merging(mode: &str) -> (TestProject, std::process::Child, Vec<i64>) {
    let project = TestProject::initialised();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    let beside = project.beside().join("told");
    std::fs::create_dir_all(&beside).unwrap();
    let pids = beside.join("pids");
    std::fs::write(
        project.overstory("config.local.yaml"),
        format!(
            "project:\n  qualityGates:\n    - name: g\n      command: sh ./gate.sh {}\n      description: waits\n\
             sandbox:\n  gates: {mode}\n  writable:\n    - {}\n",
            pids.display(),
            beside.display()
        ),
    )
    .unwrap();
    project.git(&["checkout", "-q", "-b", "overstory/ann/t-1"]);
    project.write("gate.sh", GATE);
    project.git(&["add", "gate.sh"]);
    project.git(&["commit", "-q", "-m", "Add a gate"]);
    project.git(&["checkout", "-q", "main"]);
    let mut merge = project.command(GROVE);
    merge.args(["merge", "--branch", "overstory/ann/t-1"]);
    let merge = merge.spawn().unwrap();
    let started = wait_until(
        "the gate has started everything",
        LONG,
        || {
            let text = std::fs::read_to_string(&pids).ok()?;
            let pids: Vec<i64> = text.lines().filter_map(|line| line.parse().ok()).collect();
            (pids.len() == 3).then_some(pids)
        },
        || project.report(),
    );
    (project, merge, started)
}

fn nothing_goes_on(mode: &str) {
    let (project, mut merge, started) = merging(mode);
    assert!(started.iter().all(|pid| alive(*pid)));
    kill_9(i64::from(merge.id()));
    merge.wait().unwrap();
    wait_until(
        "everything of the gate has ended",
        LONG,
        || started.iter().all(|pid| !alive(*pid)).then_some(()),
        || project.report(),
    );
}

#[test]
fn a_gate_that_daemonises_ends_with_a_killed_grove() {
    nothing_goes_on("strict");
}

#[test]
fn a_gate_without_a_sandbox_ends_with_a_killed_grove_too() {
    nothing_goes_on("off");
}

/// What stands between grove and the gate is not to be seen in the result.
#[test]
fn a_command_that_ends_with_its_starter_ends_as_it_would_have_without() {
    use std::os::unix::process::ExitStatusExt;
    let project = TestProject::initialised();
    let run = |starter: u32, script: &str| {
        let mut run = project.command(GROVE);
        run.args(["sandbox-exec", "--ends-with", &starter.to_string(), "--"]);
        run.args(["sh", "-c", script]).output().unwrap()
    };
    let own = std::process::id();
    assert_eq!(run(own, "exit 7").status.code(), Some(7));
    assert_eq!(run(own, "kill -9 $$").status.signal(), Some(9));
    let said = run(own, "echo one; echo two >&2");
    assert_eq!(
        (&said.stdout[..], &said.stderr[..]),
        (&b"one\n"[..], &b"two\n"[..])
    );
    let left = run(own, "setsid sleep 600 >/dev/null 2>&1 & echo $!");
    let pid = String::from_utf8_lossy(&left.stdout)
        .trim()
        .parse()
        .unwrap();
    assert!(!alive(pid), "what it left behind goes on");
    // Not started by that one: it would wait for an end that has been.
    assert_eq!(run(1, "exit 0").status.code(), Some(1));
}
