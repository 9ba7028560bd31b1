//! Opening a database the way every process of grove and ov opens it.

use super::notices;
use super::reading::{copy_in_memory, is_unwritable, reader};
use super::shape::{Age, Shape};
use crate::platform::clock;
use crate::platform::writable::{self, Refusal};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long somebody else may hold a lock.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// Every opening reads the log that was left: this much takes a fraction of a millisecond; bytes.
const SHORT_LOG: u64 = 256 * 1024;

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
    #[error(
        "{} belongs to a newer version ({seen}) and is only read; update grove to write to it",
        path.display()
    )]
    Newer { path: PathBuf, seen: String },
    #[error(
        "{} cannot be written ({source}); make its folder writable and try again",
        path.display()
    )]
    ReadOnly {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error(
        "{} cannot be written ({source}): the disk is full or failing; nothing was changed, free some space and try again",
        path.display()
    )]
    Full {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error(
        "{} is a folder, not a database; move it aside and run `grove doctor --fix`",
        path.display()
    )]
    Folder { path: PathBuf },
    #[error(
        "{} does not have the form that this version of grove knows ({what}): a newer version or another program wrote it; update grove",
        path.display()
    )]
    Foreign {
        path: PathBuf,
        /// What is missing, without the statement that asked for it.
        what: String,
    },
    #[error("unable to open database file {}: {why}", path.display())]
    Open {
        path: PathBuf,
        /// What the system says to it, or SQLite.
        why: String,
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
    /// Opens a file to read and write it: creates what is missing, brings an old one up to date in
    /// one transaction, and leaves a newer one alone.
    pub(crate) fn open(path: &Path, shape: &Shape) -> Result<Self, DbError> {
        let conn = Connection::open(path).map_err(|e| classify(path, e, true))?;
        match prepare(&conn, shape).map_err(|e| classify(path, e, false))? {
            Age::Newer(seen) => Err(DbError::Newer {
                path: path.to_owned(),
                seen,
            }),
            Age::Old | Age::Current => Ok(Self {
                conn,
                path: path.to_owned(),
            }),
        }
    }

    /// Opens a file only to read it. As with ov, one that is missing is created and an old one
    /// migrated, where that is possible; everything else leaves the files as they are.
    pub(crate) fn look(path: &Path, shape: &Shape) -> Result<Self, DbError> {
        if !path.exists() {
            return Self::open_or_copy(path, shape);
        }
        let conn = reader(path).map_err(|e| classify(path, e, false))?;
        match shape.age(&conn).map_err(|e| classify(path, e, false))? {
            Age::Old => {
                drop(conn);
                return Self::open_or_copy(path, shape);
            }
            Age::Newer(seen) => notices::keep(format!(
                "! {} belongs to a newer version ({seen}): it is read, but never written",
                path.display()
            )),
            Age::Current => {}
        }
        Ok(Self {
            conn,
            path: path.to_owned(),
        })
    }

    /// Fails when the file is there and of a newer version; it is only looked at.
    pub(crate) fn refuse_newer(path: &Path, shape: &Shape) -> Result<(), DbError> {
        if !path.exists() {
            return Ok(());
        }
        let conn = reader(path).map_err(|e| classify(path, e, false))?;
        match shape.age(&conn).map_err(|e| classify(path, e, false))? {
            Age::Newer(seen) => Err(DbError::Newer {
                path: path.to_owned(),
                seen,
            }),
            Age::Old | Age::Current => Ok(()),
        }
    }

    /// What reading finds, in memory: a copy of the file, or of an empty one where it is missing.
    pub(crate) fn in_memory(path: &Path, shape: &Shape) -> Result<Self, DbError> {
        let conn = copy_in_memory(path, shape).map_err(|e| classify(path, e, true))?;
        Ok(Self {
            conn,
            path: path.to_owned(),
        })
    }

    /// As `open`; where nothing can be written, a copy in memory takes its place.
    pub(crate) fn open_or_copy(path: &Path, shape: &Shape) -> Result<Self, DbError> {
        match Self::open(path, shape) {
            Err(
                DbError::Open { source, .. }
                | DbError::ReadOnly { source, .. }
                | DbError::Full { source, .. }
                | DbError::Sql { source, .. },
            ) if is_unwritable(&source) && path.parent().is_some_and(Path::is_dir) => {
                Self::in_memory(path, shape)
            }
            other => other,
        }
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

    /// Lets a short log lie when this connection is closed, for whoever writes next: moving it into the
    /// database takes four flushes of the disk. For changes that a power cut may undo.
    pub fn leave_short_log(&self) -> Result<(), DbError> {
        let log = std::fs::metadata(wal_file(&self.path)).map_or(0, |log| log.len());
        self.read(|c| {
            c.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, log <= SHORT_LOG)
                .map(|_| ())
        })
    }

    /// A number that changes when another connection has committed to this file.
    pub fn data_version(&self) -> Result<i64, DbError> {
        self.read(|c| c.query_row("PRAGMA data_version", [], |r| r.get(0)))
    }
}

/// Measures the file and, unless it is newer, makes it a file of today.
fn prepare(conn: &Connection, shape: &Shape) -> rusqlite::Result<Age> {
    conn.busy_timeout(BUSY)?;
    let age = shape.age(conn)?;
    if matches!(age, Age::Newer(_)) {
        return Ok(age);
    }
    write_ahead(conn)?;
    conn.execute_batch("PRAGMA synchronous = NORMAL")?;
    if age == Age::Current && !shape.closed {
        (shape.migrate)(conn)?;
        return Ok(age);
    }
    if age == Age::Current && shape.is_indexed(conn)? {
        return Ok(age);
    }
    // Somebody else may be doing the same just now: the lock first, then another look.
    let tx = Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    let age = shape.age(&tx)?;
    if !matches!(age, Age::Newer(_)) {
        (shape.migrate)(&tx)?;
    }
    tx.commit()?;
    Ok(age)
}

/// Turns the log on that lets readers and a writer work side by side. Two processes that do this to
/// a new file at once may get an immediate refusal, which no busy timeout covers.
fn write_ahead(conn: &Connection) -> rusqlite::Result<()> {
    let end = clock::now().0 + BUSY.as_millis() as i64;
    loop {
        let mode = conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match mode {
            Err(error) if is_busy(&error) && clock::now().0 < end => {
                std::thread::sleep(Duration::from_millis(2));
            }
            other => return other,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// The log beside a database.
pub(super) fn wal_file(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push("-wal");
    name.into()
}

pub(super) fn classify(path: &Path, source: rusqlite::Error, opening: bool) -> DbError {
    let path = path.to_owned();
    if let rusqlite::Error::SqlInputError { msg, .. } = source {
        return DbError::Foreign { path, what: msg };
    }
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => DbError::Busy { path },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            DbError::Corrupt { path, source }
        }
        Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) if path.is_dir() => {
            DbError::Folder { path }
        }
        Some(ErrorCode::CannotOpen) => unopened(path, source),
        Some(ErrorCode::ReadOnly) => DbError::ReadOnly { path, source },
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => DbError::Full { path, source },
        Some(_) | None if opening => unopened(path, source),
        Some(_) | None => DbError::Sql { path, source },
    }
}

/// SQLite does not say why a file cannot be opened; the system does.
fn unopened(path: PathBuf, source: rusqlite::Error) -> DbError {
    let why = match writable::refusal(&path) {
        Some(Refusal::File(e)) => {
            format!("it cannot be written ({e}); make it writable and try again")
        }
        Some(Refusal::Folder(e)) => {
            format!("its folder cannot be written ({e}); make it writable and try again")
        }
        None => source.to_string(),
    };
    DbError::Open { path, why, source }
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

/// Renames ov's old `bead_id` to `task_id` where it is still found; where both are there, what only
/// the old one has is taken over.
pub(crate) fn rename_bead_id(conn: &Connection, table: &str) -> rusqlite::Result<()> {
    let columns = columns(conn, table)?;
    let has = |name: &str| columns.iter().any(|column| column == name);
    match (has("bead_id"), has("task_id")) {
        (true, true) => conn.execute_batch(&format!(
            "UPDATE {table} SET task_id = bead_id WHERE coalesce(task_id, '') = '';
             ALTER TABLE {table} DROP COLUMN bead_id"
        )),
        (true, false) => conn.execute_batch(&format!(
            "ALTER TABLE {table} RENAME COLUMN bead_id TO task_id"
        )),
        (false, _) => Ok(()),
    }
}
