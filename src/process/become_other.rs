//! Becoming another program, and running this one again.

/// Starts this program again to attempt, inside of a sandbox, what must fail there; the error is what
/// did not.
pub fn attempt_in_sandbox(trial: &str) -> Result<(), String> {
    let run = || {
        std::process::Command::new(std::env::current_exe()?)
            .args(["sandbox-exec", "--attempt", trial])
            .stdin(std::process::Stdio::null())
            .output()
    };
    match run() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
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
