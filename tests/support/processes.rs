//! Processes of a test: are they alive, end them hard, and find those that are left over.

use std::path::Path;
use std::process::Command;

/// Marks every process of one test project, so that the test can end what it left behind.
pub(crate) const MARK: &str = "GROVE_TEST_PROJECT";

/// Whether a process exists and is more than a zombie.
pub(crate) fn alive(pid: i64) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return !Path::new("/proc/self").exists() && signal(pid, "-0");
    };
    // The name in parentheses may hold anything; the state follows the last one.
    let state = stat.rsplit(')').next().unwrap_or("").trim_start();
    !state.starts_with('Z') && !state.starts_with('X')
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
