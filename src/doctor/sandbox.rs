//! Whether agents are really confined: a child process inside a sandbox attempts what must fail.
//!
//! Runs only when asked for by name: the list of all checks is read by other programs.

use super::{Check, Patient};
use crate::config::SandboxMode;
use crate::process;
use crate::sandbox::{self, Finding};

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let mut checks = vec![trial(patient)];
    if let Ok(config) = &patient.config {
        let named = config
            .sandbox
            .roles
            .iter()
            .map(|(role, mode)| (role.as_str(), *mode));
        let loose: Vec<String> = named
            .chain([("all others", config.sandbox.default)])
            .filter(|(_, mode)| *mode != SandboxMode::Strict)
            .map(|(role, mode)| format!("{role}: {}", mode.as_str()))
            .collect();
        checks.push(if loose.is_empty() {
            Check::pass("sandbox roles", "Every role works inside the sandbox")
        } else {
            Check::warn("sandbox roles", "Some roles work without the sandbox").details(loose)
        });
    }
    checks
}

fn trial(patient: &Patient) -> Check {
    const NAME: &str = "sandbox canary";
    let folder = patient.paths.file(&format!(
        ".canary-{}",
        crate::platform::random::alphanumeric(8)
    ));
    let finding = sandbox::try_out(&folder, process::attempt_in_sandbox);
    let swept = crate::platform::fs::remove_dir_all(&folder);
    match finding.and_then(|finding| swept.map(|()| finding)) {
        Ok(Finding::Holds) => match sandbox::support().note() {
            None => Check::pass(
                NAME,
                "A write outside the worktree and a read of a secret were refused",
            ),
            Some(note) => Check::warn(NAME, format!("Writes and reads are refused, but {note}")),
        },
        Ok(Finding::Absent(why)) => Check::warn(NAME, format!("Guard only: {why}")),
        Ok(Finding::Leaks(why)) => Check::fail(NAME, format!("The sandbox does not hold: {why}")),
        Err(e) => Check::fail(NAME, format!("The sandbox could not be tried: {e}")),
    }
}
