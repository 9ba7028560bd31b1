//! The programs that a user has set up for merging certain files.

use std::collections::BTreeSet;

use super::error::GitError;
use super::repo::Repo;

/// What merges files that have no attribute `merge`, as the configuration says: the name of a driver, git's own or the
/// user's.
pub fn merge_default(repo: &Repo) -> Result<Option<String>, GitError> {
    let failed = || repo.failed("read the configuration");
    let mut config = repo.raw().config().map_err(failed())?;
    let config = config.snapshot().map_err(failed())?;
    Ok(config.get_string("merge.default").ok())
}

/// Names of the merge drivers that the configuration gives a program for.
pub fn merge_drivers(repo: &Repo) -> Result<BTreeSet<String>, GitError> {
    let failed = || repo.failed("read the configuration");
    let config = repo.raw().config().map_err(failed())?;
    let mut entries = config
        .entries(Some("^merge\\..*\\.driver$"))
        .map_err(failed())?;
    let mut names = BTreeSet::new();
    while let Some(entry) = entries.next() {
        let entry = entry.map_err(failed())?;
        let key = String::from_utf8_lossy(entry.name_bytes()).into_owned();
        let name = key
            .strip_prefix("merge.")
            .and_then(|key| key.strip_suffix(".driver"));
        if let Some(name) = name.filter(|_| entry.has_value()) {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}
