//! A repository of its own for a scratch checkout, so that gates may `git add`, commit and tag there without
//! anything of it reaching the project: objects are borrowed from the project's store, index and refs are copies.

use std::path::Path;

use crate::git::{Oid, Pinned, Pointers, Repo, about_work, git};
use crate::platform::fs::{self, FsError};

use super::checkout::open_up;
use crate::merge::MergeError;

/// What a repository is besides its objects and refs.
const COPIED: [&str; 3] = ["info/exclude", "info/attributes", "shallow"];

/// Puts a repository of its own in the place of a scratch checkout's pointer to the project's, or of the one that it
/// had before: what was committed and set there is gone.
pub(super) fn set_apart(repo: &Repo, there: &Pinned, commit: Oid) -> Result<(), MergeError> {
    let own = there.path().join(".git");
    if own.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        open_up(&own, 0);
        fs::remove_dir_all(&own)?;
    } else {
        fs::remove_file(&own)?;
    }
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
    fs::write_atomic(&own.join("config"), settings(repo)?)?;
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

/// What the project's settings say about work in it. Its remotes and logins stay behind: what agents have written
/// runs here, and is not to push.
fn settings(repo: &Repo) -> Result<String, MergeError> {
    let listed = git(repo.path())
        .args(["config", "--local", "--includes", "--list", "-z"])
        .run()?;
    let kept = about_work(&String::from_utf8_lossy(&listed.stdout));
    Ok(format!(
        "{kept}[core]\n\trepositoryformatversion = 0\n\tbare = false\n[gc]\n\tauto = 0\n"
    ))
}

fn copy(from: &Path, to: &Path) -> Result<(), FsError> {
    match fs::read_bytes_optional(from)? {
        Some(bytes) => fs::write_atomic(to, bytes),
        None => Ok(()),
    }
}
