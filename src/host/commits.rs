//! Taking the agent's commits into the repository as they are made, and showing it where others' branches are.

use super::HostError;
use super::shared::Shared;
use crate::git::Repo;
use crate::platform::watch::{self, Watch};
use crate::process::SpawnError;
use crate::worktree::{self, OwnStore, WorktreeError};
use std::sync::mpsc;

/// Follows the refs on both sides for as long as the answer lives; `None` for an agent without a store of its own.
pub(super) fn follow(shared: &Shared) -> Result<Option<Watch>, HostError> {
    let Some((repo, store)) = store(shared)? else {
        return Ok(None);
    };
    drop(repo);
    let (changed, changes) = mpsc::sync_channel(1);
    let watch = watch::trees(&store.watched(), move || {
        // One that waits stands for all that came since.
        changed.try_send(()).unwrap_or_default();
    })
    .map_err(|e| HostError::Sandbox(format!("branches cannot be followed: {e}")))?;
    let (root, agent) = (shared.paths.root.clone(), shared.agent().to_owned());
    let run = move || {
        while changes.recv().is_ok() {
            let followed = Repo::discover(&root)
                .map_err(WorktreeError::from)
                .and_then(|repo| store.follow(&repo));
            match followed {
                Ok(brought) => brought.log(&agent),
                Err(e) => tracing::warn!("the commits of {agent} are not brought over: {e}"),
            }
        }
    };
    std::thread::Builder::new()
        .name("commits".to_owned())
        .stack_size(1024 * 1024)
        .spawn(run)
        .map_err(|e| SpawnError::Failed {
            program: "thread".to_owned(),
            message: e.to_string(),
        })?;
    Ok(Some(watch))
}

/// Has the agent's branch where the agent has it, before others are told of it.
pub(super) fn bring(shared: &Shared) {
    if !shared.paths.repository(shared.agent()).exists() {
        return;
    }
    let brought = Repo::discover(&shared.paths.root)
        .map_err(WorktreeError::from)
        .and_then(|repo| worktree::bring_over(&repo, &shared.launch.cwd));
    match brought {
        Ok(brought) => brought.log(shared.agent()),
        Err(e) => tracing::warn!("the agent's commits are not brought over: {e}"),
    }
}

/// The agent has ended: its worktree becomes an ordinary one.
pub(super) fn settle(shared: &Shared) {
    if !shared.paths.repository(shared.agent()).exists() {
        return;
    }
    let settled = Repo::discover(&shared.paths.root)
        .map_err(WorktreeError::from)
        .and_then(|repo| worktree::take_back(&repo, &shared.launch.cwd));
    if let Err(e) = settled {
        // It stays as it is, and whoever looks next tries again.
        tracing::error!("the agent's own git store stays: {e}");
    }
}

fn store(shared: &Shared) -> Result<Option<(Repo, OwnStore)>, HostError> {
    if !shared.paths.repository(shared.agent()).exists() {
        return Ok(None);
    }
    let repo = Repo::discover(&shared.paths.root).map_err(WorktreeError::from)?;
    let store = OwnStore::of(&repo, &shared.launch.cwd)?.filter(OwnStore::exists);
    Ok(store.map(|store| (repo, store)))
}
