//! What a person has decided about the contested places of a merge, kept until it is decided anew. A
//! place is named by its content, so a decision never applies to anything else.

use super::by_place::ByPlace;
use super::cells::text;
use super::{DbError, GroveStore};
use serde_json::Value;

/// In the place of a place: the decisions as they are were accepted. No place has this name.
const ACCEPTED: &str = "";

const DECISIONS: ByPlace = ByPlace {
    put: "INSERT OR REPLACE INTO review_decisions (queue_id, place, decision, decided_at) VALUES (?1, ?2, ?3, ?4)",
    take: "DELETE FROM review_decisions WHERE queue_id = ?1 AND place = ?2",
    all: "SELECT place, decision FROM review_decisions WHERE queue_id = ?1",
};

impl GroveStore {
    /// Keeps a decision, or forgets it.
    pub fn save_review_decision(
        &self,
        queue_id: i64,
        place: &str,
        decision: Option<&Value>,
    ) -> Result<(), DbError> {
        DECISIONS.save(self, queue_id, place, decision)
    }

    /// The decided places of all entries of the queue, by the entries' numbers; `None` in the place of a place: what is
    /// decided about this entry is accepted.
    pub fn decided_places(&self) -> Result<Vec<(i64, Option<String>)>, DbError> {
        self.db().read(|c| {
            c.prepare_cached("SELECT queue_id, place FROM review_decisions")?
                .query_map([], |row| {
                    let place = text(row, 1)?;
                    Ok((row.get(0)?, Some(place).filter(|place| place != ACCEPTED)))
                })?
                .collect()
        })
    }

    /// Keeps that a person wants an entry landed as decided, or that this does not hold any more.
    pub fn save_review_accepted(&self, queue_id: i64, accepted: bool) -> Result<(), DbError> {
        let said = Value::Bool(true);
        self.save_review_decision(queue_id, ACCEPTED, accepted.then_some(&said))
    }

    /// Whether a person wants an entry landed as decided.
    pub fn is_review_accepted(&self, queue_id: i64) -> Result<bool, DbError> {
        let all = DECISIONS.of(self, queue_id)?;
        Ok(all.iter().any(|(place, _)| place == ACCEPTED))
    }

    /// All decisions about one entry of the queue, with their places.
    pub fn review_decisions(&self, queue_id: i64) -> Result<Vec<(String, Value)>, DbError> {
        let mut all = DECISIONS.of(self, queue_id)?;
        all.retain(|(place, _)| place != ACCEPTED);
        Ok(all)
    }
}
