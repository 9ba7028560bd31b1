//! `merge-queue.db`: branches that wait to be landed.

use super::cells::{optional_text, text};
use super::connection::{Db, DbError, rename_bead_id};
use super::openers::openers;
use super::shape::Shape;
use crate::platform::clock;
use crate::types::merge::{MergeEntry, MergeStatus, MergeTier};
use rusqlite::{Connection, OptionalExtension, Row, params};

const CREATE: &str = "
CREATE TABLE IF NOT EXISTS merge_queue (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  branch_name TEXT NOT NULL,
  task_id TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  files_modified TEXT NOT NULL DEFAULT '[]',
  enqueued_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f','now')),
  status TEXT NOT NULL DEFAULT 'pending'
    CHECK(status IN ('pending','merging','merged','conflict','failed')),
  resolved_tier TEXT
    CHECK(resolved_tier IS NULL OR resolved_tier IN ('clean-merge','auto-resolve','ai-resolve','reimagine'))
);
CREATE INDEX IF NOT EXISTS idx_merge_queue_status ON merge_queue(status);
CREATE INDEX IF NOT EXISTS idx_merge_queue_branch ON merge_queue(branch_name);";

const SELECT: &str = "SELECT id, branch_name, task_id, agent_name, files_modified, enqueued_at, status, resolved_tier FROM merge_queue";

const SHAPE: Shape = Shape {
    tables: &[(
        "merge_queue",
        "id, branch_name, task_id, agent_name, files_modified, enqueued_at, status, resolved_tier",
    )],
    indexes: &["idx_merge_queue_status", "idx_merge_queue_branch"],
    closed: true,
    outdated: |_| false,
    unknown: |_| None,
    migrate,
};

/// An entry with its place in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueRow {
    pub id: i64,
    pub entry: MergeEntry,
}

#[derive(Debug)]
pub struct MergeQueueStore {
    db: Db,
}

openers!(MergeQueueStore, SHAPE);

impl MergeQueueStore {
    /// Puts a branch into the queue as pending.
    pub fn enqueue(
        &self,
        branch: &str,
        task: &str,
        agent: &str,
        files: &[String],
    ) -> Result<QueueRow, DbError> {
        let entry = fresh(branch, task, agent, files, clock::now().iso());
        let id = self.db.write(|tx| insert(tx, &entry))?;
        Ok(QueueRow { id, entry })
    }

    /// The newest entry of a branch; where there is none, it comes into the queue as of `enqueued_at`.
    /// Of several that ask at once, one makes the entry.
    pub fn enqueue_once(
        &self,
        branch: &str,
        task: &str,
        agent: &str,
        files: &[String],
        enqueued_at: String,
    ) -> Result<QueueRow, DbError> {
        self.db.write(|tx| {
            if let Some(known) = newest(tx, branch)? {
                return Ok(known);
            }
            let entry = fresh(branch, task, agent, files, enqueued_at);
            let id = insert(tx, &entry)?;
            Ok(QueueRow { id, entry })
        })
    }

    /// All entries in queue order.
    pub fn all(&self) -> Result<Vec<QueueRow>, DbError> {
        self.db.read(|c| {
            c.prepare_cached(&format!("{SELECT} ORDER BY id ASC"))?
                .query_map([], row)?
                .collect()
        })
    }

    pub fn with_status(&self, status: MergeStatus) -> Result<Vec<QueueRow>, DbError> {
        self.db.read(|c| {
            c.prepare_cached(&format!("{SELECT} WHERE status = ?1 ORDER BY id ASC"))?
                .query_map([status.as_str()], row)?
                .collect()
        })
    }

    /// The newest entry of a branch.
    pub fn by_branch(&self, branch: &str) -> Result<Option<QueueRow>, DbError> {
        self.db.read(|c| newest(c, branch))
    }

    /// Moves one entry from `from` to `to`; `false` when somebody else was faster.
    pub fn change_status(
        &self,
        id: i64,
        from: &[MergeStatus],
        to: MergeStatus,
        tier: Option<MergeTier>,
    ) -> Result<bool, DbError> {
        let from = from
            .iter()
            .map(|s| format!("'{}'", s.as_str()))
            .collect::<Vec<_>>()
            .join(",");
        let changed = self.db.write(|tx| {
            tx.execute(
                &format!(
                    "UPDATE merge_queue SET status = ?1, resolved_tier = COALESCE(?2, resolved_tier)
                     WHERE id = ?3 AND status IN ({from})"
                ),
                params![to.as_str(), tier.map(MergeTier::as_str), id],
            )
        })?;
        Ok(changed == 1)
    }

    /// Puts an entry back that was taken out, where and as it was; `false` when its place is taken.
    pub fn restore(&self, row: &QueueRow) -> Result<bool, DbError> {
        let entry = &row.entry;
        let changed = self.db.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO merge_queue
                 (id, branch_name, task_id, agent_name, files_modified, enqueued_at, status, resolved_tier)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    row.id,
                    entry.branch_name,
                    entry.task_id,
                    entry.agent_name,
                    serde_json::json!(entry.files_modified).to_string(),
                    entry.enqueued_at,
                    entry.status.as_str(),
                    entry.resolved_tier.map(MergeTier::as_str)
                ],
            )
        })?;
        Ok(changed == 1)
    }

    /// Takes an entry out of the queue unless it is being merged; `false` when it is, or is gone.
    pub fn remove_idle(&self, id: i64) -> Result<bool, DbError> {
        let changed = self.db.write(|tx| {
            tx.execute(
                "DELETE FROM merge_queue WHERE id = ?1 AND status <> 'merging'",
                [id],
            )
        })?;
        Ok(changed == 1)
    }

    /// Takes an entry out of the queue.
    pub fn remove(&self, id: i64) -> Result<(), DbError> {
        self.db.write(|tx| {
            tx.execute("DELETE FROM merge_queue WHERE id = ?1", [id])
                .map(|_| ())
        })
    }
}

fn newest(c: &Connection, branch: &str) -> rusqlite::Result<Option<QueueRow>> {
    c.query_row(
        &format!("{SELECT} WHERE branch_name = ?1 ORDER BY id DESC LIMIT 1"),
        [branch],
        row,
    )
    .optional()
}

fn fresh(
    branch: &str,
    task: &str,
    agent: &str,
    files: &[String],
    enqueued_at: String,
) -> MergeEntry {
    MergeEntry {
        branch_name: branch.to_owned(),
        task_id: task.to_owned(),
        agent_name: agent.to_owned(),
        files_modified: files.to_vec(),
        enqueued_at,
        status: MergeStatus::Pending,
        resolved_tier: None,
    }
}

fn insert(c: &Connection, entry: &MergeEntry) -> rusqlite::Result<i64> {
    c.execute(
        "INSERT INTO merge_queue (branch_name, task_id, agent_name, files_modified, enqueued_at, status)
         VALUES (?1, ?2, ?3, ?4, ?5, 'pending')",
        params![
            entry.branch_name,
            entry.task_id,
            entry.agent_name,
            serde_json::json!(entry.files_modified).to_string(),
            entry.enqueued_at
        ],
    )?;
    Ok(c.last_insert_rowid())
}

fn row(r: &Row<'_>) -> rusqlite::Result<QueueRow> {
    let files: String = text(r, 4)?;
    let status: String = text(r, 6)?;
    let tier: Option<String> = optional_text(r, 7)?;
    Ok(QueueRow {
        id: r.get(0)?,
        entry: MergeEntry {
            branch_name: text(r, 1)?,
            task_id: text(r, 2)?,
            agent_name: text(r, 3)?,
            // Anything that is not a list of texts reads as an empty list, as ov reads it.
            files_modified: serde_json::from_str(&files).unwrap_or_default(),
            enqueued_at: text(r, 5)?,
            status: MergeStatus::parse(&status).unwrap_or(MergeStatus::Failed),
            resolved_tier: tier.and_then(|t| MergeTier::parse(&t)),
        },
    })
}

fn migrate(conn: &Connection) -> rusqlite::Result<()> {
    rename_bead_id(conn, "merge_queue")?;
    conn.execute_batch(CREATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_claimant_gets_an_entry() {
        let dir = tempfile::tempdir().unwrap();
        let store = MergeQueueStore::open(&dir.path().join("q.db")).unwrap();
        let id = store.enqueue("b", "t", "a", &["x".to_owned()]).unwrap().id;
        let claim = || {
            store
                .change_status(id, &[MergeStatus::Pending], MergeStatus::Merging, None)
                .unwrap()
        };
        assert!(claim());
        assert!(!claim());
        assert_eq!(store.all().unwrap()[0].entry.status, MergeStatus::Merging);
    }
}
