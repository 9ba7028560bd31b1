//! File operations whose errors say what was tried on which path.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A failed file operation.
#[derive(Debug, thiserror::Error)]
#[error("cannot {op} {}: {source}", path.display())]
pub struct FsError {
    pub op: &'static str,
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

impl FsError {
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

pub(crate) trait AtPath<T> {
    fn at(self, op: &'static str, path: &Path) -> Result<T, FsError>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, op: &'static str, path: &Path) -> Result<T, FsError> {
        self.map_err(|source| FsError {
            op,
            path: path.to_owned(),
            source,
        })
    }
}

pub fn read(path: &Path) -> Result<String, FsError> {
    fs::read_to_string(path).at("read", path)
}

/// Reads a file that may not exist.
pub fn read_optional(path: &Path) -> Result<Option<String>, FsError> {
    match read(path) {
        Ok(text) => Ok(Some(text)),
        Err(e) if e.is_not_found() => Ok(None),
        Err(e) => Err(e),
    }
}

pub fn create_dir_all(path: &Path) -> Result<(), FsError> {
    fs::create_dir_all(path).at("create folder", path)
}

/// Creates a folder that only its owner may enter.
pub fn create_private_dir(path: &Path) -> Result<(), FsError> {
    fs::create_dir_all(path).at("create folder", path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).at("protect", path)?;
    }
    Ok(())
}

/// Replaces a file's content in one step: readers see the old or the new text, never a part.
pub fn write_atomic(path: &Path, content: impl AsRef<[u8]>) -> Result<(), FsError> {
    let temp = beside(path);
    let written = fs::File::create(&temp)
        .and_then(|mut f| f.write_all(content.as_ref()).and_then(|()| f.sync_data()))
        .and_then(|()| fs::rename(&temp, path));
    if written.is_err() {
        // The error of the write is the one to report; a leftover is only untidy.
        drop(fs::remove_file(&temp));
    }
    written.at("write", path)
}

/// Creates a file that must not exist yet; `false` when it does.
pub fn create_new(path: &Path, content: &str) -> Result<bool, FsError> {
    match fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
    {
        Ok(mut file) => file
            .write_all(content.as_bytes())
            .at("write", path)
            .map(|()| true),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(e).at("create", path),
    }
}

/// Removes a file; one that is already gone is fine.
pub fn remove_file(path: &Path) -> Result<(), FsError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e).at("remove", path),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Removes a folder and all in it; one that is already gone is fine.
pub fn remove_dir_all(path: &Path) -> Result<(), FsError> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e).at("remove", path),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Creates a file with all of its content in one step, by linking a finished one to its name:
/// whoever sees the name sees the whole text. `false` when the name is taken.
pub fn link_new(path: &Path, content: &str) -> Result<bool, FsError> {
    let temp = beside(path);
    let linked = fs::write(&temp, content).and_then(|()| fs::hard_link(&temp, path));
    // The name, if it was made, keeps the file; a leftover is only untidy.
    drop(fs::remove_file(&temp));
    match linked {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(e).at("create", path),
    }
}

/// Takes a file out of the way if its text is still the one expected; another text is put back.
/// `true` when the name is free of that text.
pub fn remove_if(path: &Path, expected: &str) -> Result<bool, FsError> {
    let temp = beside(path);
    match fs::rename(path, &temp) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(e) => return Err(e).at("remove", path),
    }
    let same = fs::read_to_string(&temp).is_ok_and(|text| text == expected);
    if !same {
        // Somebody has replaced it meanwhile: it gets its name back unless a third was faster.
        drop(fs::hard_link(&temp, path));
    }
    fs::remove_file(&temp).at("remove", &temp)?;
    Ok(same)
}

fn beside(path: &Path) -> PathBuf {
    let parent = path.parent().unwrap_or(Path::new("."));
    parent.join(format!(".grove-{}", super::random::alphanumeric(10)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linked_file_is_exclusive_and_only_the_expected_text_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.pid");
        assert!(link_new(&path, "1\n").unwrap());
        assert!(!link_new(&path, "2\n").unwrap());
        assert!(!remove_if(&path, "2\n").unwrap());
        assert_eq!(read(&path).unwrap(), "1\n");
        assert!(remove_if(&path, "1\n").unwrap());
        assert!(remove_if(&path, "1\n").unwrap(), "gone is as good");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
