//! When there is something new to be seen of an agent.

use std::time::{Duration, Instant};

use super::LEAST;
use crate::cli::CliResult;
use crate::db::followed::{Followed, Mark};
use crate::db::{EventStore, SessionStore};
use crate::platform::follow::Follow;
use crate::platform::{ProjectPaths, hangup};

/// Stores that are kept open: opening one writes beside it, which would be a change by itself.
pub(super) struct Changes {
    follow: Follow,
    interval: Duration,
    sessions: Followed<SessionStore>,
    events: Followed<EventStore>,
    /// What was seen last of each store.
    seen: (Mark, Mark),
}

impl Changes {
    /// From now on. `interval`: the longest time between two pictures.
    pub(super) fn begin(paths: &ProjectPaths, interval: Duration) -> CliResult<Self> {
        let names = &[
            "sessions.db",
            "sessions.db-wal",
            "events.db",
            "events.db-wal",
        ];
        let (sessions, events) = (paths.sessions_db(), paths.events_db());
        let mut changes = Self {
            follow: Follow::files(&paths.dir(), names, interval),
            interval,
            sessions: Followed::begin(sessions, SessionStore::look, SessionStore::db)?,
            events: Followed::begin(events, EventStore::look, EventStore::db)?,
            seen: (None, None),
        };
        changes.seen = changes.marks()?;
        Ok(changes)
    }

    fn marks(&mut self) -> CliResult<(Mark, Mark)> {
        self.sessions.renew()?;
        self.events.renew()?;
        Ok((self.sessions.mark()?, self.events.mark()?))
    }

    /// Sleeps until there is something new, or the interval is over; `false` when nobody reads any
    /// more. Never returns sooner than after the smallest interval.
    pub(super) fn wait(&mut self) -> CliResult<bool> {
        let until = Instant::now() + self.interval;
        if hangup::pause(LEAST) {
            return Ok(false);
        }
        loop {
            let now = self.marks()?;
            let left = until.saturating_duration_since(Instant::now());
            if std::mem::replace(&mut self.seen, now) != now || left.is_zero() {
                return Ok(true);
            }
            if !self.follow.wait_at_most(left) {
                return Ok(false);
            }
        }
    }
}
