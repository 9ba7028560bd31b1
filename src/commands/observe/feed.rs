//! `feed`: the latest events of everybody, optionally going on.

use std::time::Duration;

use serde::Serialize;

use super::lines;
use super::scope::Scope;
use super::shown::Shown;
use crate::cli::{CliResult, Context, EventJson, Outcome, at_least, iso_time, positive};
use crate::db::EventStore;
use crate::db::events::EventFilter;
use crate::db::followed::{Followed, Mark};
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
    /// At most this many events: the first ones, or with --follow the newest there are
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
    let file = Followed::begin(paths.events_db(), EventStore::look, EventStore::db)?;
    let Some(store) = file.store() else {
        lines::none_yet(ctx, "feed")?;
        return Ok(Outcome::Done);
    };
    let filter = EventFilter {
        since: Some(since),
        limit: Some(limit),
        ..EventFilter::default()
    };
    let mut news = args.follow.then(|| changes(&paths, interval));
    // Looked up before the first reading: what is written meanwhile makes the next one.
    let mark = file.mark()?;
    let last = store.last_id()?;
    let events = if args.follow {
        args.scope.newest(store, &filter)?
    } else {
        args.scope.read(store, &filter)?
    };
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
        let tail = Tail {
            last: newest(&events).max(last),
            shown: Shown::of(&events),
            seen: mark,
            file,
            scope: &args.scope,
            filter: EventFilter {
                limit: None,
                ..filter
            },
        };
        follow(ctx, tail, changes)?;
    }
    Ok(Outcome::Done)
}

/// The system tells of the log of the database, into which everybody writes first, and of another
/// database in its place.
fn changes(paths: &ProjectPaths, interval_ms: i64) -> Follow {
    let interval = Duration::from_millis(interval_ms.unsigned_abs());
    Follow::files(&paths.dir(), &["events.db", "events.db-wal"], interval)
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

/// The events that are still to come.
struct Tail<'a> {
    file: Followed<EventStore>,
    scope: &'a Scope,
    filter: EventFilter,
    /// Id up to which the events have been read.
    last: i64,
    /// What has been printed, for a store that numbers its events otherwise.
    shown: Shown,
    /// The mark of the store before that was read.
    seen: Mark,
}

impl Tail<'_> {
    /// What has come since the last look.
    fn news(&mut self) -> CliResult<Vec<StoredEvent>> {
        let mut news = match self.file.renew()? {
            Some(before) => self.moved_over(&before)?,
            None => Vec::new(),
        };
        let mark = self.file.mark()?;
        if let Some(store) = self.file.store()
            && mark != self.seen
        {
            let after = self.after(store)?;
            self.last = newest(&after).max(self.last);
            news.extend(after);
        }
        self.seen = mark;
        self.shown.note(&news);
        Ok(news)
    }

    fn after(&self, store: &EventStore) -> CliResult<Vec<StoredEvent>> {
        let after = EventFilter {
            after_id: Some(self.last),
            ..self.filter.clone()
        };
        self.scope.read(store, &after)
    }

    /// The rest of the file that was there before, and what the new one has beyond that: it may be a
    /// copy, one that is put back after another, or number its events anew.
    fn moved_over(&mut self, before: &EventStore) -> CliResult<Vec<StoredEvent>> {
        let mut news = self.after(before)?;
        self.shown.note(&news);
        self.last = 0;
        if let Some(store) = self.file.store() {
            self.last = store.last_id()?;
            let since = EventFilter {
                since: self.shown.since(self.filter.since.as_deref()),
                ..self.filter.clone()
            };
            let later = self.scope.read(store, &since)?;
            self.last = newest(&later).max(self.last);
            news.extend(later.into_iter().filter(|event| self.shown.is_new(event)));
        }
        Ok(news)
    }
}

fn newest(events: &[StoredEvent]) -> i64 {
    events.iter().map(|event| event.id).max().unwrap_or(0)
}

fn follow(ctx: &Context, mut tail: Tail<'_>, changes: &mut Follow) -> CliResult<()> {
    while changes.wait() {
        print(ctx, &tail.news()?)?;
    }
    Ok(())
}
