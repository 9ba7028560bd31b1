//! Whether a process is alive, and whether it is still the same process.
//!
//! A pid alone is reused by the system, so identity is pid plus start time. "Unknown" is
//! never reported as dead.

use crate::types::host::ProcessId;

/// What can be said about a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    Alive,
    Dead,
    /// The system does not tell.
    Unknown,
}

/// Start time of a process in clock ticks since boot; `None` when there is no such process
/// or the system does not tell.
#[cfg(target_os = "linux")]
pub fn start_time(pid: i32) -> Option<u64> {
    stat(pid).map(|s| s.start)
}

#[cfg(not(target_os = "linux"))]
pub fn start_time(_pid: i32) -> Option<u64> {
    None
}

/// Parent of a process, where the system tells.
#[cfg(target_os = "linux")]
pub fn parent(pid: i32) -> Option<i32> {
    stat(pid).map(|s| s.ppid)
}

#[cfg(not(target_os = "linux"))]
pub fn parent(_pid: i32) -> Option<i32> {
    None
}

/// The parts of `/proc/<pid>/stat` grove needs.
#[cfg(target_os = "linux")]
#[derive(Debug, Clone, Copy)]
pub struct Stat {
    pub ppid: i32,
    pub pgrp: i32,
    /// A process can leave its session, but never join another one.
    pub session: i32,
    pub zombie: bool,
    /// User plus system time, in clock ticks.
    pub cpu_ticks: u64,
    pub start: u64,
}

#[cfg(target_os = "linux")]
pub fn stat(pid: i32) -> Option<Stat> {
    look(pid).ok().flatten()
}

/// Whether the system says that there is no such process. One that ends while it is read is no
/// longer found, either.
#[cfg(target_os = "linux")]
fn is_gone(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
        || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error())
}

/// What the system tells about a process; `None` when it cannot be understood.
#[cfg(target_os = "linux")]
fn look(pid: i32) -> std::io::Result<Option<Stat>> {
    let mut bytes = [0; 4096];
    // The kernel gives it in one piece.
    let mut file = std::fs::File::open(format!("/proc/{pid}/stat"))?;
    let length = std::io::Read::read(&mut file, &mut bytes)?;
    Ok(bytes.get(..length).and_then(parse))
}

/// A process may be called like no text at all.
#[cfg(target_os = "linux")]
fn parse(line: &[u8]) -> Option<Stat> {
    let text = String::from_utf8_lossy(line);
    // The command name is in parentheses and may contain anything, so count from the last one.
    let fields: Vec<&str> = text
        .get(text.rfind(')')? + 1..)?
        .split_whitespace()
        .collect();
    let number = |i: usize| fields.get(i).and_then(|f| f.parse::<u64>().ok());
    Some(Stat {
        zombie: fields.first() == Some(&"Z"),
        ppid: fields.get(1)?.parse().ok()?,
        pgrp: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        cpu_ticks: number(11)? + number(12)?,
        start: number(19)?,
    })
}

/// The identity of a running process.
pub fn identify(pid: i32) -> ProcessId {
    ProcessId {
        pid,
        start: start_time(pid).unwrap_or(0),
    }
}

pub fn own_identity() -> ProcessId {
    identify(std::process::id() as i32)
}

/// Whether the process that was identified is still running; an exited one that nobody has
/// collected counts as dead.
#[cfg(target_os = "linux")]
pub fn check(id: ProcessId) -> Liveness {
    if id.pid <= 0 {
        return Liveness::Unknown;
    }
    match look(id.pid) {
        Ok(Some(s)) if s.zombie => Liveness::Dead,
        Ok(Some(s)) if id.start == 0 || s.start == id.start => Liveness::Alive,
        Ok(Some(_)) => Liveness::Dead,
        Err(e) if is_gone(&e) && std::path::Path::new("/proc/self/stat").exists() => Liveness::Dead,
        // Too many open files, say: that tells nothing about the process.
        Ok(None) | Err(_) => Liveness::Unknown,
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
pub fn check(id: ProcessId) -> Liveness {
    let Some(pid) = rustix::process::Pid::from_raw(id.pid) else {
        return Liveness::Unknown;
    };
    match rustix::process::test_kill_process(pid) {
        Ok(()) => Liveness::Alive,
        Err(rustix::io::Errno::SRCH) => Liveness::Dead,
        Err(_) => Liveness::Unknown,
    }
}

#[cfg(not(unix))]
pub fn check(_id: ProcessId) -> Liveness {
    Liveness::Unknown
}

/// Whether a recorded pid is one of a running process; `None` when the system does not tell.
pub fn runs(pid: i64) -> Option<bool> {
    let pid = i32::try_from(pid).ok()?;
    match check(ProcessId { pid, start: 0 }) {
        Liveness::Alive => Some(true),
        Liveness::Dead => Some(false),
        Liveness::Unknown => None,
    }
}

/// Whether this user may signal a process; `true` when the system does not tell. What somebody has
/// started he may signal, so a pid that he may not has been given out anew.
#[cfg(target_os = "linux")]
pub fn may_signal(pid: i32) -> bool {
    let own = [rustix::process::getuid(), rustix::process::geteuid()].map(|id| id.as_raw());
    // Asking with signal 0 would not do: inside a sandbox the answer is no for everybody.
    status(pid).is_none_or(|status| may_signal_owner(&status, own))
}

/// What the system tells about a process in words. A process may be called like no text at all.
#[cfg(target_os = "linux")]
pub fn status(pid: i32) -> Option<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/status")).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The kernel's rule: root may, and whose real or effective user is the process's real or saved one.
#[cfg(target_os = "linux")]
fn may_signal_owner(status: &str, own: [u32; 2]) -> bool {
    let Some(ids) = status.lines().find_map(|line| line.strip_prefix("Uid:")) else {
        return true;
    };
    let ids: Vec<u32> = ids.split_whitespace().flat_map(str::parse).collect();
    let (Some(real), Some(saved)) = (ids.first(), ids.get(2)) else {
        return true;
    };
    own.contains(&0) || own.iter().any(|id| id == real || id == saved)
}

#[cfg(all(unix, not(target_os = "linux")))]
pub fn may_signal(pid: i32) -> bool {
    let Some(pid) = rustix::process::Pid::from_raw(pid) else {
        return true;
    };
    rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::PERM)
}

#[cfg(not(unix))]
pub fn may_signal(_pid: i32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reused_pid_is_not_the_same_process() {
        let me = own_identity();
        assert_eq!(check(me), Liveness::Alive);
        if me.start != 0 {
            assert_eq!(
                check(ProcessId {
                    start: me.start + 1,
                    ..me
                }),
                Liveness::Dead
            );
        }
        assert_eq!(check(ProcessId { pid: 0, start: 0 }), Liveness::Unknown);
    }

    /// An agent could hide what it has started from being ended.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_whose_name_is_no_text_is_seen() {
        use std::os::unix::ffi::OsStrExt;
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join(std::ffi::OsStr::from_bytes(b"\xff) S 1"));
        std::fs::copy("/bin/sleep", &program).unwrap();
        let mut child = std::process::Command::new(&program)
            .arg("60")
            .spawn()
            .unwrap();
        let seen = stat(child.id() as i32).map(|stat| stat.ppid);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(seen, Some(std::process::id() as i32));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_the_owner_and_root_may_signal_a_process() {
        let status = "Name:\tx\nUid:\t1000\t1001\t1002\t1001\nGid:\t7\t7\t7\t7\n";
        for (own, may) in [
            ([1000, 1000], true),
            ([5, 1002], true),
            ([1001, 1001], false),
            ([7, 7], false),
            ([1000, 0], true),
        ] {
            assert_eq!(may_signal_owner(status, own), may, "{own:?}");
        }
        assert!(may_signal_owner("Name:\tx\n", [1, 1]));
        assert!(may_signal(std::process::id() as i32));
    }
}
