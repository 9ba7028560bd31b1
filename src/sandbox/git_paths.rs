//! What a commit on an agent's own branch needs of the repository's shared git folder.
//!
//! Looked up from the main checkout, never from the worktree: its `.git` file is the agent's to change.

use crate::git::view_in;
use crate::platform::FsError;
use crate::platform::{fs, plain};
use std::path::{Path, PathBuf};

/// Keeps an otherwise empty folder of refs in place when somebody packs them; git skips such names.
const KEEP: &str = ".keep.lock";

/// Larger ones are none of git's.
const LARGEST: u64 = 16 * 1024;

/// Where branches and their logs are.
const OF_BRANCHES: [&str; 2] = ["refs/heads", "logs/refs/heads"];

/// Large files are stored beside the objects, and `reftable` keeps all refs in one place.
const BESIDE: &[&str] = &["lfs", "reftable"];

/// Paths of the git folder that one agent writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitPaths {
    /// The worktree's own administration: index, HEAD, merge state.
    pub own: Vec<PathBuf>,
    /// Everything a commit writes, `own` included.
    pub write: Vec<PathBuf>,
}

/// Makes the folders of the agent's branch and says which paths a commit there writes.
pub fn prepare_git(common: &Path, worktree: &Path, branch: &str) -> Result<GitPaths, FsError> {
    let own: Vec<PathBuf> = administration(common, worktree)?.into_iter().collect();
    for folder in &own {
        prepare_view(folder)?;
    }
    let mut write = own.clone();
    write.push(common.join("objects"));
    if let Some((folder, _)) = branch.rsplit_once('/') {
        for base in OF_BRANCHES {
            let dir = common.join(base).join(folder);
            fs::create_dir_all(&dir)?;
            let keep = dir.join(KEEP);
            if !keep.exists() {
                fs::create_new(&keep, "")?;
            }
            write.push(dir);
        }
    }
    write.extend(folders(common, BESIDE));
    Ok(GitPaths { own, write })
}

/// What a commit on a branch would write, as far as it is there: for an agent that is never started.
pub fn git_of_branch(common: &Path, branch: &str) -> GitPaths {
    let mut write = vec![common.join("objects")];
    if let Some((folder, _)) = branch.rsplit_once('/') {
        write.extend(OF_BRANCHES.map(|base| common.join(base).join(folder)));
    }
    write.extend(folders(common, BESIDE));
    GitPaths {
        own: Vec::new(),
        write,
    }
}

/// What git writes when somebody else saves the files of a worktree: objects, and the worktree's own
/// administration. `None` when the repository knows no such worktree.
pub fn saving_git(common: &Path, worktree: &Path) -> Result<Option<GitPaths>, FsError> {
    let Some(own) = administration(common, worktree)? else {
        return Ok(None);
    };
    let mut write = vec![own.clone(), common.join("objects")];
    write.extend(folders(common, &["lfs"]));
    Ok(Some(GitPaths {
        own: vec![own],
        write,
    }))
}

/// Makes the folder of the agent's view of the repository, the only one of git's in which it makes links. What an
/// earlier life has put in its place goes: the rule would be one for wherever that leads.
fn prepare_view(own: &Path) -> Result<(), FsError> {
    let view = view_in(own);
    for folder in view.parent().into_iter().chain([&*view]) {
        let found = folder.symlink_metadata();
        if found.is_ok_and(|found| !found.is_dir()) {
            fs::remove_file(folder)?;
        }
    }
    fs::create_dir_all(&view)
}

fn folders(common: &Path, names: &[&str]) -> Vec<PathBuf> {
    let folders = names.iter().map(|name| common.join(name));
    folders.filter(|folder| folder.is_dir()).collect()
}

/// The folder below `worktrees/` that belongs to this worktree.
fn administration(common: &Path, worktree: &Path) -> Result<Option<PathBuf>, FsError> {
    let all = common.join("worktrees");
    let named = worktree.file_name().map(|name| all.join(name));
    let mut candidates: Vec<PathBuf> = named.into_iter().collect();
    candidates.extend(fs::list_dir(&all)?);
    let wanted = canonical(&worktree.join(".git"));
    for dir in candidates {
        let Some(text) = plain::text(&dir.join("gitdir"), LARGEST) else {
            continue;
        };
        if canonical(Path::new(text.trim())) == wanted {
            return Ok(Some(dir));
        }
    }
    Ok(None)
}

fn canonical(path: &Path) -> PathBuf {
    let parent = path.parent().and_then(|p| p.canonicalize().ok());
    match (parent, path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        (Some(_) | None, _) => path.to_owned(),
    }
}
