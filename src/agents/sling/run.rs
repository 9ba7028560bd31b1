//! The run that a new agent belongs to.

use super::SlingRequest;
use crate::agents::AgentError;
use crate::db::SessionStore;
use crate::platform::{ProjectPaths, clock, fs};
use crate::types::AgentSession;

/// The run of its parent, else the project's current one.
pub(super) fn current_run(
    paths: &ProjectPaths,
    sessions: &SessionStore,
    request: &SlingRequest,
    known: &[AgentSession],
) -> Result<Option<String>, AgentError> {
    let of_parent = request
        .parent
        .as_ref()
        .and_then(|p| known.iter().find(|s| s.agent_name == *p))
        .and_then(|s| s.run_id.clone());
    if of_parent.is_some() {
        return Ok(of_parent);
    }
    let text = fs::read_optional(&paths.current_run())?.unwrap_or_default();
    let id = text.trim();
    if id.is_empty() {
        return Ok(None);
    }
    sessions.insert_run(id, &clock::now().iso())?;
    Ok(Some(id.to_owned()))
}

/// Starts a run and makes it the current one.
pub fn new_run(paths: &ProjectPaths, sessions: &SessionStore) -> Result<String, AgentError> {
    let id = sessions.start_run()?;
    fs::write_atomic(&paths.current_run(), &id)?;
    Ok(id)
}
