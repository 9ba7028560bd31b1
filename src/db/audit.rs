//! Looking for secrets in a store, whoever has written it. Nothing is created or changed.

use std::path::Path;
use std::sync::Arc;

use rusqlite::types::ValueRef;

use super::peek::Peek;
use crate::text::Redactor;

/// A secret in a store, by its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InStore {
    pub table: String,
    /// SQLite's number of the row.
    pub row: i64,
    pub column: String,
    pub kind: String,
}

/// All secrets in a store; the error is a sentence.
pub fn secrets_in_store(path: &Path, redactor: &Arc<Redactor>) -> Result<Vec<InStore>, String> {
    let store = Peek::open(path).ok_or("it cannot be opened")?;
    let connection = store.connection();
    let mut found = Vec::new();
    let tables = || -> rusqlite::Result<Vec<String>> {
        connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?
            .query_map([], |row| row.get(0))?
            .collect()
    };
    for table in tables().map_err(|e| e.to_string())? {
        let quoted = table.replace('"', "\"\"");
        let mut read = || -> rusqlite::Result<()> {
            let mut statement =
                connection.prepare(&format!("SELECT rowid, * FROM \"{quoted}\""))?;
            let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let id: i64 = row.get(0)?;
                for (index, column) in names.iter().enumerate().skip(1) {
                    let (ValueRef::Text(bytes) | ValueRef::Blob(bytes)) = row.get_ref(index)?
                    else {
                        continue;
                    };
                    found.extend(redactor.kinds(bytes).into_iter().map(|kind| InStore {
                        table: table.clone(),
                        row: id,
                        column: column.clone(),
                        kind,
                    }));
                }
            }
            Ok(())
        };
        read().map_err(|e| format!("table {table}: {e}"))?;
    }
    Ok(found)
}
