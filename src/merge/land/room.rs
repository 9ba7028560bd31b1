//! Whether a checkout could not move along because its disk is full: git says what it could not write, and not why.

use std::path::Path;

use crate::git::{ChangedPath, GitError, Pinned, Repo};
use crate::merge::error::MergeError;
use crate::platform::writable::room_at;
use crate::text::sanitize_line;

/// The files that git could not write, if the disk has no room for what the checkout was to get: git does not say why.
pub(super) fn without_room(
    repo: &Repo,
    there: &Pinned,
    changed: &[ChangedPath],
    error: &GitError,
) -> Option<MergeError> {
    let new = changed.iter().filter_map(|change| change.new);
    // What cannot be read takes no room; submodules are such.
    let sizes = new.filter_map(|entry| repo.blob_size(entry.id).ok());
    let needed: u64 = sizes.map(|size| size as u64).sum();
    no_room(there.path(), needed, error)
}

/// The same for a checkout that was to get this much, in bytes.
pub(in crate::merge) fn no_room(
    checkout: &Path,
    needed: u64,
    error: &GitError,
) -> Option<MergeError> {
    let files = not_written(error.stderr()?);
    let left = room_at(checkout)?;
    (!files.is_empty() && left < needed).then(|| MergeError::NoRoom {
        checkout: checkout.to_path_buf(),
        files,
        left,
        needed,
    })
}

fn not_written(said: &str) -> Vec<String> {
    let files = said
        .lines()
        .filter_map(|line| match line.split_once("unable to write file ") {
            Some((_, file)) => Some(file),
            // Before the files, git notes where the checkout was.
            None => line.split_once("couldn't write '")?.1.strip_suffix('\''),
        });
    files.map(|file| sanitize_line(file).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_git_could_not_write_are_named() {
        let said = "error: unable to write file n.bin\nfatal: unable to write file sub/a b\nerror: other\n";
        assert_eq!(not_written(said), ["n.bin", "sub/a b"]);
        let said = "fatal: update_ref failed for ref 'ORIG_HEAD': cannot update ref 'ORIG_HEAD': couldn't write '/p/.git/ORIG_HEAD.lock'\n";
        assert_eq!(not_written(said), ["/p/.git/ORIG_HEAD.lock"]);
    }
}
