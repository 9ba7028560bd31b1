//! Open stores for the handlers. Queries run on threads of their own, so that a database that is
//! locked for a while keeps nobody else waiting.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::answer::Failure;
use crate::db::{DbError, Stores};
use crate::platform::{ProjectPaths, fs};

/// More are closed again after a burst.
const KEPT: usize = 4;

/// Stores and the files they were opened on.
pub(super) struct Opened {
    pub(super) stores: Stores,
    files: Vec<(PathBuf, Option<(u64, u64)>)>,
}

impl Opened {
    pub(super) fn open(paths: &ProjectPaths) -> Result<Self, DbError> {
        // Before they are opened: a file that takes the place of one meanwhile is noticed the next time.
        let files = [
            paths.mail_db(),
            paths.sessions_db(),
            paths.events_db(),
            paths.merge_queue_db(),
        ];
        let files = files.map(|path| {
            let identity = fs::identity(&path);
            (path, identity)
        });
        Ok(Self {
            stores: Stores::open(paths)?,
            files: files.into(),
        })
    }

    /// Whether the files are still those that were opened: `clean` removes databases, and a
    /// connection would go on reading what is gone.
    pub(super) fn is_current(&self) -> bool {
        self.files
            .iter()
            .all(|(path, identity)| fs::identity(path) == *identity)
    }
}

/// The stores that no handler uses at the moment.
pub(super) struct Shelf {
    paths: ProjectPaths,
    free: Mutex<Vec<Opened>>,
}

impl Shelf {
    pub(super) fn new(paths: ProjectPaths, first: Opened) -> Arc<Self> {
        Arc::new(Self {
            paths,
            free: Mutex::new(vec![first]),
        })
    }

    /// Runs a read or a short write away from the network's thread.
    pub(super) async fn with<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Stores) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let shelf = Arc::clone(self);
        blocking(move || {
            let opened = shelf.take()?;
            let result = work(&opened.stores)?;
            // Stores on which something failed are closed, in case it was their fault.
            shelf.put_back(opened);
            Ok(result)
        })
        .await
    }

    fn take(&self) -> Result<Opened, Failure> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(opened) = free.pop() {
            if opened.is_current() {
                return Ok(opened);
            }
        }
        drop(free);
        Ok(Opened::open(&self.paths)?)
    }

    fn put_back(&self, opened: Opened) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < KEPT {
            free.push(opened);
        }
    }
}

/// Runs work that may wait on a thread of its own.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|e| Failure::internal(format!("the request ended unexpectedly: {e}")))?
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::db::EventStore;
    use crate::types::event::{EventType, NewEvent};
    use std::sync::Barrier;

    /// What is taken for current is what stands there, whenever the other file came.
    #[test]
    fn a_store_that_is_replaced_while_it_is_opened_is_not_current() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".overstory")).unwrap();
        let paths = ProjectPaths::new(dir.path());
        drop(Stores::open(&paths).unwrap());
        let (stands, next) = (paths.events_db(), dir.path().join("next.db"));
        for round in 1..=40 {
            let store = EventStore::open(&next).unwrap();
            for _ in 0..round {
                store
                    .insert(&NewEvent::new("a", EventType::Custom))
                    .unwrap();
            }
            drop(store);
            let ready = Barrier::new(2);
            let opened = std::thread::scope(|scope| {
                let opening = scope.spawn(|| {
                    ready.wait();
                    Opened::open(&paths).unwrap()
                });
                ready.wait();
                std::thread::sleep(std::time::Duration::from_micros(round * 100));
                std::fs::rename(&next, &stands).unwrap();
                opening.join().unwrap()
            });
            let read = opened.stores.events.last().unwrap().map_or(0, |(id, _)| id);
            assert!(!opened.is_current() || read == round as i64, "{round}");
        }
    }
}
