//! Whether a checkout of the target would refuse a landing, told before gates run for it. Landing looks again: this
//! look only spares the gates, and lets pass what may be over by then.

use std::path::PathBuf;

use crate::git::{Oid, Pinned, Repo, is_untouched};
use crate::merge::checkout::{checkouts_of, holder, lock_of_git};
use crate::merge::error::MergeError;
use crate::platform::holders::Holder;

use super::elsewhere::elsewhere;
use super::run::{RefusalReason, operation_under_way};
use super::users_files::files_in_the_way;

/// What is in the way of moving `target` by what changes between two commits, and in which checkout.
pub(crate) fn in_the_way(
    repo: &Repo,
    target: &str,
    (from, to): (Oid, Oid),
) -> Result<Option<(PathBuf, RefusalReason)>, MergeError> {
    if let Some(held) = elsewhere(repo, target)? {
        return Ok(Some(held));
    }
    let checkouts = checkouts_of(repo, target)?;
    let checkout = match checkouts.as_slice() {
        [] => return Ok(None),
        [checkout] => checkout,
        [checkout, other, ..] => {
            let other = other.clone();
            let reason = RefusalReason::CheckedOutTwice { other };
            return Ok(Some((checkout.clone(), reason)));
        }
    };
    let there = Pinned::of(repo, checkout)?;
    let because = |reason| Ok(Some((checkout.clone(), reason)));
    let opened = there.open()?;
    if let Some(with) = operation_under_way(&opened) {
        let with = with.to_owned();
        return because(RefusalReason::Busy { with });
    }
    if let Some(lock) = lock_of_git(&there) {
        // What a git at work is changing is nobody's uncommitted change, and it may be done by then.
        return match holder(&there, &lock) {
            Holder::Nobody => because(RefusalReason::Locked { lock }),
            Holder::Process(_) | Holder::Unknown => Ok(None),
        };
    }
    let changed = repo.changed_paths(repo.tree_of(from)?, repo.tree_of(to)?)?;
    if is_untouched(&there, &opened, &changed) {
        return Ok(None);
    }
    let files = files_in_the_way(repo, &there, from, to)?;
    if files.is_empty() {
        return Ok(None);
    }
    because(RefusalReason::UncommittedFiles { files })
}
