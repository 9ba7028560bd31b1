//! A repository for looking ahead: it has everything that the project's has, and what is written to it
//! goes away with it. Nothing of the project changes.

use std::path::{Path, PathBuf};

use crate::git::Repo;
use crate::platform::fs;

use super::apart::furnish;
use super::checkout::{new_path, scratch_dir};
use crate::merge::MergeError;

/// A repository that goes away.
#[derive(Debug)]
struct Aside {
    repo: Repo,
    folder: PathBuf,
    /// The folder of such folders, when it was made for this one.
    made: Option<PathBuf>,
}

impl Aside {
    fn of(repo: &Repo, root: &Path) -> Result<Self, MergeError> {
        let all = scratch_dir(root);
        let made = (!all.exists()).then_some(all);
        let folder = new_path(root)?;
        let repo = Self::make(repo, &folder);
        if repo.is_err() {
            remove(&folder, made.as_deref());
        }
        Ok(Self {
            repo: repo?,
            folder,
            made,
        })
    }

    fn make(repo: &Repo, folder: &Path) -> Result<Repo, MergeError> {
        let own = folder.join(".git");
        fs::create_dir_all(&own)?;
        furnish(repo, &own)?;
        // It stands on no branch of the project.
        fs::write_atomic(&own.join("HEAD"), "ref: refs/heads/grove-aside\n")?;
        let place = folder.join("drivers");
        let aside = Repo::open(folder)?.with_driver_limit(repo.driver_limit());
        Ok(aside.with_driver_place(place, repo.path()))
    }
}

/// Where looking ahead happens: aside if that can be had, else in the project's repository, whose store may
/// then keep trees that nothing leads to.
#[derive(Debug)]
pub struct Ahead<'r> {
    aside: Option<Aside>,
    here: &'r Repo,
    root: PathBuf,
}

impl<'r> Ahead<'r> {
    /// Looks ahead in the repository of the project at `root`; a full disk is no reason to know nothing.
    pub fn of(here: &'r Repo, root: &Path) -> Self {
        let aside = Aside::of(here, root)
            .inspect_err(|error| tracing::warn!(%error, "looking ahead may leave objects behind"))
            .ok();
        Self {
            aside,
            here,
            root: root.to_path_buf(),
        }
    }

    /// The project's own repository, whose settings hold for what would be merged, and the project's root.
    pub(in crate::merge) fn project(&self) -> (&Repo, &Path) {
        (self.here, &self.root)
    }

    pub fn repo(&self) -> &Repo {
        self.aside.as_ref().map_or(self.here, |aside| &aside.repo)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        remove(&self.folder, self.made.as_deref());
    }
}

/// What stays behind is swept by the next merge. The folder that was `made` for it stays where others have come into it.
fn remove(folder: &Path, made: Option<&Path>) {
    if let Err(error) = fs::remove_dir_all(folder) {
        tracing::warn!(%error, "a repository for looking ahead stays behind");
    }
    if let Some(made) = made
        && let Err(error) = std::fs::remove_dir(made)
    {
        tracing::debug!(%error, "the folder of scratch checkouts stays");
    }
}
