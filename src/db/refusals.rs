//! The calls the guard has refused, as hosts store them among the events.
//!
//! A refusal is a `custom` event of level `warn` whose data names the rule and the reason.

use super::connection::DbError;
use super::events::{COLUMNS, EventStore, event};
use crate::text::read_json;
use crate::types::event::StoredEvent;
use rusqlite::params_from_iter;
use serde_json::Value;

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
