//! `replay`: what several agents did, interleaved.

use super::lines::{self, Clock};
use crate::agents::current_run::current_run;
use crate::cli::{CliResult, Context, Outcome, iso_time, positive};
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
    /// Only this run
    #[arg(long, value_name = "id")]
    run: Option<String>,
    /// Only this agent; may be repeated
    #[arg(long, value_name = "name")]
    agent: Vec<String>,
    /// From this time on (ISO 8601)
    #[arg(long, value_name = "time", allow_hyphen_values = true)]
    since: Option<String>,
    /// Up to this time (ISO 8601)
    #[arg(long, value_name = "time", allow_hyphen_values = true)]
    until: Option<String>,
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
    let since = args
        .since
        .as_deref()
        .map(|time| iso_time("--since", time))
        .transpose()?;
    let until = args
        .until
        .as_deref()
        .map(|time| iso_time("--until", time))
        .transpose()?;
    let clock = if since.is_some() || until.is_some() {
        Clock::Absolute
    } else {
        Clock::Age
    };
    let paths = ctx.paths()?;
    let Some(store) = lines::open(ctx, &paths, "replay")? else {
        return Ok(Outcome::Done);
    };
    let filter = EventFilter {
        since,
        until,
        limit: Some(limit),
        ..EventFilter::default()
    };
    let events = select(&paths, &store, args.run, args.agent, filter)?;
    if ctx.is_json() {
        lines::json(ctx, "replay", &events)?;
    } else {
        lines::timeline(ctx, "Replay", &events, clock, true)?;
    }
    Ok(Outcome::Done)
}

fn select(
    paths: &ProjectPaths,
    store: &EventStore,
    run: Option<String>,
    agents: Vec<String>,
    filter: EventFilter,
) -> CliResult<Vec<StoredEvent>> {
    if run.is_some() {
        return Ok(store.query(&EventFilter { run, ..filter })?);
    }
    if !agents.is_empty() {
        return by_agents(store, agents, &filter);
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

/// Rows of each agent, merged by time; equal times keep the order in which agents were named.
pub(super) fn by_agents(
    store: &EventStore,
    agents: Vec<String>,
    filter: &EventFilter,
) -> CliResult<Vec<StoredEvent>> {
    let mut events = Vec::new();
    for agent in agents {
        events.extend(store.query(&EventFilter {
            agent: Some(agent),
            ..filter.clone()
        })?);
    }
    events.sort_by(|left, right| left.created_at.cmp(&right.created_at));
    if let Some(limit) = filter.limit {
        events.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Ok(events)
}
