//! What models have answered about contested places of a merge and nobody has taken yet, in `grove.db`. A place is named
//! by its content, so an answer never appears beside anything else.

use super::cells::text;
use super::{DbError, GroveStore};
use crate::platform::clock;
use rusqlite::params;
use serde_json::Value;

pub(super) const CREATE: &str = "
CREATE TABLE IF NOT EXISTS review_proposals (
  queue_id INTEGER NOT NULL,
  place TEXT NOT NULL,
  answer TEXT NOT NULL,
  answered_at TEXT NOT NULL,
  PRIMARY KEY (queue_id, place)
);";

impl GroveStore {
    /// Keeps an answer in the place of the one before, or forgets that one.
    pub fn save_review_proposal(
        &self,
        queue_id: i64,
        place: &str,
        answer: Option<&Value>,
    ) -> Result<(), DbError> {
        self.db().write(|tx| {
            match answer {
                Some(answer) => tx.execute(
                    "INSERT OR REPLACE INTO review_proposals (queue_id, place, answer, answered_at) VALUES (?1, ?2, ?3, ?4)",
                    params![queue_id, place, answer.to_string(), clock::now().iso()],
                ),
                None => tx.execute(
                    "DELETE FROM review_proposals WHERE queue_id = ?1 AND place = ?2",
                    params![queue_id, place],
                ),
            }
            .map(|_| ())
        })
    }

    /// All answers about one entry of the queue, with their places.
    pub fn review_proposals(&self, queue_id: i64) -> Result<Vec<(String, Value)>, DbError> {
        let rows: Vec<(String, String)> = self.db().read(|c| {
            c.prepare_cached("SELECT place, answer FROM review_proposals WHERE queue_id = ?1")?
                .query_map([queue_id], |row| Ok((text(row, 0)?, text(row, 1)?)))?
                .collect()
        })?;
        Ok(rows
            .into_iter()
            .filter_map(|(place, text)| Some((place, serde_json::from_str(&text).ok()?)))
            .collect())
    }
}
