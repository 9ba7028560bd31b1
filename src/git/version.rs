//! Which git this is: asked once per process, or known from what it has done.

use std::path::Path;
use std::sync::OnceLock;

use super::cli::git;
use super::error::GitError;

/// The version of the git program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitVersion {
    pub major: u32,
    pub minor: u32,
}

impl GitVersion {
    /// Worktrees can be removed and listed by script from 2.17 on.
    pub const OLDEST_USABLE: Self = Self {
        major: 2,
        minor: 17,
    };
    /// `merge-tree --write-tree` came with 2.38.
    pub const WRITES_MERGED_TREES: Self = Self {
        major: 2,
        minor: 38,
    };
    /// `--attr-source` and `merge-tree --merge-base` came by 2.41.
    pub const READS_ATTRIBUTES_FROM_TREES: Self = Self {
        major: 2,
        minor: 41,
    };
    /// An empty `url` or `pushurl` takes back those before it from 2.46 on.
    pub const EMPTIES_URLS: Self = Self {
        major: 2,
        minor: 46,
    };
}

impl std::fmt::Display for GitVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What the program said about itself.
static KNOWN: OnceLock<GitVersion> = OnceLock::new();
/// A version that the program has shown to have by doing what older ones cannot.
static SHOWN: OnceLock<GitVersion> = OnceLock::new();

/// Remembers that git did what only `version` and later ones can: a program less to start.
pub(super) fn has_shown(version: GitVersion) {
    SHOWN.get_or_init(|| version);
}

/// Tells whether git is at least this version, without asking the program. `None`: not known yet.
pub(super) fn known_to_be(version: GitVersion) -> Option<bool> {
    let is_shown = SHOWN.get().is_some_and(|shown| *shown >= version);
    KNOWN
        .get()
        .map(|known| *known >= version)
        .or(is_shown.then_some(true))
}

/// Tells whether git is at least this version.
pub(crate) fn is_at_least(version: GitVersion) -> Result<bool, GitError> {
    match known_to_be(version) {
        Some(answer) => Ok(answer),
        None => Ok(self::version()? >= version),
    }
}

/// Returns the version of git, asking the program once per process.
pub fn version() -> Result<GitVersion, GitError> {
    if let Some(version) = KNOWN.get() {
        return Ok(*version);
    }
    let text = git(Path::new(".")).arg("--version").text()?;
    let version = parse_version(&text).ok_or_else(|| GitError::Unexpected {
        command: "--version".to_owned(),
        detail: text.clone(),
    })?;
    Ok(*KNOWN.get_or_init(|| version))
}

/// Fails unless there is a git program that can do what this crate needs.
pub fn require_git() -> Result<(), GitError> {
    if known_to_be(GitVersion::OLDEST_USABLE) == Some(true) {
        return Ok(());
    }
    let found = version()?;
    if found < GitVersion::OLDEST_USABLE {
        return Err(GitError::TooOld {
            found: found.to_string(),
            needed: GitVersion::OLDEST_USABLE.to_string(),
        });
    }
    Ok(())
}

fn parse_version(text: &str) -> Option<GitVersion> {
    let number = text.split_whitespace().nth(2)?;
    let mut parts = number.split('.');
    Some(GitVersion {
        major: parts.next()?.parse().ok()?,
        minor: parts.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_every_vendor_are_read() {
        let read = |text| parse_version(text).map(|v| (v.major, v.minor));
        assert_eq!(read("git version 2.47.3"), Some((2, 47)));
        assert_eq!(read("git version 2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(read("git version 2.45.1.windows.1"), Some((2, 45)));
        assert_eq!(read("git version unknown"), None);
        assert!(
            GitVersion {
                major: 2,
                minor: 37
            } < GitVersion::WRITES_MERGED_TREES
        );
        assert!(GitVersion { major: 3, minor: 0 } > GitVersion::WRITES_MERGED_TREES);
    }
}
