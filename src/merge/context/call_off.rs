//! Cancelling merges of this process while they are planned and tested. What lands already is finished.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::process::shell::Cancel;

use crate::merge::error::MergeError;

/// Which merges were cancelled. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct CallOff(Arc<Mutex<Called>>);

#[derive(Debug, Default)]
struct Called {
    all: bool,
    branches: HashSet<String>,
    /// What runs for which branch.
    running: Vec<(String, Weak<Cancel>)>,
}

impl CallOff {
    fn called(&self) -> MutexGuard<'_, Called> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels the merge of one branch that is under way.
    pub fn branch(&self, branch: &str) {
        let mut called = self.called();
        called.branches.insert(branch.to_owned());
        called.end(|name| name == branch);
    }

    /// Cancels all merges, also those that are still to begin: their branches wait as before.
    pub fn all(&self) {
        let mut called = self.called();
        called.all = true;
        called.end(|_| true);
    }

    /// A merge of the branch begins: what was cancelled before is no longer meant.
    pub fn begin(&self, branch: &str) {
        self.called().branches.remove(branch);
    }

    /// Whether no merge is to go on.
    pub(in crate::merge) fn is_all(&self) -> bool {
        self.called().all
    }

    /// Fails if the branch's merge was cancelled.
    pub(in crate::merge) fn check(&self, branch: &str) -> Result<(), MergeError> {
        let called = self.called();
        if called.all || called.branches.contains(branch) {
            return Err(MergeError::CalledOff {
                branch: branch.to_owned(),
                waits: called.all,
            });
        }
        Ok(())
    }

    /// What an error of the branch's merge means: when all merges are cancelled, what hinders one is the end of what it
    /// ran, whatever it says.
    pub(crate) fn meant(&self, branch: &str, error: MergeError) -> MergeError {
        let branch = branch.to_owned();
        if !self.is_all() || matches!(error, MergeError::Locked { .. }) {
            return error;
        }
        if let MergeError::HalfLanded { checkout, .. } = error {
            return MergeError::BrokenOff { branch, checkout };
        }
        MergeError::CalledOff {
            branch,
            waits: true,
        }
    }

    /// What ends a command that runs for the branch.
    pub(in crate::merge) fn token(&self, branch: &str) -> Arc<Cancel> {
        let token = Arc::new(Cancel::default());
        let mut called = self.called();
        called.running.retain(|(_, token)| token.strong_count() > 0);
        let weak = Arc::downgrade(&token);
        called.running.push((branch.to_owned(), weak));
        if called.all || called.branches.contains(branch) {
            token.call();
        }
        token
    }
}

impl Called {
    fn end(&mut self, is_meant: impl Fn(&str) -> bool) {
        let running = self.running.iter().filter(|(name, _)| is_meant(name));
        running
            .filter_map(|(_, token)| token.upgrade())
            .for_each(|token| token.call());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_branch_or_all_are_cancelled_whenever_they_began() {
        let merges = CallOff::default();
        let (a, b) = (merges.token("a"), merges.token("b"));
        merges.branch("a");
        assert!(a.is_called() && !b.is_called());
        assert!(merges.token("a").is_called() && merges.check("b").is_ok());
        let error = merges.check("a").unwrap_err();
        assert!(matches!(error, MergeError::CalledOff { waits: false, .. }));
        merges.begin("a");
        assert!(merges.check("a").is_ok());
        merges.clone().all();
        assert!(b.is_called() && merges.is_all());
        let error = merges.check("a").unwrap_err();
        assert!(matches!(error, MergeError::CalledOff { waits: true, .. }));
    }
}
