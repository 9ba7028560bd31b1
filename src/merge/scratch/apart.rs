//! A repository of its own for a scratch checkout, so that gates may `git add`, commit and tag there without
//! anything of it reaching the project: objects are borrowed from the project's store, index and refs are copies.

use std::path::Path;

use crate::git::{Oid, Pinned, Pointers, Repo, git};
use crate::platform::fs::{self, FsError};

use crate::merge::MergeError;

/// What a repository is besides its objects and refs.
const COPIED: [&str; 3] = ["info/exclude", "info/attributes", "shallow"];

/// Puts a repository of its own in the place of a scratch checkout's pointer to the project's.
pub(super) fn set_apart(repo: &Repo, path: &Path, commit: Oid) -> Result<(), MergeError> {
    let there = Pinned::of(repo, path)?;
    let own = path.join(".git");
    fs::remove_file(&own)?;
    furnish(repo, &own)?;
    // The index may be in several files.
    for file in fs::list_dir(there.git_dir())? {
        let name = file.file_name().unwrap_or_default();
        let text = name.to_string_lossy();
        if text == "index" || text.starts_with("sharedindex.") {
            copy(&file, &own.join(name))?;
        }
    }
    // Last, for without it this is no repository.
    fs::write_atomic(&own.join("HEAD"), format!("{commit}\n"))?;
    Ok(())
}

/// Makes a folder all of a repository but its HEAD and index.
pub(super) fn furnish(repo: &Repo, own: &Path) -> Result<(), MergeError> {
    let common = repo.common_dir();
    let refs = git(repo.path())
        .args(["for-each-ref", "--format=%(objectname) %(refname)"])
        .run()?;
    for folder in ["objects/info", "objects/pack", "refs", "info"] {
        fs::create_dir_all(&own.join(folder))?;
    }
    let store = common.join("objects");
    fs::write_atomic(
        &own.join("objects/info/alternates"),
        format!("{}\n", store.display()),
    )?;
    fs::write_atomic(&own.join("packed-refs"), refs.stdout)?;
    fs::write_atomic(&own.join("config"), settings(common))?;
    for name in COPIED {
        copy(&common.join(name), &own.join(name))?;
    }
    Ok(())
}

/// Puts the pointer back, so that git will remove the checkout.
pub(super) fn bring_back(repo_dir: &Path, path: &Path) {
    if !path.join(".git").is_dir() {
        return;
    }
    let restored = Repo::open(repo_dir)
        .ok()
        .and_then(|repo| Pointers::of(&repo, path))
        .map(|pointers| pointers.restore());
    if let Some(Err(error)) = restored {
        tracing::debug!(%error, "a scratch checkout does not lead to its repository");
    }
}

/// The project's settings hold; what says where a repository is git never takes from an included file.
fn settings(common: &Path) -> String {
    let path = common.join("config").display().to_string();
    let path = path.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "[include]\n\tpath = \"{path}\"\n[core]\n\trepositoryformatversion = 0\n\tbare = false\n[gc]\n\tauto = 0\n"
    )
}

fn copy(from: &Path, to: &Path) -> Result<(), FsError> {
    match fs::read_bytes_optional(from)? {
        Some(bytes) => fs::write_atomic(to, bytes),
        None => Ok(()),
    }
}
