//! Repositories for unit tests.

use std::path::Path;
use std::process::Command;

/// Runs git there, with the settings of nobody.
pub(crate) fn git(dir: &Path, args: &[&str]) {
    let output = Command::new("git")
        .current_dir(dir)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {output:?}");
}

/// A repository on `main`, without a commit.
pub(crate) fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    begin(dir.path());
    dir
}

/// The same in a folder that is there.
pub(crate) fn begin(dir: &Path) {
    git(dir, &["init", "-q", "-b", "main"]);
    for (key, value) in [("user.name", "t"), ("user.email", "t@example.org")] {
        git(dir, &["config", key, value]);
    }
}
