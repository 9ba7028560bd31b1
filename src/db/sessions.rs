//! `sessions.db`: one row per agent, and the guarded changes of its state.

use super::cells::{number, optional_text, process_id, text};
use super::connection::{Db, DbError, add_column, rename_bead_id, table_sql};
use super::shape::Shape;
use crate::logging::storable;
use crate::platform::clock;
use crate::types::{AgentSession, AgentState};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use std::path::Path;

const CREATE: &str = "
CREATE TABLE IF NOT EXISTS sessions (
  id TEXT PRIMARY KEY,
  agent_name TEXT NOT NULL UNIQUE,
  capability TEXT NOT NULL,
  worktree_path TEXT NOT NULL,
  branch_name TEXT NOT NULL,
  task_id TEXT NOT NULL,
  tmux_session TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'booting',
  pid INTEGER,
  parent_agent TEXT,
  depth INTEGER NOT NULL DEFAULT 0,
  run_id TEXT,
  started_at TEXT NOT NULL,
  last_activity TEXT NOT NULL,
  escalation_level INTEGER NOT NULL DEFAULT 0,
  stalled_since TEXT,
  transcript_path TEXT,
  prompt_version TEXT,
  claude_session_id TEXT
)";

pub(super) const COLUMNS: &str = "id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, pid, parent_agent, depth, run_id, started_at, last_activity, escalation_level, stalled_since, transcript_path, prompt_version, claude_session_id";

const SHAPE: Shape = Shape {
    tables: &[("sessions", COLUMNS), ("runs", super::runs::COLUMNS)],
    indexes: &[
        "idx_sessions_state",
        "idx_sessions_run",
        "idx_runs_status",
        "idx_runs_coordinator",
    ],
    closed: true,
    outdated: |sql| sql.contains("CHECK"),
    unknown: |_| None,
    migrate,
};

/// What a guarded transition did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    Done,
    /// The session is in a state from which the target may not be entered, or is gone.
    Refused,
}

#[derive(Debug)]
pub struct SessionStore {
    pub(super) db: Db,
}

impl SessionStore {
    /// Fails when the file is of a newer version, without changing it.
    pub fn refuse_newer(path: &Path) -> Result<(), DbError> {
        Db::refuse_newer(path, &SHAPE)
    }

    pub fn open(path: &Path) -> Result<Self, DbError> {
        let store = Self {
            db: Db::open(path, &SHAPE)?,
        };
        super::runs::import_legacy(&store, path)?;
        Ok(store)
    }

    /// Opens the store only to read it.
    pub fn look(path: &Path) -> Result<Self, DbError> {
        let store = Self {
            db: Db::look(path, &SHAPE)?,
        };
        if !super::runs::awaits_import(&store, path)? {
            return Ok(store);
        }
        drop(store);
        let store = Self {
            db: Db::open_or_copy(path, &SHAPE)?,
        };
        super::runs::import_legacy(&store, path)?;
        Ok(store)
    }

    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Inserts a session or replaces the agent's earlier life.
    pub fn upsert(&self, s: &AgentSession) -> Result<(), DbError> {
        self.db.write(|tx| put(tx, s))
    }

    pub fn get(&self, agent: &str) -> Result<Option<AgentSession>, DbError> {
        self.db.read(|c| {
            c.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM sessions WHERE agent_name = ?1"
            ))?
            .query_row([agent], session)
            .optional()
        })
    }

    /// Whether this life of an agent is in a state now.
    pub fn is_in(&self, agent: &str, session_id: &str, state: AgentState) -> Result<bool, DbError> {
        self.db.read(|c| {
            c.prepare_cached(
                "SELECT 1 FROM sessions WHERE agent_name = ?1 AND id = ?2 AND state = ?3",
            )?
            .exists([agent, session_id, state.as_str()])
        })
    }

    /// Every session, oldest start first.
    pub fn all(&self) -> Result<Vec<AgentSession>, DbError> {
        self.select("1 = 1", [])
    }

    /// Sessions that are neither completed nor zombie.
    pub fn active(&self) -> Result<Vec<AgentSession>, DbError> {
        self.select("state NOT IN ('completed', 'zombie')", [])
    }

    pub fn by_run(&self, run_id: &str) -> Result<Vec<AgentSession>, DbError> {
        self.select("run_id = ?1", [run_id])
    }

    pub fn without_run(&self) -> Result<Vec<AgentSession>, DbError> {
        self.select("run_id IS NULL", [])
    }

    fn select(
        &self,
        condition: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<AgentSession>, DbError> {
        self.db.read(|c| {
            c.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM sessions WHERE {condition} ORDER BY started_at ASC"
            ))?
            .query_map(values, session)?
            .collect()
        })
    }

    /// Moves a session to `target` if its present state allows it, in one statement. Entering
    /// a terminal state forgets the tmux session.
    pub fn transition(&self, agent: &str, target: AgentState) -> Result<Transition, DbError> {
        self.transition_where(agent, None, target)
    }

    /// As [`Self::transition`], but only for one life of the agent.
    pub fn transition_session(
        &self,
        agent: &str,
        session_id: &str,
        target: AgentState,
    ) -> Result<Transition, DbError> {
        self.transition_where(agent, Some(session_id), target)
    }

    fn transition_where(
        &self,
        agent: &str,
        session_id: Option<&str>,
        target: AgentState,
    ) -> Result<Transition, DbError> {
        let from = target
            .allowed_from()
            .iter()
            .map(|s| format!("'{}'", s.as_str()))
            .collect::<Vec<_>>()
            .join(",");
        // A word that nobody knows keeps no agent from ending.
        let unknown = if target == AgentState::Completed {
            let known: Vec<_> = AgentState::ALL.iter().map(|s| s.as_str()).collect();
            format!(" OR state NOT IN ('{}')", known.join("','"))
        } else {
            String::new()
        };
        let clear = if target.is_terminal() {
            ", tmux_session = ''"
        } else {
            ""
        };
        let changed = self.db.write(|tx| {
            tx.execute(
                &format!(
                    "UPDATE sessions SET state = ?1{clear} WHERE agent_name = ?2
                     AND (?3 IS NULL OR id = ?3) AND (state IN ({from}){unknown})"
                ),
                params![target.as_str(), agent, session_id],
            )
        })?;
        Ok(if changed > 0 {
            Transition::Done
        } else {
            Transition::Refused
        })
    }

    /// Notes that the agent did something now.
    pub fn touch(&self, agent: &str) -> Result<(), DbError> {
        let now = clock::now().iso();
        self.db.write(|tx| {
            tx.prepare_cached("UPDATE sessions SET last_activity = ?1 WHERE agent_name = ?2")?
                .execute(params![now, agent])
                .map(|_| ())
        })
    }

    pub fn set_pid(&self, agent: &str, pid: Option<i64>) -> Result<(), DbError> {
        self.db.write(|tx| {
            tx.execute(
                "UPDATE sessions SET pid = ?1 WHERE agent_name = ?2",
                params![pid, agent],
            )
            .map(|_| ())
        })
    }

    /// Pins the CLI's own conversation id and transcript, once they are known.
    pub fn set_conversation(
        &self,
        agent: &str,
        conversation: Option<&str>,
        transcript: Option<&str>,
    ) -> Result<(), DbError> {
        let (conversation, transcript) = (conversation.map(storable), transcript.map(storable));
        self.db.write(|tx| {
            tx.execute(
                "UPDATE sessions SET claude_session_id = COALESCE(?1, claude_session_id),
                 transcript_path = COALESCE(?2, transcript_path) WHERE agent_name = ?3",
                params![conversation.as_deref(), transcript.as_deref(), agent],
            )
            .map(|_| ())
        })
    }

    /// Sets how far the watchdog has escalated; level 0 forgets since when it is stalled.
    pub fn set_escalation(
        &self,
        agent: &str,
        level: i64,
        stalled_since: Option<&str>,
    ) -> Result<(), DbError> {
        self.db.write(|tx| {
            tx.execute(
                "UPDATE sessions SET escalation_level = ?1, stalled_since = ?2 WHERE agent_name = ?3",
                params![level, stalled_since, agent],
            )
            .map(|_| ())
        })
    }

    /// Writes what was observed over exactly the state it was judged from; somebody else's newer
    /// word stays. Observation may move where the guarded transitions do not lead.
    pub fn set_observed_state(
        &self,
        session: &AgentSession,
        state: AgentState,
    ) -> Result<Transition, DbError> {
        let tmux = if state.is_terminal() {
            ""
        } else {
            session.tmux_session.as_str()
        };
        let changed = self.db.write(|tx| {
            tx.execute(
                "UPDATE sessions SET state = ?1, tmux_session = ?2 WHERE id = ?3 AND state = ?4",
                [state.as_str(), tmux, &session.id, session.state.as_str()],
            )
        })?;
        Ok(if changed > 0 {
            Transition::Done
        } else {
            Transition::Refused
        })
    }

    /// Forgets one life of an agent: one that never started, or one of which nothing is left.
    pub fn delete(&self, agent: &str, session_id: &str) -> Result<(), DbError> {
        self.db.write(|tx| {
            tx.execute(
                "DELETE FROM sessions WHERE agent_name = ?1 AND id = ?2",
                params![agent, session_id],
            )
            .map(|_| ())
        })
    }
}

/// Inserts or replaces a session inside a transaction.
pub(super) fn put(tx: &Connection, s: &AgentSession) -> rusqlite::Result<()> {
    // The id changes with each life, so replacing by primary key alone is not enough.
    tx.execute(
        "DELETE FROM sessions WHERE agent_name = ?1",
        [&s.agent_name],
    )?;
    tx.execute(
        &format!("INSERT INTO sessions ({COLUMNS}) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19)"),
        params![
            s.id,
            s.agent_name,
            s.capability,
            s.worktree_path,
            s.branch_name,
            s.task_id,
            s.tmux_session,
            s.state.as_str(),
            s.pid,
            s.parent_agent,
            s.depth,
            s.run_id,
            s.started_at,
            s.last_activity,
            s.escalation_level,
            s.stalled_since,
            s.transcript_path,
            s.prompt_version,
            s.claude_session_id
        ],
    )
    .map(|_| ())
}

pub(super) fn session(row: &Row<'_>) -> rusqlite::Result<AgentSession> {
    let state: String = text(row, 7)?;
    Ok(AgentSession {
        id: text(row, 0)?,
        agent_name: text(row, 1)?,
        capability: text(row, 2)?,
        worktree_path: text(row, 3)?,
        branch_name: text(row, 4)?,
        task_id: text(row, 5)?,
        tmux_session: text(row, 6)?,
        // The column has no CHECK; a word nobody knows is shown as needing attention.
        state: AgentState::parse(&state).unwrap_or(AgentState::Stalled),
        pid: process_id(row, 8)?,
        parent_agent: optional_text(row, 9)?,
        depth: number(row, 10)?,
        run_id: optional_text(row, 11)?,
        started_at: text(row, 12)?,
        last_activity: text(row, 13)?,
        escalation_level: number(row, 14)?,
        stalled_since: optional_text(row, 15)?,
        transcript_path: optional_text(row, 16)?,
        prompt_version: optional_text(row, 17)?,
        claude_session_id: optional_text(row, 18)?,
    })
}

fn migrate(conn: &Connection) -> rusqlite::Result<()> {
    if let Some(sql) = table_sql(conn, "sessions")? {
        rename_bead_id(conn, "sessions")?;
        for column in ["transcript_path", "prompt_version", "claude_session_id"] {
            add_column(conn, "sessions", column, "TEXT")?;
        }
        if sql.contains("CHECK") {
            // Old tables admit only the states of their time.
            conn.execute_batch(&format!(
                "DROP INDEX IF EXISTS idx_sessions_state;
                 DROP INDEX IF EXISTS idx_sessions_run;
                 ALTER TABLE sessions RENAME TO sessions_old;
                 {CREATE};
                 INSERT INTO sessions ({COLUMNS}) SELECT {COLUMNS} FROM sessions_old;
                 DROP TABLE sessions_old;"
            ))?;
        }
    }
    conn.execute_batch(CREATE)?;
    super::runs::create(conn)?;
    conn.execute_batch(
        "CREATE INDEX IF NOT EXISTS idx_sessions_state ON sessions(state);
         CREATE INDEX IF NOT EXISTS idx_sessions_run ON sessions(run_id);",
    )
}

/// The process ids recorded in a database of another project, read without changing it: opening
/// it as a store would migrate it.
pub fn foreign_pids(path: &Path) -> Result<Vec<i64>, DbError> {
    let read = || -> rusqlite::Result<Vec<i64>> {
        let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        conn.busy_timeout(std::time::Duration::from_secs(5))?;
        let mut statement = conn.prepare("SELECT pid FROM sessions WHERE pid IS NOT NULL")?;
        let pids = statement.query_map([], |row| process_id(row, 0))?;
        pids.filter_map(Result::transpose).collect()
    };
    read().map_err(|source| super::connection::classify(path, source, false))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn sample(agent: &str, state: AgentState) -> AgentSession {
        AgentSession {
            tmux_session: "x".to_owned(),
            state,
            ..AgentSession::example(agent)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn no_sequence_of_transitions_leaves_the_table(moves in prop::collection::vec(0usize..7, 1..12)) {
            let dir = tempfile::tempdir().unwrap();
            let store = SessionStore::open(&dir.path().join("sessions.db")).unwrap();
            store.upsert(&sample("a", AgentState::Booting)).unwrap();
            let mut now = AgentState::Booting;
            for m in moves {
                let target = AgentState::ALL[m];
                let done = store.transition("a", target).unwrap() == Transition::Done;
                prop_assert_eq!(done, target.allowed_from().contains(&now));
                if done { now = target; }
                let row = store.get("a").unwrap().unwrap();
                prop_assert_eq!(row.state, now);
                prop_assert_eq!(row.tmux_session.is_empty(), now.is_terminal());
            }
        }
    }

    #[test]
    fn a_new_life_replaces_the_old_one_and_late_news_of_the_old_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = SessionStore::open(&dir.path().join("sessions.db")).unwrap();
        store.upsert(&sample("a", AgentState::Zombie)).unwrap();
        let new = AgentSession {
            id: "session-2-a".to_owned(),
            ..sample("a", AgentState::Booting)
        };
        store.upsert(&new).unwrap();
        assert_eq!(store.all().unwrap().len(), 1);
        let late = store
            .transition_session("a", "session-1-a", AgentState::Zombie)
            .unwrap();
        assert_eq!(late, Transition::Refused);
    }
}
