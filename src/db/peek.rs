//! Looking into a store without leaving a trace: nothing is created, migrated, locked or waited
//! for. For shell completion, which must be quick, silent and harmless.

use super::cells::text;
use rusqlite::{Connection, OpenFlags, Row};
use std::path::Path;

/// More than anybody looks through.
const MOST: i64 = 500;

/// What is worth knowing about an agent when choosing one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentGlance {
    pub name: String,
    pub capability: String,
    pub state: String,
    pub task: String,
    pub branch: String,
}

/// Something with an id and a few words about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glance {
    pub id: String,
    pub about: String,
}

/// A store that is only looked at.
#[derive(Debug)]
pub struct Peek(Connection);

impl Peek {
    /// Opens a store that exists; `None` when it does not or cannot be read.
    pub fn open(path: &Path) -> Option<Self> {
        if !path.is_file() {
            return None;
        }
        let log = path.with_extension("db-wal");
        // Without a log the file is complete, and SQLite needs to put nothing beside it.
        let immutable = !std::fs::metadata(log).is_ok_and(|m| m.len() > 0);
        let escaped = path
            .to_str()?
            .replace('%', "%25")
            .replace('?', "%3f")
            .replace('#', "%23");
        let mode = if immutable { "immutable=1" } else { "mode=ro" };
        let uri = format!("file:{escaped}?{mode}");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        Connection::open_with_flags(uri, flags).ok().map(Self)
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.0
    }

    /// Agents, those that are at work first, then the newest first.
    pub fn agents(&self) -> Vec<AgentGlance> {
        self.rows(
            "SELECT agent_name, capability, state, task_id, branch_name FROM sessions
             ORDER BY state IN ('completed', 'zombie'), started_at DESC LIMIT ?1",
            |row| {
                Ok(AgentGlance {
                    name: text(row, 0)?,
                    capability: text(row, 1)?,
                    state: text(row, 2)?,
                    task: row.get(3)?,
                    branch: row.get(4)?,
                })
            },
        )
    }

    /// Runs, newest first.
    pub fn runs(&self) -> Vec<Glance> {
        self.rows(
            "SELECT id, status FROM runs ORDER BY started_at DESC LIMIT ?1",
            glance,
        )
    }

    /// Messages, newest first.
    pub fn mail(&self) -> Vec<Glance> {
        self.rows(
            "SELECT id, from_agent || ' → ' || to_agent || ': ' || subject FROM messages
             ORDER BY rowid DESC LIMIT ?1",
            glance,
        )
    }

    /// Branches in the merge queue that have not landed, oldest first.
    pub fn queued(&self) -> Vec<Glance> {
        self.rows(
            "SELECT branch_name, status FROM merge_queue WHERE status <> 'merged'
             ORDER BY id LIMIT ?1",
            glance,
        )
    }

    fn rows<T>(&self, sql: &str, row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
        let read = || {
            self.0
                .prepare(sql)?
                .query_map([MOST], row)?
                .collect::<rusqlite::Result<Vec<T>>>()
        };
        // A store that cannot be read has nothing to offer.
        read().unwrap_or_default()
    }
}

fn glance(row: &Row<'_>) -> rusqlite::Result<Glance> {
    Ok(Glance {
        id: text(row, 0)?,
        about: text(row, 1)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::MailStore;
    use crate::types::mail::{MailType, NewMail};

    #[test]
    fn looking_leaves_no_trace_and_sees_what_is_still_in_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("über 100%?#");
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("mail.db");
        assert!(Peek::open(&path).is_none());
        assert!(!path.exists());
        let store = MailStore::open(&path).unwrap();
        let mail = NewMail::new("a", "b", MailType::Status, "s", "x");
        let id = store.insert(&mail).unwrap().id;
        let seen = Peek::open(&path).unwrap().mail();
        assert_eq!(
            (seen[0].id.as_str(), seen[0].about.as_str()),
            (id.as_str(), "a → b: s")
        );
        drop(store);
        let files = || -> Vec<_> {
            let mut names: Vec<_> = std::fs::read_dir(&folder)
                .unwrap()
                .map(|e| e.unwrap().file_name())
                .collect();
            names.sort();
            names
        };
        let before = (files(), std::fs::read(&path).unwrap());
        assert_eq!(Peek::open(&path).unwrap().mail().len(), 1);
        assert_eq!((files(), std::fs::read(&path).unwrap()), before);
    }

    #[test]
    fn what_is_no_store_offers_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sessions.db");
        std::fs::write(&path, "no database at all, whatever it is called").unwrap();
        let agents = Peek::open(&path).map(|p| p.agents()).unwrap_or_default();
        assert!(agents.is_empty());
    }
}
