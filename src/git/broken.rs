//! A `.git` that is there and is no repository: where work was once, `git init` is no advice.

use std::path::{Path, PathBuf};

use super::error::GitError;
use crate::platform::plain;

/// Larger ones are none of git's, in bytes.
const LARGEST: u64 = 16 * 1024;

/// What every repository has.
const PARTS: [&str; 3] = ["HEAD", "objects", "refs"];

/// The broken `.git` of a folder or of one above it.
pub(super) fn around(path: &Path) -> Option<GitError> {
    let path = path.canonicalize().ok()?;
    path.ancestors().find_map(|folder| {
        let git = folder.join(".git");
        let why = fault(&git)?;
        Some(GitError::Broken { git, why })
    })
}

/// As `around`, but only a `.git` that is a file: whatever else cannot be read has its own reason.
pub(super) fn pointer(path: &Path) -> Option<GitError> {
    around(path).filter(|error| matches!(error, GitError::Broken { git, .. } if git.is_file()))
}

/// What is wrong with a `.git`; `None` where there is none, or none that ever held anything.
fn fault(git: &Path) -> Option<String> {
    if git.is_dir() {
        let (there, missing): (Vec<&str>, Vec<&str>) =
            PARTS.iter().partition(|part| git.join(part).exists());
        return match (there.is_empty(), missing.is_empty()) {
            // An empty folder is passed over by git, too.
            (true, _) => None,
            (false, false) => Some(format!("it has no {}", missing.join(", no "))),
            (false, true) => Some("git cannot read it".to_owned()),
        };
    }
    if !git.is_file() {
        return git
            .is_symlink()
            .then(|| "it is a link that leads nowhere".to_owned());
    }
    let content = plain::read(git, LARGEST).unwrap_or_default();
    let content = String::from_utf8_lossy(&content);
    let Some(target) = content.trim().strip_prefix("gitdir:").map(str::trim) else {
        return Some("it is a file that names no git directory".to_owned());
    };
    let folder: PathBuf = git.parent()?.join(target);
    Some(if folder.exists() {
        format!("it points to {target}, which is no git directory")
    } else {
        format!("it points to {target}, which is not there")
    })
}
