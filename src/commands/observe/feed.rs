//! `feed`: the latest events of everybody, optionally going on.

use serde::Serialize;

use super::lines;
use super::replay::by_agents;
use crate::cli::{CliResult, Context, EventJson, Outcome, at_least, iso_time, positive};
use crate::db::EventStore;
use crate::db::events::EventFilter;
use crate::platform::clock;
use crate::types::Timestamp;
use crate::types::event::StoredEvent;

const RECENT_MS: i64 = 300_000;

/// Show recent events of all agents
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove feed --follow\n  grove feed --agent builder-auth --limit 10"
)]
pub struct Args {
    /// Go on printing events as they happen
    #[arg(short, long)]
    follow: bool,
    /// Pause between two looks in milliseconds
    #[arg(
        long,
        default_value = "1000",
        value_name = "ms",
        allow_hyphen_values = true
    )]
    interval: String,
    /// Only this agent; may be repeated
    #[arg(long, value_name = "name")]
    agent: Vec<String>,
    /// Only this run
    #[arg(long, value_name = "id")]
    run: Option<String>,
    /// From this time on (ISO 8601); five minutes ago by default
    #[arg(long, value_name = "time", allow_hyphen_values = true)]
    since: Option<String>,
    /// At most this many events
    #[arg(
        long,
        default_value = "50",
        value_name = "n",
        allow_hyphen_values = true
    )]
    limit: String,
}

#[derive(Serialize)]
struct FollowedJson<'a> {
    event: EventJson<'a>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let interval = at_least("--interval", 200, Some("milliseconds"), &args.interval)?;
    let limit = positive("--limit", &args.limit)?;
    let since = match args.since.as_deref() {
        Some(time) => iso_time("--since", time)?,
        None => Timestamp(clock::now().0 - RECENT_MS).iso(),
    };
    let paths = ctx.paths()?;
    let Some(store) = lines::open(ctx, &paths, "feed")? else {
        return Ok(Outcome::Done);
    };
    let filter = EventFilter {
        run: args.run,
        since: Some(since),
        limit: Some(limit),
        ..EventFilter::default()
    };
    let events = select(&store, &args.agent, &filter)?;
    if ctx.is_json() && !args.follow {
        lines::json(ctx, "feed", &events)?;
        return Ok(Outcome::Done);
    }
    if events.is_empty() && !args.follow {
        ctx.out.line("No events found.")?;
        return Ok(Outcome::Done);
    }
    print(ctx, &events)?;
    if args.follow {
        follow(ctx, &store, &args.agent, &filter, &events, interval as u64)?;
    }
    Ok(Outcome::Done)
}

fn select(
    store: &EventStore,
    agents: &[String],
    filter: &EventFilter,
) -> CliResult<Vec<StoredEvent>> {
    if filter.run.is_some() || agents.is_empty() {
        return Ok(store.query(filter)?);
    }
    by_agents(store, agents.to_vec(), filter)
}

fn print(ctx: &Context, events: &[StoredEvent]) -> CliResult<()> {
    for event in events {
        if ctx.is_json() {
            ctx.out.json(
                "feed",
                &FollowedJson {
                    event: EventJson::from(event),
                },
            )?;
        } else {
            ctx.out.line(lines::feed_line(event))?;
        }
    }
    Ok(())
}

fn follow(
    ctx: &Context,
    store: &EventStore,
    agents: &[String],
    filter: &EventFilter,
    shown: &[StoredEvent],
    interval: u64,
) -> CliResult<()> {
    let mut last = shown.iter().map(|event| event.id).max().unwrap_or(0);
    let mut version = store.db().data_version()?;
    loop {
        std::thread::sleep(std::time::Duration::from_millis(interval));
        let now = store.db().data_version()?;
        if now == version {
            continue;
        }
        version = now;
        let news = select(
            store,
            agents,
            &EventFilter {
                after_id: Some(last),
                limit: None,
                ..filter.clone()
            },
        )?;
        last = news.iter().map(|event| event.id).max().unwrap_or(last);
        print(ctx, &news)?;
    }
}
