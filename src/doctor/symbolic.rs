//! Branches of agents that are only another name of a branch: what is committed there moves the other one.

use super::{Check, Patient, Repair, Repaired};
use crate::git::{Repo, SymbolicRef, stand_alone, symbolic_refs};

const NAME: &str = "symbolic-branches";

/// Where agents' branches are; people may give theirs several names.
const OF_AGENTS: &str = "refs/heads/overstory";

/// Says nothing where nothing is wrong: the list of all checks is read by other programs.
pub(super) fn check(patient: &Patient) -> Option<Check> {
    let found = Repo::discover(&patient.paths.root)
        .map_or_else(|_| Vec::new(), |repo| symbolic_refs(&repo, OF_AGENTS));
    if found.is_empty() {
        return None;
    }
    let line = |found: &SymbolicRef| format!("{} is {}", found.name, found.target);
    let message = format!(
        "Found {} branch(es) of agents that are only another name, so a commit there moves another branch; 'grove doctor --fix' makes them branches of their own",
        found.len()
    );
    let check = Check::fail(NAME, message).details(found.iter().map(line).collect());
    Some(check.repaired_by(Repair::SymbolicRefs))
}

pub(super) fn repair(patient: &Patient) -> Vec<Repaired> {
    let repo = match Repo::discover(&patient.paths.root) {
        Ok(repo) => repo,
        Err(error) => return vec![Repaired::failed(error)],
    };
    let found = symbolic_refs(&repo, OF_AGENTS).into_iter();
    let mended = found.map(|found| {
        let SymbolicRef { name, target } = &found;
        match stand_alone(&repo, &found) {
            Ok(Some(_)) => Repaired::Done(format!("{name} is no name of {target} any more")),
            Ok(None) => Repaired::Done(format!("removed {name}, which led nowhere")),
            Err(error) => Repaired::failed(error),
        }
    });
    mended.collect()
}
