//! `grove.db`: what grove needs beyond ov's tables: launches, hosts, executed actions, merge reports.

use super::cells::{optional_text, process, text};
use super::connection::{Db, DbError, add_column};
use super::shape::Shape;
use crate::logging::{storable, storable_json};
use crate::platform::clock;
use crate::types::host::{ExitReport, LaunchRecord, ProcessId, Protection};
use rusqlite::{OptionalExtension, Row, params};
use std::path::{Path, PathBuf};

const CREATE: &str = "
CREATE TABLE IF NOT EXISTS launches (
  session_id TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  record TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS hosts (
  agent TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  host_pid INTEGER NOT NULL,
  host_start INTEGER NOT NULL,
  cli_pid INTEGER,
  cli_start INTEGER,
  socket TEXT NOT NULL,
  mode TEXT NOT NULL,
  runtime TEXT NOT NULL,
  started_at TEXT NOT NULL,
  first_hook_at TEXT,
  waiting_for TEXT,
  exit TEXT,
  ended_at TEXT,
  protection TEXT
);
CREATE TABLE IF NOT EXISTS actions (
  key TEXT PRIMARY KEY,
  detail TEXT,
  done_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS merge_reports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  queue_id INTEGER NOT NULL,
  branch TEXT NOT NULL,
  report TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_merge_reports_queue ON merge_reports(queue_id);
CREATE TABLE IF NOT EXISTS review_decisions (
  queue_id INTEGER NOT NULL,
  place TEXT NOT NULL,
  decision TEXT NOT NULL,
  decided_at TEXT NOT NULL,
  PRIMARY KEY (queue_id, place)
);";

const SHAPE: Shape = Shape {
    tables: &[
        ("launches", "session_id"),
        ("hosts", HOST_COLUMNS),
        ("actions", "key"),
        ("merge_reports", "id"),
        ("merge_progress", "queue_id"),
        ("merge_places", "queue_id"),
        ("merge_pause", "one"),
        ("merge_dropped", "queue_id"),
        ("merge_looked", "branch, enqueued_at"),
        ("merge_wanted", "branch, enqueued_at"),
        ("merge_retries", "queue_id"),
        ("review_decisions", "queue_id, place"),
        ("review_proposals", "queue_id, place"),
    ],
    indexes: &["idx_merge_reports_queue"],
    // Our own file: what a later version adds to it stays out of the way of this one.
    closed: false,
    outdated: |_| false,
    unknown: |_| None,
    migrate: |c| {
        c.execute_batch(CREATE)?;
        add_column(c, "hosts", "protection", "TEXT")?;
        c.execute_batch(super::merging::CREATE)?;
        c.execute_batch(super::merge_retries::CREATE)?;
        c.execute_batch(super::review_proposals::CREATE)
    },
};

/// What is known about the host of an agent's latest life.
#[derive(Debug, Clone, PartialEq)]
pub struct HostRow {
    pub agent: String,
    pub session_id: String,
    pub host: ProcessId,
    pub cli: Option<ProcessId>,
    pub socket: PathBuf,
    pub mode: String,
    pub runtime: String,
    pub started_at: String,
    pub first_hook_at: Option<String>,
    /// Why the agent waits for a person, while it does.
    pub waiting_for: Option<String>,
    pub exit: Option<ExitReport>,
    pub ended_at: Option<String>,
    /// Not known of hosts of earlier versions.
    pub protection: Option<Protection>,
}

#[cfg(test)]
impl HostRow {
    /// A host that runs, of which a test says besides what matters to it.
    pub(crate) fn example(agent: &str) -> Self {
        Self {
            agent: agent.to_owned(),
            session_id: format!("session-1-{agent}"),
            host: ProcessId { pid: 2, start: 1 },
            cli: None,
            socket: "/nowhere".into(),
            mode: "pty".to_owned(),
            runtime: "script".to_owned(),
            started_at: String::new(),
            first_hook_at: None,
            waiting_for: None,
            exit: None,
            ended_at: None,
            protection: None,
        }
    }
}

#[derive(Debug)]
pub struct GroveStore {
    db: Db,
}

impl GroveStore {
    /// Fails when the file is of a newer version, without changing it.
    pub fn refuse_newer(path: &Path) -> Result<(), DbError> {
        Db::refuse_newer(path, &SHAPE)
    }

    pub fn open(path: &Path) -> Result<Self, DbError> {
        Ok(Self {
            db: Db::open(path, &SHAPE)?,
        })
    }

    /// Opens the store only to read it. It is grove's alone, so one that is missing is empty and
    /// stays missing.
    pub fn look(path: &Path) -> Result<Self, DbError> {
        let db = if path.exists() {
            Db::look(path, &SHAPE)?
        } else {
            Db::in_memory(path, &SHAPE)?
        };
        Ok(Self { db })
    }

    pub fn db(&self) -> &Db {
        &self.db
    }

    pub fn save_launch(&self, record: &LaunchRecord) -> Result<(), DbError> {
        let text = serde_json::json!(record).to_string();
        self.db.write(|tx| {
            tx.execute(
                "INSERT OR REPLACE INTO launches (session_id, agent, record, created_at) VALUES (?1, ?2, ?3, ?4)",
                params![record.session_id, record.agent, text, clock::now().iso()],
            )
            .map(|_| ())
        })
    }

    /// The launch of a session; `None` when it was not started by grove.
    pub fn launch(&self, session_id: &str) -> Result<Option<LaunchRecord>, DbError> {
        let text: Option<String> = self.db.read(|c| {
            c.query_row(
                "SELECT record FROM launches WHERE session_id = ?1",
                [session_id],
                |r| text(r, 0),
            )
            .optional()
        })?;
        Ok(text.and_then(|t| serde_json::from_str(&t).ok()))
    }

    pub fn delete_launch(&self, session_id: &str) -> Result<(), DbError> {
        self.db.write(|tx| {
            tx.execute("DELETE FROM hosts WHERE session_id = ?1", [session_id])?;
            tx.execute("DELETE FROM launches WHERE session_id = ?1", [session_id])
                .map(|_| ())
        })
    }

    /// Records that a host has started; replaces the agent's earlier host.
    pub fn host_started(&self, row: &HostRow) -> Result<(), DbError> {
        let protection = row
            .protection
            .as_ref()
            .map(|p| serde_json::json!(p).to_string());
        self.db.write(|tx| {
            tx.execute(
                "INSERT OR REPLACE INTO hosts (agent, session_id, host_pid, host_start, cli_pid, cli_start, socket, mode, runtime, started_at, protection)
                 VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)",
                params![
                    row.agent,
                    row.session_id,
                    row.host.pid,
                    row.host.start as i64,
                    row.cli.map(|p| p.pid),
                    row.cli.map(|p| p.start as i64),
                    row.socket.to_string_lossy(),
                    row.mode,
                    row.runtime,
                    row.started_at,
                    protection.as_deref()
                ],
            )
            .map(|_| ())
        })
    }

    pub fn host(&self, agent: &str) -> Result<Option<HostRow>, DbError> {
        self.db.read(|c| {
            c.prepare_cached(&format!(
                "SELECT {HOST_COLUMNS} FROM hosts WHERE agent = ?1"
            ))?
            .query_row([agent], host)
            .optional()
            .map(Option::flatten)
        })
    }

    pub fn hosts(&self) -> Result<Vec<HostRow>, DbError> {
        self.db.read(|c| {
            c.prepare_cached(&format!("SELECT {HOST_COLUMNS} FROM hosts"))?
                .query_map([], host)?
                .filter_map(Result::transpose)
                .collect()
        })
    }

    pub fn set_first_hook(&self, session_id: &str) -> Result<(), DbError> {
        self.db.write(|tx| {
            tx.execute(
                "UPDATE hosts SET first_hook_at = ?1 WHERE session_id = ?2 AND first_hook_at IS NULL",
                params![clock::now().iso(), session_id],
            )
            .map(|_| ())
        })
    }

    pub fn set_waiting_for(&self, session_id: &str, why: Option<&str>) -> Result<(), DbError> {
        let why = why.map(storable);
        self.db.write(|tx| {
            tx.execute(
                "UPDATE hosts SET waiting_for = ?1 WHERE session_id = ?2",
                params![why.as_deref(), session_id],
            )
            .map(|_| ())
        })
    }

    pub fn host_ended(&self, session_id: &str, exit: &ExitReport) -> Result<(), DbError> {
        let text = serde_json::json!(exit).to_string();
        let text = storable_json(&text);
        self.db.write(|tx| {
            tx.execute(
                "UPDATE hosts SET exit = ?1, ended_at = ?2, waiting_for = NULL WHERE session_id = ?3",
                params![&*text, exit.ended_at, session_id],
            )
            .map(|_| ())
        })
    }

    /// Forgets hosts that have ended and the launches of sessions that have none any more.
    pub fn forget_ended(&self) -> Result<(), DbError> {
        self.db.write(|tx| {
            tx.execute("DELETE FROM hosts WHERE ended_at IS NOT NULL", [])?;
            tx.execute(
                "DELETE FROM launches WHERE session_id NOT IN (SELECT session_id FROM hosts)",
                [],
            )
            .map(|_| ())
        })
    }

    /// The merge queue begins again at its first id: what was done for the old entries must not
    /// count for the new ones. Reports are kept, under ids no entry will ever have.
    pub fn forget_queue(&self) -> Result<(), DbError> {
        self.db.write(|tx| {
            for table in [
                "actions",
                "merge_progress",
                "merge_places",
                "merge_dropped",
                "merge_looked",
                "merge_wanted",
                "merge_retries",
            ] {
                tx.execute(&format!("DELETE FROM {table}"), [])?;
            }
            tx.execute(
                "UPDATE merge_reports SET queue_id = -id WHERE queue_id > 0",
                [],
            )
            .map(|_| ())
        })
    }

    /// Keeps what a merge attempt did, for ever.
    pub fn save_merge_report(
        &self,
        queue_id: i64,
        branch: &str,
        report: &serde_json::Value,
    ) -> Result<i64, DbError> {
        self.db.write(|tx| {
            tx.execute(
                "INSERT INTO merge_reports (queue_id, branch, report, created_at) VALUES (?1, ?2, ?3, ?4)",
                params![queue_id, branch, report.to_string(), clock::now().iso()],
            )?;
            Ok(tx.last_insert_rowid())
        })
    }

    /// The newest report of each queue entry: queue id, time, report.
    pub fn merge_reports(&self) -> Result<Vec<(i64, String, serde_json::Value)>, DbError> {
        self.db.read(|c| {
            c.prepare_cached(
                "SELECT queue_id, created_at, report FROM merge_reports
                 WHERE id IN (SELECT MAX(id) FROM merge_reports GROUP BY queue_id)",
            )?
            .query_map([], |r| {
                let report = serde_json::from_str(&text(r, 2)?).unwrap_or(serde_json::Value::Null);
                Ok((r.get(0)?, text(r, 1)?, report))
            })?
            .collect()
        })
    }

    /// Every report about a queue entry or another entry of its branch, the newest first: time, report.
    pub fn merge_history(
        &self,
        queue_id: i64,
        branch: &str,
    ) -> Result<Vec<(String, serde_json::Value)>, DbError> {
        self.db.read(|c| {
            c.prepare_cached(
                "SELECT created_at, report FROM merge_reports
                 WHERE queue_id = ?1 OR branch = ?2 ORDER BY id DESC LIMIT 500",
            )?
            .query_map(params![queue_id, branch], |r| {
                let report = serde_json::from_str(&text(r, 1)?).unwrap_or(serde_json::Value::Null);
                Ok((text(r, 0)?, report))
            })?
            .collect()
        })
    }

    /// Every landing that has ever been reported, the newest first: queue id and the newest report
    /// with that receipt. Attempts without a receipt are left out.
    pub fn merge_landings(&self) -> Result<Vec<(i64, serde_json::Value)>, DbError> {
        self.db.read(|c| {
            c.prepare_cached(
                "WITH landed AS (
                   SELECT id, queue_id, json_extract(report, '$.receipt.id') AS receipt
                   FROM merge_reports
                   WHERE json_valid(report) AND json_type(report, '$.receipt') = 'object'),
                 each AS (
                   SELECT MIN(id) AS first, MAX(id) AS last FROM landed GROUP BY queue_id, receipt)
                 SELECT queue_id, report FROM each JOIN merge_reports ON id = last
                 ORDER BY first DESC",
            )?
            .query_map([], |r| {
                let report = serde_json::from_str(&text(r, 1)?).unwrap_or(serde_json::Value::Null);
                Ok((r.get(0)?, report))
            })?
            .collect()
        })
    }
}

const HOST_COLUMNS: &str = "agent, session_id, host_pid, host_start, cli_pid, cli_start, socket, mode, runtime, started_at, first_hook_at, waiting_for, exit, ended_at, protection";

/// A row that names no process is left out: nothing can be done with it.
fn host(r: &Row<'_>) -> rusqlite::Result<Option<HostRow>> {
    let Some(host) = process(r, 2, 3)? else {
        return Ok(None);
    };
    Ok(Some(HostRow {
        agent: text(r, 0)?,
        session_id: text(r, 1)?,
        host,
        cli: process(r, 4, 5)?,
        socket: PathBuf::from(text(r, 6)?),
        mode: text(r, 7)?,
        runtime: text(r, 8)?,
        started_at: text(r, 9)?,
        first_hook_at: optional_text(r, 10)?,
        waiting_for: optional_text(r, 11)?,
        exit: optional_text(r, 12)?.and_then(|t| serde_json::from_str(&t).ok()),
        ended_at: optional_text(r, 13)?,
        protection: optional_text(r, 14)?.and_then(|t| serde_json::from_str(&t).ok()),
    }))
}
