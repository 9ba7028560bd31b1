//! Who a process belongs to: an agent, a host that works for its agent, or nobody of ours.
//!
//! Told by parentage and by session: a CLI is started as the leader of a session of its own, and
//! no process ever gets back into the session of its host. Variables are not asked; an agent can
//! set them as it likes.

use crate::platform::liveness;

/// How far up the parents are followed: further than any honest tree goes.
const DEEPEST: usize = 4096;

/// Where a process comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// No host is among its parents.
    Outside,
    /// Started by this host itself.
    Host(i32),
    /// Part of what the agent of this host has started.
    Agent(i32),
}

/// Where a process comes from; `None` when it is gone or the system does not tell. `is_host`
/// tells hosts from processes that only look like one.
#[cfg(target_os = "linux")]
pub fn origin(pid: i32, is_host: impl Fn(i32) -> bool) -> Option<Origin> {
    let own = liveness::stat(pid)?;
    if is_host(pid) {
        return Some(Origin::Host(pid));
    }
    let (mut child, mut parent) = (pid, own.ppid);
    for _ in 0..DEEPEST {
        if parent <= 1 {
            return Some(Origin::Outside);
        }
        let Some(stat) = liveness::stat(parent) else {
            let now = liveness::stat(child)?.ppid;
            if now == parent {
                // It is there and cannot be seen: somebody else's, and hosts are this user's.
                return Some(Origin::Outside);
            }
            // It has ended meanwhile, and its child has another parent now.
            parent = now;
            continue;
        };
        if is_host(parent) {
            return Some(if stat.session == own.session {
                Origin::Host(parent)
            } else {
                Origin::Agent(parent)
            });
        }
        (child, parent) = (parent, stat.ppid);
    }
    None
}

#[cfg(not(target_os = "linux"))]
pub fn origin(_pid: i32, _is_host: impl Fn(i32) -> bool) -> Option<Origin> {
    None
}

/// Whether two processes run the same program file.
#[cfg(target_os = "linux")]
pub fn same_program(one: i32, two: i32) -> bool {
    let program = |pid: i32| std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    program(one).is_some_and(|path| program(two) == Some(path))
}

#[cfg(not(target_os = "linux"))]
pub fn same_program(_one: i32, _two: i32) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_session_of_its_own_tells_the_agent_from_its_host() {
        let me = std::process::id() as i32;
        let is_host = |pid: i32| pid == me;
        let mut same = Command::new("sleep").arg("60").spawn().unwrap();
        let mut apart = Command::new("setsid")
            .args(["sleep", "60"])
            .spawn()
            .unwrap();
        let pid = apart.id() as i32;
        while liveness::stat(pid).unwrap().session != pid {
            std::thread::yield_now();
        }
        assert_eq!(origin(same.id() as i32, is_host), Some(Origin::Host(me)));
        assert_eq!(origin(pid, is_host), Some(Origin::Agent(me)));
        assert_eq!(origin(pid, |_| false), Some(Origin::Outside));
        for child in [&mut same, &mut apart] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
