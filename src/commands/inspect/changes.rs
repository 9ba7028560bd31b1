//! When there is something new to be seen of an agent.

use std::time::{Duration, Instant};

use super::LEAST;
use crate::cli::CliResult;
use crate::db::{EventStore, SessionStore};
use crate::platform::follow::Follow;
use crate::platform::{ProjectPaths, hangup};

/// Stores that are kept open: opening one writes beside it, which would be a change by itself.
pub(super) struct Changes {
    follow: Follow,
    interval: Duration,
    sessions: SessionStore,
    events: Option<EventStore>,
    /// The version of each store that was seen last.
    seen: (i64, Option<i64>),
}

impl Changes {
    /// From now on. `interval`: the longest time between two pictures.
    pub(super) fn begin(paths: &ProjectPaths, interval: Duration) -> CliResult<Self> {
        let names = &["sessions.db-wal", "events.db-wal"];
        let events = paths.events_db();
        let mut changes = Self {
            follow: Follow::files(&paths.dir(), names, interval),
            interval,
            sessions: SessionStore::look(&paths.sessions_db())?,
            events: events
                .exists()
                .then(|| EventStore::look(&events))
                .transpose()?,
            seen: (0, None),
        };
        changes.seen = changes.versions()?;
        Ok(changes)
    }

    fn versions(&self) -> CliResult<(i64, Option<i64>)> {
        let events = self.events.as_ref().map(|store| store.db().data_version());
        Ok((self.sessions.db().data_version()?, events.transpose()?))
    }

    /// Sleeps until there is something new, or the interval is over; `false` when nobody reads any
    /// more. Never returns sooner than after the smallest interval.
    pub(super) fn wait(&mut self) -> CliResult<bool> {
        let until = Instant::now() + self.interval;
        if hangup::pause(LEAST) {
            return Ok(false);
        }
        loop {
            let now = self.versions()?;
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
