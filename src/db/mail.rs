//! `mail.db`: messages between agents.

use super::cells::{Exact, optional_text, text};
use super::connection::{Db, DbError};
pub(super) use super::mail_shape::COLUMNS;
use super::mail_shape::SHAPE;
pub use super::mail_view::MailView;
pub(super) use super::mail_view::message;
use super::mail_view::{CREATED_AT, view};
use super::openers::openers;
use crate::logging::{storable, storable_json};
use crate::platform::{clock, random};
use crate::types::mail::{MailMessage, MailType, NewMail};
use rusqlite::{OptionalExtension, ToSql, Transaction, params, params_from_iter};
use std::collections::HashSet;

/// Only 1 counts as read. In two ranges, which `idx_inbox` finds without a look at what was read.
const UNREAD: &str = "(read < 1 OR read > 1)";

/// Which messages to list; `None` and `false` mean no restriction.
#[derive(Debug, Clone, Default)]
pub struct MailFilter {
    pub from: Option<String>,
    pub to: Option<String>,
    pub unread: bool,
    pub kind: Option<MailType>,
    pub limit: Option<i64>,
}

impl MailFilter {
    /// The restrictions as an SQL condition, or nothing, and the texts for its places.
    fn sql(&self) -> (String, Vec<&str>) {
        let texts = [
            ("from_agent = ?", self.from.as_deref()),
            ("to_agent = ?", self.to.as_deref()),
            ("type = ?", self.kind.map(MailType::as_str)),
        ];
        let unread = self.unread.then_some(UNREAD);
        let named = texts
            .iter()
            .filter_map(|(clause, value)| value.is_some().then_some(*clause));
        let clauses: Vec<&str> = named.chain(unread).collect();
        let condition = match clauses.as_slice() {
            [] => String::new(),
            clauses => format!(" WHERE {}", clauses.join(" AND ")),
        };
        (
            condition,
            texts.into_iter().filter_map(|(_, value)| value).collect(),
        )
    }
}

/// Which messages to delete; both restrictions together when both are given.
#[derive(Debug, Clone, Default)]
pub struct PurgeFilter {
    pub agent: Option<String>,
    /// Only messages created before this ISO time.
    pub before: Option<String>,
}

#[derive(Debug)]
pub struct MailStore {
    db: Db,
}

openers!(MailStore, SHAPE);

impl MailStore {
    /// Stores a message under a new id, without secrets, and returns it as stored.
    pub fn insert(&self, mail: &NewMail) -> Result<MailMessage, DbError> {
        self.insert_in_life(mail, "")
    }

    /// As `insert`, by a sender whose life began at that ISO time: its mail is told by its time from that of an earlier
    /// life of the same name, also when the clock was set back meanwhile.
    pub fn insert_in_life(&self, mail: &NewMail, began: &str) -> Result<MailMessage, DbError> {
        let message = new_message(mail, began);
        self.db.write(|tx| store(tx, &message))?;
        Ok(message)
    }

    /// As `insert`, unless there is a message of this sender and type since that time, whoever has
    /// written it: in one step, so that of several only the first one's is stored.
    pub fn insert_once(&self, mail: &NewMail, since: &str) -> Result<Option<MailMessage>, DbError> {
        self.insert_unless(mail, since, false)
    }

    /// The same, unless there is one with this subject as well.
    pub fn insert_once_about(
        &self,
        mail: &NewMail,
        since: &str,
    ) -> Result<Option<MailMessage>, DbError> {
        self.insert_unless(mail, since, true)
    }

    fn insert_unless(
        &self,
        mail: &NewMail,
        since: &str,
        by_subject: bool,
    ) -> Result<Option<MailMessage>, DbError> {
        let message = new_message(mail, since);
        let subject = by_subject.then_some(&message.subject);
        let stored = self.db.write(|tx| {
            let known = tx
                .prepare_cached(
                    "SELECT 1 FROM messages WHERE from_agent = ?1 AND type = ?2 AND created_at >= ?3 AND (?4 IS NULL OR subject = ?4)",
                )?
                .exists(params![message.from, message.kind.as_str(), since, subject])?;
            if !known {
                store(tx, &message)?;
            }
            Ok(!known)
        })?;
        Ok(stored.then_some(message))
    }

    /// Unread messages to an agent, oldest first. They stay unread.
    pub fn unread(&self, agent: &str) -> Result<Vec<MailMessage>, DbError> {
        self.db.read(|c| {
            c.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM messages WHERE to_agent = ?1 AND {UNREAD} ORDER BY created_at ASC"
            ))?
            .query_map([agent], message)?
            .collect()
        })
    }

    /// The ids of unread messages to an agent, in no order.
    pub fn unread_ids(&self, agent: &str) -> Result<HashSet<String>, DbError> {
        self.db.read(|c| {
            c.prepare_cached(&format!(
                "SELECT id FROM messages WHERE to_agent = ?1 AND {UNREAD}"
            ))?
            .query_map([agent], |row| text(row, 0))?
            .collect()
        })
    }

    pub fn unread_count(&self, agent: &str) -> Result<i64, DbError> {
        self.db.read(|c| {
            c.prepare_cached(&format!(
                "SELECT COUNT(*) FROM messages WHERE to_agent = ?1 AND {UNREAD}"
            ))?
            .query_row([agent], |r| r.get(0))
        })
    }

    /// Newest first. Only the messages' places are sorted, so that a limit bounds what is read.
    pub fn list(&self, filter: &MailFilter) -> Result<Vec<MailMessage>, DbError> {
        let (restrictions, values) = filter.sql();
        let limit = filter.limit.unwrap_or(-1);
        // The limit also keeps SQLite from taking the two parts for one and sorting whole messages.
        let sql = format!(
            "SELECT {COLUMNS} FROM
             (SELECT rowid AS place FROM messages{restrictions} ORDER BY created_at DESC LIMIT {limit}) AS sorted
             CROSS JOIN messages AS m WHERE m.rowid = sorted.place"
        );
        self.db.read(|c| {
            c.prepare(&sql)?
                .query_map(params_from_iter(values), message)?
                .collect()
        })
    }

    /// Hands over the messages as they lie in the store, without regard to the limit, each with the
    /// time that `list` sorts by: who sorts what it makes of them saves SQLite from finding each
    /// message twice.
    pub(crate) fn scan(
        &self,
        filter: &MailFilter,
        mut take: impl FnMut(Exact, &MailView<'_>),
    ) -> Result<(), DbError> {
        let (restrictions, values) = filter.sql();
        self.db.read(|c| {
            let mut statement =
                c.prepare(&format!("SELECT {COLUMNS} FROM messages{restrictions}"))?;
            let mut rows = statement.query(params_from_iter(values))?;
            while let Some(row) = rows.next()? {
                take(Exact::of(row, CREATED_AT)?, &view(row)?);
            }
            Ok(())
        })
    }

    pub fn get(&self, id: &str) -> Result<Option<MailMessage>, DbError> {
        self.db.read(|c| {
            c.query_row(
                &format!("SELECT {COLUMNS} FROM messages WHERE id = ?1"),
                [id],
                message,
            )
            .optional()
        })
    }

    /// All messages of a thread but its first, oldest first.
    pub fn thread(&self, thread_id: &str) -> Result<Vec<MailMessage>, DbError> {
        self.db.read(|c| {
            c.prepare(&format!(
                "SELECT {COLUMNS} FROM messages WHERE thread_id = ?1 ORDER BY created_at ASC"
            ))?
            .query_map([thread_id], message)?
            .collect()
        })
    }

    /// Marks messages as read; returns how many were unread before.
    pub fn mark_read<S: AsRef<str>>(&self, ids: &[S]) -> Result<usize, DbError> {
        if ids.is_empty() {
            return Ok(0);
        }
        self.db.write(|tx| {
            let mut statement = tx.prepare_cached(&format!(
                "UPDATE messages SET read = 1 WHERE id = ?1 AND {UNREAD}"
            ))?;
            ids.iter()
                .try_fold(0, |n, id| Ok(n + statement.execute([id.as_ref()])?))
        })
    }

    pub fn set_unread(&self, id: &str) -> Result<(), DbError> {
        self.db.write(|tx| {
            tx.execute("UPDATE messages SET read = 0 WHERE id = ?1", [id])
                .map(|_| ())
        })
    }

    /// Deletes what the filter names and returns how many messages went.
    pub fn purge(&self, filter: &PurgeFilter) -> Result<usize, DbError> {
        let mut sql = "DELETE FROM messages WHERE 1 = 1".to_owned();
        let mut values: Vec<&dyn ToSql> = Vec::new();
        if let Some(agent) = &filter.agent {
            sql.push_str(" AND (from_agent = ? OR to_agent = ?)");
            values.push(agent);
            values.push(agent);
        }
        if let Some(before) = &filter.before {
            sql.push_str(" AND created_at < ?");
            values.push(before);
        }
        self.db
            .write(|tx| tx.execute(&sql, params_from_iter(values)))
    }

    /// Deletes unread dispatch mail to an agent that never started.
    pub fn purge_unread_dispatch(&self, agent: &str) -> Result<usize, DbError> {
        self.db.write(|tx| {
            tx.execute(
                &format!(
                    "DELETE FROM messages WHERE to_agent = ?1 AND type = 'dispatch' AND {UNREAD}"
                ),
                [agent],
            )
        })
    }

    /// The newest created message times sent and received by an agent.
    pub fn last_times(&self, agent: &str) -> Result<(Option<String>, Option<String>), DbError> {
        self.db.read(|c| {
            let newest = |column: &str| {
                c.query_row(
                    &format!("SELECT MAX(created_at) FROM messages WHERE {column} = ?1"),
                    [agent],
                    |r| optional_text(r, 0),
                )
            };
            Ok((newest("from_agent")?, newest("to_agent")?))
        })
    }
}

/// The message that is stored; it is not older than `began`.
fn new_message(mail: &NewMail, began: &str) -> MailMessage {
    let payload = mail.payload.as_deref();
    let thread = mail.thread_id.as_deref();
    MailMessage {
        id: format!("msg-{}", random::alphanumeric(12)),
        from: mail.from.clone(),
        to: mail.to.clone(),
        subject: storable(&mail.subject).into_owned(),
        body: storable(&mail.body).into_owned(),
        kind: mail.kind,
        unknown_kind: None,
        priority: mail.priority,
        unknown_priority: None,
        thread_id: thread.map(|t| storable(t).into_owned()),
        payload: payload.map(|p| storable_json(p).into_owned()),
        read: false,
        created_at: clock::now().iso().max(began.to_owned()),
    }
}

fn store(tx: &Transaction<'_>, message: &MailMessage) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO messages (id, from_agent, to_agent, subject, body, type, priority, thread_id, payload, read, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, ?10)",
    )?
    .execute(params![
        message.id,
        message.from,
        message.to,
        message.subject,
        message.body,
        message.kind.as_str(),
        message.priority.as_str(),
        message.thread_id,
        message.payload,
        message.created_at
    ])
    .map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::mail::MailPriority;
    use rusqlite::Connection;

    fn store() -> (tempfile::TempDir, MailStore) {
        let dir = tempfile::tempdir().unwrap();
        let store = MailStore::open(&dir.path().join("mail.db")).unwrap();
        (dir, store)
    }

    #[test]
    fn reading_unread_mail_does_not_mark_it() {
        let (_dir, store) = store();
        let mail = NewMail::new("a", "b", MailType::Status, "s", "body");
        let id = store.insert(&mail).unwrap().id;
        assert_eq!(store.unread("b").unwrap().len(), 1);
        assert_eq!(store.unread("b").unwrap().len(), 1);
        assert_eq!(store.mark_read(&[&id]).unwrap(), 1);
        assert_eq!(store.mark_read(&[&id]).unwrap(), 0);
        assert!(store.unread("b").unwrap().is_empty());
    }

    #[test]
    fn a_message_that_somebody_has_written_since_is_not_written_again() {
        let (_dir, store) = store();
        let mail = NewMail::new("a", "b", MailType::WorkerDied, "s", "body");
        let first = store.insert_once(&mail, "2026-01-01").unwrap().unwrap();
        assert_eq!(store.insert_once(&mail, "2026-01-01").unwrap(), None);
        let later = format!("{}Z", first.created_at);
        assert!(store.insert_once(&mail, &later).unwrap().is_some());
        assert_eq!(store.unread("b").unwrap().len(), 2);
    }

    #[test]
    fn an_old_table_is_rebuilt_without_losing_a_row() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mail.db");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(
            "CREATE TABLE messages (id TEXT PRIMARY KEY, from_agent TEXT, to_agent TEXT, subject TEXT,
             body TEXT, type TEXT, priority TEXT, thread_id TEXT, read INTEGER, created_at TEXT);
             INSERT INTO messages VALUES ('m1','a','b','s','x','gossip','asap',NULL,0,'2026-01-01T00:00:00.000Z');",
        )
        .unwrap();
        drop(old);
        let mail = MailStore::open(&path).unwrap().unread("b").unwrap();
        assert_eq!(mail[0].kind, MailType::Status);
        assert_eq!(mail[0].priority, MailPriority::Normal);
    }

    #[test]
    fn a_file_that_is_no_database_is_named_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mail.db");
        std::fs::write(&path, "this is not a database, it is a text of some length").unwrap();
        let error = MailStore::open(&path).unwrap_err();
        assert!(matches!(error, DbError::Corrupt { .. }), "{error}");
        assert!(
            std::fs::read_to_string(&path)
                .unwrap()
                .starts_with("this is not")
        );
    }
}
