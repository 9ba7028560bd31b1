//! Refs that name no object: git fetches, packs and collects nothing any more while there is one.

use std::path::{Path, PathBuf};

use git2::Oid;

use super::repo::Repo;
use crate::platform::plain;

/// Larger ones are none of git's, in bytes.
const LARGEST: u64 = 16 * 1024;

/// No longer name can be opened, by git neither.
const DEEPEST: usize = 2048;
/// More than people make them.
const MOST: usize = 100_000;
/// Letters of a hash; repositories with longer ones are not opened at all.
const HASH: usize = 40;
/// How much of a file is shown.
const SHOWN: usize = 80;

/// A ref in a file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRef {
    /// Its whole name.
    pub name: String,
    pub file: PathBuf,
    /// What is in the file.
    pub value: String,
}

/// Those of the repository. Packed ones are written by git alone, which looks first.
pub fn broken_refs(repo: &Repo) -> Vec<BrokenRef> {
    let common = repo.common_dir();
    let mut found = Vec::new();
    let mut left = MOST;
    collect(repo, &common.join("refs"), "refs", 0, &mut left, &mut found);
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn collect(
    repo: &Repo,
    folder: &Path,
    name: &str,
    depth: usize,
    left: &mut usize,
    found: &mut Vec<BrokenRef>,
) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(fewer) = left.checked_sub(1) else {
            return;
        };
        *left = fewer;
        let last = entry.file_name().to_string_lossy().into_owned();
        let name = format!("{name}/{last}");
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && depth < DEEPEST {
            collect(repo, &entry.path(), &name, depth + 1, left, found);
        } else if kind.is_file()
            && entry.path().extension().is_none_or(|end| end != "lock")
            && let Some(value) = broken(repo, &entry.path())
        {
            found.push(BrokenRef {
                name,
                file: entry.path(),
                value,
            });
        }
    }
}

/// What is in the file of a broken ref; `None` for every other one, and for one that is not there any more.
fn broken(repo: &Repo, file: &Path) -> Option<String> {
    let length = file.symlink_metadata().ok()?.len();
    if length > LARGEST {
        return Some(format!("{length} bytes"));
    }
    let bytes = plain::read(file, LARGEST)?;
    let text = String::from_utf8_lossy(&bytes);
    let value = text.trim_end();
    // One that leads to another name is fine, also while that does not exist.
    if value.starts_with("ref: ") {
        return None;
    }
    let objects = repo.raw().odb().ok()?;
    let is_whole = value.len() == HASH;
    let id = Oid::from_str(value).ok().filter(|_| is_whole);
    let is_there = id.is_some_and(|id| objects.exists(id));
    (!is_there).then(|| value.chars().take(SHOWN).collect())
}
