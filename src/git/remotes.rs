//! The remotes that a repository's settings name, and fetching from them.

use std::path::Path;
use std::time::Duration;

use super::cli::git;
use super::error::GitError;
use crate::process::shell::Cancel;

/// Where what is known of remotes belongs.
const REMOTES: &str = "refs/remotes/";

/// A remote that is fetched from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub name: String,
    /// Which of its refs are fetched, and to where, as the settings say it.
    pub fetch: Vec<String>,
}

impl Remote {
    /// Whether all that is fetched lands below `refs/remotes/`.
    pub fn keeps_to_itself(&self) -> bool {
        let lands = |refspec: &String| {
            let is_left_out = refspec.starts_with('^');
            let target = refspec.split_once(':').map(|(_, target)| target);
            is_left_out || target.is_some_and(|target| target.starts_with(REMOTES))
        };
        self.fetch.iter().all(lands)
    }
}

/// The remotes that the settings for a repository name with something to fetch.
pub fn remotes(repository: &Path) -> Result<Vec<Remote>, GitError> {
    let asked = ["config", "--null", "--get-regexp", r"^remote\..*\.fetch$"];
    let listed = git(repository).args(asked).also(1).run()?;
    let mut found: Vec<Remote> = Vec::new();
    for entry in String::from_utf8_lossy(&listed.stdout).split('\0') {
        let Some((key, refspec)) = entry.split_once('\n') else {
            continue;
        };
        let name = key
            .strip_prefix("remote.")
            .and_then(|key| key.strip_suffix(".fetch"));
        let Some(name) = name else { continue };
        match found.iter_mut().find(|remote| remote.name == name) {
            Some(remote) => remote.fetch.push(refspec.to_owned()),
            None => found.push(Remote {
                name: name.to_owned(),
                fetch: vec![refspec.to_owned()],
            }),
        }
    }
    Ok(found)
}

/// What to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    pub remote: String,
    /// Names without more; none means all that the settings say.
    pub branches: Vec<String>,
    pub prune: bool,
    pub tags: bool,
    pub quiet: bool,
}

/// Fetches, with what the settings say, and asks nobody for a password. Returns what git said of it. `FETCH_HEAD`
/// stays, and so do tags that are here.
///
/// # Errors
/// Git failed, `limit` was up or `cancel` was called.
pub fn fetch(
    repository: &Path,
    what: &Fetch,
    limit: Duration,
    cancel: &Cancel,
) -> Result<String, GitError> {
    let mut call = git(repository)
        .global("-c")
        .global("fetch.pruneTags=false")
        .global("-c")
        .global(format!("remote.{}.pruneTags=false", what.remote))
        .env("SSH_ASKPASS_REQUIRE", "never")
        .arg("fetch")
        .args([
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-progress",
        ]);
    for (is_wanted, option) in [
        (what.prune, "--prune"),
        (what.tags, "--tags"),
        (what.quiet, "--quiet"),
    ] {
        if is_wanted {
            call = call.arg(option);
        }
    }
    let call = call.arg("--").arg(&what.remote).args(&what.branches);
    let done = call.changing_within(limit).run_unless(Some(cancel))?;
    Ok(done.stderr)
}
