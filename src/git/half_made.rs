//! Worktrees of grove's that a killed `git worktree add` has left half made. Git of everybody stops at an entry whose
//! `commondir` is empty, so git cannot be asked to remove it: it goes by file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::repo::Repo;
use crate::platform::plain;

/// Larger ones are none of git's.
const LARGEST: u64 = 16 * 1024;

/// Git writes an entry within milliseconds; one that is half made for longer is nobody's any more.
pub(super) const AGE: Duration = Duration::from_secs(5);

/// What git writes last. A worktree whose entry has these is git's to list and to remove.
const LAST: [&str; 2] = ["commondir", "HEAD"];

/// Finds entries below `.git/worktrees` that git stops at, or that only a kill explains, of checkouts below `.overstory`.
pub fn half_made_worktrees(repo: &Repo) -> Vec<PathBuf> {
    let entries = fs::read_dir(repo.common_dir().join("worktrees"));
    let paths = entries.into_iter().flatten().flatten().map(|it| it.path());
    paths.filter(|path| is_half_made(path)).collect()
}

/// Removes an entry and what there is of its checkout.
///
/// # Errors
/// When a folder cannot be removed.
pub fn remove_half_made(entry: &Path) -> io::Result<()> {
    if let Some(checkout) = checkout_of(entry) {
        match fs::remove_dir_all(checkout) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    fs::remove_dir_all(entry)
}

fn is_half_made(entry: &Path) -> bool {
    let has = |name: &str| fs::metadata(entry.join(name)).is_ok_and(|file| file.len() > 0);
    let is_incomplete = !LAST.into_iter().all(has);
    is_incomplete && (checkout_of(entry).is_some() || is_scratch_only(entry)) && is_old(entry)
}

/// The checkout that an entry is for, if it is one of grove's.
fn checkout_of(entry: &Path) -> Option<PathBuf> {
    let text = plain::text(&entry.join("gitdir"), LARGEST)?;
    let path = Path::new(text.trim_end()).parent()?;
    let is_own = path
        .components()
        .any(|part| part.as_os_str() == ".overstory");
    is_own.then(|| path.to_path_buf())
}

/// An entry that does not say yet what it is for, by a name that only scratch checkouts have: a process and letters.
fn is_scratch_only(entry: &Path) -> bool {
    let name = entry.file_name().unwrap_or_default().to_string_lossy();
    let is_name = name.split_once('-').is_some_and(|(pid, letters)| {
        let is_pid = !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
        is_pid && letters.len() == 8 && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    is_name && !entry.join("gitdir").exists()
}

fn is_old(entry: &Path) -> bool {
    let changed = fs::metadata(entry).and_then(|found| found.modified());
    changed.is_ok_and(|time| {
        let now = SystemTime::now();
        // A clock that was set back must not keep it for ever.
        now.duration_since(time).is_ok_and(|age| age >= AGE) || time > now + AGE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(files: &[(&str, &str)], name: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let entry = dir.path().join(name);
        fs::create_dir_all(&entry).unwrap();
        for (file, text) in files {
            fs::write(entry.join(file), text).unwrap();
        }
        let long_ago = SystemTime::now() - Duration::from_secs(60);
        let folder = fs::File::open(&entry).unwrap();
        folder.set_modified(long_ago).unwrap();
        (dir, entry)
    }

    const OWN: (&str, &str) = ("gitdir", "/p/.overstory/scratch/1-abcdefgh/.git\n");

    #[test]
    fn what_a_killed_git_has_left_of_groves_is_found() {
        for files in [
            &[OWN, ("commondir", ""), ("HEAD", "1\n")][..],
            &[OWN, ("HEAD", "1\n")],
            &[OWN, ("locked", "initializing")],
            &[("locked", "initializing")],
            &[],
        ] {
            let (_dir, entry) = entry(files, "123-abcd1234");
            assert!(is_half_made(&entry), "{files:?}");
        }
    }

    #[test]
    fn whole_entries_and_those_of_others_are_left() {
        let whole = [OWN, ("commondir", "../..\n"), ("HEAD", "1\n")];
        let foreign = [("gitdir", "/home/me/side/.git\n"), ("commondir", "")];
        for (files, name) in [
            (&whole[..], "1-abcd1234"),
            (&foreign, "side"),
            (&[], "side"),
        ] {
            let (_dir, entry) = entry(files, name);
            assert!(!is_half_made(&entry), "{files:?}");
        }
    }

    #[test]
    fn one_that_is_being_made_is_left() {
        let (_dir, entry) = entry(&[OWN], "1-abcd1234");
        fs::write(entry.join("locked"), "initializing").unwrap();
        assert!(!is_half_made(&entry));
    }
}
