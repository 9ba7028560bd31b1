//! The form of `mail.db`: its table, and bringing an old one up to date.

use super::connection::{columns, table_sql};
use super::shape::Shape;
use crate::types::mail::{MailPriority, MailType};
use rusqlite::Connection;

const CREATE: &str = "
CREATE TABLE IF NOT EXISTS messages (
  id TEXT PRIMARY KEY,
  from_agent TEXT NOT NULL,
  to_agent TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  type TEXT NOT NULL DEFAULT 'status' CHECK(type IN ('status','question','result','error','worker_done','worker_died','merge_ready','merged','merge_failed','escalation','health_check','dispatch','assign','decision_gate')),
  priority TEXT NOT NULL DEFAULT 'normal' CHECK(priority IN ('low','normal','high','urgent')),
  thread_id TEXT,
  payload TEXT,
  read INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL DEFAULT (datetime('now'))
)";

const INDEXES: &str = "
CREATE INDEX IF NOT EXISTS idx_inbox ON messages(to_agent, read);
CREATE INDEX IF NOT EXISTS idx_thread ON messages(thread_id);";

pub(super) const COLUMNS: &str =
    "id, from_agent, to_agent, subject, body, type, priority, thread_id, payload, read, created_at";

pub(super) const SHAPE: Shape = Shape {
    tables: &[("messages", COLUMNS)],
    indexes: &["idx_inbox", "idx_thread"],
    closed: true,
    outdated: |sql| !has_protocol_types(sql),
    unknown: unknown_type,
    migrate,
};

fn migrate(conn: &Connection) -> rusqlite::Result<()> {
    if let Some(sql) = table_sql(conn, "messages")? {
        let protocol = has_protocol_types(&sql);
        let has_payload = columns(conn, "messages")?.iter().any(|c| c == "payload");
        let only_payload_missing = sql.contains("CHECK")
            && sql.contains("worker_done")
            && sql.contains("worker_died")
            && !has_payload;
        if only_payload_missing {
            conn.execute_batch("ALTER TABLE messages ADD COLUMN payload TEXT")?;
        } else if !(protocol && has_payload) {
            rebuild(conn, has_payload)?;
        }
    } else {
        conn.execute_batch(CREATE)?;
    }
    conn.execute_batch(INDEXES)
}

fn has_protocol_types(sql: &str) -> bool {
    sql.contains("CHECK")
        && ["worker_done", "worker_died", "decision_gate"]
            .iter()
            .all(|t| sql.contains(t))
}

/// A type that the table admits and this version does not know.
fn unknown_type(sql: &str) -> Option<String> {
    let (_, list) = sql
        .split_once("CHECK(type IN (")
        .or_else(|| sql.split_once("CHECK (type IN ("))?;
    let (list, _) = list.split_once(')')?;
    list.split(',')
        .map(|word| word.trim().trim_matches('\''))
        .find(|word| MailType::parse(word).is_none())
        .map(|word| format!("type {word}"))
}

fn rebuild(conn: &Connection, has_payload: bool) -> rusqlite::Result<()> {
    let list = |words: Vec<&str>| {
        words
            .iter()
            .map(|w| format!("'{w}'"))
            .collect::<Vec<_>>()
            .join(",")
    };
    let types = list(MailType::ALL.iter().map(|t| t.as_str()).collect());
    let priorities = list(MailPriority::ALL.iter().map(|p| p.as_str()).collect());
    let payload = if has_payload { "payload" } else { "NULL" };
    conn.execute_batch(&format!(
        "DROP INDEX IF EXISTS idx_inbox;
         DROP INDEX IF EXISTS idx_thread;
         ALTER TABLE messages RENAME TO messages_old;
         {CREATE};
         INSERT INTO messages
           SELECT id, from_agent, to_agent, subject, body,
                  CASE WHEN type IN ({types}) THEN type ELSE 'status' END,
                  CASE WHEN priority IN ({priorities}) THEN priority ELSE 'normal' END,
                  thread_id, {payload}, read, created_at
           FROM messages_old;
         DROP TABLE messages_old;"
    ))
}
