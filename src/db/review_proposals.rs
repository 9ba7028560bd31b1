//! What models have answered about contested places of a merge and nobody has taken yet, in `grove.db`. A place is named
//! by its content, so an answer never appears beside anything else.

use super::by_place::ByPlace;
use super::{DbError, GroveStore};
use serde_json::Value;

pub(super) const CREATE: &str = "
CREATE TABLE IF NOT EXISTS review_proposals (
  queue_id INTEGER NOT NULL,
  place TEXT NOT NULL,
  answer TEXT NOT NULL,
  answered_at TEXT NOT NULL,
  PRIMARY KEY (queue_id, place)
);";

const PROPOSALS: ByPlace = ByPlace {
    put: "INSERT OR REPLACE INTO review_proposals (queue_id, place, answer, answered_at) VALUES (?1, ?2, ?3, ?4)",
    take: "DELETE FROM review_proposals WHERE queue_id = ?1 AND place = ?2",
    all: "SELECT place, answer FROM review_proposals WHERE queue_id = ?1",
};

impl GroveStore {
    /// Keeps an answer in the place of the one before, or forgets that one.
    pub fn save_review_proposal(
        &self,
        queue_id: i64,
        place: &str,
        answer: Option<&Value>,
    ) -> Result<(), DbError> {
        PROPOSALS.save(self, queue_id, place, answer)
    }

    /// All answers about one entry of the queue, with their places.
    pub fn review_proposals(&self, queue_id: i64) -> Result<Vec<(String, Value)>, DbError> {
        PROPOSALS.of(self, queue_id)
    }
}
