//! Making a worktree an ordinary one again, when its agent has ended.

use std::collections::BTreeSet;
use std::path::Path;

use crate::git::{Repo, git};
use crate::platform::fs;

use super::super::error::WorktreeError;
use super::bring::Brought;
use super::brought::{is_object_name, object_in};
use super::{COMMONDIR, LENT, OwnStore, SHARED, remove_file_of};

/// Files of a worktree that name commits of something under way.
const UNDER_WAY: &[&str] = &[
    "HEAD",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "rebase-merge/orig-head",
    "rebase-merge/onto",
    "rebase-merge/stopped-sha",
    "rebase-apply/orig-head",
    "rebase-apply/onto",
];

/// Makes the worktree at `path` an ordinary one again, if its agent had a store of its own. Nothing may run
/// there any more.
pub fn take_back(repo: &Repo, path: &Path) -> Result<(), WorktreeError> {
    if let Some(store) = OwnStore::of(repo, path)? {
        let brought = store.take_back(repo)?;
        brought.log(&path.to_string_lossy());
    }
    Ok(())
}

impl OwnStore {
    /// Brings over everything the worktree needs, leads it to the repository again and removes the store.
    /// Nothing may run in the worktree any more. A store with commits that were refused is kept beside.
    pub fn take_back(&self, repo: &Repo) -> Result<Brought, WorktreeError> {
        if !self.exists() {
            return Ok(Brought::default());
        }
        let _turn = self.turn()?;
        if !self.exists() {
            return Ok(Brought::default());
        }
        let brought = self.bring(repo)?;
        self.bring_under_way()?;
        if let Err(e) = self.bring_staged() {
            // The agent has damaged what it has staged; its commits are over all the same.
            tracing::warn!("what is staged in {} is not whole: {e}", self.admin.display());
        }
        fs::write_atomic(&self.admin.join(COMMONDIR), SHARED)?;
        remove_file_of(&self.dir.join(LENT))?;
        if brought.refused.is_empty() {
            // What cannot be removed is in nobody's way: the next start begins by removing it.
            if let Err(e) = fs::remove_dir_all(&self.dir) {
                tracing::warn!("a git store stays behind: {e}");
            }
        } else {
            let stamp = crate::platform::clock::now().stamp();
            let kept = self.dir.with_extension(format!("refused-{stamp}"));
            fs::rename(&self.dir, &kept)?;
            tracing::warn!("what was refused is in {}", kept.display());
        }
        Ok(brought)
    }

    fn bring_under_way(&self) -> Result<(), WorktreeError> {
        let mut named = BTreeSet::new();
        for file in UNDER_WAY {
            named.extend(object_in(&self.admin.join(file))?);
        }
        let missing = self.missing(&named.into_iter().collect::<Vec<_>>())?;
        let shared = if missing.is_empty() {
            Vec::new()
        } else {
            self.shared_refs()?
        };
        for id in missing {
            if let Err(e) = self.source().bring(&id, &shared) {
                tracing::warn!("{id}, under way in {}, is lost: {e}", self.admin.display());
            }
        }
        Ok(())
    }

    /// What is staged and not committed is in the index only.
    fn bring_staged(&self) -> Result<(), WorktreeError> {
        let index = self.admin.join("index");
        if !index.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(());
        }
        let listed = self.confined(|words| {
            git(&self.dir)
                .through(words)
                .global("--git-dir=.")
                .env("GIT_INDEX_FILE", &index)
                .args(["ls-files", "-s", "-z"])
                .run()
        })??;
        let text = String::from_utf8_lossy(&listed.stdout);
        let staged: BTreeSet<String> = text
            .split('\0')
            .filter_map(|entry| {
                let mut words = entry.split_whitespace();
                let (mode, id) = (words.next()?, words.next()?);
                // A commit of a submodule is not in this repository.
                (mode != "160000" && is_object_name(id)).then(|| id.to_owned())
            })
            .collect();
        let missing = self.missing(&staged.into_iter().collect::<Vec<_>>())?;
        self.source().bring_single(&missing)
    }

    /// Those that the repository does not have.
    fn missing(&self, ids: &[String]) -> Result<Vec<String>, WorktreeError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut asked = ids.join("\n");
        asked.push('\n');
        let text = git(&self.common)
            .global("--git-dir=.")
            .args(["cat-file", "--batch-check=%(objectname)"])
            .stdin(asked)
            .text()?;
        let missing = text.lines().filter_map(|line| line.strip_suffix(" missing"));
        Ok(missing.map(str::to_owned).collect())
    }
}
