//! Keeping the issues a lead has written: its branch is never merged, so the difference it made
//! under `.seeds/` is committed to the canonical branch before the branch goes.

use std::path::Path;

use crate::git::{GitError, git};
use crate::platform::{clock, fs};

use super::error::WorktreeError;

const FOLDER: &str = ".seeds";

/// What became of a branch's issues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seeds {
    /// The branch changed none.
    None,
    Preserved,
    /// They could not be taken over, and why. The branch's commits are kept all the same.
    Refused(String),
}

/// Commits what `branch` changed under `.seeds/` to `canonical`, which must be checked out at
/// `root`. All or nothing; other files of the checkout and its index are not touched.
pub fn preserve_seeds(
    root: &Path,
    branch: &str,
    canonical: &str,
    agent: &str,
) -> Result<Seeds, WorktreeError> {
    let range = format!("{canonical}...{branch}");
    let diff = git(root)
        .args(["diff", "--binary", &range, "--", FOLDER])
        .run()?
        .stdout;
    if diff.is_empty() {
        return Ok(Seeds::None);
    }
    let current = git(root)
        .args(["rev-parse", "--abbrev-ref", "HEAD"])
        .text()?;
    if current != canonical {
        return Ok(Seeds::Refused(format!(
            "Repo root is on '{current}', expected '{canonical}'. Cannot apply patch."
        )));
    }
    let status = git(root)
        .args(["status", "--porcelain", "--ignore-submodules=dirty"])
        .args(["--", FOLDER])
        .text()?;
    if !status.trim().is_empty() {
        return Ok(Seeds::Refused(
            ".seeds/ has uncommitted changes in canonical branch. Cannot apply patch safely."
                .to_owned(),
        ));
    }
    let name = format!("_seeds-patch-{}.diff", clock::now().0);
    let patch = root.join(".overstory").join(name);
    fs::write_atomic(&patch, &diff)?;
    let committed = apply(root, &patch, agent);
    fs::remove_file(&patch)?;
    Ok(committed.map_or_else(Seeds::Refused, |()| Seeds::Preserved))
}

/// Applies and commits the patch; takes it back when it cannot be committed.
fn apply(root: &Path, patch: &Path, agent: &str) -> Result<(), String> {
    let said = |what: &str, error: &GitError| format!("{what}: {error}");
    git(root)
        .args(["apply", "--index"])
        .arg(patch)
        .run()
        .map_err(|error| said("Failed to apply .seeds/ patch", &error))?;
    let message = format!("chore: preserve .seeds/ changes from lead {agent}");
    // Only these files: what the user has staged stays staged.
    let committed = git(root)
        .args(["commit", "-q", "--no-verify", "-m", &message, "--", FOLDER])
        .run();
    let Err(error) = committed else { return Ok(()) };
    let back = git(root).args(["apply", "-R", "--index"]).arg(patch).run();
    if let Err(second) = back {
        return Err(format!(
            "{}; the changes are still staged: {second}",
            said("Failed to commit .seeds/ changes", &error)
        ));
    }
    Err(said("Failed to commit .seeds/ changes", &error))
}
