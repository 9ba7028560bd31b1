//! Who watches the agents: the holder of the coordinator lease, or a watchdog of the other program.

use std::time::Duration;

use super::{Check, Patient, Repair, Repaired};
use crate::config::Config;
use crate::db::SessionStore;
use crate::platform::{fs, lease, liveness};
use crate::process::find_program;
use crate::text::sanitize_line;
use crate::watchdog::pid_file::pid_in;

const PID_FILE: &str = "watchdog.pid";
const OLD: Duration = Duration::from_hours(24);
/// Characters of an unreadable file that are shown.
const MOST_SHOWN: usize = 40;

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let Ok(config) = &patient.config else {
        return vec![process(patient)];
    };
    if !config.watchdog.tier0_enabled {
        return vec![Check::pass(
            "watchdog disabled",
            "The watchdog is switched off (watchdog.tier0Enabled)",
        )];
    }
    let mut checks = pid_file(patient);
    if config.watchdog.tier2_enabled {
        checks.push(monitor(patient));
    }
    if config.watchdog.tier1_enabled {
        checks.push(triage(patient, config));
    }
    checks
}

/// Without a watchdog of the other program, whoever coordinates also watches.
fn process(patient: &Patient) -> Check {
    match lease::holder(&patient.paths.coordinator_lease()) {
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
    }
}

fn pid_file(patient: &Patient) -> Vec<Check> {
    let path = patient.paths.file(PID_FILE);
    let content = match fs::read_bytes_optional(&path) {
        Ok(Some(content)) => content,
        Ok(None) => {
            let message = "No watchdog of its own is needed";
            return vec![Check::pass("watchdog pid file", message), process(patient)];
        }
        Err(error) => {
            return vec![Check::warn("watchdog pid file", error.to_string())];
        }
    };
    let Some(pid) = pid_in(&content) else {
        let raw = String::from_utf8_lossy(&content);
        let raw: String = raw.trim().chars().take(MOST_SHOWN).collect();
        return vec![
            Check::fail("watchdog pid integrity", "Watchdog PID file is corrupted")
                .details(vec![format!("Raw content: {}", sanitize_line(&raw))])
                .repaired_by(Repair::WatchdogPid),
        ];
    };
    let mut checks = vec![match liveness::runs(pid) {
        Some(false) => Check::warn(
            "watchdog process",
            "Watchdog process is not running (stale PID file)",
        )
        .details(vec![format!("PID: {pid}")])
        .repaired_by(Repair::WatchdogPid),
        Some(true) | None => Check::pass("watchdog process", "Watchdog daemon is running"),
    }];
    let age = std::fs::metadata(&path)
        .and_then(|meta| meta.modified())
        .ok()
        .and_then(|written| written.elapsed().ok());
    if let Some(age) = age.filter(|age| *age > OLD) {
        let hours = (age.as_secs() + 1800) / 3600;
        checks.push(
            Check::warn(
                "watchdog pid staleness",
                "Watchdog PID file is older than 24 hours",
            )
            .details(vec![format!("File age: {hours} hours")]),
        );
    }
    checks
}

fn monitor(patient: &Patient) -> Check {
    let name = "tier2 monitor";
    let sessions = SessionStore::look(&patient.paths.sessions_db()).and_then(|store| store.all());
    match sessions {
        Ok(sessions)
            if sessions
                .iter()
                .any(|session| session.capability == "monitor" && session.state.is_active()) =>
        {
            Check::pass(name, "Tier 2 monitor agent is active")
        }
        Ok(_) => Check::warn(name, "Tier 2 monitor is enabled but not running")
            .details(vec!["start it with 'grove monitor start'".into()]),
        Err(error) => Check::warn(name, format!("The sessions cannot be read: {error}")),
    }
}

fn triage(patient: &Patient, config: &Config) -> Check {
    let runtime = config
        .runtime
        .print_command
        .as_deref()
        .unwrap_or(&config.runtime.default);
    let program = match runtime {
        "sapling" => "sp",
        "cursor" => "agent",
        other => other,
    };
    if find_program(program, patient.search_path.as_deref()).is_some() {
        return Check::pass("tier1 triage", "Tier 1 triage runtime is available");
    }
    Check::warn(
        "tier1 triage",
        format!("Tier 1 triage is enabled but its runtime needs {program} on PATH"),
    )
}

/// Removes a pid file that names nobody.
pub(super) fn repair(patient: &Patient) -> Vec<Repaired> {
    let path = patient.paths.file(PID_FILE);
    let content = fs::read_bytes_optional(&path).ok().flatten();
    let pid = content.as_deref().and_then(pid_in);
    let lives = pid.is_some_and(|pid| liveness::runs(pid) != Some(false));
    if lives {
        return Vec::new();
    }
    match fs::remove_file(&path) {
        Ok(()) => vec![Repaired::Done("Removed stale watchdog PID file".into())],
        Err(error) => vec![Repaired::failed(error)],
    }
}
