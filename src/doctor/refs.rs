//! Refs that name no object, by which the user's own git stops. An agent may write its own ones as files.

use super::{Check, Patient, Repair, Repaired};
use crate::git::{BrokenRef, Oid, Repo, broken_refs};
use crate::platform::fs;

const NAME: &str = "broken-refs";

/// Where agents' branches are; what is broken elsewhere may be a person's.
const OF_AGENTS: &str = "refs/heads/overstory/";

/// Letters of a hash.
const HASH: usize = 40;

/// Says nothing where nothing is wrong: the list of all checks is read by other programs.
pub(super) fn check(patient: &Patient) -> Option<Check> {
    let broken = broken(patient);
    if broken.is_empty() {
        return None;
    }
    let line = |found: &BrokenRef| format!("{} ({})", found.name, found.value);
    let details = broken.iter().map(line).collect();
    if has_lost_objects(&broken) {
        let message = format!(
            "Found {} ref(s) whose commits are gone from the object store. Keep the refs, they say what is missing, and \
             bring the objects back from a remote or another clone: 'git fetch --refetch <remote or path>'",
            broken.len()
        );
        return Some(Check::fail(NAME, message).details(details).not_fixable());
    }
    let of_agents = broken.iter().filter(|found| is_of_agents(found)).count();
    let others = match broken.len() - of_agents {
        0 => String::new(),
        count => format!("; {count} of them may be yours: 'git update-ref -d <ref>' removes one"),
    };
    let message = format!(
        "Found {} ref(s) that name no object, so 'git fetch' and 'git gc' stop; 'grove doctor --fix' removes those of agents{others}",
        broken.len()
    );
    let check = Check::fail(NAME, message).details(details);
    Some(if of_agents > 0 {
        check.repaired_by(Repair::Refs)
    } else {
        check.not_fixable()
    })
}

/// Whether a ref that git wrote names a commit that is gone: then objects were removed, and what agents' refs say is
/// needed for bringing them back.
fn has_lost_objects(broken: &[BrokenRef]) -> bool {
    let of_others = broken.iter().filter(|found| !is_of_agents(found));
    of_others
        .filter(|found| found.value.bytes().any(|byte| byte != b'0'))
        .any(|found| {
            Oid::from_str(found.value.trim()).is_ok_and(|_| found.value.trim().len() == HASH)
        })
}

fn broken(patient: &Patient) -> Vec<BrokenRef> {
    Repo::discover(&patient.paths.root).map_or_else(|_| Vec::new(), |repo| broken_refs(&repo))
}

fn is_of_agents(found: &BrokenRef) -> bool {
    found.name.starts_with(OF_AGENTS)
}

pub(super) fn repair(patient: &Patient) -> Vec<Repaired> {
    let broken = broken(patient);
    if has_lost_objects(&broken) {
        return Vec::new();
    }
    let found = broken.into_iter().filter(is_of_agents);
    let removed = found.map(|found| match fs::remove_file(&found.file) {
        Ok(()) => Repaired::Done(format!("removed {}, which was {}", found.name, found.value)),
        Err(error) => Repaired::failed(error),
    });
    removed.collect()
}
