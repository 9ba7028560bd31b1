//! What is said about conflicts that nobody is asked about, because no choice between two texts settles them: what
//! is so, and what to do. Reads trees; moves nothing.

use crate::git::{Entry, EntryKind, GitError, MergeMessage, Oid, Repo, path_bytes, path_name};

const FILE_OR_DIRECTORY: &str = "CONFLICT (file/directory)";
const RENAME_COLLIDES: &str = "CONFLICT (rename involved in collision)";
const DISTINCT_TYPES: &str = "CONFLICT (distinct modes)";
// These two are without a space in git.
const DIRECTORY_SPLIT: &str = "CONFLICT(directory rename unclear split)";
const DIRECTORY_COLLISION: &str = "CONFLICT(directory rename collision)";
const IN_WAY_OF_DIRECTORY: &str = "CONFLICT (file in way of directory rename)";
/// The commits of a submodule are not there to be compared.
const SUBMODULE_UNKNOWN: [&str; 2] = [
    "CONFLICT (submodule not initialized)",
    "CONFLICT (submodule history not available)",
];

const SIDES: [&str; 2] = ["the target", "the branch"];

/// Says what one of git's conflicts is about. `trees` are the target's, the branch's and the base's; `known` are the
/// paths that are in one of them.
pub(super) fn sentence(
    repo: &Repo,
    trees: &[Oid; 3],
    said: &MergeMessage,
    known: &[String],
) -> Result<String, GitError> {
    let found = match (said.kind.as_str(), said.paths.as_slice(), known) {
        (FILE_OR_DIRECTORY, _, [path, ..]) => Some(file_or_directory(repo, trees, path)?),
        (DISTINCT_TYPES, _, [path, ..]) => distinct_types(repo, trees, path)?,
        (RENAME_COLLIDES, [new, old, ..], _) => Some(renamed_onto(repo, trees, old, new)?),
        (DIRECTORY_SPLIT, [directory, ..], _) => Some(split(repo, trees, directory)?),
        (DIRECTORY_COLLISION, [new, olds @ ..], _) => Some(format!(
            "{} would all become {new}, as their directories were renamed by the other side: move them to where they \
             belong on the side that added them, then merge again",
            olds.join(" and ")
        )),
        (IN_WAY_OF_DIRECTORY, [new, olds @ ..], _) => Some(format!(
            "{} would become {new}, as its directory was renamed by the other side, and {new} is there already: move \
             it to where it belongs on the side that added it, then merge again",
            olds.join(" and ")
        )),
        (kind, [path, ..], _) if SUBMODULE_UNKNOWN.contains(&kind) => Some(format!(
            "both sides moved the submodule {path}, and its commits are not here to be compared: get them with `git \
             submodule update --init {path}`, or set it on the branch to the commit that is right, then merge again"
        )),
        (kind, [path, ..], _) if kind.contains("submodule") => Some(moved_apart(path)),
        _another => None,
    };
    Ok(found.unwrap_or_else(|| {
        // After the semicolon git tells how it helped itself in a working tree.
        let fact = said.text.split(';').next().unwrap_or(&said.text);
        fact.trim_end_matches('.').to_owned()
    }))
}

/// Says what became of a submodule, given where each side has it.
pub(in crate::merge) fn submodule(
    path: &str,
    ours: Option<Entry>,
    theirs: Option<Entry>,
) -> String {
    let [target, branch] = SIDES;
    let (removed_on, moved_on) = match (ours, theirs) {
        (Some(_), None) => (branch, target),
        (None, Some(_)) => (target, branch),
        (Some(_), Some(_)) | (None, None) => return moved_apart(path),
    };
    format!(
        "the submodule {path} was removed on {removed_on} and moved to another commit on {moved_on}: remove it on both \
         or bring it back on {removed_on}, then merge again"
    )
}

fn moved_apart(path: &str) -> String {
    format!(
        "both sides moved the submodule {path}, to commits of which neither holds the other: set it on the branch to \
         one that holds both, or to the target's, then merge again"
    )
}

fn file_or_directory(repo: &Repo, trees: &[Oid; 3], path: &str) -> Result<String, GitError> {
    let [ours, theirs, _] = entries(repo, trees, path)?;
    let [target, branch] = SIDES;
    let (kind, file_on, directory_on) = match (ours, theirs) {
        (Some(ours), _) => (ours.kind, target, branch),
        (None, Some(theirs)) => (theirs.kind, branch, target),
        (None, None) => (EntryKind::File, "one side", "the other"),
    };
    let advice = match kind {
        EntryKind::File | EntryKind::Executable | EntryKind::Symlink => "rename one of them there",
        EntryKind::Submodule => "make it the same on both",
    };
    Ok(format!(
        "{path} is {} on {file_on} and a directory on {directory_on}: {advice}, then merge again",
        what(kind)
    ))
}

fn distinct_types(repo: &Repo, trees: &[Oid; 3], path: &str) -> Result<Option<String>, GitError> {
    let [Some(ours), Some(theirs), base] = entries(repo, trees, path)? else {
        return Ok(None);
    };
    // Of a new path, both can stay under names of their own; of one that was there, only one is what it became.
    let advice = match base {
        Some(_) => "make it the same on both",
        None => "rename one of them there",
    };
    Ok(Some(format!(
        "{path} is {} on the target and {} on the branch: {advice}, then merge again",
        what(ours.kind),
        what(theirs.kind)
    )))
}

fn what(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::File | EntryKind::Executable => "a file",
        EntryKind::Symlink => "a link",
        EntryKind::Submodule => "a submodule",
    }
}

fn renamed_onto(repo: &Repo, trees: &[Oid; 3], old: &str, new: &str) -> Result<String, GitError> {
    let [ours, theirs, _] = entries(repo, trees, old)?;
    let (renamed_on, other_on) = match (ours, theirs) {
        (None, Some(_)) => ("the target", "the branch"),
        (Some(_), None) => ("the branch", "the target"),
        (None, None) | (Some(_), Some(_)) => ("one side", "the other"),
    };
    Ok(format!(
        "{old} was renamed to {new} on {renamed_on}, {other_on} changed the same lines of it and has another file \
         {new}: give one of the two another name there, then merge again"
    ))
}

fn split(repo: &Repo, trees: &[Oid; 3], directory: &str) -> Result<String, GitError> {
    let [ours, theirs, base] = *trees;
    let inside = [&*path_bytes(directory), b"/"].concat();
    let added = |tree: Oid| -> Result<Vec<String>, GitError> {
        let changed = repo.changed_paths(base, tree)?.into_iter();
        let new = changed.filter(|path| path.old.is_none() && path.path.starts_with(&inside));
        Ok(new.map(|path| path_name(&path.path)).collect())
    };
    let [target, branch] = SIDES;
    let (split_on, added_on, files) = match (added(ours)?, added(theirs)?) {
        (files, none) if none.is_empty() => (branch, target, files),
        (none, files) if none.is_empty() => (target, branch, files),
        (_, files) => ("one side", "the other", files),
    };
    let files = if files.is_empty() {
        "files in it".to_owned()
    } else {
        files.join(", ")
    };
    Ok(format!(
        "the files of {directory} went to several directories on {split_on}, and {added_on} has new {files}: move that \
         on {added_on} to where it belongs, then merge again"
    ))
}

/// The entries of a path; directories are none.
fn entries(repo: &Repo, trees: &[Oid; 3], path: &str) -> Result<[Option<Entry>; 3], GitError> {
    let [ours, theirs, base] = trees;
    let entry = |tree: &Oid| repo.entry_at(*tree, &path_bytes(path));
    Ok([entry(ours)?, entry(theirs)?, entry(base)?])
}
