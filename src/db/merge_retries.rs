//! Entries of the merge queue that are tried again by themselves, in `grove.db`: how often they were, and
//! when they are next.

use super::GroveStore;
use super::cells::number;
use super::connection::DbError;
use rusqlite::params;
use std::collections::HashMap;

pub(super) const CREATE: &str = "
CREATE TABLE IF NOT EXISTS merge_retries (
  queue_id INTEGER PRIMARY KEY,
  number INTEGER NOT NULL,
  due_ms INTEGER NOT NULL
);";

/// The next try of an entry: which it is, from 1, and when it is due, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryRow {
    pub number: u32,
    pub due_ms: i64,
}

impl GroveStore {
    /// The entries that are tried again.
    pub fn merge_retries(&self) -> Result<HashMap<i64, RetryRow>, DbError> {
        self.db().read(|c| {
            c.prepare_cached("SELECT queue_id, number, due_ms FROM merge_retries")?
                .query_map([], |r| {
                    let retry = RetryRow {
                        number: u32::try_from(number(r, 1)?).unwrap_or(0),
                        due_ms: number(r, 2)?,
                    };
                    Ok((r.get(0)?, retry))
                })?
                .collect()
        })
    }

    /// Sets when an entry is tried again; `None`: not by itself.
    pub fn set_merge_retry(&self, queue_id: i64, retry: Option<RetryRow>) -> Result<(), DbError> {
        self.db().write(|tx| {
            match retry {
                Some(retry) => tx.execute(
                    "INSERT OR REPLACE INTO merge_retries (queue_id, number, due_ms) VALUES (?1, ?2, ?3)",
                    params![queue_id, retry.number, retry.due_ms],
                ),
                None => tx.execute("DELETE FROM merge_retries WHERE queue_id = ?1", [queue_id]),
            }
            .map(|_| ())
        })
    }
}
