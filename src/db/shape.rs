//! What a database must look like for its store, and how old or new a file is measured by that.
//!
//! ov keeps no version number: a file is old when a table or column of today is missing, and newer
//! when it has columns that this version does not know, or a `user_version`.

use rusqlite::Connection;

/// The form of one database.
pub(crate) struct Shape {
    /// Each table with its columns, separated by `, `.
    pub(crate) tables: &'static [(&'static str, &'static str)],
    /// Indices that an opening for writing adds when they are missing.
    pub(crate) indexes: &'static [&'static str],
    /// Whether columns that are not in `tables` tell of a newer version.
    pub(crate) closed: bool,
    /// Whether the recorded SQL of the first table is an old one, in spite of its columns.
    pub(crate) outdated: fn(&str) -> bool,
    /// What the recorded SQL of the first table has that only a later version can have put there.
    pub(crate) unknown: fn(&str) -> Option<String>,
    /// Brings a file from any earlier form to today's. Runs inside a transaction; repeatable.
    pub(crate) migrate: fn(&Connection) -> rusqlite::Result<()>,
}

/// How a file stands to this version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Age {
    /// New, empty, or of an earlier version.
    Old,
    Current,
    /// Of a later version; says by what that was seen.
    Newer(String),
}

/// The one column that was renamed; `task_id` today.
const FORMER: &str = "bead_id";

impl Shape {
    /// Measures a file by its tables.
    pub(crate) fn age(&self, conn: &Connection) -> rusqlite::Result<Age> {
        let version: i64 = conn.query_row("PRAGMA user_version", [], |r| r.get(0))?;
        if version > 0 {
            return Ok(Age::Newer(format!("user_version {version}")));
        }
        let mut present = conn.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let mut missing = false;
        for (table, columns) in self.tables {
            let found: Vec<String> = present
                .query_map([table], |r| r.get(0))?
                .collect::<Result<_, _>>()?;
            let known = |name: &str| columns.split(", ").any(|c| c == name);
            let stranger = found
                .iter()
                .find(|name| self.closed && *name != FORMER && !known(name));
            if let Some(name) = stranger {
                return Ok(Age::Newer(format!("column {table}.{name}")));
            }
            missing |= columns
                .split(", ")
                .any(|column| !found.iter().any(|name| name == column));
        }
        let sql = self.sql_of_first_table(conn)?;
        if let Some(seen) = sql.as_deref().and_then(self.unknown) {
            return Ok(Age::Newer(seen));
        }
        if missing || sql.is_some_and(|sql| (self.outdated)(&sql)) {
            return Ok(Age::Old);
        }
        Ok(Age::Current)
    }

    fn sql_of_first_table(&self, conn: &Connection) -> rusqlite::Result<Option<String>> {
        let Some((table, _)) = self.tables.first() else {
            return Ok(None);
        };
        super::connection::table_sql(conn, table)
    }

    /// Whether every index is there; only writers care.
    pub(crate) fn is_indexed(&self, conn: &Connection) -> rusqlite::Result<bool> {
        let mut statement = conn.prepare("SELECT name FROM sqlite_master WHERE type = 'index'")?;
        let found: Vec<String> = statement
            .query_map([], |r| r.get(0))?
            .collect::<Result<_, _>>()?;
        Ok(self
            .indexes
            .iter()
            .all(|index| found.iter().any(|name| name == index)))
    }
}
