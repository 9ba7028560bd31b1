//! What to try instead of an agent's name that nobody has.

use super::error::CliError;
use crate::db::peek::Peek;
use crate::platform::ProjectPaths;
use crate::text::closest;

/// Adds to an error about an unknown agent the nearest name there is, and where the names are.
#[must_use]
pub fn with_near_agent(error: CliError, paths: &ProjectPaths, name: &str) -> CliError {
    let agents = Peek::open(&paths.sessions_db())
        .map(|store| store.agents())
        .unwrap_or_default();
    if agents.iter().any(|agent| agent.name == name) {
        // It is known; something else is wrong with it.
        return error;
    }
    let error = match closest(name, agents.iter().map(|agent| agent.name.as_str())) {
        Some(near) => error.tip(format!("did you mean '{near}'?")),
        None => error,
    };
    error.tip("'grove status --all' lists the agents")
}
