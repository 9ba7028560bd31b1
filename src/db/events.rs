//! `events.db`: what every agent did.

use super::cells::{number, optional_number, optional_text, text};
use super::connection::{Db, DbError};
use super::event_search::{Way, shortcut};
use super::openers::openers;
use super::shape::Shape;
use super::tool_totals;
use crate::logging::{storable, storable_json};
use crate::types::Timestamp;
use crate::types::event::{Level, NewEvent, StoredEvent};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params, params_from_iter};

const CREATE: &str = "
CREATE TABLE IF NOT EXISTS events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT,
  agent_name TEXT NOT NULL,
  session_id TEXT,
  event_type TEXT NOT NULL,
  tool_name TEXT,
  tool_args TEXT,
  tool_duration_ms INTEGER,
  level TEXT NOT NULL DEFAULT 'info' CHECK(level IN ('debug','info','warn','error')),
  data TEXT,
  created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f','now'))
);
CREATE INDEX IF NOT EXISTS idx_events_agent_time ON events(agent_name, created_at);
CREATE INDEX IF NOT EXISTS idx_events_run_time ON events(run_id, created_at);
CREATE INDEX IF NOT EXISTS idx_events_type_time ON events(event_type, created_at);
CREATE INDEX IF NOT EXISTS idx_events_tool_agent ON events(tool_name, agent_name);
CREATE INDEX IF NOT EXISTS idx_events_level_error ON events(level) WHERE level = 'error';";

pub(super) const COLUMNS: &str = "id, run_id, agent_name, session_id, event_type, tool_name, tool_args, tool_duration_ms, level, data, created_at";

const SHAPE: Shape = Shape {
    tables: &[("events", COLUMNS)],
    indexes: &[
        "idx_events_agent_time",
        "idx_events_run_time",
        "idx_events_type_time",
        "idx_events_tool_agent",
        "idx_events_level_error",
    ],
    closed: true,
    outdated: |_| false,
    unknown: |_| None,
    migrate,
};

/// Which events to read; times are compared as text, as ov does.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    pub agent: Option<String>,
    pub run: Option<String>,
    pub event_type: Option<String>,
    pub level: Option<Level>,
    pub since: Option<String>,
    pub until: Option<String>,
    /// Only rows with a greater id.
    pub after_id: Option<i64>,
    pub limit: Option<i64>,
    pub newest_first: bool,
}

#[derive(Debug)]
pub struct EventStore {
    db: Db,
}

openers!(EventStore, SHAPE);

impl EventStore {
    pub fn insert(&self, event: &NewEvent) -> Result<i64, DbError> {
        self.insert_all(std::slice::from_ref(event))
    }

    /// Stores several events in one transaction; returns the id of the last.
    pub fn insert_all(&self, events: &[NewEvent]) -> Result<i64, DbError> {
        self.insert_each(events.iter().map(|event| (event, None)))
    }

    /// Stores events that could not be stored when they happened.
    pub fn insert_late(&self, events: &[(NewEvent, Timestamp)]) -> Result<i64, DbError> {
        self.insert_each(events.iter().map(|(event, at)| (event, Some(*at))))
    }

    fn insert_each<'a>(
        &self,
        events: impl Iterator<Item = (&'a NewEvent, Option<Timestamp>)>,
    ) -> Result<i64, DbError> {
        self.db.write(|tx| {
            let mut statement = tx.prepare_cached(
                "INSERT INTO events (run_id, agent_name, session_id, event_type, tool_name, tool_args, tool_duration_ms, level, data, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, COALESCE(?10, strftime('%Y-%m-%dT%H:%M:%f','now')))",
            )?;
            for (e, at) in events {
                // As the database itself writes the time.
                let at = at.map(|at| at.iso().trim_end_matches('Z').to_owned());
                // Tool calls and their results may hold anything; secrets are not stored.
                let session = e.session_id.as_deref().map(storable);
                let tool_name = e.tool_name.as_deref().map(storable);
                let tool_args = e.tool_args.as_deref().map(storable_json);
                let data = e.data.as_deref().map(storable_json);
                statement.execute(params![
                    e.run_id,
                    e.agent_name,
                    session.as_deref(),
                    e.event_type.as_str(),
                    tool_name.as_deref(),
                    tool_args.as_deref(),
                    e.tool_duration_ms,
                    e.level.as_str(),
                    data.as_deref(),
                    at
                ])?;
            }
            Ok(tx.last_insert_rowid())
        })
    }

    /// Gives the newest open `tool_start` of an agent and tool its duration: the time from its
    /// own row to now. Returns that duration, if there was one.
    pub fn close_tool(&self, agent: &str, tool: &str) -> Result<Option<i64>, DbError> {
        let tool = storable(tool);
        self.db.write(|tx| {
            let open: Option<i64> = tx
                .prepare_cached(
                    "SELECT id FROM events WHERE agent_name = ?1 AND tool_name = ?2
                     AND event_type = 'tool_start' AND tool_duration_ms IS NULL
                     ORDER BY created_at DESC LIMIT 1",
                )?
                .query_row([agent, &tool], |r| r.get(0))
                .optional()?;
            let Some(id) = open else { return Ok(None) };
            tx.prepare_cached(
                "UPDATE events SET tool_duration_ms =
                   CAST(ROUND((julianday('now') - julianday(created_at)) * 86400000) AS INTEGER)
                 WHERE id = ?1 RETURNING tool_duration_ms",
            )?
            .query_row([id], |r| number(r, 0))
            .map(Some)
        })
    }

    pub fn query(&self, filter: &EventFilter) -> Result<Vec<StoredEvent>, DbError> {
        match shortcut(filter) {
            Some(Way::ByTime) => self.by_time(filter),
            Some(Way::NewestErrors) => self.newest_errors(filter),
            Some(Way::ErrorsOf(column, value)) => self.errors_of(column, value, filter),
            None => self.query_plainly(filter),
        }
    }

    pub(super) fn query_plainly(&self, filter: &EventFilter) -> Result<Vec<StoredEvent>, DbError> {
        let mut sql = format!("SELECT {COLUMNS} FROM events WHERE 1 = 1");
        let mut values: Vec<&dyn ToSql> = Vec::new();
        let level = filter.level.map(Level::as_str);
        let mut add =
            |clause: &str, value: Option<&'_ dyn ToSql>| value.map(|_| sql.push_str(clause));
        add(
            " AND agent_name = ?",
            filter.agent.as_ref().map(|v| v as &dyn ToSql),
        );
        add(
            " AND run_id = ?",
            filter.run.as_ref().map(|v| v as &dyn ToSql),
        );
        add(
            " AND event_type = ?",
            filter.event_type.as_ref().map(|v| v as &dyn ToSql),
        );
        add(" AND level = ?", level.as_ref().map(|v| v as &dyn ToSql));
        add(
            " AND created_at >= ?",
            filter.since.as_ref().map(|v| v as &dyn ToSql),
        );
        add(
            " AND created_at <= ?",
            filter.until.as_ref().map(|v| v as &dyn ToSql),
        );
        add(
            " AND id > ?",
            filter.after_id.as_ref().map(|v| v as &dyn ToSql),
        );
        values.extend(filter.agent.as_ref().map(|v| v as &dyn ToSql));
        values.extend(filter.run.as_ref().map(|v| v as &dyn ToSql));
        values.extend(filter.event_type.as_ref().map(|v| v as &dyn ToSql));
        values.extend(level.as_ref().map(|v| v as &dyn ToSql));
        values.extend(filter.since.as_ref().map(|v| v as &dyn ToSql));
        values.extend(filter.until.as_ref().map(|v| v as &dyn ToSql));
        values.extend(filter.after_id.as_ref().map(|v| v as &dyn ToSql));
        sql.push_str(if filter.newest_first {
            " ORDER BY created_at DESC"
        } else {
            " ORDER BY created_at ASC"
        });
        if let Some(limit) = &filter.limit {
            sql.push_str(" LIMIT ?");
            values.push(limit);
        }
        self.db.read(|c| {
            c.prepare_cached(&sql)?
                .query_map(params_from_iter(values), event)?
                .collect()
        })
    }
}

fn migrate(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(CREATE)?;
    tool_totals::index_if_few(conn)
}

pub(super) fn event(row: &Row<'_>) -> rusqlite::Result<StoredEvent> {
    Ok(StoredEvent {
        id: row.get(0)?,
        run_id: optional_text(row, 1)?,
        agent_name: text(row, 2)?,
        session_id: optional_text(row, 3)?,
        event_type: text(row, 4)?,
        tool_name: optional_text(row, 5)?,
        tool_args: optional_text(row, 6)?,
        tool_duration_ms: optional_number(row, 7)?,
        level: Level::parse(&text(row, 8)?).unwrap_or(Level::Info),
        data: optional_text(row, 9)?,
        created_at: text(row, 10)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::event::EventType;

    #[test]
    fn closing_a_tool_sets_the_duration_of_its_newest_open_start() {
        let dir = tempfile::tempdir().unwrap();
        let store = EventStore::open(&dir.path().join("events.db")).unwrap();
        let start = NewEvent {
            tool_name: Some("Bash".into()),
            ..NewEvent::new("a", EventType::ToolStart)
        };
        store.insert(&start).unwrap();
        assert!(store.close_tool("a", "Bash").unwrap().is_some());
        assert!(store.close_tool("a", "Bash").unwrap().is_none());
        let rows = store
            .query(&EventFilter {
                agent: Some("a".into()),
                limit: Some(5),
                ..Default::default()
            })
            .unwrap();
        assert!(
            rows[0]
                .tool_duration_ms
                .is_some_and(|ms| (0..10_000).contains(&ms))
        );
        assert_eq!(store.tool_stats("a").unwrap()[0].count, 1);
    }
}
