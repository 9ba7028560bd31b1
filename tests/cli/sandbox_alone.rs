//! A sandbox that is asked for by hand, without the host that looks after what the kernel's rules do not know.
#![cfg(target_os = "linux")]

use grove::sandbox::{Rules, support};

use crate::support::{GROVE, TestProject};

/// It let modes be changed and said nothing.
#[test]
fn a_sandbox_without_a_host_says_what_it_does_not_refuse() {
    if !support().is_some() {
        return;
    }
    let project = TestProject::initialised();
    let rules = project.root().join("rules.json");
    std::fs::write(&rules, serde_json::to_string(&Rules::default()).unwrap()).unwrap();
    let mut command = project.command(GROVE);
    command.args(["sandbox-exec", "--rules"]).arg(&rules);
    let done = command.args(["--", "echo", "ran"]).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    assert_eq!(done.stdout, b"ran\n");
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.starts_with("note: no host looks after"), "{said}");
}
