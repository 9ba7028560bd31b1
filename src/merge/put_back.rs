//! Taking back what an interrupted step did to a checkout, path by path, in the index and on disk.
//! Touches only what the step was changing, and of that only what provably is git's own doing.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::git::{
    ChangedPath, Entry, EntryKind, GitCall, GitError, Oid, Pinned, Repo, dirty_files_in, os_path,
    path_name,
};
use crate::platform::fs;

use super::error::MergeError;
use super::hooks::none_among;
use super::plan::in_checkout;

/// What lies at a path of a checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Nothing,
    /// A version of the step, whole or cut short.
    Steps,
    Users,
}

/// Brings the paths in which two commits differ back to those of `at`, where the checkout's branch is,
/// after a step from `at` to `other` did not come to its end. git writes the files, then the index, and
/// moves the branch last. When the step began, none of the files it changes had been touched by the
/// user; so a file that is absent, or whose content is the beginning of a version, is git's unfinished
/// work. Anything else is the user's: it stays, and its paths are returned. A filter that does not end keeps
/// back only the files that it writes or reads: the error names those.
pub(super) fn put_back(
    repo: &Repo,
    checkout: &Pinned,
    at: Oid,
    other: Oid,
) -> Result<Vec<String>, MergeError> {
    let changed = repo.changed_paths(repo.tree_of(at)?, repo.tree_of(other)?)?;
    put_back_those((repo, checkout), &changed, Written::InPart)
}

/// The same where the user has committed or switched branches since, so that HEAD is no longer where the step began:
/// only what HEAD has as it was then goes back, and only where all of what the step wrote is there, or nothing. Returns
/// the paths that differ from HEAD still.
pub(super) fn put_back_behind(
    repo: &Repo,
    checkout: &Pinned,
    at: Oid,
    other: Oid,
) -> Result<Vec<String>, MergeError> {
    let Some(head) = checkout.open()?.ref_target("HEAD") else {
        return Ok(Vec::new());
    };
    let (before, now) = (repo.tree_of(at)?, repo.tree_of(head)?);
    let since = repo.changed_paths(before, now)?;
    let since: HashSet<&[u8]> = since.iter().map(|change| change.path.as_slice()).collect();
    let changed = repo.changed_paths(before, repo.tree_of(other)?)?;
    let (other_now, same): (Vec<_>, Vec<_>) = changed
        .into_iter()
        .partition(|change| since.contains(change.path.as_slice()));
    let dirty = dirty_files_in(checkout)?;
    let is_dirty = |change: &&ChangedPath| dirty.iter().any(|file| file.path == change.path);
    let mut kept = put_back_those((repo, checkout), &same, Written::Whole)?;
    kept.extend(other_now.iter().filter(is_dirty).map(name));
    kept.sort();
    Ok(kept)
}

/// How much of a version has to be in a file that is taken for the step's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Whole,
    InPart,
}

fn put_back_those(
    (repo, checkout): (&Repo, &Pinned),
    changed: &[ChangedPath],
    written_as: Written,
) -> Result<Vec<String>, MergeError> {
    let dirty = dirty_files_in(checkout)?;
    let there = |change: &ChangedPath| in_checkout(checkout.path(), &change.path);
    // An ignored file that only the new version has is in no status.
    let differing: Vec<&ChangedPath> = changed
        .iter()
        .filter(|change| {
            dirty.iter().any(|file| file.path == change.path)
                || (change.old.is_none() && there(change).symlink_metadata().is_ok())
        })
        .collect();
    if differing.is_empty() {
        return Ok(Vec::new());
    }
    let index = Index::read(checkout)?;
    let mut kept = Vec::new();
    let mut entries = Vec::new();
    let mut written = Vec::new();
    let mut hangs: Option<(Vec<String>, GitError)> = None;
    // What goes away first: the room may be needed.
    let (gone, back): (Vec<_>, Vec<_>) = differing.into_iter().partition(|c| c.old.is_none());
    for change in gone.into_iter().chain(back) {
        let Some(in_index) = index.of(change) else {
            kept.push(change);
            continue;
        };
        let found = match (found((repo, checkout), change, written_as), &mut hangs) {
            (Err(MergeError::Git(error)), None) if error.was_ended() => {
                hangs = Some((vec![name(change)], error));
                continue;
            }
            (Err(MergeError::Git(error)), Some((files, _))) if error.was_ended() => {
                files.push(name(change));
                continue;
            }
            (found, _) => found?,
        };
        if found == Found::Users {
            kept.push(change);
        }
        // Under a file of the user the index goes back all the same: it then shows as his change.
        if in_index != InIndex::At {
            entries.extend(index_info(change));
        }
        match (found, change.old) {
            (Found::Users, _) | (Found::Nothing, None) => {}
            (Found::Steps, None) => remove(checkout, &there(change))?,
            (Found::Nothing | Found::Steps, Some(old)) => {
                if old.kind != EntryKind::Submodule {
                    written.push(change);
                }
            }
        }
    }
    if !entries.is_empty() {
        none_among(repo, checkout, checkout.git_within())?
            .args(["update-index", "-z", "--index-info"])
            .stdin(entries)
            .run()?;
    }
    match (write(repo, checkout, written), hangs) {
        (Err(MergeError::NotPutBack { mut files, source }), Some((undecided, _))) => {
            files.splice(0..0, undecided);
            Err(MergeError::NotPutBack { files, source })
        }
        (Ok(()), Some((files, source))) => Err(MergeError::NotPutBack { files, source }),
        (written, _) => written.map(|()| kept.into_iter().map(name).collect()),
    }
}

fn name(change: &ChangedPath) -> String {
    path_name(&change.path)
}

/// Writes files as the index has them: those that a filter of the user's writes come last, so that one that hangs
/// keeps nothing else back.
fn write(repo: &Repo, checkout: &Pinned, files: Vec<&ChangedPath>) -> Result<(), MergeError> {
    let call = || none_among(repo, checkout, checkout.git_within());
    // Attributes decide how the others are written.
    let (attributes, rest): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|change| change.path.ends_with(b".gitattributes"));
    check_out(call()?, &attributes)?;
    let through = through_filters(checkout, &rest)?;
    let (filtered, plain): (Vec<_>, Vec<_>) = rest
        .into_iter()
        .partition(|change| through.contains(&change.path));
    check_out(call()?, &plain)?;
    check_out(call()?, &filtered).map_err(|source| {
        let is_there = |change: &&&ChangedPath| {
            let path = in_checkout(checkout.path(), &change.path);
            path.symlink_metadata().is_ok()
        };
        let missing = filtered.iter().filter(|change| !is_there(change));
        let mut files: Vec<String> = missing.map(|change| name(change)).collect();
        // Which of those that are there it has written is not known then.
        if files.is_empty() {
            files = filtered.iter().map(|change| name(change)).collect();
        }
        MergeError::NotPutBack { files, source }
    })
}

fn check_out(call: GitCall, files: &[&ChangedPath]) -> Result<(), GitError> {
    if files.is_empty() {
        return Ok(());
    }
    call.args([
        "checkout-index",
        "--force",
        "--index",
        "--quiet",
        "-z",
        "--stdin",
    ])
    .stdin(ended_by_nul(files))
    .run()?;
    Ok(())
}

/// Those of the files that have a filter of the user's.
fn through_filters(
    checkout: &Pinned,
    files: &[&ChangedPath],
) -> Result<HashSet<Vec<u8>>, GitError> {
    if files.is_empty() {
        return Ok(HashSet::new());
    }
    let asked = checkout
        .git()
        .args(["check-attr", "--stdin", "-z", "filter"])
        .stdin(ended_by_nul(files))
        .run()?;
    // Path, attribute, value.
    let words: Vec<&[u8]> = asked.stdout.split(|byte| *byte == 0).collect();
    Ok(words
        .chunks_exact(3)
        .filter_map(|answer| match answer {
            [_, _, b"unspecified" | b"unset" | b"set"] => None,
            [path, _, _] => Some(path.to_vec()),
            [..] => None,
        })
        .collect())
}

fn ended_by_nul(files: &[&ChangedPath]) -> Vec<u8> {
    let paths = files.iter();
    paths
        .flat_map(|change| change.path.iter().copied().chain([0]))
        .collect()
}

/// Which version of the step the index has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InIndex {
    At,
    Other,
}

/// The index of a checkout by path; what has more than one stage there is not resolved.
struct Index(HashMap<Vec<u8>, Option<(u32, String)>>);

impl Index {
    fn read(checkout: &Pinned) -> Result<Self, MergeError> {
        let listed = checkout.git().args(["ls-files", "--stage", "-z"]).run()?;
        let mut entries = HashMap::new();
        for line in listed.stdout.split(|byte| *byte == 0) {
            let mut halves = line.splitn(2, |byte| *byte == b'\t');
            let (Some(facts), Some(path)) = (halves.next(), halves.next()) else {
                continue;
            };
            let facts = String::from_utf8_lossy(facts);
            let facts: Vec<&str> = facts.split(' ').collect();
            let entry = match facts.as_slice() {
                [mode, id, "0"] => u32::from_str_radix(mode, 8)
                    .ok()
                    .map(|mode| (mode, (*id).to_owned())),
                [..] => None,
            };
            entries.insert(path.to_vec(), entry);
        }
        Ok(Self(entries))
    }

    /// `None` when the entry is the user's own.
    fn of(&self, change: &ChangedPath) -> Option<InIndex> {
        let known = self.0.get(&change.path);
        let is = |version: Option<Entry>| match (known, version) {
            (None, None) => true,
            (Some(Some((mode, id))), Some(version)) => {
                EntryKind::from_mode(*mode) == Some(version.kind) && *id == version.id.to_string()
            }
            (None | Some(None), Some(_)) | (Some(_), None) => false,
        };
        if is(change.old) {
            Some(InIndex::At)
        } else {
            is(change.new).then_some(InIndex::Other)
        }
    }
}

/// A line for `update-index --index-info` that sets the old version of a path.
fn index_info(change: &ChangedPath) -> Vec<u8> {
    let mut line = match change.old {
        Some(old) => format!("{:06o} {}\t", u32::from(old.kind.file_mode()), old.id).into_bytes(),
        None => format!("0 {}\t", Oid::ZERO_SHA1).into_bytes(),
    };
    line.extend(&change.path);
    line.push(0);
    line
}

fn found(
    (repo, checkout): (&Repo, &Pinned),
    change: &ChangedPath,
    written_as: Written,
) -> Result<Found, MergeError> {
    let path = in_checkout(checkout.path(), &change.path);
    if is_below_a_file(checkout.path(), &path) {
        // What goes away is not there; what comes back would have to replace that file.
        return Ok(match change.old {
            None => Found::Nothing,
            Some(_) => Found::Users,
        });
    }
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(_) => return Ok(Found::Users),
    };
    let versions: Vec<Entry> = [change.new, change.old].into_iter().flatten().collect();
    if metadata.is_dir() {
        return Ok(found_directory(&path, change, &versions));
    }
    let is_steps = if metadata.is_symlink() {
        let to = std::fs::read_link(&path);
        let mut is = false;
        for version in versions.iter().filter(|v| v.kind == EntryKind::Symlink) {
            let blob = repo.blob(version.id)?;
            is |= to
                .as_ref()
                .is_ok_and(|to| to.as_os_str().as_encoded_bytes() == blob);
        }
        is
    } else {
        metadata.is_file()
            && is_content_of((repo, checkout), (change, &path), &versions, written_as)?
    };
    Ok(if is_steps { Found::Steps } else { Found::Users })
}

fn found_directory(path: &Path, change: &ChangedPath, versions: &[Entry]) -> Found {
    let is_module = versions.iter().any(|v| v.kind == EntryKind::Submodule);
    match (is_module, change.old) {
        (true, Some(_)) => Found::Steps,
        // Files of the old version may lie in it: those are looked at by themselves.
        (true | false, None) => Found::Nothing,
        // Goes only when it is empty.
        (false, Some(_)) if std::fs::remove_dir(path).is_ok() => Found::Nothing,
        (false, Some(_)) => Found::Users,
    }
}

fn is_content_of(
    (repo, checkout): (&Repo, &Pinned),
    (change, path): (&ChangedPath, &Path),
    versions: &[Entry],
    written_as: Written,
) -> Result<bool, MergeError> {
    let Ok(content) = std::fs::read(path) else {
        return Ok(false);
    };
    let mut regular = versions.iter().filter(|version| version.kind.is_regular());
    for version in regular.clone() {
        let blob = repo.blob(version.id)?;
        let is_it = match written_as {
            Written::Whole => blob == content,
            Written::InPart => blob.starts_with(&content),
        };
        if is_it {
            return Ok(true);
        }
    }
    // Line ends or other filters may make the file differ from what is stored.
    let id = checkout
        .git_asking_within()
        .args(["hash-object", "--path"])
        .arg(os_path(&change.path))
        .arg("--")
        .arg(path)
        .text()?;
    Ok(regular.any(|version| version.id.to_string() == id))
}

/// The folders between a checkout and a path, the nearest to the path first.
fn above<'a>(top: &'a Path, path: &'a Path) -> impl Iterator<Item = &'a Path> {
    path.ancestors()
        .skip(1)
        .take_while(move |folder| *folder != top && folder.starts_with(top))
}

fn is_below_a_file(top: &Path, path: &Path) -> bool {
    above(top, path).any(|folder| {
        folder
            .symlink_metadata()
            .is_ok_and(|metadata| !metadata.is_dir())
    })
}

/// Removes a file and, as git does, the folders that are empty then.
fn remove(checkout: &Pinned, path: &Path) -> Result<(), MergeError> {
    fs::remove_file(path)?;
    for folder in above(checkout.path(), path) {
        if std::fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}
