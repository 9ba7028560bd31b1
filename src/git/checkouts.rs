//! The checkouts of a repository as its files tell, without starting git.
//!
//! Knows the layout of every ordinary repository; for anything else it gives up, and `worktrees` asks
//! git itself.

use std::fs;
use std::path::{Path, PathBuf};

use super::worktrees::WorktreeInfo;
use crate::platform::plain;

/// Words in a repository's configuration that change the layout.
const UNUSUAL: [&str; 3] = ["reftable", "worktree", "bare = true"];
/// Larger ones are none of git's.
const LARGEST: u64 = 16 * 1024;
/// How far symbolic refs are followed.
const DEPTH: usize = 5;
const UNBORN: &str = "0000000000000000000000000000000000000000";

/// Lists the checkouts in git's order: the main one, then the others by path.
pub(super) fn checkouts(dir: &Path) -> Option<Vec<WorktreeInfo>> {
    let redirected = ["GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE"];
    if redirected
        .iter()
        .any(|name| crate::platform::env::var(name).is_some())
    {
        return None;
    }
    let common = common_dir(dir)?;
    let config = fs::read_to_string(common.join("config")).ok()?;
    let config = config.to_lowercase();
    if UNUSUAL.iter().any(|word| config.contains(word)) || common.file_name()? != ".git" {
        return None;
    }
    let refs = Refs::new(&common);
    let main = checkout(common.parent()?.to_owned(), &common, &refs)?;
    let mut linked = Vec::new();
    for entry in fs::read_dir(common.join("worktrees")).into_iter().flatten() {
        let folder = entry.ok()?.path();
        linked.push(linked_checkout(&folder, &refs)?);
    }
    linked.sort_by(|a, b| {
        let bytes = |info: &WorktreeInfo| info.path.as_os_str().as_encoded_bytes().to_vec();
        bytes(a).cmp(&bytes(b))
    });
    linked.insert(0, main);
    Some(linked)
}

fn linked_checkout(folder: &Path, refs: &Refs<'_>) -> Option<WorktreeInfo> {
    let link = line(&folder.join("gitdir"))?;
    let dot_git = folder.join(link);
    let path = dot_git.parent().filter(|_| dot_git.ends_with(".git"))?;
    // Where a way leads through links or `..`, git knows better what it is called.
    let path = match path.canonicalize() {
        Ok(real) => real,
        Err(_) if path.is_absolute() && !path.starts_with(folder) => path.to_owned(),
        Err(_) => return None,
    };
    // Whatever it is: git looks no further.
    let locked = folder.join("locked").symlink_metadata().is_ok();
    let prunable = !locked && !dot_git.exists();
    let info = checkout(path, folder, refs)?;
    Some(WorktreeInfo {
        prunable,
        locked,
        ..info
    })
}

fn checkout(path: PathBuf, git_dir: &Path, refs: &Refs<'_>) -> Option<WorktreeInfo> {
    let head = line(&git_dir.join("HEAD"))?;
    let (head, branch) = match head.strip_prefix("ref: ") {
        None => (head.clone(), String::new()),
        Some(name) => (
            refs.target(name, DEPTH)
                .unwrap_or_else(|| UNBORN.to_owned()),
            name.strip_prefix("refs/heads/").unwrap_or(name).to_owned(),
        ),
    };
    let is_id = head.len() == UNBORN.len() && head.bytes().all(|b| b.is_ascii_hexdigit());
    is_id.then_some(WorktreeInfo {
        path,
        head,
        branch,
        bare: false,
        prunable: false,
        locked: false,
    })
}

/// The folder that all checkouts share, by its real path.
fn common_dir(dir: &Path) -> Option<PathBuf> {
    let dot_git = dir.join(".git");
    if dot_git.is_dir() {
        return dot_git.canonicalize().ok();
    }
    let link = line(&dot_git)?;
    let own = dir.join(link.strip_prefix("gitdir: ")?);
    own.join(line(&own.join("commondir"))?).canonicalize().ok()
}

struct Refs<'a> {
    common: &'a Path,
    packed: String,
}

impl<'a> Refs<'a> {
    fn new(common: &'a Path) -> Self {
        Self {
            common,
            packed: fs::read_to_string(common.join("packed-refs")).unwrap_or_default(),
        }
    }

    fn target(&self, name: &str, depth: usize) -> Option<String> {
        if let Some(text) = line(&self.common.join(name)) {
            return match text.strip_prefix("ref: ") {
                Some(next) if depth > 0 => self.target(next, depth - 1),
                Some(_) => None,
                None => Some(text),
            };
        }
        let found = self
            .packed
            .lines()
            .find_map(|line| line.split_once(' ').filter(|(_, known)| *known == name))?;
        Some(found.0.to_owned())
    }
}

/// The text of a one-line file.
fn line(path: &Path) -> Option<String> {
    let text = plain::text(path, LARGEST)?;
    Some(text.trim_end().to_owned()).filter(|text| !text.is_empty() && !text.contains('\n'))
}

#[cfg(test)]
mod tests {
    use super::super::trial::{begin, git};
    use super::*;

    #[test]
    fn files_tell_what_git_tells() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("the project");
        std::fs::create_dir(&root).unwrap();
        begin(&root);
        let same = |at: &Path| {
            assert_eq!(
                checkouts(at).expect("an ordinary repository"),
                super::super::worktrees::asked_of_git(at).unwrap()
            );
        };
        same(&root);
        git(&root, &["commit", "-q", "--allow-empty", "-m", "Begin"]);
        for (path, branch) in [("../z", "overstory/z/t"), ("../a b", "overstory/a/t")] {
            git(&root, &["worktree", "add", "-q", "-b", branch, path]);
        }
        git(&root, &["worktree", "add", "-q", "--detach", "../loose"]);
        git(&root, &["worktree", "add", "-q", "-b", "gone", "../gone"]);
        git(&root, &["worktree", "add", "-q", "-b", "kept", "../kept"]);
        git(&root, &["worktree", "lock", "../kept"]);
        std::fs::remove_dir_all(dir.path().join("gone")).unwrap();
        same(&root);
        same(&dir.path().join("z"));
        git(&root, &["pack-refs", "--all"]);
        same(&root);
        git(&root, &["checkout", "-q", "--detach"]);
        same(&root);
    }

    #[test]
    fn what_is_no_repository_is_left_to_git() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(checkouts(dir.path()), None);
        git(dir.path(), &["init", "-q", "--bare", "."]);
        assert_eq!(checkouts(dir.path()), None);
    }
}
