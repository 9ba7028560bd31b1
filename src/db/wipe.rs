//! Emptying a whole database, whatever tables it has.

use super::connection::{Db, DbError};
use super::shape::Shape;
use std::path::Path;

/// Whatever the file holds is fine, and nothing is made.
const ANY: Shape = Shape {
    tables: &[],
    indexes: &[],
    closed: false,
    outdated: |_| false,
    unknown: |_| None,
    migrate: |_| Ok(()),
};

/// Deletes every row of every table in one transaction. Programs that have the file open see it
/// empty, which they would not if it were only removed. A file that is not there is left out.
pub fn empty(path: &Path) -> Result<(), DbError> {
    if !path.exists() {
        return Ok(());
    }
    let db = Db::open(path, &ANY)?;
    db.write(|tx| {
        let tables: Vec<String> = tx
            .prepare(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
            )?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        for table in tables {
            let name = table.replace('"', "\"\"");
            tx.execute(&format!("DELETE FROM \"{name}\""), [])?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::SessionStore;
    use crate::db::sessions::tests::sample;
    use crate::types::AgentState;

    #[test]
    fn who_has_the_file_open_sees_it_empty() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sessions.db");
        empty(&path).unwrap();
        assert!(!path.exists());
        let store = SessionStore::open(&path).unwrap();
        store.upsert(&sample("a", AgentState::Working)).unwrap();
        store.start_run().unwrap();
        empty(&path).unwrap();
        assert!(store.all().unwrap().is_empty());
        assert!(store.runs(5).unwrap().is_empty());
    }
}
