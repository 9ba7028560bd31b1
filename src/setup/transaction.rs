//! Changes to a project's files as one step: whatever is not kept is taken back.
//!
//! A file that is replaced keeps a second name until then. Taking back gives it its own name again,
//! which needs no room on the disk: that is what taking back is most often about.

use std::path::{Path, PathBuf};

use super::error::SetupError;
use super::files::ManagedFile;
use crate::platform::fs::{self, FsError};

/// Changes below a folder that are taken back unless they are kept.
#[derive(Debug)]
pub(super) struct Transaction {
    root: PathBuf,
    undo: Vec<Undo>,
}

#[derive(Debug)]
enum Undo {
    RemoveFile(PathBuf),
    RemoveFolder(PathBuf),
    /// The file, and where its old text is.
    Restore(PathBuf, PathBuf),
}

/// A file that has not got its old text back.
#[derive(Debug)]
pub struct Unrestored {
    /// The file.
    pub path: PathBuf,
    /// Where its old text is.
    pub old: PathBuf,
}

impl Transaction {
    /// Starts without having changed anything.
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            undo: Vec::new(),
        }
    }

    /// Creates a folder and those above it.
    pub(super) fn folder(&mut self, relative: &str) -> Result<(), FsError> {
        let path = self.root.join(relative);
        let missing: Vec<PathBuf> = path
            .ancestors()
            .take_while(|path| !path.exists())
            .map(Path::to_owned)
            .collect();
        // Noted before it is tried: a chain of folders can fail in its middle.
        self.undo
            .extend(missing.into_iter().rev().map(Undo::RemoveFolder));
        fs::create_dir_all(&path)
    }

    /// Writes a file and the folders above it; `false` when it has this text already.
    pub(super) fn write(&mut self, file: &ManagedFile) -> Result<bool, FsError> {
        let path = self.root.join(&file.path);
        let before = std::fs::read(&path).ok();
        if before.as_deref() == Some(file.text.as_bytes()) {
            return Ok(false);
        }
        if let Some((folder, _)) = file.path.rsplit_once('/') {
            self.folder(folder)?;
        }
        if before.is_some() {
            let target = fs::behind_link(&path)?;
            let old = fs::second_name(&target)?;
            self.undo.push(Undo::Restore(target, old));
            fs::write_shared(&path, &file.text)?;
        } else {
            fs::write_shared(&path, &file.text)?;
            self.undo.push(Undo::RemoveFile(path));
        }
        Ok(true)
    }

    /// Writes a file that must not be there yet; `false` when it is: somebody else was faster.
    pub(super) fn create(&mut self, file: &ManagedFile) -> Result<bool, FsError> {
        let path = self.root.join(&file.path);
        if let Some((folder, _)) = file.path.rsplit_once('/') {
            self.folder(folder)?;
        }
        // Where a file system has no second names for a file, it is made under its own.
        let created =
            fs::link_new(&path, &file.text).or_else(|_| fs::create_new(&path, &file.text))?;
        if created {
            self.undo.push(Undo::RemoveFile(path));
        }
        Ok(created)
    }

    /// Announces a database that is about to be created by its store, so that it can be taken back.
    pub(super) fn expect_database(&mut self, relative: &str) {
        let path = self.root.join(relative);
        if path.exists() {
            return;
        }
        // SQLite creates the file that a link leads to; the link itself is not ours.
        let Some(path) = end_of_links(path) else {
            return;
        };
        for suffix in ["", "-wal", "-shm"] {
            let mut file = path.clone().into_os_string();
            file.push(suffix);
            let file = PathBuf::from(file);
            if !file.is_symlink() && !file.exists() {
                self.undo.push(Undo::RemoveFile(file));
            }
        }
    }

    /// Announces a lock file that is about to be made, so that it can be taken back.
    pub(super) fn expect_lock(&mut self, path: &Path) {
        if !path.is_symlink() && !path.exists() {
            self.undo.push(Undo::RemoveFile(path.to_owned()));
        }
    }

    /// Makes the changes final.
    pub(super) fn keep(mut self) {
        for step in self.undo.drain(..) {
            match step {
                // The text is where it belongs; a second name that stays is only untidy.
                Undo::Restore(_, old) => drop(fs::remove_file(&old)),
                Undo::RemoveFile(_) | Undo::RemoveFolder(_) => {}
            }
        }
    }

    /// Takes everything back and says what that was for, and what could not be taken back.
    pub(super) fn take_back(mut self, cause: SetupError) -> SetupError {
        let unrestored = self.undo_all();
        if unrestored.is_empty() {
            return cause;
        }
        SetupError::Unrestored {
            cause: Box::new(cause),
            files: unrestored,
        }
    }

    /// Undoes the steps, the last one first. Once a file has not got its old text back, all that was
    /// written stays: a copy of that text may be part of it.
    fn undo_all(&mut self) -> Vec<Unrestored> {
        let mut unrestored = Vec::new();
        for step in self.undo.drain(..).rev() {
            match step {
                Undo::Restore(path, old) => {
                    match fs::rename(&old, &path) {
                        // Of two names of one file, renaming leaves both: nothing was written yet.
                        Ok(()) => drop(fs::remove_file(&old)),
                        Err(_) => unrestored.push(Unrestored { path, old }),
                    }
                }
                Undo::RemoveFile(_) | Undo::RemoveFolder(_) if !unrestored.is_empty() => {}
                // Best effort: what stays of grove's own is only untidy.
                Undo::RemoveFile(path) => drop(fs::remove_file(&path)),
                Undo::RemoveFolder(path) => drop(std::fs::remove_dir(&path)),
            }
        }
        unrestored
    }
}

/// How many links may lead from one to the next.
const LINKS: usize = 16;

/// Where a chain of links ends, at something or at nothing; `None` when it does not end.
pub(super) fn end_of_links(mut path: PathBuf) -> Option<PathBuf> {
    for _ in 0..LINKS {
        if !path.is_symlink() {
            return Some(path);
        }
        let target = std::fs::read_link(&path).ok()?;
        path = path.parent()?.join(target);
    }
    None
}

impl Drop for Transaction {
    fn drop(&mut self) {
        for file in self.undo_all() {
            // Nobody is there to be told: this is a panic.
            tracing::error!("{} is now {}", file.path.display(), file.old.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::files::{FOLDERS, files};

    fn everything(root: &Path) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                found.push(path.strip_prefix(root).unwrap().display().to_string());
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }

    fn write_all(transaction: &mut Transaction) -> Result<(), FsError> {
        for folder in FOLDERS {
            transaction.folder(folder)?;
        }
        for file in files(None).unwrap() {
            transaction.write(&file)?;
        }
        Ok(())
    }

    #[test]
    fn a_failure_half_way_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let mut transaction = Transaction::new(dir.path());
        transaction.folder(".overstory").unwrap();
        std::fs::write(dir.path().join(".overstory/logs"), "in the way").unwrap();
        assert!(write_all(&mut transaction).is_err());
        drop(transaction);
        assert_eq!(
            everything(dir.path()),
            [".overstory", ".overstory/logs"],
            "what others wrote stays"
        );
    }

    #[test]
    fn changed_files_get_their_old_text_back() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".overstory")).unwrap();
        std::fs::write(dir.path().join(".overstory/README.md"), "mine").unwrap();
        let mut transaction = Transaction::new(dir.path());
        write_all(&mut transaction).unwrap();
        drop(transaction);
        assert_eq!(
            everything(dir.path()),
            [".overstory", ".overstory/README.md"]
        );
        assert_eq!(
            std::fs::read_to_string(dir.path().join(".overstory/README.md")).unwrap(),
            "mine"
        );
    }

    #[test]
    fn a_file_that_does_not_get_its_text_back_is_named_and_its_text_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let file = |path: &str, text: &str| ManagedFile {
            path: path.into(),
            text: text.into(),
        };
        std::fs::write(at("config"), "mine").unwrap();
        let mut transaction = Transaction::new(dir.path());
        transaction.write(&file("replaced/config", "mine")).unwrap();
        transaction.write(&file("config", "new")).unwrap();
        // A folder cannot be replaced by a file.
        std::fs::remove_file(at("config")).unwrap();
        std::fs::create_dir(at("config")).unwrap();
        let error = transaction.take_back(SetupError::Ended { signal: 2 });
        let said = error.to_string();
        let SetupError::Unrestored { files, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(std::fs::read_to_string(&files[0].old).unwrap(), "mine");
        assert_eq!(
            std::fs::read_to_string(at("replaced/config")).unwrap(),
            "mine"
        );
        assert_eq!(files[0].path, at("config"));
        assert!(said.contains(&files[0].old.display().to_string()), "{said}");
        assert!(!said.contains("as it was before"), "{said}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_gets_its_file_back_and_no_second_name_stays() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("elsewhere")).unwrap();
        std::fs::write(at("elsewhere/config"), "mine").unwrap();
        std::os::unix::fs::symlink("elsewhere/config", at("config")).unwrap();
        let file = ManagedFile {
            path: "config".into(),
            text: "new".into(),
        };
        for keeps in [false, true] {
            let mut transaction = Transaction::new(dir.path());
            transaction.write(&file).unwrap();
            if keeps {
                transaction.keep();
            } else {
                drop(transaction);
            }
            let text = if keeps { "new" } else { "mine" };
            assert!(at("config").is_symlink());
            assert_eq!(std::fs::read_to_string(at("config")).unwrap(), text);
            assert_eq!(
                everything(dir.path()),
                ["config", "elsewhere", "elsewhere/config"]
            );
        }
    }

    #[test]
    fn kept_changes_stay_and_repeat_without_effect() {
        let dir = tempfile::tempdir().unwrap();
        let mut transaction = Transaction::new(dir.path());
        write_all(&mut transaction).unwrap();
        transaction.keep();
        let mut again = Transaction::new(dir.path());
        for file in files(None).unwrap() {
            assert!(!again.write(&file).unwrap(), "{}", file.path);
        }
    }
}
