//! What was done, in `grove.db`: each action has a key that is stored when it is done, or while a
//! process does it.
//!
//! An action is held by its process and finished when it is done; when the process is killed before
//! that, the next one takes it over. What is better left out than done twice is only claimed.

use super::GroveStore;
use super::cells::{optional_text, text};
use super::connection::DbError;
use crate::platform::clock;
use crate::platform::liveness::{self, Liveness};
use crate::types::host::ProcessId;
use rusqlite::{OptionalExtension, params};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Begins the detail of an action that a process is doing.
const HELD: &str = "held by ";

/// What this process holds and is still at: file and key.
static IN_HAND: Mutex<BTreeSet<(PathBuf, String)>> = Mutex::new(BTreeSet::new());

fn in_hand() -> MutexGuard<'static, BTreeSet<(PathBuf, String)>> {
    IN_HAND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The detail of an action that a process is doing.
pub(crate) fn held_by(id: ProcessId) -> String {
    format!("{HELD}{} {}", id.pid, id.start)
}

fn holder(detail: Option<&str>) -> Option<ProcessId> {
    let (pid, start) = detail?.strip_prefix(HELD)?.split_once(' ')?;
    Some(ProcessId {
        pid: pid.parse().ok()?,
        start: start.parse().ok()?,
    })
}

/// Whether the process that holds an action is gone; an action that nobody holds is done.
fn is_gone(detail: Option<&str>) -> bool {
    holder(detail).is_some_and(|id| liveness::check(id) == Liveness::Dead)
}

/// An action that this process does. Dropped before it is finished, it is anybody's again.
#[derive(Debug)]
pub struct Hold<'a> {
    store: &'a GroveStore,
    key: String,
    finished: bool,
}

impl Hold<'_> {
    /// Stores that the action is done.
    pub fn finish(mut self) -> Result<(), DbError> {
        self.store.db().write(|tx| {
            tx.execute(
                "UPDATE actions SET detail = '', done_at = ?1 WHERE key = ?2",
                params![clock::now().iso(), self.key],
            )
        })?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        if !self.finished
            && let Err(e) = self.store.release_action(&self.key)
        {
            tracing::warn!("{} stays held, by nobody: {e}", self.key);
        }
        in_hand().remove(&self.store.held_name(&self.key));
    }
}

impl GroveStore {
    /// Claims an action that must happen once: `true` for the first caller ever.
    pub fn claim_action(&self, key: &str, detail: &str) -> Result<bool, DbError> {
        let changed = self.db().write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO actions (key, detail, done_at) VALUES (?1, ?2, ?3)",
                params![key, detail, clock::now().iso()],
            )
        })?;
        Ok(changed == 1)
    }

    /// Gives a claimed action back after it failed, so that it is tried again.
    pub fn release_action(&self, key: &str) -> Result<(), DbError> {
        self.db().write(|tx| {
            tx.execute("DELETE FROM actions WHERE key = ?1", [key])
                .map(|_| ())
        })
    }

    fn held_name(&self, key: &str) -> (PathBuf, String) {
        (self.db().path().to_owned(), key.to_owned())
    }

    /// Whether who holds an action does it no more: it is gone, or it is this process, which has failed
    /// and could not even store that. An action that nobody holds is done.
    fn is_abandoned(&self, key: &str, detail: Option<&str>) -> bool {
        holder(detail).is_some_and(|id| {
            is_gone(detail)
                || (id == liveness::own_identity() && !in_hand().contains(&self.held_name(key)))
        })
    }

    /// Takes an action that must be carried through: the first caller gets it, and the first one after
    /// whoever held it was killed or has failed. `None` when it is done or somebody is at it.
    pub fn hold_action(&self, key: &str) -> Result<Option<Hold<'_>>, DbError> {
        // Other threads of this process are kept away before the store is asked.
        if !in_hand().insert(self.held_name(key)) {
            return Ok(None);
        }
        match self.take_action(key) {
            Ok(true) => Ok(Some(Hold {
                store: self,
                key: key.to_owned(),
                finished: false,
            })),
            other => {
                in_hand().remove(&self.held_name(key));
                other.map(|_| None)
            }
        }
    }

    /// Writes this process down as the holder of an action, if it is free.
    fn take_action(&self, key: &str) -> Result<bool, DbError> {
        let own = liveness::own_identity();
        let is_free = |detail: &str| {
            holder(Some(detail)).is_some_and(|id| id == own || is_gone(Some(detail)))
        };
        self.db().write(|tx| {
            let found: Option<Option<String>> = tx
                .prepare_cached("SELECT detail FROM actions WHERE key = ?1")?
                .query_row([key], |r| optional_text(r, 0))
                .optional()?;
            if found.is_some_and(|detail| !detail.is_some_and(|detail| is_free(&detail))) {
                return Ok(false);
            }
            tx.prepare_cached(
                "INSERT OR REPLACE INTO actions (key, detail, done_at) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![key, held_by(own), clock::now().iso()])?;
            Ok(true)
        })
    }

    /// Keys of all actions that were done, or that a living process is doing.
    pub fn settled_actions(&self) -> Result<Vec<String>, DbError> {
        let rows: Vec<(String, Option<String>)> = self.db().read(|c| {
            c.prepare_cached("SELECT key, detail FROM actions")?
                .query_map([], |r| Ok((text(r, 0)?, r.get(1)?)))?
                .collect()
        })?;
        let settled = rows
            .into_iter()
            .filter(|(key, detail)| !self.is_abandoned(key, detail.as_deref()));
        Ok(settled.map(|(key, _)| key).collect())
    }

    /// Keys of executed actions with a prefix.
    pub fn action_keys(&self, prefix: &str) -> Result<Vec<String>, DbError> {
        self.db().read(|c| {
            c.prepare_cached("SELECT key FROM actions WHERE substr(key, 1, ?2) = ?1")?
                .query_map(params![prefix, prefix.chars().count() as i64], |r| {
                    text(r, 0)
                })?
                .collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No process has this pid.
    const GONE: ProcessId = ProcessId {
        pid: i32::MAX,
        start: 1,
    };

    fn store() -> (tempfile::TempDir, GroveStore) {
        let dir = tempfile::tempdir().unwrap();
        let store = GroveStore::open(&dir.path().join("grove.db")).unwrap();
        (dir, store)
    }

    #[test]
    fn an_action_whose_process_was_killed_in_the_middle_is_done_by_the_next() {
        let (_dir, store) = store();
        assert!(store.claim_action("died:s", &held_by(GONE)).unwrap());
        assert_eq!(store.settled_actions().unwrap(), [""; 0]);
        let hold = store.hold_action("died:s").unwrap().unwrap();
        assert_eq!(store.settled_actions().unwrap(), ["died:s"]);
        hold.finish().unwrap();
        assert_eq!(store.settled_actions().unwrap(), ["died:s"]);
        assert!(store.hold_action("died:s").unwrap().is_none());
    }

    #[test]
    fn an_action_that_a_living_process_does_is_nobody_elses() {
        let (_dir, store) = store();
        let other = GroveStore::open(store.db().path()).unwrap();
        let hold = store.hold_action("died:s").unwrap().unwrap();
        assert!(other.hold_action("died:s").unwrap().is_none());
        assert_eq!(other.settled_actions().unwrap(), ["died:s"]);
        // It has failed, so that it is free again.
        drop(hold);
        assert_eq!(other.settled_actions().unwrap(), [""; 0]);
        assert!(other.hold_action("died:s").unwrap().is_some());
    }

    #[test]
    fn an_action_that_could_not_be_given_back_is_done_by_the_same_process_later() {
        let (_dir, store) = store();
        let own = held_by(liveness::own_identity());
        assert!(store.claim_action("died:s", &own).unwrap());
        assert_eq!(store.settled_actions().unwrap(), [""; 0]);
        assert!(store.hold_action("died:s").unwrap().is_some());
    }

    #[test]
    fn a_claimed_action_is_never_taken_over() {
        let (_dir, store) = store();
        assert!(store.claim_action("report:m", "ann").unwrap());
        assert!(store.hold_action("report:m").unwrap().is_none());
        assert_eq!(store.settled_actions().unwrap(), ["report:m"]);
    }
}
