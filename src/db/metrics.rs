//! `metrics.db`: tokens and cost per session, and snapshots while it runs.

use super::cells::{number, optional_float, optional_number, optional_text, text};
use super::connection::{Db, DbError, add_column, rename_bead_id};
use super::openers::openers;
use super::shape::Shape;
use crate::logging::storable;
use rusqlite::{Connection, Row, params};

/// One row of `sessions` in `metrics.db`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionMetrics {
    pub agent_name: String,
    pub task_id: String,
    pub capability: String,
    pub started_at: String,
    pub completed_at: Option<String>,
    pub duration_ms: i64,
    pub exit_code: Option<i64>,
    pub merge_result: Option<String>,
    pub parent_agent: Option<String>,
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub cache_read_tokens: i64,
    pub cache_creation_tokens: i64,
    /// US dollars; `None` when the model has no known price.
    pub estimated_cost_usd: Option<f64>,
    pub model_used: Option<String>,
    pub run_id: Option<String>,
}

/// One row of `token_snapshots`; counts are totals of the session so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TokenSnapshot {
    pub agent_name: String,
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub cache_read_tokens: i64,
    pub cache_creation_tokens: i64,
    pub estimated_cost_usd: Option<f64>,
    pub model_used: Option<String>,
    pub run_id: Option<String>,
    pub created_at: String,
}

const COLUMNS: &str = "agent_name, task_id, capability, started_at, completed_at, duration_ms, exit_code, merge_result, parent_agent, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, estimated_cost_usd, model_used, run_id";

const CREATE: &str = "
CREATE TABLE IF NOT EXISTS sessions (
  agent_name TEXT NOT NULL,
  task_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  started_at TEXT NOT NULL,
  completed_at TEXT,
  duration_ms INTEGER NOT NULL DEFAULT 0,
  exit_code INTEGER,
  merge_result TEXT,
  parent_agent TEXT,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_creation_tokens INTEGER NOT NULL DEFAULT 0,
  estimated_cost_usd REAL,
  model_used TEXT,
  run_id TEXT,
  PRIMARY KEY (agent_name, task_id)
);
CREATE TABLE IF NOT EXISTS token_snapshots (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_name TEXT NOT NULL,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_creation_tokens INTEGER NOT NULL DEFAULT 0,
  estimated_cost_usd REAL,
  model_used TEXT,
  run_id TEXT,
  created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f','now'))
);";

const SNAPSHOT_COLUMNS: &str = "id, agent_name, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, estimated_cost_usd, model_used, run_id, created_at";

const SHAPE: Shape = Shape {
    tables: &[("sessions", COLUMNS), ("token_snapshots", SNAPSHOT_COLUMNS)],
    indexes: &["idx_snapshots_agent_time"],
    closed: true,
    outdated: |_| false,
    unknown: |_| None,
    migrate,
};

#[derive(Debug)]
pub struct MetricsStore {
    db: Db,
}

openers!(MetricsStore, SHAPE);

impl MetricsStore {
    /// Stores the totals of a session, replacing those of the same agent and task.
    pub fn record(&self, m: &SessionMetrics) -> Result<(), DbError> {
        let model = m.model_used.as_deref().map(storable);
        self.db.write(|tx| {
            tx.execute(
                &format!("INSERT OR REPLACE INTO sessions ({COLUMNS}) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16)"),
                params![
                    m.agent_name,
                    m.task_id,
                    m.capability,
                    m.started_at,
                    m.completed_at,
                    m.duration_ms,
                    m.exit_code,
                    m.merge_result,
                    m.parent_agent,
                    m.input_tokens,
                    m.output_tokens,
                    m.cache_read_tokens,
                    m.cache_creation_tokens,
                    m.estimated_cost_usd,
                    model.as_deref(),
                    m.run_id
                ],
            )
            .map(|_| ())
        })
    }

    /// Newest start first; `condition` is SQL of this crate, `limit` -1 for all.
    pub fn sessions(
        &self,
        filter: Option<(&'static str, &str)>,
        limit: i64,
    ) -> Result<Vec<SessionMetrics>, DbError> {
        let (condition, value) = match filter {
            Some((column, value)) => (format!("{column} = ?1"), value),
            None => ("?1 = ''".to_owned(), ""),
        };
        self.db.read(|c| {
            c.prepare(&format!(
                "SELECT {COLUMNS} FROM sessions WHERE {condition} ORDER BY started_at DESC LIMIT ?2"
            ))?
            .query_map(params![value, limit], metrics)?
            .collect()
        })
    }

    pub fn session_count(&self) -> Result<i64, DbError> {
        self.db
            .read(|c| c.query_row("SELECT COUNT(*) FROM sessions", [], |r| r.get(0)))
    }

    pub fn snapshot(&self, s: &TokenSnapshot) -> Result<(), DbError> {
        let model = s.model_used.as_deref().map(storable);
        self.db.write(|tx| {
            tx.execute(
                "INSERT INTO token_snapshots (agent_name, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, estimated_cost_usd, model_used, run_id, created_at)
                 VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
                params![
                    s.agent_name,
                    s.input_tokens,
                    s.output_tokens,
                    s.cache_read_tokens,
                    s.cache_creation_tokens,
                    s.estimated_cost_usd,
                    model.as_deref(),
                    s.run_id,
                    s.created_at
                ],
            )
            .map(|_| ())
        })
    }

    /// The newest snapshot of each agent, optionally of one run.
    pub fn latest_snapshots(&self, run: Option<&str>) -> Result<Vec<TokenSnapshot>, DbError> {
        self.db.read(|c| {
            c.prepare(
                "SELECT t.agent_name, t.input_tokens, t.output_tokens, t.cache_read_tokens, t.cache_creation_tokens,
                        t.estimated_cost_usd, t.model_used, t.run_id, t.created_at
                 FROM token_snapshots t JOIN (
                   SELECT agent_name, MAX(created_at) AS newest FROM token_snapshots
                   WHERE ?1 IS NULL OR run_id = ?1 GROUP BY agent_name) l
                 ON t.agent_name = l.agent_name AND t.created_at = l.newest
                 WHERE ?1 IS NULL OR t.run_id = ?1",
            )?
            .query_map([run], |r| {
                Ok(TokenSnapshot {
                    agent_name: text(r, 0)?,
                    input_tokens: number(r, 1)?,
                    output_tokens: number(r, 2)?,
                    cache_read_tokens: number(r, 3)?,
                    cache_creation_tokens: number(r, 4)?,
                    estimated_cost_usd: optional_float(r, 5)?,
                    model_used: optional_text(r, 6)?,
                    run_id: optional_text(r, 7)?,
                    created_at: text(r, 8)?,
                })
            })?
            .collect()
        })
    }
}

fn metrics(r: &Row<'_>) -> rusqlite::Result<SessionMetrics> {
    Ok(SessionMetrics {
        agent_name: text(r, 0)?,
        task_id: text(r, 1)?,
        capability: text(r, 2)?,
        started_at: text(r, 3)?,
        completed_at: optional_text(r, 4)?,
        duration_ms: number(r, 5)?,
        exit_code: optional_number(r, 6)?,
        merge_result: optional_text(r, 7)?,
        parent_agent: optional_text(r, 8)?,
        input_tokens: number(r, 9)?,
        output_tokens: number(r, 10)?,
        cache_read_tokens: number(r, 11)?,
        cache_creation_tokens: number(r, 12)?,
        estimated_cost_usd: optional_float(r, 13)?,
        model_used: optional_text(r, 14)?,
        run_id: optional_text(r, 15)?,
    })
}

fn migrate(conn: &Connection) -> rusqlite::Result<()> {
    rename_bead_id(conn, "sessions")?;
    conn.execute_batch(CREATE)?;
    let tokens = [
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_creation_tokens",
    ];
    for column in tokens {
        add_column(conn, "sessions", column, "INTEGER NOT NULL DEFAULT 0")?;
    }
    add_column(conn, "sessions", "estimated_cost_usd", "REAL")?;
    add_column(conn, "sessions", "model_used", "TEXT")?;
    add_column(conn, "sessions", "run_id", "TEXT")?;
    add_column(conn, "token_snapshots", "run_id", "TEXT")?;
    conn.execute_batch(
        "CREATE INDEX IF NOT EXISTS idx_snapshots_agent_time ON token_snapshots(agent_name, created_at)",
    )
}
