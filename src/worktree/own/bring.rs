//! Taking what an agent has committed into the repository.

use std::path::Path;

use crate::git::{Repo, git};
use crate::platform::{ProjectPaths, fs};

use super::super::error::WorktreeError;
use super::super::remove::kept_ref;
use super::OwnStore;
use super::brought::{self, Tips};

/// What has come over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brought {
    /// Branches that moved, without `refs/heads/`.
    pub moved: Vec<String>,
    /// Branches that could not be taken, and why.
    pub refused: Vec<(String, String)>,
}

/// Brings over what the agent of the worktree at `path` has committed; cheap when there is nothing new.
pub fn bring_over(repo: &Repo, path: &Path) -> Result<Brought, WorktreeError> {
    match OwnStore::of(repo, path)? {
        Some(store) if store.exists() => {
            let _turn = store.turn()?;
            // Somebody may have taken it back meanwhile.
            if store.exists() {
                store.bring(repo)
            } else {
                Ok(Brought::default())
            }
        }
        Some(_) | None => Ok(Brought::default()),
    }
}

/// The same for every agent of a project. What fails for one is told in the log and keeps nobody else back.
pub fn bring_over_all(repo: &Repo, paths: &ProjectPaths) {
    let stores = fs::list_dir(&paths.file("repositories")).unwrap_or_default();
    for dir in stores.iter().filter(|dir| dir.is_dir()) {
        let Some(name) = dir.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        match bring_over(repo, &paths.worktree(name)) {
            Ok(brought) => brought.log(name),
            Err(e) => tracing::warn!("the commits of {name} are not brought over: {e}"),
        }
    }
}

impl Brought {
    /// Tells what was refused.
    pub fn log(&self, agent: &str) {
        for (branch, why) in &self.refused {
            tracing::warn!("{branch} of {agent} stays where it was: {why}");
        }
    }
}

impl OwnStore {
    /// Brings every branch over that is not where it was. To be called in this store's turn.
    pub(super) fn bring(&self, repo: &Repo) -> Result<Brought, WorktreeError> {
        let mut known = brought::read(&self.dir)?;
        let present = brought::present(&self.dir)?;
        let moved: Vec<(&String, &String)> = present
            .iter()
            .filter(|(name, id)| known.get(*name) != Some(id))
            .collect();
        let mut result = Brought::default();
        if moved.is_empty() {
            self.bring_rest()?;
            return Ok(result);
        }
        let shared = self.shared_refs()?;
        for (name, id) in moved {
            let branch = name.strip_prefix("refs/heads/").unwrap_or(name);
            match self.bring_one(repo, &shared, &known, name, id) {
                Ok(()) => {
                    known.insert(name.clone(), id.clone());
                    // Noted at once: the next one may fail for good.
                    brought::write(&self.dir, &brought::folders(&self.dir)?, &known)?;
                    result.moved.push(branch.to_owned());
                }
                Err(e) => result.refused.push((branch.to_owned(), e.to_string())),
            }
        }
        self.bring_rest()?;
        Ok(result)
    }

    fn bring_one(
        &self,
        repo: &Repo,
        shared: &[(String, String)],
        known: &Tips,
        name: &str,
        id: &str,
    ) -> Result<(), WorktreeError> {
        self.source().bring(&[id], shared)?;
        let there = shared
            .iter()
            .find(|(_, known)| known == name)
            .map(|(id, _)| id);
        let before = known.get(name);
        let zero = "0".repeat(id.len());
        let branch = name.strip_prefix("refs/heads/").unwrap_or(name);
        let (name, old) = match (there, before) {
            (Some(there), _) if there == id => return Ok(()),
            (Some(there), Some(before)) if there == before => (name.to_owned(), there.clone()),
            // Deleted outside while the agent went on: its commits are kept, the branch stays away.
            (None, Some(_)) => {
                let kept = kept_ref(branch);
                let known = shared.iter().find(|(_, name)| *name == kept);
                (kept, known.map_or(zero, |(id, _)| id.clone()))
            }
            (None, None) => (name.to_owned(), zero),
            (Some(_), Some(_) | None) => {
                return Err(WorktreeError::RefMoved {
                    reference: name.to_owned(),
                });
            }
        };
        git(repo.common_dir())
            .global("--git-dir=.")
            .args(["update-ref", "-m", "grove: bring over an agent's commits"])
            .args([name.as_str(), id, old.as_str()])
            .run()?;
        Ok(())
    }
}
