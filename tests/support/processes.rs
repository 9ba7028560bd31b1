//! Processes of a test: are they alive, end them hard, and find those that are left over.

use super::wait::{SHORT, wait_until};
use std::path::Path;
use std::process::Command;

/// Marks every process of one test project, so that the test can end what it left behind.
pub(crate) const MARK: &str = "GROVE_TEST_PROJECT";

/// Whether a process exists and is more than a zombie.
pub(crate) fn alive(pid: i64) -> bool {
    match state(&Path::new("/proc").join(pid.to_string())) {
        Some(state) => state != 'Z' && state != 'X',
        None => !Path::new("/proc/self").exists() && signal(pid, "-0"),
    }
}

/// The state of a process or a thread, one letter as proc(5) has it.
fn state(folder: &Path) -> Option<char> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // The name in parentheses may hold anything; the state follows the last one.
    stat.rsplit(')').next()?.trim_start().chars().next()
}

/// Stops a process until it is told to go on. One thread takes the signal, and the others work until that one
/// has run; so this comes back when all of them stand still.
pub(crate) fn stop(pid: i64) {
    assert!(signal(pid, "-STOP"), "not to be stopped: {pid}");
    wait_until(
        "every thread of a process has stopped",
        SHORT,
        || stands_still(pid).then_some(()),
        || format!("process {pid}"),
    );
}

fn stands_still(pid: i64) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return !Path::new("/proc/self").exists();
    };
    threads
        .flatten()
        .all(|thread| state(&thread.path()).is_none_or(|state| state == 'T'))
}

/// Lets a stopped process go on.
pub(crate) fn go_on(pid: i64) {
    assert!(signal(pid, "-CONT"), "not to be woken: {pid}");
}

/// `kill -9` of one process.
pub(crate) fn kill_9(pid: i64) {
    assert!(pid > 1, "not a process of ours: {pid}");
    signal(pid, "-KILL");
}

fn signal(pid: i64, name: &str) -> bool {
    let status = Command::new("kill")
        .args([name, &pid.to_string()])
        .stderr(std::process::Stdio::null())
        .status();
    status.is_ok_and(|s| s.success())
}

/// Processes that carry this project's mark, found on Linux by their environment.
pub(crate) fn marked(project: &Path) -> Vec<i64> {
    let wanted = format!("{MARK}={}", project.display());
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i64>().ok())
        .filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|b| *b == 0)
                .any(|field| field == wanted.as_bytes())
        })
        .filter(|pid| alive(*pid))
        .collect()
}
