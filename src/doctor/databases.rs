//! The databases: present, readable, of today's shape, in WAL mode.

use std::path::Path;

use super::{Check, Patient, Repair, Repaired};
use crate::db::{
    DbError, EventStore, GroveStore, MailStore, MergeQueueStore, MetricsStore, SessionStore,
};
use crate::platform::clock;

/// A database with the columns each of its tables must have.
struct Expected {
    file: &'static str,
    tables: &'static [(&'static str, &'static [&'static str])],
    open: fn(&Path) -> Result<(), DbError>,
}

const DATABASES: [Expected; 4] = [
    Expected {
        file: "mail.db",
        tables: &[(
            "messages",
            &[
                "id",
                "from_agent",
                "to_agent",
                "subject",
                "body",
                "type",
                "priority",
                "thread_id",
                "payload",
                "read",
                "created_at",
            ],
        )],
        open: |path| MailStore::open(path).map(drop),
    },
    Expected {
        file: "metrics.db",
        tables: &[(
            "sessions",
            &[
                "agent_name",
                "task_id",
                "capability",
                "started_at",
                "completed_at",
                "duration_ms",
                "exit_code",
                "merge_result",
                "parent_agent",
                "input_tokens",
                "output_tokens",
                "cache_read_tokens",
                "cache_creation_tokens",
                "estimated_cost_usd",
                "model_used",
            ],
        )],
        open: |path| MetricsStore::open(path).map(drop),
    },
    Expected {
        file: "sessions.db",
        tables: &[(
            "sessions",
            &[
                "id",
                "agent_name",
                "capability",
                "worktree_path",
                "branch_name",
                "task_id",
                "tmux_session",
                "state",
                "pid",
                "parent_agent",
                "depth",
                "run_id",
                "started_at",
                "last_activity",
                "escalation_level",
                "stalled_since",
            ],
        )],
        open: |path| SessionStore::open(path).map(drop),
    },
    Expected {
        file: "merge-queue.db",
        tables: &[(
            "merge_queue",
            &[
                "id",
                "branch_name",
                "task_id",
                "agent_name",
                "files_modified",
                "enqueued_at",
                "status",
                "resolved_tier",
            ],
        )],
        open: |path| MergeQueueStore::open(path).map(drop),
    },
];

/// Made when they are first needed, so the report speaks of them only when they are damaged.
const LATER: [Expected; 2] = [
    Expected {
        file: "events.db",
        tables: &[],
        open: |path| EventStore::open(path).map(drop),
    },
    Expected {
        file: "grove.db",
        tables: &[],
        open: |path| GroveStore::open(path).map(drop),
    },
];

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let all = DATABASES
        .iter()
        .map(|expected| examine(expected, &patient.paths.file(expected.file)));
    let damaged = LATER.iter().filter_map(|expected| {
        let path = patient.paths.file(expected.file);
        is_damaged(expected, &path).then(|| examine(expected, &path))
    });
    all.chain(damaged).collect()
}

fn is_damaged(expected: &Expected, path: &Path) -> bool {
    path.exists() && problems(expected, path).is_err()
}

fn examine(expected: &Expected, path: &Path) -> Check {
    let file = expected.file;
    if !path.exists() {
        return Check::fail(
            format!("{file} exists"),
            format!("Database file {file} does not exist"),
        )
        .details(vec![format!("Expected at: {}", path.display())])
        .quietly_repaired_by(Repair::Databases);
    }
    match problems(expected, path) {
        Err(error) => Check::fail(
            format!("{file} integrity"),
            format!("Database {file} cannot be used: {error}"),
        )
        .repaired_by(Repair::Databases),
        Ok((missing, wal)) if missing.is_empty() && wal => Check::pass(
            format!("{file} health"),
            format!("Database {file} is healthy"),
        ),
        Ok((missing, _)) if missing.is_empty() => Check::warn(
            format!("{file} WAL mode"),
            format!("Database {file} is not using WAL mode"),
        )
        .repaired_by(Repair::Databases),
        Ok((mut missing, wal)) => {
            if !wal {
                missing.push("WAL mode not enabled".into());
            }
            Check::fail(
                format!("{file} schema"),
                format!("Database {file} has schema issues"),
            )
            .details(missing)
            .repaired_by(Repair::Databases)
        }
    }
}

/// Missing tables and columns, and whether WAL is on. Opens read-only: looking must not migrate.
fn problems(expected: &Expected, path: &Path) -> rusqlite::Result<(Vec<String>, bool)> {
    let connection = crate::db::reader(path)?;
    let state: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if state != "ok" {
        return Err(rusqlite::Error::InvalidColumnName(state));
    }
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    let mut missing = Vec::new();
    for (table, columns) in expected.tables {
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let present: Vec<String> = statement
            .query_map([table], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        if present.is_empty() {
            missing.push(format!("Missing table: {table}"));
            continue;
        }
        let absent = columns
            .iter()
            .filter(|column| !present.iter().any(|name| name == *column));
        missing.extend(absent.map(|column| format!("Table {table} missing column: {column}")));
    }
    Ok((missing, mode == "wal"))
}

/// Creates what is missing, migrates what is old by opening it; what cannot be opened is set aside, never overwritten.
pub(super) fn repair(patient: &Patient) -> Vec<Repaired> {
    let mut report = Vec::new();
    for expected in &DATABASES {
        let path = patient.paths.file(expected.file);
        if !path.exists() {
            report.push(match (expected.open)(&path) {
                Ok(()) => Repaired::Done(format!("created {}", expected.file)),
                Err(error) => Repaired::failed(error),
            });
            continue;
        }
        let broken = match problems(expected, &path) {
            Ok((missing, wal)) => !missing.is_empty() || !wal,
            Err(_) => true,
        };
        if broken {
            report.push(mend(expected, &path));
        }
    }
    for expected in &LATER {
        let path = patient.paths.file(expected.file);
        if is_damaged(expected, &path) {
            report.push(mend(expected, &path));
        }
    }
    report
}

fn mend(expected: &Expected, path: &Path) -> Repaired {
    match (expected.open)(path) {
        Ok(()) => Repaired::Done(format!("migrated {}", expected.file)),
        Err(DbError::Corrupt { .. } | DbError::Folder { .. }) => set_aside(expected, path),
        Err(
            error @ (DbError::Busy { .. }
            | DbError::Newer { .. }
            | DbError::ReadOnly { .. }
            | DbError::Full { .. }
            | DbError::Open { .. }
            | DbError::Foreign { .. }
            | DbError::Sql { .. }),
        ) => Repaired::failed(error),
    }
}

fn set_aside(expected: &Expected, path: &Path) -> Repaired {
    let aside = path.with_file_name(format!(
        "{}.corrupt-{}",
        expected.file,
        clock::now().stamp()
    ));
    let moved = std::fs::rename(path, &aside).map_err(|error| error.to_string());
    match moved.and_then(|()| (expected.open)(path).map_err(|error| error.to_string())) {
        Ok(()) => Repaired::Done(format!(
            "kept the unreadable {} as {} and made a new one",
            expected.file,
            aside.display()
        )),
        Err(error) => Repaired::Failed(format!("could not repair {}: {error}", expected.file)),
    }
}
