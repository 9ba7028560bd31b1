//! Who watches the agents: the holder of the coordinator lease, or a watchdog of the other program.

use super::{Check, Patient};
use crate::agents::roster::is_alive;
use crate::platform::{fs, lease};

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let mut checks = Vec::new();
    match &patient.config {
        Ok(config) if !config.watchdog.tier0_enabled => {
            checks.push(Check::pass(
                "watchdog disabled",
                "The watchdog is switched off (watchdog.tier0Enabled)",
            ));
        }
        Ok(_) | Err(_) => checks.push(match lease::holder(&patient.paths.coordinator_lease()) {
            Ok(Some(holder)) => Check::pass(
                "watchdog process",
                format!("Agents are watched by process {}", holder.pid),
            ),
            Ok(None) => Check::pass(
                "watchdog process",
                "Nobody watches now; 'grove' or 'grove coordinator start' does",
            ),
            Err(error) => Check::warn(
                "watchdog process",
                format!("The lease cannot be read: {error}"),
            ),
        }),
    }
    checks.extend(pid_file(patient));
    checks
}

fn pid_file(patient: &Patient) -> Option<Check> {
    let text = fs::read_optional(&patient.paths.file("watchdog.pid")).ok()??;
    let Ok(pid) = text.trim().parse::<i64>() else {
        return Some(Check::warn(
            "pid integrity",
            "watchdog.pid does not hold a process id",
        ));
    };
    Some(match is_alive(pid) {
        Some(false) => Check::warn(
            "pid staleness",
            format!("watchdog.pid names process {pid}, which is gone"),
        ),
        Some(true) | None => Check::pass(
            "watchdog pid file",
            format!("A watchdog runs as process {pid}"),
        ),
    })
}
