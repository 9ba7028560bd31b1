//! Objects of git's store whose content is not what their name says: a script of an agent can replace one, and the
//! next checkout would have its content.

use std::path::Path;

use super::{Check, Patient, Repair, Repaired};
use crate::git::{Repo, git};
use crate::platform::fs;

const NAME: &str = "replaced-objects";

/// Says nothing where nothing is wrong: the list of all checks is read by other programs.
pub(super) fn check(patient: &Patient) -> Option<Check> {
    let repo = Repo::discover(&patient.paths.root).ok()?;
    let found = repo.replaced(&patient.paths.objects_mark());
    let (first, others) = found.split_first()?;
    let message = format!(
        "Found {} file(s) in git's store of objects whose content is not what their name says; check nothing out before 'grove doctor --fix'",
        others.len() + 1
    );
    let all = std::iter::once(first).chain(others);
    let details = all.map(|file| file.display().to_string()).collect();
    let check = Check::fail(NAME, message).details(details);
    Some(check.repaired_by(Repair::Objects))
}

/// Sets each aside and writes it anew from the file of the checkout that it stands for, if that is as it was.
pub(super) fn repair(patient: &Patient) -> Vec<Repaired> {
    let Ok(repo) = Repo::discover(&patient.paths.root) else {
        return Vec::new();
    };
    let found = repo.replaced(&patient.paths.objects_mark());
    let aside = patient.paths.file("replaced-objects");
    let repaired = found
        .iter()
        .map(|file| put_back(&repo, file, &aside).map_or_else(Repaired::failed, Repaired::Done));
    repaired.collect()
}

fn put_back(repo: &Repo, file: &Path, aside: &Path) -> Result<String, String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let (Some(folder), Some(rest)) = (file.parent().and_then(Path::file_name), file.file_name())
    else {
        return Err(format!("{} has no name", file.display()));
    };
    if folder == "pack" {
        return Err(format!(
            "{} names other objects than its pack has: set both aside, then fetch what is missing with 'git fetch --refetch'",
            file.display()
        ));
    }
    let id = format!("{}{}", folder.to_string_lossy(), rest.to_string_lossy());
    fs::create_dir_all(aside).map_err(|e| said(&e))?;
    let kept = aside.join(&id);
    fs::rename(file, &kept).map_err(|e| said(&e))?;
    let from = from_checkout(repo, &id).map_err(|e| said(&e))?;
    Ok(match from {
        Some(path) => format!(
            "object {id} is written anew from {path}; what was in its place is {}",
            kept.display()
        ),
        None => format!(
            "set object {id} aside ({}); no file of the checkout has its content, so git misses it now: fetch it from a remote ('git fetch --refetch') or a clone",
            kept.display()
        ),
    })
}

/// Writes an object from a tracked file of the main checkout; returns which.
fn from_checkout(repo: &Repo, id: &str) -> Result<Option<String>, crate::git::GitError> {
    let listed = git(repo.path()).args(["ls-files", "-s", "-z"]).run()?;
    for entry in listed.text().split('\0') {
        let Some((about, path)) = entry.split_once('\t') else {
            continue;
        };
        if about.split(' ').nth(1) == Some(id) {
            let written = git(repo.path())
                .args(["hash-object", "-w", "--", path])
                .run();
            if written.is_ok_and(|written| written.text().trim() == id) {
                return Ok(Some(path.to_owned()));
            }
        }
    }
    Ok(None)
}
