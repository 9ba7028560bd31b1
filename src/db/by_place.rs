//! A table of values about the places of queue entries, one for each: what is decided there, what a model has answered.

use super::cells::text;
use super::{DbError, GroveStore};
use crate::platform::clock;
use rusqlite::params;
use serde_json::Value;

/// The statements of one such table.
pub(super) struct ByPlace {
    /// Puts in, in the place of what was there: entry, place, value, time.
    pub put: &'static str,
    /// Takes out: entry, place.
    pub take: &'static str,
    /// Place and value of all of one entry.
    pub all: &'static str,
}

impl ByPlace {
    /// Keeps a value, or forgets it.
    pub(super) fn save(
        &self,
        store: &GroveStore,
        queue_id: i64,
        place: &str,
        value: Option<&Value>,
    ) -> Result<(), DbError> {
        store.db().write(|tx| {
            match value {
                Some(value) => tx.execute(
                    self.put,
                    params![queue_id, place, value.to_string(), clock::now().iso()],
                ),
                None => tx.execute(self.take, params![queue_id, place]),
            }
            .map(|_| ())
        })
    }

    /// All values of one entry, with their places.
    pub(super) fn of(
        &self,
        store: &GroveStore,
        queue_id: i64,
    ) -> Result<Vec<(String, Value)>, DbError> {
        let rows: Vec<(String, String)> = store.db().read(|c| {
            c.prepare_cached(self.all)?
                .query_map([queue_id], |row| Ok((text(row, 0)?, text(row, 1)?)))?
                .collect()
        })?;
        Ok(rows
            .into_iter()
            .filter_map(|(place, text)| Some((place, serde_json::from_str(&text).ok()?)))
            .collect())
    }
}
