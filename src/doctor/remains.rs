//! What killed programs have left outside of the project. Nothing is said where nothing is left.

use super::{Check, Repair, Repaired};
use crate::platform::{demos, paths, sockets};

pub(super) fn check() -> Vec<Check> {
    let mut checks = Vec::new();
    let left = paths::socket_dir().map(|folder| sockets::left(&folder));
    let left = left.unwrap_or_default();
    if !left.is_empty() {
        let message = format!("{} socket(s) of hosts that were killed", left.len());
        let details = left.iter().map(|path| path.display().to_string());
        checks.push(
            Check::warn("Sockets nobody listens on", message)
                .details(details.collect())
                .repaired_by(Repair::Sockets),
        );
    }
    let demos = demos::killed();
    if !demos.is_empty() {
        let message = format!(
            "{} demo(s) were killed; the next 'grove demo' ends their agents and removes them",
            demos.len()
        );
        let details = demos.iter().map(|demo| demo.root.display().to_string());
        checks.push(
            Check::warn("Killed demos", message)
                .details(details.collect())
                .not_fixable(),
        );
    }
    checks
}

/// Removes the sockets.
pub(super) fn repair() -> Vec<Repaired> {
    match paths::socket_dir() {
        Ok(folder) => match sockets::sweep(&folder) {
            0 => Vec::new(),
            removed => vec![Repaired::Done(format!(
                "removed {removed} socket(s) of killed hosts"
            ))],
        },
        Err(error) => vec![Repaired::failed(error)],
    }
}
