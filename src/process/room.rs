//! Room for people: what agents and gates start may be only so many processes, so that the user they run as can still
//! start a shell, and stop them.
//!
//! The kernel counts the processes of a user, threads included, whoever has started them, but asks each process for its
//! own limit. One that is lowered for agents stops their next `fork` and nobody else's. Root has no such limit.

use std::io;

/// Agents may always take this many, as far as a quarter is left to the user.
const ENOUGH: u64 = 12_288;

/// Lowers the limit of this process and of all that it starts. Only on Linux.
///
/// # Errors
/// The limit cannot be set.
pub fn leave_room() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let own = getrlimit(Resource::Nproc);
        let Some(limit) = own.current.or_else(of_the_system) else {
            return Ok(());
        };
        let share = share(limit, tasks());
        let lowered = Rlimit {
            current: Some(share),
            maximum: Some(own.maximum.map_or(share, |most| most.min(share))),
        };
        setrlimit(Resource::Nproc, lowered)?;
    }
    Ok(())
}

/// How many of a user's processes there may be for an agent to start another one: a quarter of what the user may have,
/// or enough for all agents, and room for as many again as there are now.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "Linux only"))]
fn share(limit: u64, tasks: u64) -> u64 {
    let left_to_the_user = limit - limit / 4;
    (limit / 4)
        .max(ENOUGH)
        .max(tasks.saturating_mul(2))
        .min(left_to_the_user)
}

/// What the kernel allows each user where nobody has said otherwise.
#[cfg(target_os = "linux")]
fn of_the_system() -> Option<u64> {
    let most = std::fs::read_to_string("/proc/sys/kernel/threads-max").ok()?;
    most.trim().parse::<u64>().ok().map(|most| most / 2)
}

/// How many processes there are now, threads and those of others included.
#[cfg(target_os = "linux")]
fn tasks() -> u64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_whitespace()
        .nth(3)
        .and_then(|field| field.split_once('/')?.1.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_have_enough_and_a_quarter_is_always_left() {
        // A workstation, a small machine, a server, and one where few are allowed.
        assert_eq!(share(126_000, 900), 31_500);
        assert_eq!(share(30_000, 900), 12_288);
        assert_eq!(share(2_000_000, 900), 500_000);
        assert_eq!(share(4_096, 900), 3_072);
        // Whoever has many already is not kept from working.
        assert_eq!(share(126_000, 20_000), 40_000);
        assert_eq!(share(126_000, 90_000), 94_500);
        assert_eq!(share(0, 10), 0);
    }
}
