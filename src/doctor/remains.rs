//! What killed programs have left, in the project and outside of it. Nothing is said where nothing is left.

use super::{Check, Patient, Repair, Repaired};
use crate::git::Repo;
use crate::merge;
use crate::platform::{demos, paths, sockets};

pub(super) fn check(patient: &Patient) -> Vec<Check> {
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
    let checkouts = merge::abandoned(&patient.paths.root);
    if !checkouts.is_empty() {
        let message = format!("{} checkout(s) of merges that were killed", checkouts.len());
        let details = checkouts.iter().map(|path| path.display().to_string());
        checks.push(
            Check::warn("Checkouts of killed merges", message)
                .details(details.collect())
                .repaired_by(Repair::Checkouts),
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

/// Removes the checkouts.
pub(super) fn repair_checkouts(patient: &Patient) -> Vec<Repaired> {
    let root = &patient.paths.root;
    let removed = Repo::discover(root)
        .map_err(Repaired::failed)
        .and_then(|repo| merge::sweep(&repo, root).map_err(Repaired::failed));
    match removed {
        Ok(0) => Vec::new(),
        Ok(removed) => vec![Repaired::Done(format!(
            "removed {removed} checkout(s) of killed merges"
        ))],
        Err(failed) => vec![failed],
    }
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
