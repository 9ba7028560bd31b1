//! Making a worktree an ordinary one again, when its agent has ended.

use std::path::Path;

use crate::git::Repo;
use crate::platform::fs;

use super::super::error::WorktreeError;
use super::bring::Brought;
use super::{COMMONDIR, LENT, OwnStore, SHARED, remove_file_of};

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
}
