//! Which hooks the user has put into a repository, and where.
//! Starts none: git does that, for the calls that have hooks.

use std::path::{Path, PathBuf};

use git2::Config;

use super::cli::GitCall;
use super::error::GitError;
use super::repo::Repo;

/// Returns the folder with the user's hooks. A relative `core.hooksPath` counts from the main checkout.
pub(super) fn hooks_dir(config: &Config, main: Option<&Path>, common: &Path) -> PathBuf {
    config
        .get_path("core.hooksPath")
        .ok()
        .filter(|path| !path.as_os_str().is_empty())
        .map_or_else(
            || common.join("hooks"),
            |path| main.unwrap_or(common).join(path),
        )
}

/// Returns the folder that git takes the user's hooks from in the main checkout.
pub fn hooks_folder(repo: &Repo) -> Result<PathBuf, GitError> {
    let read = repo.raw().config();
    let config = read.map_err(repo.failed("read the configuration"))?;
    Ok(hooks_dir(
        &config,
        repo.main_root().as_deref(),
        repo.common_dir(),
    ))
}

/// Returns the folder of the user's hooks, below the checkout, if it is among its files: what agents commit may
/// land there.
pub fn hooks_among(repo: &Repo, checkout: &Path) -> Result<Option<PathBuf>, GitError> {
    let folder = resolved(&hooks_folder(repo)?);
    let git = [repo.common_dir(), repo.git_dir()].map(resolved);
    if git.iter().any(|dir| folder.starts_with(dir)) {
        return Ok(None);
    }
    let below = folder.strip_prefix(resolved(checkout));
    Ok(below.ok().map(Path::to_path_buf))
}

/// Has a call of git run no hook from among the files of the main checkout: agents have written these, and a call
/// of grove's own runs outside of every sandbox.
pub fn without_hooks_among(repo: &Repo, call: GitCall) -> Result<GitCall, GitError> {
    let Some(main) = repo.main_root() else {
        return Ok(call);
    };
    Ok(match hooks_among(repo, &main)? {
        Some(_) => call
            .global("-c")
            .global("core.hooksPath=/nonexistent/hooks"),
        None => call,
    })
}

/// Without links as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolved(parent).join(name),
        (Some(_) | None, _) => path.to_path_buf(),
    }
}

/// Returns those of the named hooks that git would run.
pub fn hooks_present<'n>(repo: &Repo, names: &[&'n str]) -> Result<Vec<&'n str>, GitError> {
    let dir = hooks_folder(repo)?;
    let mut present = names.to_vec();
    present.retain(|name| is_executable(&dir.join(name)));
    Ok(present)
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path)
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}
