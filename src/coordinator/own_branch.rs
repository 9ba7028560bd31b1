//! A branch of an agent that is only another name of somebody's branch has no work of its own, and to merge it would merge
//! that of the other. It is made its own again before it is merged, and people are told.

use super::CoordinatorError;
use crate::db::EventStore;
use crate::db::merge_queue::QueueRow;
use crate::git::{Repo, SymbolicRef, stand_alone, symbolic_target};
use crate::platform::ProjectPaths;
use crate::types::event::{EventType, Level, NewEvent};
use crate::worktree::agent_of_branch;
use serde_json::json;

/// The rule in the list of refused calls; the watchdog reports it at once.
const RULE: &str = "git-pointer";

/// Does it where it is needed.
pub(super) fn make_own(paths: &ProjectPaths, row: &QueueRow) -> Result<(), CoordinatorError> {
    let branch = &row.entry.branch_name;
    let Some((agent, _)) = agent_of_branch(branch) else {
        return Ok(());
    };
    let repo = Repo::discover(&paths.root)?;
    let Some(target) = symbolic_target(&repo, branch) else {
        return Ok(());
    };
    let name = format!("refs/heads/{branch}");
    let reason = format!(
        "{name} was only another name of {target}; before it was merged, it was made a branch of its own again"
    );
    stand_alone(&repo, &SymbolicRef { name, target })?;
    tracing::warn!("{reason}");
    let data = json!({"type": "guard_refused", "rule": RULE, "reason": reason});
    let event = NewEvent::new(agent, EventType::Custom).level(Level::Warn);
    EventStore::open(&paths.events_db())?.insert(&event.data(&data))?;
    Ok(())
}
