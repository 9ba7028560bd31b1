//! The look for replaced objects that goes on while something is planned: that only reads and writes objects, so
//! that nothing has come of what it read when the look is over.

use std::cell::OnceCell;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{Builder, Scope};

use super::error::GitError;
use super::replaced::{ReplacedObjects, StoreLook};

/// What a look finds, as soon as somebody wants to know.
#[derive(Debug)]
pub struct Genuine {
    said: Receiver<Option<ReplacedObjects>>,
    look: StoreLook,
    found: OnceCell<Option<ReplacedObjects>>,
}

impl Genuine {
    /// Begins to look. Where no thread is to be had, it is done by whoever asks.
    pub fn looked_for<'s>(scope: &'s Scope<'s, '_>, look: StoreLook) -> Self {
        let (sender, said) = channel();
        let own = look.clone();
        let started = Builder::new().spawn_scoped(scope, move || {
            // Nobody listens any more when the merge came to nothing before.
            sender.send(own.take()).ok();
        });
        if let Err(error) = started {
            tracing::debug!(%error, "the store of objects is looked at by itself");
        }
        Self {
            said,
            look,
            found: OnceCell::new(),
        }
    }

    /// Waits for the look, and fails if an object was replaced, whoever asks and however often.
    pub fn require(&self) -> Result<(), GitError> {
        let found = self
            .found
            .get_or_init(|| self.said.recv().unwrap_or_else(|_| self.look.take()));
        found.clone().map_or(Ok(()), |found| Err(found.into()))
    }

    /// Passes on what was planned, unless it may be built on a replaced object: what reading that one led to is then
    /// not what is wrong.
    pub fn after<T, E: From<GitError>>(&self, planned: Result<T, E>) -> Result<T, E> {
        self.require()?;
        planned
    }
}
