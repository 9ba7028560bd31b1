//! Which file a merge driver was at that did not end. git does not say; what both sides changed and leave to a driver
//! can be told, and often the driver was given the path.

use crate::git::{GitError, Repo, path_name};
use crate::merge::outcome::MergePlan;

use super::drivers::{Manner, manners, met};

/// Adds to the error of a driver that hung the files that it may have been at, and leaves out drivers of no such file.
pub(in crate::merge) fn naming_files(repo: &Repo, plan: &MergePlan, error: GitError) -> GitError {
    let GitError::DriverHangs {
        drivers,
        files,
        limit,
        waited_for,
    } = error
    else {
        return error;
    };
    let all = left_to_drivers(repo, plan, &drivers).unwrap_or_else(|error| {
        tracing::debug!(%error, "the files of a merge driver are not known");
        Vec::new()
    });
    let is_told = |name: &str| {
        waited_for
            .as_deref()
            .is_some_and(|words| words.split_whitespace().any(|word| is_path(word, name)))
    };
    let told: Vec<_> = all
        .iter()
        .filter(|(name, _)| is_told(name))
        .cloned()
        .collect();
    let meant = if told.is_empty() { all } else { told };
    if meant.is_empty() {
        return GitError::DriverHangs {
            drivers,
            files,
            limit,
            waited_for,
        };
    }
    let (files, mut drivers): (Vec<String>, Vec<String>) = meant.into_iter().unzip();
    drivers.sort();
    drivers.dedup();
    GitError::DriverHangs {
        drivers,
        files,
        limit,
        waited_for,
    }
}

/// Files that both sides changed, each with the driver that merges it.
fn left_to_drivers(
    repo: &Repo,
    plan: &MergePlan,
    drivers: &[String],
) -> Result<Vec<(String, String)>, GitError> {
    let met = met(repo, plan)?;
    let paths = met.iter().map(|met| met.path.as_slice());
    let drivers = drivers.iter().cloned().collect();
    let manners = manners(repo, plan.target, paths, &drivers)?;
    let by_driver = met.iter().filter_map(|met| match manners.get(&met.path)? {
        Manner::Driver(driver) => Some((path_name(&met.path), driver.clone())),
        Manner::Lines | Manner::Union | Manner::Whole => None,
    });
    Ok(by_driver.collect())
}

/// Whether a word of a command line is a path, which the shell may have in quotes.
fn is_path(word: &str, path: &str) -> bool {
    word.trim_matches(['\'', '"', ';']) == path
}

#[cfg(test)]
mod tests {
    use super::is_path;

    #[test]
    fn a_path_is_a_whole_word() {
        assert!(is_path("'a/b.lock'", "a/b.lock"));
        assert!(is_path("b.lock;", "b.lock"));
        assert!(!is_path("a/b.lock", "b.lock"));
    }
}
