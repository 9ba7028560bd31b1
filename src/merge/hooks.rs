//! Hooks that lie among the files of a checkout (`core.hooksPath = .hooks`), which a merge may bring.
//!
//! A landing runs the user's hooks as they are before it: git is given a copy of their folder. What the
//! merge brings in their place runs for the first time when the user's own git runs it, and is named.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::git::{GitCall, Oid, Pinned, Repo, hooks_among, os_path, path_name};
use crate::platform::fs::{self, AtPath, FsError};

use super::error::MergeError;
use super::scratch::Scratch;

/// Deeper than any real folder of hooks.
const DEPTH: usize = 6;

/// The user's hooks for one landing.
#[derive(Debug)]
pub(super) struct Hooks {
    /// The copy, and the folder in it that stands for the hooks' own.
    copy: Option<(Scratch, PathBuf)>,
}

impl Hooks {
    /// Keeps what the hooks of this checkout are now, if a merge could change them.
    pub(super) fn keep(repo: &Repo, checkout: &Pinned) -> Result<Self, MergeError> {
        let (Some(hooks), Some(root)) = (hooks_among(repo, checkout.path())?, repo.main_root())
        else {
            return Ok(Self { copy: None });
        };
        let scratch = Scratch::empty(repo.path(), &root)?;
        let from = checkout.path().join(&hooks);
        let Some(name) = hooks.file_name() else {
            copy(&from, scratch.path(), 0)?;
            let to = scratch.path().to_path_buf();
            let copy = Some((scratch, to));
            return Ok(Self { copy });
        };
        let to = scratch.path().join(name);
        if let Some(beside) = hooks.parent().filter(|p| !p.as_os_str().is_empty()) {
            // Wrappers such as husky's call the file of their name one folder up.
            copy(&checkout.path().join(beside), scratch.path(), 0)?;
        }
        copy(&from, &to, DEPTH)?;
        let copy = Some((scratch, to));
        Ok(Self { copy })
    }

    /// Has a call of git run these hooks.
    pub(super) fn run_by(&self, call: GitCall) -> GitCall {
        match &self.copy {
            Some((_, folder)) => call.global("-c").global(setting(folder)),
            None => call,
        }
    }
}

/// Has a call of git run no hook from among the files of a checkout that is neither before nor after a
/// merge.
pub(super) fn none_among(
    repo: &Repo,
    checkout: &Pinned,
    call: GitCall,
) -> Result<GitCall, MergeError> {
    Ok(match hooks_among(repo, checkout.path())? {
        Some(_) => call
            .global("-c")
            .global(setting(Path::new("/nonexistent/hooks"))),
        None => call,
    })
}

/// Says which hooks a landed merge has changed.
pub(super) fn changed_hooks(
    repo: &Repo,
    checkout: &Path,
    before: Oid,
    merged: Oid,
) -> Result<Option<String>, MergeError> {
    let Some(hooks) = hooks_among(repo, checkout)? else {
        return Ok(None);
    };
    let folder = hooks.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(&hooks);
    let changed = repo.changed_paths(repo.tree_of(before)?, repo.tree_of(merged)?)?;
    let names: Vec<String> = changed
        .iter()
        .filter(|change| {
            Path::new(&os_path(&change.path)).starts_with(folder) && !folder.as_os_str().is_empty()
        })
        .map(|change| path_name(&change.path))
        .collect();
    Ok((!names.is_empty()).then(|| {
        format!(
            "the merge changes hooks that git runs from the checkout: {}; it landed with those from \
             before, look at the new ones",
            names.join(", ")
        )
    }))
}

fn setting(folder: &Path) -> OsString {
    let mut setting = OsString::from("core.hooksPath=");
    setting.push(folder);
    setting
}

/// Copies files with their modes, links by what they lead to, and folders down to a depth.
fn copy(from: &Path, to: &Path, depth: usize) -> Result<(), FsError> {
    fs::create_dir_all(to)?;
    for path in fs::list_dir(from)? {
        let Some(name) = path.file_name() else {
            continue;
        };
        if path.is_file() {
            std::fs::copy(&path, to.join(name)).at("copy", &path)?;
        } else if depth > 0 && path.is_dir() && !path.is_symlink() {
            copy(&path, &to.join(name), depth - 1)?;
        }
    }
    Ok(())
}
