//! `turn-locks.db`: which process may run a turn of an agent.
//!
//! A host holds its agent's lock for as long as it lives, so that ov does not start a second CLI
//! in the same worktree.

use super::cells::process_id;
use super::connection::{Db, DbError};
use super::shape::Shape;
use crate::platform::clock;
use rusqlite::{OptionalExtension, params};
use std::path::Path;

const CREATE: &str = "
CREATE TABLE IF NOT EXISTS turn_locks (
  agent_name TEXT PRIMARY KEY,
  held_by_pid INTEGER,
  acquired_at TEXT
)";

const SHAPE: Shape = Shape {
    tables: &[("turn_locks", "agent_name, held_by_pid, acquired_at")],
    indexes: &[],
    closed: true,
    outdated: |_| false,
    unknown: |_| None,
    migrate: |c| c.execute_batch(CREATE),
};

#[derive(Debug)]
pub struct TurnLockStore {
    db: Db,
}

impl TurnLockStore {
    pub fn open(path: &Path) -> Result<Self, DbError> {
        Ok(Self {
            db: Db::open(path, &SHAPE)?,
        })
    }

    /// Takes an agent's lock if it is free, ours already, or held by a process that `is_alive`
    /// denies; `false` when somebody else holds it.
    pub fn claim(
        &self,
        agent: &str,
        pid: i64,
        is_alive: impl Fn(i64) -> bool,
    ) -> Result<bool, DbError> {
        self.db.write(|tx| {
            let holder: Option<Option<i64>> = tx
                .query_row(
                    "SELECT held_by_pid FROM turn_locks WHERE agent_name = ?1",
                    [agent],
                    |r| process_id(r, 0),
                )
                .optional()?;
            if let Some(Some(holder)) = holder
                && holder != pid
                && is_alive(holder)
            {
                return Ok(false);
            }
            tx.execute(
                "INSERT OR REPLACE INTO turn_locks (agent_name, held_by_pid, acquired_at)
                 VALUES (?1, ?2, ?3)",
                params![agent, pid, clock::now().iso()],
            )?;
            Ok(true)
        })
    }

    /// Gives an agent's lock back, if this process holds it.
    pub fn release(&self, agent: &str, pid: i64) -> Result<(), DbError> {
        self.db.write(|tx| {
            tx.execute(
                "UPDATE turn_locks SET held_by_pid = NULL, acquired_at = NULL
                 WHERE agent_name = ?1 AND held_by_pid = ?2",
                params![agent, pid],
            )
            .map(|_| ())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_exclusive_until_it_is_given_back_or_its_holder_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let store = TurnLockStore::open(&dir.path().join("turn-locks.db")).unwrap();
        assert!(store.claim("a", 1, |_| true).unwrap());
        assert!(store.claim("a", 1, |_| true).unwrap());
        assert!(!store.claim("a", 2, |_| true).unwrap());
        assert!(store.claim("a", 2, |_| false).unwrap());
        store.release("a", 1).unwrap();
        assert!(!store.claim("a", 3, |_| true).unwrap());
        store.release("a", 2).unwrap();
        assert!(store.claim("a", 3, |_| true).unwrap());
    }
}
