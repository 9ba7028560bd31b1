//! The mail store, kept open between hooks: opening it costs more than a look for new mail.

use crate::db::{DbError, MailStore};
use crate::platform::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// One connection, used by one hook at a time.
#[derive(Debug)]
pub struct Mailbox {
    path: PathBuf,
    open: Mutex<Option<Open>>,
}

#[derive(Debug)]
struct Open {
    store: MailStore,
    /// The file that was opened: another one may take its name.
    file: (u64, u64),
}

impl Mailbox {
    /// Opens nothing yet.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            open: Mutex::new(None),
        }
    }

    /// Does something with the store that the path names now.
    pub fn with<T>(&self, f: impl FnOnce(&MailStore) -> Result<T, DbError>) -> Result<T, DbError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let now = fs::identity(&self.path);
        let kept = open
            .take()
            .filter(|kept| now.is_some_and(|now| now == kept.file));
        let kept = match kept {
            Some(kept) => kept,
            None => {
                let store = MailStore::open(&self.path)?;
                let Some(file) = fs::identity(&self.path) else {
                    return f(&store);
                };
                Open { store, file }
            }
        };
        let result = f(&kept.store);
        // After a failure the next one starts anew.
        if result.is_ok() {
            *open = Some(kept);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::mail::MailFilter;
    use crate::types::mail::{MailType, NewMail};

    #[test]
    fn a_store_that_is_put_in_the_place_of_another_is_the_one_that_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mail.db");
        let mailbox = Mailbox::new(path.clone());
        let count = || {
            let all = |store: &MailStore| store.list(&MailFilter::default());
            mailbox.with(all).unwrap().len()
        };
        assert_eq!(count(), 0);
        for name in ["mail.db", "mail.db-wal", "mail.db-shm"] {
            if let Err(e) = std::fs::remove_file(dir.path().join(name)) {
                assert_eq!(e.kind(), std::io::ErrorKind::NotFound);
            }
        }
        let other = MailStore::open(&path).unwrap();
        other
            .insert(&NewMail::new("a", "b", MailType::Status, "s", "b"))
            .unwrap();
        assert_eq!(count(), 1);
    }
}
