//! Reading long tables page by page. A page begins right after the last row of the page before,
//! so rows that come meanwhile neither repeat a row nor hide one.

use super::cells::{optional_text, text};
use super::connection::DbError;
use super::{EventStore, MailStore, SessionStore, events, mail, runs, sessions};
use crate::types::AgentSession;
use crate::types::event::StoredEvent;
use crate::types::mail::MailMessage;
use crate::types::run::Run;
use rusqlite::{OptionalExtension, Row, ToSql, params_from_iter};

/// Where a page ended: time and id of its last row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub at: String,
    pub id: String,
}

/// Which part of a list to read.
#[derive(Debug, Clone, Default)]
pub struct PageRequest {
    /// The last row of the page before.
    pub after: Option<Place>,
    pub limit: i64,
}

/// Which messages a page holds; `None` means no restriction.
#[derive(Debug, Clone, Default)]
pub struct MailPage {
    pub from: Option<String>,
    pub to: Option<String>,
    pub read: Option<bool>,
}

/// Which events a page holds; `None` means no restriction.
#[derive(Debug, Clone, Default)]
pub struct EventPage {
    pub agent: Option<String>,
    pub run: Option<String>,
    /// Earliest time, in the form the store writes: UTC without `Z`.
    pub since: Option<String>,
}

/// A query that grows by conditions.
struct Query<'a> {
    sql: String,
    values: Vec<&'a dyn ToSql>,
}

impl<'a> Query<'a> {
    fn new(select: &str) -> Self {
        Self {
            sql: format!("{select} WHERE 1 = 1"),
            values: Vec::new(),
        }
    }

    /// Adds a condition with one placeholder, if there is a value for it.
    fn and<T: ToSql>(mut self, condition: &str, value: Option<&'a T>) -> Self {
        if let Some(value) = value {
            self.sql.push_str(" AND ");
            self.sql.push_str(condition);
            self.values.push(value);
        }
        self
    }

    fn oldest_first(self, time: &str, place: Option<(&'a String, &'a dyn ToSql)>) -> Self {
        self.ordered(time, '>', "ASC", place)
    }

    fn newest_first(self, time: &str, place: Option<(&'a String, &'a dyn ToSql)>) -> Self {
        self.ordered(time, '<', "DESC", place)
    }

    fn ordered(
        mut self,
        time: &str,
        beyond: char,
        direction: &str,
        place: Option<(&'a String, &'a dyn ToSql)>,
    ) -> Self {
        if let Some((at, id)) = place {
            self.sql
                .push_str(&format!(" AND ({time}, id) {beyond} (?, ?)"));
            self.values.push(at);
            self.values.push(id);
        }
        self.sql
            .push_str(&format!(" ORDER BY {time} {direction}, id {direction}"));
        self
    }

    fn limit(mut self, limit: &'a i64) -> Self {
        self.sql.push_str(" LIMIT ?");
        self.values.push(limit);
        self
    }

    fn rows<T>(
        self,
        db: &super::connection::Db,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, DbError> {
        db.read(|c| {
            c.prepare_cached(&self.sql)?
                .query_map(params_from_iter(self.values), row)?
                .collect()
        })
    }
}

fn text_place(after: Option<&Place>) -> Option<(&String, &dyn ToSql)> {
    after.map(|p| (&p.at, &p.id as &dyn ToSql))
}

impl SessionStore {
    /// Newest runs first.
    pub fn runs_page(&self, page: &PageRequest) -> Result<Vec<Run>, DbError> {
        Query::new(runs::SELECT)
            .newest_first("started_at", text_place(page.after.as_ref()))
            .limit(&page.limit)
            .rows(&self.db, runs::run)
    }

    /// Oldest start first; of one run if it is given.
    pub fn sessions_page(
        &self,
        run: Option<&String>,
        page: &PageRequest,
    ) -> Result<Vec<AgentSession>, DbError> {
        Query::new(&format!("SELECT {} FROM sessions", sessions::COLUMNS))
            .and("run_id = ?", run)
            .oldest_first("started_at", text_place(page.after.as_ref()))
            .limit(&page.limit)
            .rows(&self.db, sessions::session)
    }
}

impl MailStore {
    /// Newest first.
    pub fn page(&self, filter: &MailPage, page: &PageRequest) -> Result<Vec<MailMessage>, DbError> {
        // Only 1 counts as read, whatever else is in the column.
        let read = filter.read.map(i64::from);
        Query::new(&format!("SELECT {} FROM messages", mail::COLUMNS))
            .and("from_agent = ?", filter.from.as_ref())
            .and("to_agent = ?", filter.to.as_ref())
            .and("(read = 1) = ?", read.as_ref())
            .newest_first("created_at", text_place(page.after.as_ref()))
            .limit(&page.limit)
            .rows(self.db(), mail::message)
    }

    /// Deletes one message; `false` when there is none with this id.
    pub fn delete(&self, id: &str) -> Result<bool, DbError> {
        self.db()
            .write(|tx| tx.execute("DELETE FROM messages WHERE id = ?1", [id]))
            .map(|deleted| deleted > 0)
    }

    /// The order in which a message came, if it is still there.
    pub fn arrival(&self, id: &str) -> Result<Option<i64>, DbError> {
        self.db().read(|c| {
            c.prepare_cached("SELECT rowid FROM messages WHERE id = ?1")?
                .query_row([id], |r| r.get(0))
                .optional()
        })
    }

    /// Ids of the messages that came last, newest first.
    pub fn last_ids(&self, limit: i64) -> Result<Vec<String>, DbError> {
        self.db().read(|c| {
            c.prepare_cached("SELECT id FROM messages ORDER BY rowid DESC LIMIT ?1")?
                .query_map([limit], |r| text(r, 0))?
                .collect()
        })
    }

    /// The latest time of a message.
    pub fn newest_time(&self) -> Result<Option<String>, DbError> {
        self.db().read(|c| {
            c.query_row("SELECT MAX(created_at) FROM messages", [], |r| {
                optional_text(r, 0)
            })
        })
    }

    /// Where in the order of arrival the last message before a time stands; 0 if there is none.
    pub fn arrival_before(&self, time: &str) -> Result<i64, DbError> {
        self.db().read(|c| {
            c.query_row(
                "SELECT COALESCE(MAX(rowid), 0) FROM messages WHERE created_at < ?1",
                [time],
                |r| r.get(0),
            )
        })
    }

    /// Messages that came after a place in the order of arrival, oldest first.
    pub fn arrived_after(&self, arrival: i64, limit: i64) -> Result<Vec<MailMessage>, DbError> {
        self.db().read(|c| {
            c.prepare_cached(&format!(
                "SELECT {} FROM messages WHERE rowid > ?1 ORDER BY rowid LIMIT ?2",
                mail::COLUMNS
            ))?
            .query_map([arrival, limit], mail::message)?
            .collect()
        })
    }
}

impl EventStore {
    /// Oldest first.
    pub fn page(
        &self,
        filter: &EventPage,
        page: &PageRequest,
    ) -> Result<Vec<StoredEvent>, DbError> {
        // Ids of events are numbers; a place without one is before every row of its time.
        let number = page.after.as_ref().map(|p| p.id.parse().unwrap_or(0i64));
        let place = page.after.as_ref().zip(number.as_ref());
        Query::new(&format!("SELECT {} FROM events", events::COLUMNS))
            .and("agent_name = ?", filter.agent.as_ref())
            .and("run_id = ?", filter.run.as_ref())
            .and("created_at >= ?", filter.since.as_ref())
            .oldest_first("created_at", place.map(|(p, n)| (&p.at, n as &dyn ToSql)))
            .limit(&page.limit)
            .rows(self.db(), events::event)
    }

    /// The greatest id so far.
    pub fn last_id(&self) -> Result<i64, DbError> {
        self.db()
            .read(|c| c.query_row("SELECT COALESCE(MAX(id), 0) FROM events", [], |r| r.get(0)))
    }

    /// Id and time of the event that was written last.
    pub fn last(&self) -> Result<Option<(i64, String)>, DbError> {
        self.db().read(|c| {
            c.prepare_cached("SELECT id, created_at FROM events ORDER BY id DESC LIMIT 1")?
                .query_row([], |r| Ok((r.get(0)?, text(r, 1)?)))
                .optional()
        })
    }

    /// The time of an event.
    pub fn time_of(&self, id: i64) -> Result<Option<String>, DbError> {
        self.db().read(|c| {
            c.prepare_cached("SELECT created_at FROM events WHERE id = ?1")?
                .query_row([id], |r| text(r, 0))
                .optional()
        })
    }

    /// The last id of an event before a time; 0 if there is none.
    pub fn last_before(&self, time: &str) -> Result<i64, DbError> {
        self.db().read(|c| {
            c.query_row(
                "SELECT COALESCE(MAX(id), 0) FROM events WHERE created_at < ?1",
                [time],
                |r| r.get(0),
            )
        })
    }

    /// Events with a greater id, in the order they were written.
    pub fn written_after(&self, id: i64, limit: i64) -> Result<Vec<StoredEvent>, DbError> {
        self.db().read(|c| {
            c.prepare_cached(&format!(
                "SELECT {} FROM events WHERE id > ?1 ORDER BY id LIMIT ?2",
                events::COLUMNS
            ))?
            .query_map([id, limit], events::event)?
            .collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::event::{EventType, NewEvent};
    use crate::types::mail::{MailType, NewMail};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Whatever the page size and whatever comes between two pages, every message that was
        /// there at the beginning is seen exactly once.
        #[test]
        fn mail_pages_show_every_row_once(
            times in proptest::collection::vec(0u8..6, 1..40),
            limit in 1i64..8,
            between in proptest::collection::vec(0usize..3, 0..40),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let store = MailStore::open(&dir.path().join("mail.db")).unwrap();
            let mut wanted: Vec<String> = times
                .iter()
                .map(|t| {
                    let id = store.insert(&NewMail::new("a", "b", MailType::Status, "s", "x")).unwrap().id;
                    let at = format!("2026-03-01T00:00:00.00{t}Z");
                    store.db().write(|tx| tx.execute("UPDATE messages SET created_at = ?1 WHERE id = ?2", [&at, &id])).unwrap();
                    id
                })
                .collect();
            let mut seen = Vec::new();
            let mut page = PageRequest { after: None, limit };
            let mut new_rows = between.into_iter();
            loop {
                let rows = store.page(&MailPage::default(), &page).unwrap();
                let Some(last) = rows.last() else { break };
                page.after = Some(Place { at: last.created_at.clone(), id: last.id.clone() });
                seen.extend(rows.into_iter().map(|m| m.id));
                for _ in 0..new_rows.next().unwrap_or(0) {
                    store.insert(&NewMail::new("a", "b", MailType::Status, "new", "x")).unwrap();
                }
            }
            wanted.sort();
            seen.sort();
            prop_assert_eq!(seen, wanted);
        }

        /// Events are read forwards: also those that come while reading are seen once.
        #[test]
        fn event_pages_show_every_row_once(count in 1usize..30, limit in 1i64..8) {
            let dir = tempfile::tempdir().unwrap();
            let store = EventStore::open(&dir.path().join("events.db")).unwrap();
            let mut inserted = 0;
            let mut insert = |n: usize| {
                inserted += n;
                let events = vec![NewEvent::new("a", EventType::Custom); n];
                store.insert_all(&events).unwrap();
            };
            insert(count);
            let mut seen = Vec::new();
            let mut page = PageRequest { after: None, limit };
            let mut left = 3;
            loop {
                let rows = store.page(&EventPage::default(), &page).unwrap();
                let Some(last) = rows.last() else { break };
                page.after = Some(Place { at: last.created_at.clone(), id: last.id.to_string() });
                seen.extend(rows.into_iter().map(|e| e.id));
                if left > 0 {
                    left -= 1;
                    insert(2);
                }
            }
            prop_assert_eq!(seen, (1..=inserted as i64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn arrival_survives_the_loss_of_rows() {
        let dir = tempfile::tempdir().unwrap();
        let store = MailStore::open(&dir.path().join("mail.db")).unwrap();
        let send = |s: &str| {
            store
                .insert(&NewMail::new("a", "b", MailType::Status, s, "x"))
                .unwrap()
                .id
        };
        let first = send("1");
        let second = send("2");
        assert!(store.delete(&second).unwrap());
        assert!(!store.delete(&second).unwrap());
        let third = send("3");
        let anchor = store.arrival(&first).unwrap().unwrap();
        let news = store.arrived_after(anchor, 10).unwrap();
        assert_eq!(news.iter().map(|m| &m.id).collect::<Vec<_>>(), [&third]);
        assert_eq!(store.last_ids(5).unwrap(), [third, first]);
    }
}
