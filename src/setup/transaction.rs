//! Changes to a project's files as one step: whatever is not kept is taken back.

use std::path::{Path, PathBuf};

use super::files::ManagedFile;
use crate::platform::fs::{self, FsError};

/// Changes below a folder that are taken back when the value is dropped without `keep`.
#[derive(Debug)]
pub(super) struct Transaction {
    root: PathBuf,
    undo: Vec<Undo>,
}

#[derive(Debug)]
enum Undo {
    RemoveFile(PathBuf),
    RemoveFolder(PathBuf),
    Restore(PathBuf, Vec<u8>),
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
        fs::write_shared(&path, &file.text)?;
        self.undo.push(match before {
            Some(bytes) => Undo::Restore(path, bytes),
            None => Undo::RemoveFile(path),
        });
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
        self.undo.clear();
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
        for step in self.undo.drain(..).rev() {
            // Taking back is best effort: the error that led here is the one that is reported.
            match step {
                Undo::RemoveFile(path) => drop(fs::remove_file(&path)),
                Undo::RemoveFolder(path) => drop(std::fs::remove_dir(&path)),
                Undo::Restore(path, bytes) => drop(fs::write_shared(&path, bytes)),
            }
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
