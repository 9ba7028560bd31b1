//! What was done, in `grove.db`: each action has a key that is stored when it is done, or while a
//! process does it.
//!
//! Most actions are claimed and never looked at again: better left out than done twice. One that
//! must not be lost is held by its process; when that is killed, the next one takes it over.

use super::GroveStore;
use super::cells::text;
use super::connection::DbError;
use crate::platform::clock;
use crate::platform::liveness::{self, Liveness};
use crate::types::host::ProcessId;
use rusqlite::{OptionalExtension, params};

/// Begins the detail of an action that a process is doing.
const HELD: &str = "held by ";

fn held_by(id: ProcessId) -> String {
    format!("{HELD}{} {}", id.pid, id.start)
}

/// Whether the process that holds an action is gone; an action that nobody holds is done.
fn is_abandoned(detail: Option<&str>) -> bool {
    let holder = detail.and_then(|detail| {
        let (pid, start) = detail.strip_prefix(HELD)?.split_once(' ')?;
        Some(ProcessId {
            pid: pid.parse().ok()?,
            start: start.parse().ok()?,
        })
    });
    holder.is_some_and(|id| liveness::check(id) == Liveness::Dead)
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

    /// Claims an action that must be carried through: `true` for the first caller, and for the
    /// first one after the process that held it was killed. Ends with `finish_action`.
    pub fn hold_action(&self, key: &str, holder: ProcessId) -> Result<bool, DbError> {
        if self.claim_action(key, &held_by(holder))? {
            return Ok(true);
        }
        let found: Option<Option<String>> = self.db().read(|c| {
            c.prepare_cached("SELECT detail FROM actions WHERE key = ?1")?
                .query_row([key], |r| r.get(0))
                .optional()
        })?;
        let Some(Some(left)) = found.filter(|detail| is_abandoned(detail.as_deref())) else {
            return Ok(false);
        };
        // Of several that find it abandoned, one gets it.
        let changed = self.db().write(|tx| {
            tx.execute(
                "UPDATE actions SET detail = ?1 WHERE key = ?2 AND detail = ?3",
                params![held_by(holder), key, left],
            )
        })?;
        Ok(changed == 1)
    }

    /// Stores that a held action is done.
    pub fn finish_action(&self, key: &str) -> Result<(), DbError> {
        self.db().write(|tx| {
            tx.execute(
                "UPDATE actions SET detail = '', done_at = ?1 WHERE key = ?2",
                params![clock::now().iso(), key],
            )
            .map(|_| ())
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
            .filter(|(_, detail)| !is_abandoned(detail.as_deref()));
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
        assert!(store.hold_action("died:s", GONE).unwrap());
        assert_eq!(store.settled_actions().unwrap(), [""; 0]);
        let own = liveness::own_identity();
        assert!(store.hold_action("died:s", own).unwrap());
        assert_eq!(store.settled_actions().unwrap(), ["died:s"]);
        store.finish_action("died:s").unwrap();
        assert!(!store.hold_action("died:s", own).unwrap());
    }

    #[test]
    fn an_action_that_a_living_process_does_is_nobody_elses() {
        let (_dir, store) = store();
        let own = liveness::own_identity();
        assert!(store.hold_action("died:s", own).unwrap());
        assert!(!store.hold_action("died:s", own).unwrap());
        store.release_action("died:s").unwrap();
        assert!(store.hold_action("died:s", own).unwrap());
    }

    #[test]
    fn a_claimed_action_is_never_taken_over() {
        let (_dir, store) = store();
        assert!(store.claim_action("report:m", "ann").unwrap());
        assert!(
            !store
                .hold_action("report:m", liveness::own_identity())
                .unwrap()
        );
        assert_eq!(store.settled_actions().unwrap(), ["report:m"]);
    }
}
