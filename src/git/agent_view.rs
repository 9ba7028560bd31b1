//! Where an agent's own view of the git folder lies, by which its git works in a sandbox (`crate::git_front`), and
//! what of it is not to be lost.

use std::path::{Path, PathBuf};

use git2::Oid;

use super::pinned::{canonical, folder_of, is_real_dir};
use super::repo::Repo;
use crate::platform::plain;

/// Its name in the worktree's folder of git's.
pub const VIEW: &str = "grove";

/// Thousands of entries of a stash are less.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Of an id in whole.
const DIGITS: usize = 40;

/// The git folder that the agent's git is shown, in the worktree's folder `git_dir`.
pub fn view_in(git_dir: &Path) -> PathBuf {
    git_dir.join(VIEW).join("git")
}

/// Whether the agent has put changes into its stash, which nobody else sees.
pub fn has_own_stash(git_dir: &Path) -> bool {
    let stash = view_in(git_dir).join("refs/stash").symlink_metadata();
    stash.is_ok_and(|found| found.is_file())
}

/// What the agent of the worktree at `path` has in its stash, newest first; the worktree may be gone. The agent writes
/// these files, so nothing of them is believed but that they name commits.
pub fn own_stashes(repo: &Repo, path: &Path) -> Vec<Oid> {
    let Some(folder) = folder_of(&canonical(repo.common_dir()), &canonical(path)) else {
        return Vec::new();
    };
    let view = view_in(&folder);
    let inner = ["", "refs", "logs", "logs/refs"].map(|name| view.join(name));
    let is_own = |folders: &[PathBuf]| folders.iter().all(|folder| is_real_dir(folder));
    if !is_real_dir(&folder) || !is_real_dir(&folder.join(VIEW)) || !is_own(&inner[..2]) {
        return Vec::new();
    }
    let Some(newest) = plain::read(&view.join("refs/stash"), LARGEST) else {
        return Vec::new();
    };
    let log = Some(view.join("logs/refs/stash")).filter(|_| is_own(&inner[2..]));
    let log = log.and_then(|log| plain::read(&log, LARGEST));
    named(&newest, &log.unwrap_or_default())
        .into_iter()
        .filter(|id| {
            let is_there = repo.raw().find_commit(*id).is_ok();
            if !is_there {
                tracing::warn!("an entry of a stash is in the repository no more: {id}");
            }
            is_there
        })
        .collect()
}

/// The commits that a stash and its log name, newest first.
fn named(newest: &[u8], log: &[u8]) -> Vec<Oid> {
    let log = String::from_utf8_lossy(log);
    let newest = String::from_utf8_lossy(newest);
    let logged = log.lines().rev().filter_map(|line| line.split(' ').nth(1));
    let mut entries: Vec<Oid> = Vec::new();
    for id in [newest.trim()].into_iter().chain(logged) {
        // Fewer digits would be filled up.
        let id = Some(id).filter(|id| id.len() == DIGITS);
        let id = id.and_then(|id| Oid::from_str(id).ok());
        entries.extend(id.filter(|id| !entries.contains(id)));
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stash_is_read_from_the_newest_entry_on() {
        let id = |digit: &str| digit.repeat(40);
        let line = |old: &str, new: &str| format!("{} {} A <a@b> 1 +0000\tWIP\n", id(old), id(new));
        let log = line("0", "1") + &line("1", "2") + "half a li";
        let found = named(format!("{}\n", id("2")).as_bytes(), log.as_bytes());
        let found: Vec<String> = found.iter().map(Oid::to_string).collect();
        assert_eq!(found, [id("2"), id("1")]);
        assert_eq!(named(b"ref: refs/heads/main\n", b""), Vec::new());
    }
}
