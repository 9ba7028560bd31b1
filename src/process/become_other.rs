//! Becoming another program, and running this one again.

use std::io::Write;
use std::process::Stdio;

/// What this program puts before what went wrong.
const MARK: &str = "Error [AGENT_ERROR]: ";

/// Starts this program again to attempt, inside of a sandbox, what must fail there; the error is what
/// did not.
pub fn attempt_in_sandbox(trial: &str) -> Result<(), String> {
    // Not as an argument: a project with many files makes more than fits into one.
    let run = || {
        let mut child = std::process::Command::new(std::env::current_exe()?)
            .args(["sandbox-exec", "--attempt"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(trial.as_bytes())?;
        }
        child.wait_with_output()
    };
    match run() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.trim();
            Err(said.strip_prefix(MARK).unwrap_or(said).to_owned())
        }
        Err(e) => Err(e.to_string()),
    }
}

/// Replaces this process by another program; returns only if that failed.
#[cfg(unix)]
pub fn replace(
    program: &std::ffi::OsStr,
    args: impl Iterator<Item = std::ffi::OsString>,
) -> std::io::Error {
    use std::os::unix::process::CommandExt;
    std::process::Command::new(program).args(args).exec()
}

/// Where a process cannot be replaced, it runs the program and ends with its code.
#[cfg(not(unix))]
pub fn replace(
    program: &std::ffi::OsStr,
    args: impl Iterator<Item = std::ffi::OsString>,
) -> std::io::Error {
    match std::process::Command::new(program).args(args).status() {
        Ok(status) => std::io::Error::other(format!("ended with {status}")),
        Err(e) => e,
    }
}
