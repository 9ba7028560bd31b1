//! `trace`: everything one agent or one task did, in order.

use super::lines;
use super::scope::Window;
use crate::cli::{CliResult, Context, Outcome, positive};
use crate::db::SessionStore;
use crate::db::events::EventFilter;
use crate::platform::ProjectPaths;

/// Show the timeline of an agent or a task
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove trace builder-auth\n  grove trace sd-12 --since 2026-03-01T09:00:00Z"
)]
pub struct Args {
    /// Agent name or task id
    target: String,
    #[command(flatten)]
    window: Window,
    /// At most this many events
    #[arg(
        long,
        default_value = "100",
        value_name = "n",
        allow_hyphen_values = true
    )]
    limit: String,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let limit = positive("--limit", &args.limit)?;
    let filter = args.window.filter(limit)?;
    let paths = ctx.paths()?;
    let agent = resolve(&paths, &args.target)?;
    let Some(store) = lines::open(ctx, &paths, "trace")? else {
        return Ok(Outcome::Done);
    };
    let events = store.query(&EventFilter {
        agent: Some(agent.clone()),
        ..filter
    })?;
    if ctx.is_json() {
        lines::json(ctx, "trace", &events)?;
    } else {
        lines::timeline(
            ctx,
            &format!("Timeline for {agent}"),
            &events,
            args.window.clock(),
            false,
        )?;
    }
    Ok(Outcome::Done)
}

/// A task id stands for the agent that worked on it first.
fn resolve(paths: &ProjectPaths, target: &str) -> CliResult<String> {
    if !looks_like_task(target) || !paths.sessions_db().exists() {
        return Ok(target.to_owned());
    }
    let sessions = SessionStore::look(&paths.sessions_db())?.all()?;
    let worker = sessions
        .into_iter()
        .find(|session| session.task_id == target);
    Ok(worker.map_or_else(|| target.to_owned(), |session| session.agent_name))
}

/// `letters-xyz`: a prefix, a dash, at least three letters or digits.
fn looks_like_task(text: &str) -> bool {
    let Some((prefix, suffix)) = text.split_once('-') else {
        return false;
    };
    let alphanumeric = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric());
    prefix.starts_with(|c: char| c.is_ascii_alphabetic())
        && alphanumeric(prefix)
        && suffix.len() >= 3
        && alphanumeric(suffix)
}

#[cfg(test)]
mod tests {
    use super::looks_like_task;

    #[test]
    fn task_ids_have_one_dash_and_a_suffix() {
        assert!(looks_like_task("demo-c3d4") && looks_like_task("API-101"));
        for other in ["builder", "a-b", "x-1-2345", "1a-bcd", "tâche-1"] {
            assert!(!looks_like_task(other), "{other}");
        }
    }
}
