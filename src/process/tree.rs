//! Finding and ending a process with everything it has started.
//!
//! Tool shells make process groups of their own, so a group is not enough: the tree is
//! collected by parentage, and each process is identified by pid and start time before it is
//! signalled.

use crate::platform::liveness::{self, Liveness};
use crate::types::host::ProcessId;
use std::time::{Duration, Instant};

/// All descendants of a process, deepest first; the process itself is not included.
#[cfg(target_os = "linux")]
pub fn descendants(root: i32) -> Vec<ProcessId> {
    let mut all = Vec::new();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    for entry in entries.flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|n| n.parse::<i32>().ok())
        else {
            continue;
        };
        if let Some(stat) = liveness::stat(pid) {
            all.push((pid, stat));
        }
    }
    let mut found = Vec::new();
    let mut level = vec![root];
    while !level.is_empty() {
        let children: Vec<_> = all
            .iter()
            .filter(|(pid, s)| level.contains(&s.ppid) && !s.zombie && !is_host(*pid))
            .collect();
        level = children.iter().map(|(pid, _)| *pid).collect();
        found.extend(children.iter().map(|(pid, s)| ProcessId {
            pid: *pid,
            start: s.start,
        }));
    }
    found.reverse();
    found
}

/// Whether a process is the host of an agent. A lead's host adopts the hosts of the agents that
/// the lead has started; they are not part of its tree. An agent can call itself what it likes, but
/// it cannot take off the mark that its sandbox leaves.
#[cfg(target_os = "linux")]
pub fn is_host(pid: i32) -> bool {
    let Ok(line) = std::fs::read(format!("/proc/{pid}/cmdline")) else {
        return false;
    };
    let mut words = line.split(|b| *b == 0).skip(1);
    let looks_like_one = words.next() == Some(b"host") && words.any(|w| w == b"--session");
    looks_like_one && (!is_restricted(pid) || is_restricted(std::process::id() as i32))
}

#[cfg(not(target_os = "linux"))]
pub fn is_host(_pid: i32) -> bool {
    false
}

/// Processes inside a sandbox that this thread may signal. To be asked from inside of a sandbox that keeps
/// signals in: then these are its own, whoever their parents are and whatever they carry.
#[cfg(target_os = "linux")]
pub fn within_reach() -> Vec<ProcessId> {
    let mut reachable = reachable();
    reachable.retain(|id| is_confined(id.pid));
    reachable
}

/// All other processes that this thread may signal.
#[cfg(target_os = "linux")]
pub(super) fn reachable() -> Vec<ProcessId> {
    let own = std::process::id() as i32;
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| *pid != own)
        .filter(|pid| {
            rustix::process::Pid::from_raw(*pid)
                .is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
        })
        .map(liveness::identify)
        .filter(|id| liveness::check(*id) == Liveness::Alive)
        .collect()
}

#[cfg(not(target_os = "linux"))]
pub fn within_reach() -> Vec<ProcessId> {
    Vec::new()
}

/// Whether a process is inside a sandbox that this one is not inside of.
#[cfg(target_os = "linux")]
pub fn is_confined(pid: i32) -> bool {
    is_restricted(pid) && !is_restricted(std::process::id() as i32)
}

#[cfg(not(target_os = "linux"))]
pub fn is_confined(_pid: i32) -> bool {
    false
}

/// Whether a process has given up gaining rights, as everything inside a sandbox has.
#[cfg(target_os = "linux")]
fn is_restricted(pid: i32) -> bool {
    // One that cannot be looked at is not trusted.
    liveness::status(pid).is_none_or(|text| text.lines().any(|l| l == "NoNewPrivs:\t1"))
}

/// The words a process was started with; empty when the system does not tell.
#[cfg(target_os = "linux")]
pub fn arguments(pid: i32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.split(|b| *b == 0)
        .filter(|word| !word.is_empty())
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

#[cfg(not(target_os = "linux"))]
pub fn arguments(_pid: i32) -> Vec<String> {
    Vec::new()
}

/// Processor time of a process and everything below it, in clock ticks, where the system tells.
#[cfg(target_os = "linux")]
pub fn cpu_ticks(root: i32) -> Option<u64> {
    let own = liveness::stat(root)?.cpu_ticks;
    let below = descendants(root);
    let ticks = below.iter().filter_map(|p| liveness::stat(p.pid));
    Some(own + ticks.map(|s| s.cpu_ticks).sum::<u64>())
}

#[cfg(not(target_os = "linux"))]
pub fn cpu_ticks(_root: i32) -> Option<u64> {
    None
}

/// Processes that carry a variable with this value from their start. Finds what an agent has
/// started even when its parents are gone.
#[cfg(target_os = "linux")]
pub fn carrying(name: &str, value: &str) -> Vec<ProcessId> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let own = std::process::id() as i32;
    entries
        .flatten()
        .filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| *pid != own && !is_host(*pid))
        .filter(|pid| carries(*pid, name, value))
        .map(liveness::identify)
        .collect()
}

/// Whether a process carries a variable with this value from its start.
#[cfg(target_os = "linux")]
pub fn carries(pid: i32, name: &str, value: &str) -> bool {
    let wanted = format!("{name}={value}");
    std::fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|e| e.split(|b| *b == 0).any(|v| v == wanted.as_bytes()))
}

/// Whether a process works in a folder or below it.
#[cfg(target_os = "linux")]
pub fn works_in(pid: i32, folder: &std::path::Path) -> bool {
    std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
}

#[cfg(not(target_os = "linux"))]
pub fn carries(_pid: i32, _name: &str, _value: &str) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub fn works_in(_pid: i32, _folder: &std::path::Path) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub fn carrying(_name: &str, _value: &str) -> Vec<ProcessId> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
pub fn descendants(_root: i32) -> Vec<ProcessId> {
    Vec::new()
}

/// Which signal to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
    Kill,
}

/// Signals one process if it still is the one that was identified; `false` if it is gone.
#[cfg(unix)]
pub fn signal(id: ProcessId, signal: Signal) -> bool {
    use rustix::process::{Pid, Signal as S, kill_process};
    if liveness::check(id) == Liveness::Dead {
        return false;
    }
    let number = match signal {
        Signal::Interrupt => S::INT,
        Signal::Terminate => S::TERM,
        Signal::Kill => S::KILL,
    };
    Pid::from_raw(id.pid).is_some_and(|pid| kill_process(pid, number).is_ok())
}

#[cfg(not(unix))]
pub fn signal(_id: ProcessId, _signal: Signal) -> bool {
    false
}

/// Ends processes: TERM to all, up to `grace` for them to go, then KILL. Returns those that are
/// still there after that.
pub fn end(targets: &[ProcessId], grace: Duration) -> Vec<ProcessId> {
    for id in targets {
        signal(*id, Signal::Terminate);
    }
    let left = wait_gone(targets, grace);
    for id in &left {
        signal(*id, Signal::Kill);
    }
    wait_gone(&left, Duration::from_secs(2))
}

/// Waits until all are gone or the time is up; returns those still alive. Processes that are
/// not our children give no event when they end, so this looks at them, ever more rarely.
pub fn wait_gone(targets: &[ProcessId], limit: Duration) -> Vec<ProcessId> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(1);
    loop {
        let left: Vec<_> = targets
            .iter()
            .copied()
            .filter(|id| liveness::check(*id) == Liveness::Alive)
            .collect();
        if left.is_empty() || Instant::now() >= deadline {
            return left;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// It would be taken for a person's process, or for a host.
    #[cfg(target_os = "linux")]
    #[test]
    fn no_name_hides_that_a_process_is_confined() {
        use std::os::unix::ffi::OsStrExt;
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
        std::fs::copy("/bin/sleep", &program).unwrap();
        let start = move || {
            rustix::thread::set_no_new_privs(true).unwrap();
            Command::new(&program).arg("60").spawn().unwrap()
        };
        let mut child = std::thread::spawn(start).join().unwrap();
        let confined = is_confined(child.id() as i32);
        let gone = is_confined(i32::MAX);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(confined || is_restricted(std::process::id() as i32));
        assert!(gone || is_restricted(std::process::id() as i32));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_tree_with_its_own_groups_is_found_and_ended() {
        let mut child = Command::new("sh")
            .args([
                "-c",
                "setsid sh -c 'sleep 60' & trap '' TERM; sleep 61 & wait; sleep 62",
            ])
            .spawn()
            .unwrap();
        let pid = child.id() as i32;
        let deadline = Instant::now() + Duration::from_secs(10);
        while descendants(pid).len() < 2 && Instant::now() < deadline {
            std::thread::yield_now();
        }
        let mut targets = descendants(pid);
        assert!(targets.len() >= 2, "{targets:?}");
        targets.push(liveness::identify(pid));
        let reaper = std::thread::spawn(move || child.wait());
        assert!(end(&targets, Duration::from_millis(200)).is_empty());
        reaper.join().unwrap().unwrap();
    }
}
