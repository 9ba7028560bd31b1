//! Opening a database the way every process of grove and ov opens it.

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A failed database operation, with the file it happened on.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    #[error(
        "{} is locked by another process for more than 5 seconds; close what holds it and try again",
        path.display()
    )]
    Busy { path: PathBuf },
    #[error(
        "{} is not a usable database ({source}); move it aside and run `grove doctor --fix`",
        path.display()
    )]
    Corrupt {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error("unable to open database file {}: {source}", path.display())]
    Open {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error("{}: {source}", path.display())]
    Sql {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
}

/// One open database.
#[derive(Debug)]
pub struct Db {
    conn: Connection,
    path: PathBuf,
}

impl Db {
    /// Opens or creates the file and runs `migrate`, which must be harmless to repeat.
    pub fn open(
        path: &Path,
        migrate: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<Self, DbError> {
        let conn = Connection::open(path).map_err(|e| classify(path, e, true))?;
        let prepared = conn
            .busy_timeout(Duration::from_secs(5))
            .and_then(|()| conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())))
            .and_then(|()| conn.execute_batch("PRAGMA synchronous = NORMAL"))
            .and_then(|()| migrate(&conn));
        prepared.map_err(|e| classify(path, e, false))?;
        Ok(Self {
            conn,
            path: path.to_owned(),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a read; errors get the file's name.
    pub fn read<T>(
        &self,
        f: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, DbError> {
        f(&self.conn).map_err(|e| classify(&self.path, e, false))
    }

    /// Runs a read-modify-write. The write lock is taken at the start: a deferred transaction
    /// that upgrades fails at once, whatever the busy timeout says.
    pub fn write<T>(
        &self,
        f: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, DbError> {
        let run = || {
            let tx = Transaction::new_unchecked(&self.conn, TransactionBehavior::Immediate)?;
            let value = f(&tx)?;
            tx.commit()?;
            Ok(value)
        };
        run().map_err(|e| classify(&self.path, e, false))
    }

    /// A number that changes when another connection has committed to this file.
    pub fn data_version(&self) -> Result<i64, DbError> {
        self.read(|c| c.query_row("PRAGMA data_version", [], |r| r.get(0)))
    }
}

fn classify(path: &Path, source: rusqlite::Error, opening: bool) -> DbError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => DbError::Busy { path },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            DbError::Corrupt { path, source }
        }
        Some(ErrorCode::CannotOpen) => DbError::Open { path, source },
        Some(_) | None if opening => DbError::Open { path, source },
        Some(_) | None => DbError::Sql { path, source },
    }
}

/// The recorded SQL of a table, for migrations that decide by it.
pub(crate) fn table_sql(conn: &Connection, table: &str) -> rusqlite::Result<Option<String>> {
    use rusqlite::OptionalExtension;
    conn.query_row(
        "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?1",
        [table],
        |r| r.get(0),
    )
    .optional()
}

/// Names of a table's columns; empty when there is no such table.
pub(crate) fn columns(conn: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare("SELECT name FROM pragma_table_info(?1)")?;
    statement.query_map([table], |r| r.get(0))?.collect()
}

/// Adds a column unless the table has it. The names are constants of this crate.
pub(crate) fn add_column(
    conn: &Connection,
    table: &str,
    name: &str,
    kind: &str,
) -> rusqlite::Result<()> {
    if columns(conn, table)?.iter().any(|c| c == name) {
        return Ok(());
    }
    conn.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN {name} {kind}"))
}

/// Renames ov's old `bead_id` to `task_id` where it is still found.
pub(crate) fn rename_bead_id(conn: &Connection, table: &str) -> rusqlite::Result<()> {
    if columns(conn, table)?.iter().any(|c| c == "bead_id") {
        conn.execute_batch(&format!(
            "ALTER TABLE {table} RENAME COLUMN bead_id TO task_id"
        ))?;
    }
    Ok(())
}
