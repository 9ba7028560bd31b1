//! Worktrees that a killed git has left half made: every git of the repository stops at them.

use super::{Check, Patient, Repair, Repaired};
use crate::git::{Repo, half_made_worktrees, remove_half_made};

const NAME: &str = "half-made-worktrees";

/// Says nothing where nothing is wrong: the list of all checks is read by other programs.
pub(super) fn check(patient: &Patient) -> Option<Check> {
    let found = found(patient);
    if found.is_empty() {
        return None;
    }
    let message = format!(
        "Found {} worktree(s) that a killed git has left half made, at which git stops; 'grove doctor --fix' removes them",
        found.len()
    );
    let details = found.iter().map(|entry| entry.display().to_string());
    let check = Check::fail(NAME, message).details(details.collect());
    Some(check.repaired_by(Repair::HalfMade))
}

fn found(patient: &Patient) -> Vec<std::path::PathBuf> {
    let repo = Repo::discover(&patient.paths.root);
    repo.map_or_else(|_| Vec::new(), |repo| half_made_worktrees(&repo))
}

pub(super) fn repair(patient: &Patient) -> Vec<Repaired> {
    let removed = found(patient)
        .into_iter()
        .map(|entry| match remove_half_made(&entry) {
            Ok(()) => Repaired::Done(format!("removed {}", entry.display())),
            Err(error) => Repaired::failed(error),
        });
    removed.collect()
}
