//! The calls the guard has refused, as hosts store them among the events.
//!
//! A refusal is a `custom` event of level `warn` whose data names the rule and the reason.

use super::GroveStore;
use super::connection::DbError;
use super::events::{COLUMNS, EventStore, event};
use crate::platform::clock;
use crate::text::read_json;
use crate::types::event::StoredEvent;
use rusqlite::{params, params_from_iter};
use serde_json::Value;
use std::collections::HashMap;

/// Begins the keys under which it is stored how far a person has seen the refusals of an agent.
const SEEN: &str = "refusals-seen:";

/// Which refusals to read.
#[derive(Debug, Clone, Default)]
pub struct RefusalFilter {
    pub agent: Option<String>,
    pub rule: Option<String>,
    /// Compared as text with the stored time.
    pub since: Option<String>,
    /// At most so many are returned in full; all are counted.
    pub limit: usize,
}

/// One refused call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub id: i64,
    pub agent: String,
    pub rule: String,
    pub reason: String,
    pub tool: Option<String>,
    /// What was asked for: the command, the path, or the recorded arguments.
    pub call: Option<String>,
    pub at: String,
}

/// A refusal, as short as it can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefRefusal {
    pub id: i64,
    pub agent: String,
    pub rule: String,
    pub at: String,
}

/// What was refused: how often, by which rule, and the newest calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refusals {
    pub total: usize,
    /// Most frequent first.
    pub by_rule: Vec<(String, usize)>,
    /// Newest first.
    pub newest: Vec<Refused>,
}

impl EventStore {
    /// Reads refusals, newest first.
    pub fn refusals(&self, filter: &RefusalFilter) -> Result<Refusals, DbError> {
        let mut sql = format!(
            "SELECT {COLUMNS} FROM events WHERE event_type = 'custom' AND level = 'warn'
             AND data LIKE '%guard_refused%'"
        );
        let mut values: Vec<&str> = Vec::new();
        if let Some(agent) = &filter.agent {
            sql.push_str(" AND agent_name = ?");
            values.push(agent);
        }
        if let Some(since) = &filter.since {
            sql.push_str(" AND created_at >= ?");
            values.push(since);
        }
        sql.push_str(" ORDER BY id DESC");
        self.db().read(|c| {
            let mut found = Refusals::default();
            let mut statement = c.prepare(&sql)?;
            let mut rows = statement.query(params_from_iter(values.iter()))?;
            while let Some(row) = rows.next()? {
                let Some(refused) = refused(event(row)?) else {
                    continue;
                };
                if filter
                    .rule
                    .as_ref()
                    .is_some_and(|rule| *rule != refused.rule)
                {
                    continue;
                }
                found.total += 1;
                match found
                    .by_rule
                    .iter_mut()
                    .find(|(rule, _)| *rule == refused.rule)
                {
                    Some((_, count)) => *count += 1,
                    None => found.by_rule.push((refused.rule.clone(), 1)),
                }
                if found.newest.len() < filter.limit {
                    found.newest.push(refused);
                }
            }
            found
                .by_rule
                .sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            Ok(found)
        })
    }
}

impl EventStore {
    /// The refusals since a time, as stored: of each agent the newest, at most so many.
    pub fn newest_refusals(&self, since: &str, most: usize) -> Result<Vec<BriefRefusal>, DbError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.db().read(|c| {
            // Whoever is refused all the time hides nobody else.
            c.prepare_cached(
                "SELECT id, agent_name, rule, created_at FROM (
                   SELECT id, agent_name, created_at, json_extract(data, '$.rule') AS rule,
                     row_number() OVER (PARTITION BY agent_name ORDER BY id DESC) AS place
                   FROM events WHERE event_type = 'custom' AND level = 'warn' AND created_at >= ?1
                   AND data LIKE '%guard_refused%' AND CASE WHEN json_valid(data)
                     THEN json_extract(data, '$.type') = 'guard_refused' AND json_type(data, '$.rule') = 'text'
                     ELSE 0 END)
                 WHERE place <= ?2 ORDER BY id DESC",
            )?
            .query_map(params![since, most], |row| {
                Ok(BriefRefusal {
                    id: row.get(0)?,
                    agent: row.get(1)?,
                    rule: row.get(2)?,
                    at: row.get(3)?,
                })
            })?
            .collect()
        })
    }
}

impl GroveStore {
    /// Remembers that a person has seen the refusals of an agent up to this one.
    pub fn note_refusals_seen(&self, agent: &str, up_to: i64) -> Result<(), DbError> {
        self.db().write(|tx| {
            tx.execute(
                "INSERT INTO actions (key, detail, done_at) VALUES (?1, ?2, ?3)
                 ON CONFLICT (key) DO UPDATE SET detail = excluded.detail, done_at = excluded.done_at
                 WHERE CAST(detail AS INTEGER) < CAST(excluded.detail AS INTEGER)",
                params![format!("{SEEN}{agent}"), up_to.to_string(), clock::now().iso()],
            )
            .map(|_| ())
        })
    }

    /// Up to which refusal of each agent a person has seen them.
    pub fn refusals_seen(&self) -> Result<HashMap<String, i64>, DbError> {
        self.db().read(|c| {
            c.prepare_cached(
                "SELECT substr(key, length(?1) + 1), CAST(detail AS INTEGER) FROM actions
                 WHERE substr(key, 1, length(?1)) = ?1",
            )?
            .query_map([SEEN], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
        })
    }
}

/// The refusal an event is about, if it is about one.
fn refused(event: StoredEvent) -> Option<Refused> {
    let data: Value = read_json(event.data.as_deref()?).ok()?;
    if data.get("type")?.as_str()? != "guard_refused" {
        return None;
    }
    let text = |name: &str| data.get(name).and_then(Value::as_str).map(str::to_owned);
    let args: Value = event
        .tool_args
        .as_deref()
        .and_then(|args| read_json(args).ok())
        .unwrap_or(Value::Null);
    let named = ["command", "file_path", "path", "pattern", "url"]
        .into_iter()
        .find_map(|name| args.get(name).and_then(Value::as_str))
        .map(str::to_owned);
    Some(Refused {
        id: event.id,
        agent: event.agent_name,
        rule: text("rule")?,
        reason: text("reason").unwrap_or_default(),
        tool: event.tool_name,
        call: named.or(event.tool_args.filter(|args| args != "{}")),
        at: event.created_at,
    })
}
