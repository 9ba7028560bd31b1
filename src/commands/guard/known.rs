//! Whether the names asked for exist: an answer about what there is not would mislead.

use std::path::Path;

use crate::cli::{CliError, CliResult};
use crate::db::EventStore;
use crate::db::peek::Peek;
use crate::db::refusals::{RefusalFilter, Refusals};
use crate::guard;
use crate::platform::ProjectPaths;
use crate::text::closest;

/// So many agents are named; more would hide the rest of the message.
const NAMED: usize = 12;

/// A capability that the guard has a policy for.
pub(super) fn capability(name: &str) -> CliResult<()> {
    if guard::CAPABILITIES.contains(&name) {
        return Ok(());
    }
    let known = guard::CAPABILITIES.join(", ");
    let error = CliError::validation(format!(
        "Invalid capability: {name}. Must be one of: {known}"
    ));
    Err(with_near(error, name, guard::CAPABILITIES.iter().copied()))
}

/// A rule of the guard, or another one that something was refused by.
pub(super) fn rule(events: &Path, name: Option<&str>) -> CliResult<()> {
    let Some(name) = name else { return Ok(()) };
    if guard::RULES.contains(&name) {
        return Ok(());
    }
    let logged = every(events, None)?.by_rule;
    let mut rules: Vec<&str> = guard::RULES.to_vec();
    rules.extend(logged.iter().map(|(rule, _)| rule.as_str()));
    if rules
        .iter()
        .skip(guard::RULES.len())
        .any(|rule| *rule == name)
    {
        return Ok(());
    }
    rules.sort_unstable();
    rules.dedup();
    let list = rules.join(", ");
    let error = CliError::validation(format!("Invalid rule: {name}. Must be one of: {list}"));
    Err(with_near(error, name, rules.into_iter()))
}

/// An agent that the project has or had, or that something was refused to.
pub(super) fn agent(paths: &ProjectPaths, events: &Path, name: Option<&str>) -> CliResult<()> {
    let Some(name) = name else { return Ok(()) };
    let agents = Peek::open(&paths.sessions_db())
        .map(|store| store.agents())
        .unwrap_or_default();
    let mut names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    if names.contains(&name) || every(events, Some(name))?.total > 0 {
        return Ok(());
    }
    let near = closest(name, names.iter().copied());
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let there_are = match (names.is_empty(), more) {
        (true, _) => "there are no agents yet".to_owned(),
        (false, 0) => format!("there are: {}", names.join(", ")),
        (false, more) => format!("there are: {} and {more} more", names.join(", ")),
    };
    let mut error = CliError::validation(format!("Agent not found: {name}")).hint(there_are);
    if let Some(near) = near {
        error = error.tip(format!("did you mean '{near}'?"));
    }
    Err(error.tip("'grove status --all' lists the agents"))
}

/// What was refused, whenever it was.
fn every(events: &Path, agent: Option<&str>) -> CliResult<Refusals> {
    if !events.is_file() {
        return Ok(Refusals::default());
    }
    Ok(EventStore::look(events)?.refusals(&RefusalFilter {
        agent: agent.map(str::to_owned),
        limit: 0,
        ..RefusalFilter::default()
    })?)
}

fn with_near<'a>(error: CliError, name: &str, names: impl Iterator<Item = &'a str>) -> CliError {
    match closest(name, names) {
        Some(near) => error.tip(format!("did you mean '{near}'?")),
        None => error,
    }
}
