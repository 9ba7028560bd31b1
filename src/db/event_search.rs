//! Finding events by time without reading the whole table.
//!
//! `created_at` alone has no index, and most indices do not hold what a question asks for, so ids are
//! found in the indices there are and only the rows that are shown are read. Order, also of equal
//! times, is that of the plain query: ascending by id, whichever way the times go.

use super::cells::Exact;
use super::connection::DbError;
use super::events::{COLUMNS, EventFilter, EventStore, event};
use crate::types::event::{Level, StoredEvent};
use rusqlite::{Connection, OptionalExtension, ToSql, params_from_iter};
use std::cmp::Reverse;

/// When and where: enough to sort by.
type Found = (Exact, i64);

/// A time range; text compared as text. It may begin at what a row holds, whatever that is.
#[derive(Clone, Copy)]
struct Span<'a> {
    since: Option<&'a dyn ToSql>,
    until: Option<&'a str>,
}

impl EventStore {
    /// Events of anybody, oldest first.
    pub(super) fn by_time(&self, filter: &EventFilter) -> Result<Vec<StoredEvent>, DbError> {
        let limit = limit(filter);
        self.db().read(|c| {
            let mut found = by_type(c, span(filter), limit, i64::MAX)?;
            found.sort_unstable();
            found.truncate(limit);
            rows(c, &found)
        })
    }

    /// Errors of one agent or one run, oldest first.
    pub(super) fn errors_of(
        &self,
        column: &'static str,
        value: &str,
        filter: &EventFilter,
    ) -> Result<Vec<StoredEvent>, DbError> {
        let mut sql = format!("SELECT created_at, id FROM events WHERE {column} = ?");
        let mut values: Vec<&dyn ToSql> = vec![&value];
        let span = span(filter);
        span.add(&mut sql, &mut values);
        // The plus keeps SQLite from starting with the errors and reading all of their rows.
        sql.push_str(
            " AND +id IN (SELECT id FROM events WHERE level = 'error')
             ORDER BY created_at ASC, id ASC LIMIT ?",
        );
        let limit = filter.limit.unwrap_or(-1);
        values.push(&limit);
        self.db().read(|c| {
            let found: Vec<Found> = c
                .prepare(&sql)?
                .query_map(params_from_iter(values), pair)?
                .collect::<Result<_, _>>()?;
            rows(c, &found)
        })
    }

    /// Errors of anybody, newest first.
    ///
    /// The errors with the highest ids are nearly always the newest. Whatever else can belong to them
    /// is as late as the earliest of these, which the index by type and time tells.
    pub(super) fn newest_errors(&self, filter: &EventFilter) -> Result<Vec<StoredEvent>, DbError> {
        let limit = limit(filter);
        let span = span(filter);
        self.db().read(|c| {
            let mut found = last_errors(c, span, limit)?;
            if found.len() == limit
                && let Some((earliest, _)) = found.iter().min()
                && let Some(first) = found.iter().map(|(_, id)| *id).min()
            {
                let late = Span {
                    since: Some(earliest),
                    until: span.until,
                };
                let late = by_type(c, late, usize::MAX, first)?;
                if !late.is_empty() {
                    let errors = errors_before(c, first)?;
                    let late = late.into_iter();
                    found.extend(late.filter(|(_, id)| errors.binary_search(id).is_ok()));
                }
            }
            found.sort_unstable_by(|a, b| (Reverse(&a.0), a.1).cmp(&(Reverse(&b.0), b.1)));
            found.truncate(limit);
            rows(c, &found)
        })
    }
}

impl<'a> Span<'a> {
    fn add<'v>(&'v self, sql: &mut String, values: &mut Vec<&'v dyn ToSql>)
    where
        'a: 'v,
    {
        if let Some(since) = &self.since {
            sql.push_str(" AND created_at >= ?");
            values.push(since);
        }
        if let Some(until) = &self.until {
            sql.push_str(" AND created_at <= ?");
            values.push(until);
        }
    }
}

fn span(filter: &EventFilter) -> Span<'_> {
    Span {
        since: filter.since.as_ref().map(|since| since as &dyn ToSql),
        until: filter.until.as_deref(),
    }
}

fn limit(filter: &EventFilter) -> usize {
    filter
        .limit
        .map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(0))
}

/// The oldest `limit` events of every type inside the span with ids below `before`, each type from
/// its own stretch of the index.
fn by_type(
    c: &Connection,
    span: Span<'_>,
    limit: usize,
    before: i64,
) -> rusqlite::Result<Vec<Found>> {
    let limit = i64::try_from(limit).unwrap_or(-1);
    let mut next = c.prepare(
        "SELECT event_type FROM events WHERE event_type > ?1 ORDER BY event_type LIMIT 1",
    )?;
    let mut kind: Option<Exact> = c
        .query_row(
            "SELECT event_type FROM events ORDER BY event_type LIMIT 1",
            [],
            |r| Exact::of(r, 0),
        )
        .optional()?;
    let mut found = Vec::new();
    while let Some(name) = kind {
        let mut sql = "SELECT created_at, id FROM events WHERE event_type = ?".to_owned();
        let mut values: Vec<&dyn ToSql> = vec![&name];
        span.add(&mut sql, &mut values);
        sql.push_str(" AND +id < ? ORDER BY created_at ASC, id ASC LIMIT ?");
        values.push(&before);
        values.push(&limit);
        let mut statement = c.prepare_cached(&sql)?;
        for row in statement.query_map(params_from_iter(values), pair)? {
            found.push(row?);
        }
        kind = next.query_row([&name], |r| Exact::of(r, 0)).optional()?;
    }
    Ok(found)
}

/// The errors with the highest ids inside the span.
fn last_errors(c: &Connection, span: Span<'_>, limit: usize) -> rusqlite::Result<Vec<Found>> {
    let limit = i64::try_from(limit).unwrap_or(-1);
    let mut sql = "SELECT created_at, id FROM events WHERE level = 'error'".to_owned();
    let mut values: Vec<&dyn ToSql> = Vec::new();
    span.add(&mut sql, &mut values);
    sql.push_str(" ORDER BY id DESC LIMIT ?");
    values.push(&limit);
    c.prepare(&sql)?
        .query_map(params_from_iter(values), pair)?
        .collect()
}

/// Ids of the errors before an id, ascending.
fn errors_before(c: &Connection, id: i64) -> rusqlite::Result<Vec<i64>> {
    c.prepare("SELECT id FROM events WHERE level = 'error' AND id < ?1 ORDER BY id")?
        .query_map([id], |r| r.get(0))?
        .collect()
}

fn rows(c: &Connection, found: &[Found]) -> rusqlite::Result<Vec<StoredEvent>> {
    let mut statement = c.prepare_cached(&format!("SELECT {COLUMNS} FROM events WHERE id = ?1"))?;
    found
        .iter()
        .map(|(_, id)| statement.query_row([id], event))
        .collect()
}

fn pair(row: &rusqlite::Row<'_>) -> rusqlite::Result<Found> {
    Ok((Exact::of(row, 0)?, row.get(1)?))
}

/// Which of the ways above answers a question, if one does.
pub(super) fn shortcut(filter: &EventFilter) -> Option<Way<'_>> {
    if filter.event_type.is_some() || filter.after_id.is_some() {
        return None;
    }
    match (&filter.agent, &filter.run, filter.level) {
        (None, None, None) if !filter.newest_first => Some(Way::ByTime),
        (None, None, Some(Level::Error)) if filter.newest_first => Some(Way::NewestErrors),
        (Some(agent), None, Some(Level::Error)) if !filter.newest_first => {
            Some(Way::ErrorsOf("agent_name", agent))
        }
        (None, Some(run), Some(Level::Error)) if !filter.newest_first => {
            Some(Way::ErrorsOf("run_id", run))
        }
        _ => None,
    }
}

/// A way to find events.
pub(super) enum Way<'a> {
    ByTime,
    NewestErrors,
    ErrorsOf(&'static str, &'a str),
}
