//! Whether files of a checkout are as its commit has them, told from its index and their state on disk, without
//! starting git. Knows the everyday case only: in any doubt the answer is no, and git itself is asked.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use git2::{Index, IndexEntry, ObjectType, Oid};

use super::entries::{Entry, EntryKind};
use super::pinned::Pinned;
use super::repo::{ChangedPath, Repo};

/// Settings with which names or modes of files, or which of them there are, say less than usual.
const UNUSUAL: [(&str, bool); 5] = [
    ("core.ignoreCase", true),
    ("core.precomposeUnicode", true),
    ("core.sparseCheckout", true),
    ("core.fileMode", false),
    ("core.symlinks", false),
];
/// Of an entry: git is told not to look at the file.
const ASSUMED_UNCHANGED: u16 = 0x8000;
/// Files that are larger, in bytes, are left to git where their times do not tell.
const LARGEST_READ: u64 = 16 * 1024 * 1024;

/// Tells whether a checkout certainly has all of these paths as they were: nothing of the user's in the index or on
/// disk, and nothing where new ones appear. `opened` is the checkout.
pub fn is_untouched(checkout: &Pinned, opened: &Repo, changed: &[ChangedPath]) -> bool {
    Looker::of(checkout, opened)
        .is_some_and(|mut looker| changed.iter().all(|change| looker.is_as_it_was(change)))
}

struct Looker<'c> {
    top: &'c Path,
    index: Index,
    /// When the index was written, in seconds and nanoseconds.
    written: (i64, i64),
    /// Known to be folders, and no links to some.
    folders: HashSet<PathBuf>,
}

impl<'c> Looker<'c> {
    fn of(checkout: &'c Pinned, opened: &Repo) -> Option<Self> {
        let config = opened.raw().config().ok()?.snapshot().ok()?;
        let is_unusual = |(key, value): &(&str, bool)| config.get_bool(key).ok() == Some(*value);
        if UNUSUAL.iter().any(is_unusual) {
            return None;
        }
        let index = opened.raw().index().ok()?;
        if index.has_conflicts() {
            return None;
        }
        let (_, written) = times(&fs::symlink_metadata(index.path()?).ok()?)?;
        Some(Self {
            top: checkout.path(),
            index,
            written,
            folders: HashSet::new(),
        })
    }

    fn is_as_it_was(&mut self, change: &ChangedPath) -> bool {
        let Some(path) = plain_path(&change.path) else {
            return false;
        };
        match change.old {
            Some(old) => self.has(path, old),
            None => self.has_nothing_at(path),
        }
    }

    fn has(&mut self, path: &Path, old: Entry) -> bool {
        let Some(entry) = self.index.get_path(path, 0) else {
            return false;
        };
        let is_plain = entry.flags & ASSUMED_UNCHANGED == 0 && entry.flags_extended == 0;
        let is_old = entry.id == old.id && EntryKind::from_mode(entry.mode) == Some(old.kind);
        if !is_plain || !is_old || !self.is_below_folders(path) {
            return false;
        }
        let file = self.top.join(path);
        let Ok(found) = fs::symlink_metadata(&file) else {
            return false;
        };
        match old.kind {
            EntryKind::Symlink if found.is_symlink() => leads_where(&file, old.id),
            EntryKind::File | EntryKind::Executable if found.is_file() => {
                is_executable(&found) == (old.kind == EntryKind::Executable)
                    && (self.has_times_of(&found, &entry) || has_content(&file, &found, old.id))
            }
            EntryKind::Symlink | EntryKind::File | EntryKind::Executable | EntryKind::Submodule => {
                false
            }
        }
    }

    fn has_nothing_at(&mut self, path: &Path) -> bool {
        let Some(text) = path.to_str() else {
            return false;
        };
        let mut named = path.ancestors().filter(|p| !p.as_os_str().is_empty());
        let is_known = named.any(|path| self.index.get_path(path, 0).is_some())
            || self.index.find_prefix(format!("{text}/")).is_ok();
        let missing = fs::symlink_metadata(self.top.join(path))
            .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        !is_known && missing && self.is_below_folders(path)
    }

    /// Whether everything above a path is a folder, as far as it is there.
    fn is_below_folders(&mut self, path: &Path) -> bool {
        for folder in path.ancestors().skip(1) {
            if folder.as_os_str().is_empty() || self.folders.contains(folder) {
                continue;
            }
            match fs::symlink_metadata(self.top.join(folder)) {
                Ok(found) if found.is_dir() => {
                    self.folders.insert(folder.to_path_buf());
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Ok(_) | Err(_) => return false,
            }
        }
        true
    }

    /// As git compares them: what was written as late as the index may have been changed since.
    #[cfg(unix)]
    fn has_times_of(&self, found: &fs::Metadata, entry: &IndexEntry) -> bool {
        use std::os::unix::fs::MetadataExt;
        let kept =
            |time: &git2::IndexTime| (i64::from(time.seconds()), i64::from(time.nanoseconds()));
        let Some((changed, modified)) = times(found) else {
            return false;
        };
        modified < self.written
            && (kept(&entry.mtime), kept(&entry.ctime)) == (modified, changed)
            // The index keeps the lower half of these.
            && entry.file_size == found.size() as u32
            && entry.ino == found.ino() as u32
            && (entry.uid, entry.gid) == (found.uid(), found.gid())
    }

    #[cfg(not(unix))]
    fn has_times_of(&self, _found: &fs::Metadata, _entry: &IndexEntry) -> bool {
        false
    }
}

/// A path that means the same to git and to the system.
fn plain_path(bytes: &[u8]) -> Option<&Path> {
    std::str::from_utf8(bytes).ok().map(Path::new)
}

/// When a file changed in any way, and when its content did, in seconds and nanoseconds.
#[cfg(unix)]
fn times(found: &fs::Metadata) -> Option<((i64, i64), (i64, i64))> {
    use std::os::unix::fs::MetadataExt;
    Some((
        (found.ctime(), found.ctime_nsec()),
        (found.mtime(), found.mtime_nsec()),
    ))
}

#[cfg(not(unix))]
fn times(_found: &fs::Metadata) -> Option<((i64, i64), (i64, i64))> {
    None
}

#[cfg(unix)]
fn is_executable(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_found: &fs::Metadata) -> bool {
    false
}

/// Whether the file is the blob byte for byte: then nothing of the user's is in it, whatever filters there are.
fn has_content(file: &Path, found: &fs::Metadata, id: Oid) -> bool {
    found.len() <= LARGEST_READ
        && Oid::hash_file(ObjectType::Blob, file).is_ok_and(|hashed| hashed == id)
}

fn leads_where(link: &Path, id: Oid) -> bool {
    fs::read_link(link).is_ok_and(|to| {
        let to = to.as_os_str().as_encoded_bytes();
        Oid::hash_object(ObjectType::Blob, to).is_ok_and(|hashed| hashed == id)
    })
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::trial::{git, repository};
    use super::*;

    /// A checkout of `main` whose branch `new` changes, adds, removes and turns files, and what differs.
    fn with_changes() -> (tempfile::TempDir, Vec<ChangedPath>) {
        let dir = repository();
        let root = dir.path();
        let write = |name: &str, text: &str| {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        for name in ["changed", "sub/removed", "beside"] {
            write(name, "old\n");
        }
        std::os::unix::fs::symlink("changed", root.join("link")).unwrap();
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "-m", "Begin"]);
        git(root, &["checkout", "-q", "-b", "new"]);
        write("changed", "new\n");
        write("sub/deep/added", "new\n");
        fs::remove_file(root.join("sub/removed")).unwrap();
        fs::remove_file(root.join("link")).unwrap();
        std::os::unix::fs::symlink("beside", root.join("link")).unwrap();
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "-m", "Change"]);
        git(root, &["checkout", "-q", "main"]);
        let repo = Repo::open(root).unwrap();
        let tree = |branch| repo.tree_of(repo.branch_tip(branch).unwrap()).unwrap();
        let changed = repo.changed_paths(tree("main"), tree("new")).unwrap();
        assert_eq!(changed.len(), 4);
        (dir, changed)
    }

    fn untouched(dir: &tempfile::TempDir, changed: &[ChangedPath]) -> bool {
        let repo = Repo::open(dir.path()).unwrap();
        let there = Pinned::of(&repo, dir.path()).unwrap();
        is_untouched(&there, &there.open().unwrap(), changed)
    }

    #[test]
    fn what_the_user_did_elsewhere_and_a_new_time_touch_nothing() {
        let (dir, changed) = with_changes();
        assert!(untouched(&dir, &changed));
        fs::write(dir.path().join("beside"), "user's\n").unwrap();
        fs::write(dir.path().join("unknown"), "user's\n").unwrap();
        fs::write(dir.path().join("changed"), "old\n").unwrap();
        assert!(untouched(&dir, &changed));
    }

    #[test]
    fn nothing_of_the_users_is_overlooked() {
        type Act = fn(&Path);
        let acts: &[(&str, Act)] = &[
            ("an edit of the same length", |root| {
                fs::write(root.join("changed"), "odl\n").unwrap();
            }),
            ("a file that is gone", |root| {
                fs::remove_file(root.join("sub/removed")).unwrap();
            }),
            ("another mode", |root| {
                use std::os::unix::fs::PermissionsExt;
                let mode = fs::Permissions::from_mode(0o755);
                fs::set_permissions(root.join("changed"), mode).unwrap();
            }),
            ("a link that leads elsewhere", |root| {
                fs::remove_file(root.join("link")).unwrap();
                std::os::unix::fs::symlink("elsewhere", root.join("link")).unwrap();
            }),
            ("a file in place of a link", |root| {
                fs::remove_file(root.join("link")).unwrap();
                fs::write(root.join("link"), "changed").unwrap();
            }),
            ("an unknown file", |root| {
                fs::create_dir_all(root.join("sub/deep")).unwrap();
                fs::write(root.join("sub/deep/added"), "user's\n").unwrap();
            }),
            ("a folder in place of a file", |root| {
                fs::create_dir_all(root.join("sub/deep/added")).unwrap();
            }),
            ("a file in place of a folder", |root| {
                fs::write(root.join("sub/deep"), "user's\n").unwrap();
            }),
            ("a link in place of a folder", |root| {
                fs::rename(root.join("sub"), root.join("aside")).unwrap();
                std::os::unix::fs::symlink("aside", root.join("sub")).unwrap();
            }),
            ("a change in the index alone", |root| {
                fs::write(root.join("changed"), "staged\n").unwrap();
                git(root, &["add", "changed"]);
                fs::write(root.join("changed"), "old\n").unwrap();
            }),
            ("a new file in the index alone", |root| {
                fs::create_dir_all(root.join("sub/deep")).unwrap();
                fs::write(root.join("sub/deep/added"), "staged\n").unwrap();
                git(root, &["add", "sub/deep/added"]);
                fs::remove_file(root.join("sub/deep/added")).unwrap();
            }),
            ("a file of the index in place of a folder", |root| {
                fs::write(root.join("sub/deep"), "staged\n").unwrap();
                git(root, &["add", "sub/deep"]);
                fs::remove_file(root.join("sub/deep")).unwrap();
            }),
            ("files of the index below a new one", |root| {
                fs::create_dir_all(root.join("sub/deep/added")).unwrap();
                fs::write(root.join("sub/deep/added/x"), "staged\n").unwrap();
                git(root, &["add", "sub/deep/added/x"]);
                fs::remove_dir_all(root.join("sub/deep")).unwrap();
            }),
            ("a file that git is told to overlook", |root| {
                git(root, &["update-index", "--assume-unchanged", "changed"]);
            }),
            ("a file that is not to be checked out", |root| {
                git(root, &["update-index", "--skip-worktree", "changed"]);
            }),
        ];
        for (what, act) in acts {
            let (dir, changed) = with_changes();
            act(dir.path());
            assert!(!untouched(&dir, &changed), "{what}");
        }
    }
}
