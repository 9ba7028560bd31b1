//! The account of a plan, left where it is when somebody no longer waits for it. Reads objects.

use crate::git::{GitError, Repo};
use crate::process::leaving;
use crate::process::shell::Cancel;

use super::check::{Account, Source, account_of};
use crate::merge::outcome::MergePlan;

/// The account of a plan's tree, unless this process is asked to end, or the merge is cancelled: what was settled may be
/// long.
pub(in crate::merge) fn account_in_time(
    repo: &Repo,
    plan: &MergePlan,
    source: Source,
    cancel: Option<&Cancel>,
) -> Result<Account, GitError> {
    if plan.versions.is_empty() {
        return account_of(repo, plan, source);
    }
    let (path, plan) = (repo.path().to_owned(), plan.clone());
    let account = leaving::unless_asked(cancel, move || {
        let repo = Repo::open(&path)?;
        account_of(&repo, &plan, source)
    });
    account.unwrap_or_else(|| {
        Err(GitError::Interrupted {
            command: "merge".to_owned(),
        })
    })
}
