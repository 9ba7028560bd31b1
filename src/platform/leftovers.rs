//! Temporary files beside those they were to become: what they are called, and removing those that a
//! killed process has left.

use std::fs::{DirEntry, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const PREFIX: &str = ".grove-";
const LETTERS: usize = 10;
/// Nothing that is still being written is so old.
const OLD: Duration = Duration::from_hours(24);

/// A new name for a file that will soon have another.
pub(super) fn temporary_name() -> String {
    format!("{PREFIX}{}", super::random::alphanumeric(LETTERS))
}

/// Whether a name is one of those.
fn is_temporary(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|letters| {
        letters.len() == LETTERS && letters.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// Temporary files in a folder that nobody writes any more.
pub fn old(folder: &Path) -> Vec<PathBuf> {
    let now = SystemTime::now();
    let is_old = |entry: &DirEntry| {
        let named = entry.file_name().to_str().is_some_and(is_temporary);
        let seen = named.then(|| entry.metadata().ok()).flatten();
        let written = seen
            .filter(Metadata::is_file)
            .and_then(|m| m.modified().ok());
        let age = written.and_then(|time| now.duration_since(time).ok());
        age.is_some_and(|age| age > OLD)
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(is_old).map(|entry| entry.path()).collect()
}

/// Removes the old temporary files of a folder. Best effort: what cannot be removed is only untidy.
pub fn sweep(folder: &Path) {
    for path in old(folder) {
        drop(std::fs::remove_file(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_files_of_our_own_go() {
        let dir = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - Duration::from_hours(25);
        let make = |name: &str, time: SystemTime| {
            let file = std::fs::File::create(dir.path().join(name)).unwrap();
            file.set_modified(time).unwrap();
        };
        make(".grove-abcdefghi1", old);
        make(".grove-abcdefghi2", SystemTime::now());
        make(".grove-notes", old);
        make("issues.jsonl", old);
        std::fs::create_dir(dir.path().join(".grove-abcdefghi3")).unwrap();
        sweep(dir.path());
        let mut left: Vec<_> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(
            left,
            [
                ".grove-abcdefghi2",
                ".grove-abcdefghi3",
                ".grove-notes",
                "issues.jsonl"
            ]
        );
        assert!(is_temporary(&temporary_name()));
    }
}
