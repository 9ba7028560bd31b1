//! A store that is read for a long time, at a path where meanwhile another file may come to stand: one
//! that is put back from a copy, or removed and made anew. The file that was opened would never change
//! again.

use super::connection::{Db, DbError};
use crate::platform::fs;
use std::path::{Path, PathBuf};

/// The store that stands at a path.
#[derive(Debug)]
pub struct Followed<S> {
    path: PathBuf,
    look: fn(&Path) -> Result<S, DbError>,
    db: fn(&S) -> &Db,
    current: Option<Current<S>>,
    /// How often in a row the file that stands there now could not be opened.
    misses: u8,
}

/// So many times it may fail: a file that is just being copied cannot be read yet.
const PATIENCE: u8 = 2;

#[derive(Debug)]
struct Current<S> {
    store: S,
    /// Which file it is; none where the system does not tell.
    identity: Option<(u64, u64)>,
}

/// What tells whether a store has to be read again: which file it is, and its version.
pub type Mark = Option<(Option<(u64, u64)>, i64)>;

impl<S> Followed<S> {
    /// Opens what stands there with `look`, if anything does.
    pub fn begin(
        path: PathBuf,
        look: fn(&Path) -> Result<S, DbError>,
        db: fn(&S) -> &Db,
    ) -> Result<Self, DbError> {
        let identity = fs::identity(&path);
        let store = path.exists().then(|| look(&path)).transpose()?;
        Ok(Self {
            path,
            look,
            db,
            current: store.map(|store| Current { store, identity }),
            misses: 0,
        })
    }

    /// The store, if there has been one.
    pub fn store(&self) -> Option<&S> {
        self.current.as_ref().map(|current| &current.store)
    }

    /// Opens the file that stands there now, if it is another one, and gives back the one before.
    /// While there is none, the last one stays.
    pub fn renew(&mut self) -> Result<Option<S>, DbError> {
        // Before it is opened: a file that takes its place meanwhile is noticed the next time.
        let identity = fs::identity(&self.path);
        let is_open = |current: &Current<S>| current.identity == identity;
        if self.current.as_ref().is_some_and(is_open) || !self.is_there() {
            return Ok(None);
        }
        match (self.look)(&self.path) {
            Ok(store) => {
                self.misses = 0;
                let before = self.current.replace(Current { store, identity });
                Ok(before.map(|before| before.store))
            }
            Err(error) if self.misses >= PATIENCE => Err(error),
            Err(_) => {
                self.misses += 1;
                Ok(None)
            }
        }
    }

    /// An empty file is one whose text is still to come; opening it would write to it.
    fn is_there(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|file| file.len() > 0)
    }

    /// Changes whenever there may be something new in the store that was opened last.
    pub fn mark(&self) -> Result<Mark, DbError> {
        let Some(current) = &self.current else {
            return Ok(None);
        };
        let version = (self.db)(&current.store).data_version()?;
        Ok(Some((current.identity, version)))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::db::EventStore;

    #[test]
    fn a_file_that_takes_the_place_of_another_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.db");
        let mut followed = Followed::begin(path.clone(), EventStore::look, EventStore::db).unwrap();
        assert!(followed.store().is_none() && followed.mark().unwrap().is_none());
        drop(EventStore::open(&path).unwrap());
        assert!(followed.renew().unwrap().is_none());
        let first = followed.mark().unwrap();
        assert!(first.is_some());
        assert!(followed.renew().unwrap().is_none());
        assert_eq!(followed.mark().unwrap(), first);
        std::fs::remove_file(&path).unwrap();
        assert!(followed.renew().unwrap().is_none(), "nothing has come yet");
        assert!(!path.exists());
        drop(EventStore::open(&path).unwrap());
        assert!(followed.renew().unwrap().is_some());
        let second = followed.mark().unwrap();
        assert_ne!(second, first);
        let other = dir.path().join("other.db");
        drop(EventStore::open(&other).unwrap());
        std::fs::rename(&other, &path).unwrap();
        assert!(followed.renew().unwrap().is_some());
        assert_ne!(followed.mark().unwrap(), second);
    }
}
