//! Whether agents' worktrees and their repository find each other: files that an agent can write, and whose host is
//! not there to put them back.

use std::path::PathBuf;

use super::{Check, Patient, Repair, Repaired};
use crate::git::{Pointers, Repo};
use crate::platform::fs;

const NAME: &str = "worktree-pointers";

/// Says nothing where nothing is wrong: the list of all checks is read by other programs.
pub(super) fn check(patient: &Patient) -> Option<Check> {
    let astray: Vec<String> = pointers(patient)
        .iter()
        .flat_map(Pointers::astray)
        .map(|file| file.display().to_string())
        .collect();
    if astray.is_empty() {
        return None;
    }
    let message = format!(
        "Found {} file(s) that lead a worktree to another repository or name programs; run no git there before 'grove doctor --fix'",
        astray.len()
    );
    let check = Check::fail(NAME, message).details(astray);
    Some(check.repaired_by(Repair::Pointers))
}

fn pointers(patient: &Patient) -> Vec<Pointers> {
    let Ok(repo) = Repo::discover(&patient.paths.root) else {
        return Vec::new();
    };
    let folders: Vec<PathBuf> = fs::list_dir(&patient.paths.file("worktrees")).unwrap_or_default();
    let of = |folder: &PathBuf| Pointers::of(&repo, folder);
    folders.iter().filter_map(of).collect()
}

pub(super) fn repair(patient: &Patient) -> Vec<Repaired> {
    let restored = pointers(patient).into_iter().map(|pointers| {
        pointers.restore().map_or_else(
            |error| vec![Repaired::failed(error)],
            |files| {
                let said = |file: &PathBuf| Repaired::Done(format!("put back {}", file.display()));
                files.iter().map(said).collect()
            },
        )
    });
    restored.flatten().collect()
}
