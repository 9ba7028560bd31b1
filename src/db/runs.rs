//! The `runs` table of `sessions.db`, and the import of ov's oldest session file.

use super::cells::{optional_text, text};
use super::connection::{DbError, add_column};
use super::sessions::{SessionStore, put};
use crate::platform::clock;
use crate::types::run::{Run, RunStatus};
use crate::types::{AgentSession, AgentState};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::path::Path;

pub(super) const COLUMNS: &str =
    "id, started_at, completed_at, agent_count, coordinator_session_id, coordinator_name, status";

pub(super) const SELECT: &str = "SELECT id, started_at, completed_at,
  (SELECT COUNT(*) FROM sessions s WHERE s.run_id = runs.id),
  coordinator_session_id, coordinator_name, status FROM runs";

pub(super) fn create(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(
        "CREATE TABLE IF NOT EXISTS runs (
           id TEXT PRIMARY KEY,
           started_at TEXT NOT NULL,
           completed_at TEXT,
           agent_count INTEGER NOT NULL DEFAULT 0,
           coordinator_session_id TEXT,
           coordinator_name TEXT,
           status TEXT NOT NULL DEFAULT 'active'
             CHECK(status IN ('active','completed','failed'))
         )",
    )?;
    add_column(conn, "runs", "coordinator_name", "TEXT")?;
    conn.execute_batch(
        "CREATE INDEX IF NOT EXISTS idx_runs_status ON runs(status);
         CREATE INDEX IF NOT EXISTS idx_runs_coordinator ON runs(coordinator_name);",
    )
}

impl SessionStore {
    /// Starts a run and returns its id.
    pub fn start_run(&self) -> Result<String, DbError> {
        let now = clock::now();
        let id = format!("run-{}", now.stamp());
        self.insert_run(&id, &now.iso())?;
        Ok(id)
    }

    /// Records a run unless it is there already.
    pub fn insert_run(&self, id: &str, started_at: &str) -> Result<(), DbError> {
        self.db.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO runs (id, started_at, status) VALUES (?1, ?2, 'active')",
                params![id, started_at],
            )
            .map(|_| ())
        })
    }

    /// Names the coordinator of a run that has none yet.
    pub fn set_run_coordinator(&self, id: &str, session: &str, name: &str) -> Result<(), DbError> {
        self.db.write(|tx| {
            tx.execute(
                "UPDATE runs SET coordinator_session_id = ?2, coordinator_name = ?3
                 WHERE id = ?1 AND (coordinator_session_id IS NULL OR coordinator_name = ?3)",
                params![id, session, name],
            )
            .map(|_| ())
        })
    }

    pub fn run(&self, id: &str) -> Result<Option<Run>, DbError> {
        self.db.read(|c| {
            c.query_row(&format!("{SELECT} WHERE id = ?1"), [id], run)
                .optional()
        })
    }

    /// Newest first.
    pub fn runs(&self, limit: i64) -> Result<Vec<Run>, DbError> {
        self.db.read(|c| {
            c.prepare(&format!("{SELECT} ORDER BY started_at DESC LIMIT ?1"))?
                .query_map([limit], run)?
                .collect()
        })
    }

    pub fn complete_run(&self, id: &str, status: RunStatus) -> Result<(), DbError> {
        let now = clock::now().iso();
        self.db.write(|tx| {
            tx.execute(
                "UPDATE runs SET status = ?1, completed_at = ?2 WHERE id = ?3",
                params![status.as_str(), now, id],
            )
            .map(|_| ())
        })
    }
}

pub(super) fn run(row: &Row<'_>) -> rusqlite::Result<Run> {
    Ok(Run {
        id: text(row, 0)?,
        started_at: text(row, 1)?,
        completed_at: optional_text(row, 2)?,
        agent_count: row.get(3)?,
        coordinator_session_id: optional_text(row, 4)?,
        coordinator_name: optional_text(row, 5)?,
        status: RunStatus::parse(&text(row, 6)?).unwrap_or(RunStatus::Failed),
    })
}

/// The entries of `sessions.json`, which versions before SQLite wrote.
fn legacy_sessions(db_path: &Path) -> Option<Vec<AgentSession>> {
    // Most projects have no such file: one failed open is all it may cost.
    let text = std::fs::read_to_string(db_path.with_file_name("sessions.json")).ok()?;
    let Ok(serde_json::Value::Array(entries)) = crate::text::read_json(&text) else {
        return None;
    };
    Some(entries.iter().filter_map(legacy_session).collect())
}

/// Whether there are sessions in `sessions.json` and none in the table.
pub(super) fn awaits_import(store: &SessionStore, db_path: &Path) -> Result<bool, DbError> {
    if legacy_sessions(db_path).is_none_or(|sessions| sessions.is_empty()) {
        return Ok(false);
    }
    store.db.read(is_empty)
}

/// Takes over `sessions.json` when the table is empty; all of it or nothing.
pub(super) fn import_legacy(store: &SessionStore, db_path: &Path) -> Result<(), DbError> {
    let Some(sessions) = legacy_sessions(db_path) else {
        return Ok(());
    };
    if !store.db.read(is_empty)? {
        return Ok(());
    }
    store.db.write(|tx| {
        // Another process may have been faster, and gone on since.
        if is_empty(tx)? {
            sessions.iter().try_for_each(|session| put(tx, session))?;
        }
        Ok(())
    })
}

fn is_empty(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("SELECT NOT EXISTS(SELECT 1 FROM sessions)", [], |r| {
        r.get(0)
    })
}

fn legacy_session(entry: &serde_json::Value) -> Option<AgentSession> {
    let text = |key: &str| entry.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    let number = |key: &str| entry.get(key).and_then(serde_json::Value::as_i64);
    Some(AgentSession {
        id: text("id")?,
        agent_name: text("agentName")?,
        capability: text("capability")?,
        worktree_path: text("worktreePath")?,
        branch_name: text("branchName")?,
        task_id: text("taskId").or_else(|| text("beadId"))?,
        tmux_session: text("tmuxSession").unwrap_or_default(),
        state: text("state")
            .and_then(|s| AgentState::parse(&s))
            .unwrap_or(AgentState::Booting),
        pid: number("pid"),
        parent_agent: text("parentAgent"),
        depth: number("depth").unwrap_or(0),
        run_id: text("runId"),
        started_at: text("startedAt")?,
        last_activity: text("lastActivity")?,
        escalation_level: number("escalationLevel").unwrap_or(0),
        stalled_since: text("stalledSince"),
        transcript_path: text("transcriptPath"),
        prompt_version: None,
        claude_session_id: None,
    })
}
