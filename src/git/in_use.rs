//! Branches that a checkout will come back to although its HEAD stands elsewhere: while a branch is
//! rebased, and while a bisect looks for a commit. git moves no such branch, and neither may we: what
//! ends there sets the branch to where it began.

use std::fs;
use std::path::{Path, PathBuf};

use super::repo::Repo;
use crate::platform::plain;

/// Larger ones are none of git's, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// What a checkout is in the middle of, so that a branch belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    Rebase,
    Bisect,
}

/// Finds the checkouts that will come back to `branch`, the main one first.
pub fn held_by(repo: &Repo, branch: &str) -> Vec<(PathBuf, Holding)> {
    let common = repo.common_dir();
    let moves = repo.moving_ref(branch);
    let is_it = |name: &str| {
        let name = name.strip_prefix("refs/heads/").unwrap_or(name);
        !name.is_empty() && repo.moving_ref(name) == moves
    };
    let main = holding(common, is_it).and_then(|how| Some((repo.main_root()?, how)));
    let folders = fs::read_dir(common.join("worktrees")).into_iter().flatten();
    let linked = folders.flatten().filter_map(|folder| {
        let folder = folder.path();
        let how = holding(&folder, is_it)?;
        let link = plain::text(&folder.join("gitdir"), LARGEST)?;
        let checkout = folder.join(link.trim_end()).parent()?.to_path_buf();
        // One that is gone cannot come back to anything.
        checkout.exists().then_some((checkout, how))
    });
    main.into_iter().chain(linked).collect()
}

/// Reads it from the folder with a checkout's HEAD.
fn holding(git_dir: &Path, is_it: impl Fn(&str) -> bool) -> Option<Holding> {
    let text = |file: &str| {
        let bytes = plain::read(&git_dir.join(file), LARGEST).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let is_rebased = ["rebase-merge/head-name", "rebase-apply/head-name"]
        .iter()
        .any(|file| is_it(text(file).trim_end()))
        // With --update-refs: names, each followed by where it was and where it will be.
        || text("rebase-merge/update-refs").lines().any(|line| line.starts_with("refs/heads/") && is_it(line));
    if is_rebased {
        return Some(Holding::Rebase);
    }
    let start = text("BISECT_START");
    let start = start.trim_end();
    let is_bisected = git_dir.join("BISECT_LOG").exists() && is_it(start);
    is_bisected.then_some(Holding::Bisect)
}
