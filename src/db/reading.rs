//! Opening a database only to look at it: no byte of the project changes.
//!
//! A reader joins SQLite's locks where the folder allows it, so it sees what writers have committed
//! a moment ago. Where nothing can be written (a read-only folder, a full disk) it reads the file as
//! it lies there. An old file that cannot be migrated is read through a copy in memory.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::connection::{BUSY, wal_file};
use super::shape::Shape;

/// Opens an existing file for reading.
pub fn reader(path: &Path) -> rusqlite::Result<Connection> {
    match joined(path) {
        Err(error) if is_unwritable(&error) => {
            if holds_something(path) {
                super::notices::keep(format!(
                    "! what is only in {} cannot be read here: the folder cannot be written",
                    wal_file(path).display()
                ));
            }
            as_it_lies(path)
        }
        other => other,
    }
}

/// Reads with the locks of everybody else. Needs the shared-memory file that SQLite makes beside
/// the database and takes away again.
fn joined(path: &Path) -> rusqlite::Result<Connection> {
    let left_behind = holds_something(path);
    let conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    prepare(&conn, BUSY)?;
    if left_behind {
        // The last one to leave would move somebody's log into the database: not a reader's work.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    }
    Ok(conn)
}

fn as_it_lies(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let conn = Connection::open_with_flags(immutable(path), flags)?;
    prepare(&conn, Duration::ZERO)?;
    Ok(conn)
}

fn prepare(conn: &Connection, wait: Duration) -> rusqlite::Result<()> {
    conn.busy_timeout(wait)?;
    conn.execute_batch("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY")?;
    // Opening is lazy: only the first look tells whether it works.
    conn.query_row("PRAGMA schema_version", [], |_| Ok(()))
}

/// A copy in memory, brought to today's form: for old files where nothing can be written, and for
/// files that are not there and cannot be made.
pub(super) fn copy_in_memory(path: &Path, shape: &Shape) -> rusqlite::Result<Connection> {
    let conn = Connection::open_in_memory_with_flags(
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_URI,
    )?;
    if path.exists() {
        conn.execute("ATTACH ?1 AS file", [immutable(path)])?;
        let tables: Vec<(String, String)> = conn
            .prepare("SELECT name, sql FROM file.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")?
            .query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?
            .collect::<Result<_, _>>()?;
        for (name, sql) in tables {
            conn.execute_batch(&sql)?;
            let name = name.replace('"', "\"\"");
            conn.execute_batch(&format!(
                "INSERT INTO main.\"{name}\" SELECT * FROM file.\"{name}\""
            ))?;
        }
        conn.execute_batch("DETACH file")?;
    }
    (shape.migrate)(&conn)?;
    Ok(conn)
}

/// Whether an error says that nothing can be written where the file is.
pub(super) fn is_unwritable(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
        )
    )
}

fn holds_something(path: &Path) -> bool {
    std::fs::metadata(wal_file(path)).is_ok_and(|meta| meta.len() > 0)
}

/// The address of a file that nobody changes while it is read.
fn immutable(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            write!(uri, "%{byte:02X}").unwrap_or_default();
        }
    }
    uri + "?immutable=1"
}
