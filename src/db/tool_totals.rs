//! How often an agent has used each tool, and for how long.
//!
//! With an index of ours the answer lies ready. In a file that only the other program has written, every
//! row of the agent has to be fetched, which is divided among several readers when there are many.

use super::cells::{Exact, number, optional_float, optional_number, text};
use super::connection::DbError;
use super::events::EventStore;
use super::reading::reader;
use rusqlite::{Connection, OptionalExtension, ToSql, params_from_iter};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

/// Holds all that `tool_stats` asks for. An index of ours on a table of ov's, which SQLite keeps up to
/// date whoever writes. Building it over many rows takes seconds, so it is made while there are few.
const TOTALS: &str = "
CREATE INDEX IF NOT EXISTS grove_events_tools ON events(agent_name, tool_name, tool_duration_ms)
WHERE event_type = 'tool_start'";

const FEW: i64 = 250_000;

/// Kept in memory while the rows of an agent are visited: the upper levels of the tree, and little else.
const FEW_PAGES: i64 = 100;

/// Ids between an agent's first and last event from which on starting readers costs less than it saves.
const WIDE: i64 = 20_000;

/// More readers than this only wait for each other's pages.
const MOST_READERS: usize = 4;

/// Use of one tool: how often and how long.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolStats {
    pub tool_name: String,
    pub count: i64,
    pub avg_duration_ms: f64,
    pub max_duration_ms: i64,
}

/// What one reader has found out about one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sum {
    count: i64,
    timed: i64,
    total_ms: f64,
    max_ms: Option<i64>,
}

/// From this time on, up to but without that time; an open end has none.
type Part = (Option<Exact>, Option<Exact>);

impl EventStore {
    /// Makes the index that `tool_stats` reads from, also in a large file, where that takes a second.
    /// For moments when nobody waits for milliseconds.
    pub fn index_totals(&self) -> Result<(), DbError> {
        self.db().write(|tx| tx.execute_batch(TOTALS))
    }

    /// Use per tool, most used first; of equal use the later name first, as ov's plan has it.
    pub fn tool_stats(&self, agent: &str) -> Result<Vec<ToolStats>, DbError> {
        let readers = thread::available_parallelism().map_or(1, usize::from);
        self.tool_stats_with(agent, readers.min(MOST_READERS), WIDE)
    }

    /// As `tool_stats`, with so many readers where the agent's events span at least `wide` ids.
    pub(super) fn tool_stats_with(
        &self,
        agent: &str,
        readers: usize,
        wide: i64,
    ) -> Result<Vec<ToolStats>, DbError> {
        let path = self.db().path();
        self.db().read(|c| {
            if let Some(stats) = from_our_index(c, agent)? {
                return Ok(stats);
            }
            // A copy in memory has no file that others could read.
            let on_disk = c.path().is_some_and(|path| !path.is_empty());
            let parts = if on_disk && readers > 1 {
                parts(c, agent, readers, wide)?
            } else {
                Vec::new()
            };
            if parts.len() > 1
                && let Some(stats) = side_by_side(path, agent, &parts)
            {
                return Ok(stats);
            }
            alone(c, agent)
        })
    }
}

/// Makes the index where that takes no time worth speaking of.
pub(super) fn index_if_few(conn: &Connection) -> rusqlite::Result<()> {
    let last: Option<i64> = conn.query_row("SELECT MAX(id) FROM events", [], |r| r.get(0))?;
    if last.unwrap_or(0) < FEW {
        conn.execute_batch(TOTALS)?;
    }
    Ok(())
}

/// The answer from the index that holds it; `None` where that index is not.
fn from_our_index(c: &Connection, agent: &str) -> rusqlite::Result<Option<Vec<ToolStats>>> {
    let sql = whole("INDEXED BY grove_events_tools", "event_type");
    // Naming an index that is not there is an error.
    let Ok(mut statement) = c.prepare(&sql) else {
        return Ok(None);
    };
    read_stats(&mut statement, agent).map(Some)
}

/// The answer from the rows of the agent, one after the other. The index to find them by is named,
/// because others look better to SQLite and are not.
fn alone(c: &Connection, agent: &str) -> rusqlite::Result<Vec<ToolStats>> {
    // Pages are met once and in order, so keeping them only costs fresh memory.
    c.pragma_update(None, "cache_size", FEW_PAGES)?;
    let mut statement = c
        .prepare(&whole("INDEXED BY idx_events_agent_time", "+event_type"))
        .or_else(|_| c.prepare(&whole("", "event_type")))?;
    read_stats(&mut statement, agent)
}

fn whole(index: &str, event_type: &str) -> String {
    format!(
        "SELECT tool_name, COUNT(*) AS count, COALESCE(AVG(tool_duration_ms), 0), COALESCE(MAX(tool_duration_ms), 0)
         FROM events {index} WHERE agent_name = ?1 AND +tool_name IS NOT NULL AND {event_type} = 'tool_start'
         GROUP BY tool_name ORDER BY count DESC, tool_name DESC"
    )
}

fn read_stats(
    statement: &mut rusqlite::Statement<'_>,
    agent: &str,
) -> rusqlite::Result<Vec<ToolStats>> {
    statement
        .query_map([agent], |r| {
            Ok(ToolStats {
                tool_name: text(r, 0)?,
                count: r.get(1)?,
                avg_duration_ms: optional_float(r, 2)?.unwrap_or(0.0),
                max_duration_ms: number(r, 3)?,
            })
        })?
        .collect()
}

/// Divides an agent's events by time into stretches of about as many ids; one or none when they are few
/// or the index to read them by is missing.
fn parts(c: &Connection, agent: &str, readers: usize, wide: i64) -> rusqlite::Result<Vec<Part>> {
    let end = |order: &str| {
        c.prepare(&format!(
            "SELECT id FROM events INDEXED BY idx_events_agent_time
             WHERE agent_name = ?1 ORDER BY created_at {order} LIMIT 1"
        ))
        .and_then(|mut found| found.query_row([agent], |r| r.get::<_, i64>(0)).optional())
    };
    let (Ok(Some(first)), Ok(Some(last))) = (end("ASC"), end("DESC")) else {
        return Ok(Vec::new());
    };
    let span = last.saturating_sub(first);
    if span < wide {
        return Ok(Vec::new());
    }
    let mut at = c.prepare("SELECT created_at FROM events WHERE id >= ?1 ORDER BY id LIMIT 1")?;
    let mut bounds = Vec::new();
    let steps = i64::try_from(readers).unwrap_or(1);
    for step in 1..steps {
        let id = first.saturating_add(span / steps * step);
        bounds.push(at.query_row([id], |r| Exact::of(r, 0))?);
    }
    // Clocks that were set back make later rows earlier ones.
    bounds.sort();
    bounds.dedup();
    let starts = std::iter::once(None).chain(bounds.iter().cloned().map(Some));
    let ends = bounds
        .iter()
        .cloned()
        .map(Some)
        .chain(std::iter::once(None));
    Ok(starts.zip(ends).collect())
}

/// Sums up the parts at the same time, each through a connection of its own; `None` when a reader
/// fails, as one alone may still succeed.
fn side_by_side(path: &Path, agent: &str, parts: &[Part]) -> Option<Vec<ToolStats>> {
    let found: Vec<_> = thread::scope(|scope| {
        let readers: Vec<_> = parts
            .iter()
            .map(|part| scope.spawn(|| reader(path).and_then(|c| sums(&c, agent, part))))
            .collect();
        readers
            .into_iter()
            .map(|reader| reader.join().ok()?.ok())
            .collect::<Option<Vec<_>>>()
    })?;
    Some(together(found))
}

fn sums(c: &Connection, agent: &str, part: &Part) -> rusqlite::Result<Vec<(String, Sum)>> {
    c.pragma_update(None, "cache_size", FEW_PAGES)?;
    let mut sql = "SELECT tool_name, COUNT(*), COUNT(tool_duration_ms), TOTAL(tool_duration_ms), MAX(tool_duration_ms)
         FROM events INDEXED BY idx_events_agent_time
         WHERE agent_name = ? AND +tool_name IS NOT NULL AND +event_type = 'tool_start'"
        .to_owned();
    let mut values: Vec<&dyn ToSql> = vec![&agent];
    if let (Some(start), _) = part {
        sql.push_str(" AND created_at >= ?");
        values.push(start);
    }
    if let (_, Some(end)) = part {
        sql.push_str(" AND created_at < ?");
        values.push(end);
    }
    sql.push_str(" GROUP BY tool_name");
    c.prepare(&sql)?
        .query_map(params_from_iter(values), |r| {
            let sum = Sum {
                count: r.get(1)?,
                timed: r.get(2)?,
                total_ms: r.get(3)?,
                max_ms: optional_number(r, 4)?,
            };
            Ok((text(r, 0)?, sum))
        })?
        .collect()
}

/// Adds up what the readers have found, in the order of `tool_stats`.
fn together(found: Vec<Vec<(String, Sum)>>) -> Vec<ToolStats> {
    let mut tools: BTreeMap<String, Sum> = BTreeMap::new();
    for (name, part) in found.into_iter().flatten() {
        let sum = tools.entry(name).or_default();
        sum.count += part.count;
        sum.timed += part.timed;
        sum.total_ms += part.total_ms;
        sum.max_ms = sum.max_ms.max(part.max_ms);
    }
    let mut stats: Vec<ToolStats> = tools
        .into_iter()
        .map(|(tool_name, sum)| ToolStats {
            tool_name,
            count: sum.count,
            avg_duration_ms: if sum.timed > 0 {
                sum.total_ms / sum.timed as f64
            } else {
                0.0
            },
            max_duration_ms: sum.max_ms.unwrap_or(0),
        })
        .collect();
    stats.sort_by(|a, b| (Reverse(a.count), &b.tool_name).cmp(&(Reverse(b.count), &a.tool_name)));
    stats
}
