//! How many processes agents and gates may start.
#![cfg(target_os = "linux")]

use crate::support::{GROVE, TestProject};

/// The soft and the hard limit of processes in `/proc/self/limits`; `None` without one.
fn limits(text: &str) -> [Option<u64>; 2] {
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("Max processes"));
    let mut words = line.unwrap_or_default().split_whitespace();
    [words.next(), words.next()].map(|word| word?.parse().ok())
}

/// A fork bomb of an agent took all that its user may have, and nobody could start what stops it.
#[test]
fn agents_and_gates_may_start_fewer_processes_than_their_user() {
    let project = TestProject::initialised();
    let [own, _] = limits(&std::fs::read_to_string("/proc/self/limits").unwrap());
    let bound = std::process::id().to_string();
    for options in [&[][..], &["--ends-with", &bound]] {
        let mut command = project.command(GROVE);
        command.arg("sandbox-exec").args(options);
        command.args(["--", "cat", "/proc/self/limits"]);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{done:?}");
        let [soft, hard] = limits(&String::from_utf8(done.stdout).unwrap());
        let soft = soft.unwrap();
        assert!(own.is_none_or(|own| soft < own), "{soft} of {own:?}");
        // An agent cannot raise it again.
        assert_eq!(hard, Some(soft));
    }
}
