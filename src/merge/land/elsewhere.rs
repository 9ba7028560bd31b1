//! A checkout of the target that cannot move along and will come back to it: it stands elsewhere for now, is not where
//! git lists it, or cannot be found from here. git itself does not move such a branch either.

use std::path::PathBuf;

use crate::git::{Head, Repo};
use crate::merge::checkout::{away, holder_of};
use crate::merge::error::MergeError;

use super::run::RefusalReason;

/// Which checkout holds `target` from elsewhere, and how.
pub(crate) fn elsewhere(
    repo: &Repo,
    target: &str,
) -> Result<Option<(PathBuf, RefusalReason)>, MergeError> {
    if let Some((checkout, while_in)) = holder_of(repo, target) {
        return Ok(Some((checkout, RefusalReason::ComesBack { while_in })));
    }
    if let Some(away) = away(repo, target)? {
        let reason = RefusalReason::Away {
            locked: away.locked,
        };
        return Ok(Some((away.path, reason)));
    }
    if is_of_unknown_main(repo, target)? {
        let git_dir = repo.common_dir().components().collect();
        return Ok(Some((git_dir, RefusalReason::MainUnknown)));
    }
    Ok(None)
}

/// Whether the main checkout, which nothing in the repository says the place of, stands on `target`.
fn is_of_unknown_main(repo: &Repo, target: &str) -> Result<bool, MergeError> {
    if repo.main_root().is_some() {
        return Ok(false);
    }
    let common = Repo::open(repo.common_dir())?;
    let stands_on_it = match common.head()? {
        Head::Branch(branch) | Head::Unborn(branch) => {
            common.moving_ref(&branch) == common.moving_ref(target)
        }
        Head::Detached(_) => false,
    };
    Ok(!common.is_bare() && stands_on_it)
}
