//! Objects whose content is not what their name says. Git finds an object by its name, and of a file's content it does
//! not ask whether it has that name. Committing is writing to the store of objects, so agents can write there: what has
//! changed since the last look is read again before something is built on it.

use std::fs;
use std::path::{Path, PathBuf};

use git2::Oid;

use super::cli::git;
use super::error::GitError;
use super::repo::Repo;
use crate::platform::clock;

/// Packs that are larger, in bytes, are left to `git fsck`: reading one takes longer than a merge may wait.
const LARGEST_PACK: u64 = 64 * 1024 * 1024;

/// How much earlier than a look, in milliseconds, the next one begins: times of files are coarse.
const OVERLAP_MS: i64 = 1_000;

/// Files of the store that have changed.
#[derive(Debug, Default)]
struct Changed {
    loose: Vec<(Oid, PathBuf)>,
    indexes: Vec<PathBuf>,
}

/// A look at a store, for any thread: it shares nothing with an opened repository.
#[derive(Debug, Clone)]
pub struct StoreLook {
    checkout: PathBuf,
    common: PathBuf,
    mark: PathBuf,
}

/// Files that were replaced: the first, and how many there are besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedObjects {
    file: PathBuf,
    others: usize,
}

impl From<ReplacedObjects> for GitError {
    fn from(ReplacedObjects { file, others }: ReplacedObjects) -> Self {
        Self::Replaced { file, others }
    }
}

impl Repo {
    /// Prepares a look for what was replaced since the last one. `mark` is the file that keeps when that was, out of
    /// the reach of agents; where it is missing, the store is taken as it is.
    pub fn store_look(&self, mark: &Path) -> StoreLook {
        StoreLook {
            checkout: self.path().to_path_buf(),
            common: self.common_dir().to_path_buf(),
            mark: mark.to_path_buf(),
        }
    }

    /// Fails if an object was replaced since the last time that this was asked, see `store_look`.
    pub fn require_genuine(&self, mark: &Path) -> Result<(), GitError> {
        self.store_look(mark)
            .take()
            .map_or(Ok(()), |found| Err(found.into()))
    }

    /// The files of objects that were replaced, or damaged, since `mark` was written.
    pub fn replaced(&self, mark: &Path) -> Vec<PathBuf> {
        self.store_look(mark).replaced()
    }
}

impl StoreLook {
    /// Looks, and remembers when, unless something was replaced.
    pub fn take(&self) -> Option<ReplacedObjects> {
        let now = clock::now().0;
        let found = self.replaced();
        if let Some(file) = found.first() {
            return Some(ReplacedObjects {
                file: file.clone(),
                others: found.len() - 1,
            });
        }
        // Half a number is an earlier time, and then more is read again: nothing is lost by not waiting for the disk.
        if let Err(error) = fs::write(&self.mark, (now - OVERLAP_MS).to_string()) {
            tracing::warn!(file = %self.mark.display(), %error, "the store of objects will be read again");
        }
        None
    }

    fn replaced(&self) -> Vec<PathBuf> {
        let Ok(text) = fs::read_to_string(&self.mark) else {
            return Vec::new();
        };
        let since = text.trim().parse().unwrap_or_default();
        // A clock that was set back says nothing about what came after.
        let since = if since > clock::now().0 { 0 } else { since };
        let changed = changed_since(&self.common.join("objects"), since);
        // Opened anew: what was read before is remembered.
        let fresh = git2::Repository::open(&self.common);
        let Some(store) = fresh.as_ref().ok().and_then(|fresh| fresh.odb().ok()) else {
            return Vec::new();
        };
        let loose = changed.loose.into_iter();
        let loose = loose.filter(|(id, file)| store.read(*id).is_err() && file.exists());
        let packed = changed.indexes.into_iter();
        let packed = packed.filter(|index| {
            let call = git(&self.checkout).args(["verify-pack", "--"]).arg(index);
            call.run().is_err() && index.exists()
        });
        loose.map(|(_, file)| file).chain(packed).collect()
    }
}

fn changed_since(objects: &Path, since: i64) -> Changed {
    let mut changed = Changed::default();
    for folder in fs::read_dir(objects).into_iter().flatten().flatten() {
        let name = folder.file_name();
        let Some(name) = name.to_str().filter(|n| n.len() == 2 || *n == "pack") else {
            continue;
        };
        for entry in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
            let file = entry.path();
            if name != "pack" {
                let rest = entry.file_name();
                let id = rest.to_str().filter(|rest| rest.len() == 38);
                let id = id.and_then(|rest| Oid::from_str(&format!("{name}{rest}")).ok());
                if let Some(id) = id.filter(|_| changed_ms(&file).is_none_or(|at| at >= since)) {
                    changed.loose.push((id, file));
                }
            } else if file.extension().is_some_and(|end| end == "idx") {
                let pack = file.with_extension("pack");
                let newest = changed_ms(&file).max(changed_ms(&pack));
                let is_small = fs::metadata(&pack).is_ok_and(|found| found.len() <= LARGEST_PACK);
                if is_small && newest.is_none_or(|at| at >= since) {
                    changed.indexes.push(file);
                }
            }
        }
    }
    changed
}

/// When a file last changed in any way, in milliseconds: a time that nobody can set. `None` when it is gone, or where
/// the system keeps no such time.
#[cfg(unix)]
fn changed_ms(file: &Path) -> Option<i64> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::symlink_metadata(file).ok()?;
    Some(found.ctime() * 1_000 + found.ctime_nsec() / 1_000_000)
}

#[cfg(not(unix))]
fn changed_ms(_file: &Path) -> Option<i64> {
    None
}

#[cfg(test)]
mod tests {
    use super::super::trial::{git, repository};
    use super::*;

    /// A repository with a commit of `kept` and `run`, and the file of the object that is `run`.
    fn with_objects() -> (tempfile::TempDir, Repo, PathBuf) {
        let dir = repository();
        for (name, text) in [("kept", "kept\n"), ("run", "echo good\n")] {
            fs::write(dir.path().join(name), text).unwrap();
        }
        git(dir.path(), &["add", "kept", "run"]);
        git(dir.path(), &["commit", "-q", "-m", "Begin"]);
        let repo = Repo::discover(dir.path()).unwrap();
        let id = repo.raw().revparse_single("main:run").unwrap().id();
        let name = id.to_string();
        let file = repo.common_dir().join("objects").join(&name[..2]);
        let file = file.join(&name[2..]);
        (dir, repo, file)
    }

    #[test]
    fn an_object_with_the_content_of_another_is_found_and_nothing_is_built_on_it() {
        let (dir, repo, file) = with_objects();
        let mark = dir.path().join("mark");
        assert!(repo.replaced(&mark).is_empty(), "nobody has looked yet");
        repo.require_genuine(&mark).unwrap();
        repo.require_genuine(&mark).unwrap();
        let evil = repo.raw().blob(b"echo evil\n").unwrap().to_string();
        let evil = file
            .parent()
            .unwrap()
            .with_file_name(&evil[..2])
            .join(&evil[2..]);
        let good = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        fs::copy(&evil, &file).unwrap();
        for _ in 0..2 {
            let error = repo.require_genuine(&mark).unwrap_err();
            assert!(
                matches!(&error, GitError::Replaced { file: found, others: 0 } if *found == file),
                "{error}"
            );
        }
        fs::remove_file(&file).unwrap();
        fs::write(&file, good).unwrap();
        repo.require_genuine(&mark).unwrap();
    }

    #[test]
    fn a_pack_that_was_changed_is_found() {
        let (dir, repo, _) = with_objects();
        let mark = dir.path().join("mark");
        repo.require_genuine(&mark).unwrap();
        git(dir.path(), &["repack", "-q", "-a", "-d"]);
        repo.require_genuine(&mark).unwrap();
        let packs = repo.common_dir().join("objects/pack");
        let mut files = fs::read_dir(packs)
            .unwrap()
            .flatten()
            .map(|entry| entry.path());
        let pack = files
            .find(|file| file.extension().is_some_and(|end| end == "pack"))
            .unwrap();
        let mut bytes = fs::read(&pack).unwrap();
        bytes[40] ^= 1;
        fs::remove_file(&pack).unwrap();
        fs::write(&pack, bytes).unwrap();
        assert_eq!(repo.replaced(&mark), [pack.with_extension("idx")]);
    }
}
