//! `feed`: the latest events of everybody, optionally going on.

use std::time::Duration;

use serde::Serialize;

use super::lines;
use super::scope::Scope;
use crate::cli::{CliResult, Context, EventJson, Outcome, at_least, iso_time, positive};
use crate::db::EventStore;
use crate::db::events::EventFilter;
use crate::platform::follow::Follow;
use crate::platform::{ProjectPaths, clock};
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
    /// Look at least this often, in milliseconds; changes are printed at once
    #[arg(
        long,
        default_value = "1000",
        value_name = "ms",
        allow_hyphen_values = true
    )]
    interval: String,
    #[command(flatten)]
    scope: Scope,
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
        since: Some(since),
        limit: Some(limit),
        ..EventFilter::default()
    };
    let mut news = args.follow.then(|| changes(&paths, interval));
    // Looked up before the first reading: what is written meanwhile makes the next one.
    let version = store.db().data_version()?;
    let events = args.scope.read(&store, &filter)?;
    if ctx.is_json() && !args.follow {
        lines::json(ctx, "feed", &events)?;
        return Ok(Outcome::Done);
    }
    if events.is_empty() && !args.follow {
        ctx.out.line("No events found.")?;
        return Ok(Outcome::Done);
    }
    print(ctx, &events)?;
    if let Some(changes) = &mut news {
        let seen = Seen {
            last: events.iter().map(|event| event.id).max().unwrap_or(0),
            // What the limit has cut off follows at once.
            version: (events.len() as i64 != limit).then_some(version),
        };
        follow(ctx, &store, &args.scope, &filter, seen, changes)?;
    }
    Ok(Outcome::Done)
}

/// The system tells of the log of the database, into which everybody writes first.
fn changes(paths: &ProjectPaths, interval_ms: i64) -> Follow {
    let interval = Duration::from_millis(interval_ms.unsigned_abs());
    Follow::files(&paths.dir(), &["events.db-wal"], interval)
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

/// Up to where the events have been printed.
struct Seen {
    /// Id of the newest event.
    last: i64,
    /// The store's version before that was read; none when there is more to print in any case.
    version: Option<i64>,
}

fn follow(
    ctx: &Context,
    store: &EventStore,
    scope: &Scope,
    filter: &EventFilter,
    mut seen: Seen,
    changes: &mut Follow,
) -> CliResult<()> {
    while seen.version.is_none() || changes.wait() {
        let version = Some(store.db().data_version()?);
        if version == seen.version {
            continue;
        }
        seen.version = version;
        let after = EventFilter {
            after_id: Some(seen.last),
            limit: None,
            ..filter.clone()
        };
        let news = scope.read(store, &after)?;
        seen.last = news.iter().map(|e| e.id).max().unwrap_or(seen.last);
        print(ctx, &news)?;
    }
    Ok(())
}
