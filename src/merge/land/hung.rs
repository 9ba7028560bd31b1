//! Merges in the journal whose checkout could not be put right because a filter hung. It is tried again, but in this
//! process it is not waited for as long a second time: with the lock of the target held, nobody else's merge goes on.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::git::GitError;
use crate::merge::error::MergeError;

/// How long the filters of a checkout may take that have hung before.
const ONCE_MORE: Duration = Duration::from_secs(5);

/// By their ids in the journal.
static HUNG: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Remembers a merge if it was a filter that hung.
pub(in crate::merge) fn remember(id: &str, error: &MergeError) {
    if is_hung(error) {
        let mut hung = HUNG.lock().unwrap_or_else(PoisonError::into_inner);
        hung.insert(id.to_owned());
    }
}

/// How long the filters of this merge's checkout may take.
pub(in crate::merge) fn patience(id: &str, limit: Duration) -> Duration {
    let hung = HUNG.lock().unwrap_or_else(PoisonError::into_inner);
    if hung.contains(id) {
        limit.min(ONCE_MORE)
    } else {
        limit
    }
}

fn is_hung(error: &MergeError) -> bool {
    let took_too_long = |error: &GitError| matches!(error, GitError::TookTooLong { .. });
    if let MergeError::HalfLanded { source, .. } = error {
        return is_hung(source);
    }
    if let MergeError::NotPutBack { source, .. } | MergeError::Git(source) = error {
        return took_too_long(source);
    }
    false
}
