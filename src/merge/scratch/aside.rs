//! A repository for looking ahead: it has everything that the project's has, and what is written to it
//! goes away with it. Nothing of the project changes.

use std::path::{Path, PathBuf};

use crate::git::Repo;
use crate::platform::fs;

use super::apart::furnish;
use super::checkout::new_path;
use crate::merge::MergeError;

/// A repository that goes away.
#[derive(Debug)]
pub struct Aside {
    repo: Repo,
    folder: PathBuf,
}

impl Aside {
    /// Makes one of the repository of the project at `root`.
    pub fn of(repo: &Repo, root: &Path) -> Result<Self, MergeError> {
        let folder = new_path(root)?;
        let made = Self::make(repo, &folder);
        if made.is_err() {
            remove(&folder);
        }
        Ok(Self {
            repo: made?,
            folder,
        })
    }

    fn make(repo: &Repo, folder: &Path) -> Result<Repo, MergeError> {
        let own = folder.join(".git");
        fs::create_dir_all(&own)?;
        furnish(repo, &own)?;
        // It stands on no branch of the project.
        fs::write_atomic(&own.join("HEAD"), "ref: refs/heads/grove-aside\n")?;
        Ok(Repo::open(folder)?)
    }

    pub fn repo(&self) -> &Repo {
        &self.repo
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// What stays behind is swept by the next merge.
fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder) {
        tracing::warn!(%error, "a repository for looking ahead stays behind");
    }
}
