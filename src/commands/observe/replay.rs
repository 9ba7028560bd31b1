//! `replay`: what several agents did, interleaved.

use super::lines;
use super::scope::{Scope, Window};
use crate::agents::current_run::current_run;
use crate::cli::{CliResult, Context, Outcome, positive};
use crate::db::EventStore;
use crate::db::events::EventFilter;
use crate::platform::{ProjectPaths, clock};
use crate::types::Timestamp;
use crate::types::event::StoredEvent;

const DAY_MS: i64 = 86_400_000;

/// Show what the agents of a run did, interleaved
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove replay\n  grove replay --agent builder-auth --agent reviewer-auth --limit 50"
)]
pub struct Args {
    #[command(flatten)]
    scope: Scope,
    #[command(flatten)]
    window: Window,
    /// At most this many events
    #[arg(
        long,
        default_value = "200",
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
    let Some(store) = lines::open(ctx, &paths, "replay")? else {
        return Ok(Outcome::Done);
    };
    let events = select(&paths, &store, &args.scope, filter)?;
    if ctx.is_json() {
        lines::json(ctx, "replay", &events)?;
    } else {
        lines::timeline(ctx, "Replay", &events, args.window.clock(), true)?;
    }
    Ok(Outcome::Done)
}

fn select(
    paths: &ProjectPaths,
    store: &EventStore,
    scope: &Scope,
    filter: EventFilter,
) -> CliResult<Vec<StoredEvent>> {
    if scope.names_somebody() {
        return scope.read(store, &filter);
    }
    if let Some(run) = current_run(paths)? {
        return Ok(store.query(&EventFilter {
            run: Some(run),
            ..filter
        })?);
    }
    let yesterday = Timestamp(clock::now().0 - DAY_MS).iso();
    Ok(store.query(&EventFilter {
        since: Some(filter.since.clone().unwrap_or(yesterday)),
        ..filter
    })?)
}
