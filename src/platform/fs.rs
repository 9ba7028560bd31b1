//! File operations whose errors say what was tried on which path.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::plain;

/// Nothing that grove reads as a whole is as large, in bytes.
const LARGEST: u64 = 256 * 1024 * 1024;

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
    text(path, fs::read(path).at("read", path)?)
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, FsError> {
    String::from_utf8(bytes)
        .map_err(|e| {
            let before = e.as_bytes().get(..e.utf8_error().valid_up_to());
            let line = before.map_or(1, |b| b.split(|b| *b == b'\n').count());
            let message = format!("line {line} is not UTF-8; repair the file or move it aside");
            io::Error::new(io::ErrorKind::InvalidData, message)
        })
        .at("read", path)
}

pub fn read_bytes(path: &Path) -> Result<Vec<u8>, FsError> {
    fs::read(path).at("read", path)
}

/// Reads a file that may not exist. Anything but a regular file is an error and not waited for, and so is one that
/// could not be held in memory.
pub fn read_optional(path: &Path) -> Result<Option<String>, FsError> {
    let bytes = read_bytes_optional(path)?;
    bytes.map(|bytes| text(path, bytes)).transpose()
}

/// The same, whatever its bytes are.
pub fn read_bytes_optional(path: &Path) -> Result<Option<Vec<u8>>, FsError> {
    let read = plain::open_linked(path).and_then(|file| {
        let length = file.metadata()?.len();
        if length > LARGEST {
            let message = format!("it has {length} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        file.take(LARGEST).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e).at("read", path),
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

/// Like `write_atomic`, for a file that is the user's: a link in its place stays one, and the file it
/// leads to gets the text and keeps its permissions.
pub fn write_through(path: &Path, content: impl AsRef<[u8]>) -> Result<(), FsError> {
    let target = behind_link(path)?;
    let kept = fs::metadata(&target).ok().map(|found| found.permissions());
    let temp = beside(&target);
    let written = fs::File::create(&temp)
        .and_then(|mut f| {
            // Before the text is in it: others may not be allowed to read it.
            kept.map_or(Ok(()), |kept| f.set_permissions(kept))?;
            f.write_all(content.as_ref()).and_then(|()| f.sync_data())
        })
        .and_then(|()| fs::rename(&temp, &target));
    if written.is_err() {
        // The error of the write is the one to report; a leftover is only untidy.
        drop(fs::remove_file(&temp));
    }
    written.at("write", path)
}

/// Like `write_through`, for a file that can come with the repository. A branch could have brought a
/// link to anything, so one is followed only to a file of its own name.
pub fn write_shared(path: &Path, content: impl AsRef<[u8]>) -> Result<(), FsError> {
    let target = behind_link(path)?;
    if target.file_name() != path.file_name() {
        let message = format!(
            "it is a link to {}, which has another name; replace the link by a file, or lead it to \
             one of its own name",
            target.display()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message)).at("write", path);
    }
    write_through(path, content)
}

/// The file that a path stands for once its links are followed; the path itself when there is none.
pub fn behind_link(path: &Path) -> Result<PathBuf, FsError> {
    if !path.is_symlink() {
        return Ok(path.to_owned());
    }
    path.canonicalize()
        .map_err(|e| {
            let message = "it is a link that leads nowhere; remove it, or create what it leads to";
            if e.kind() == io::ErrorKind::NotFound {
                io::Error::new(io::ErrorKind::InvalidInput, message)
            } else {
                e
            }
        })
        .at("write", path)
}

/// Adds text to the end of a file in one write, creating it first if need be: lines of several
/// processes do not mix.
pub fn append(path: &Path, text: &str) -> Result<(), FsError> {
    fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .at("append to", path)
}

/// Removes everything inside a folder and keeps the folder; whether there was anything.
pub fn clear_dir(path: &Path) -> Result<bool, FsError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(e).at("read folder", path),
    };
    let mut any = false;
    for entry in entries {
        let entry = entry.at("read folder", path)?;
        any = true;
        if entry.file_type().at("inspect", &entry.path())?.is_dir() {
            remove_dir_all(&entry.path())?;
        } else {
            remove_file(&entry.path())?;
        }
    }
    Ok(any)
}

/// Removes a file; whether it was there.
pub fn remove_existing(path: &Path) -> Result<bool, FsError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e).at("remove", path),
    }
}

/// Creates a file that must not exist yet; `false` when it does.
pub fn create_new(path: &Path, content: &str) -> Result<bool, FsError> {
    match fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
    {
        Ok(file) => fill(file, path, content),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(e).at("create", path),
    }
}

/// Lists a folder's entries in no order; one that is not there is empty.
pub fn list_dir(path: &Path) -> Result<Vec<std::path::PathBuf>, FsError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(e).at("list", path),
    };
    entries
        .map(|entry| entry.map(|e| e.path()).at("list", path))
        .collect()
}

/// A folder's folders, by name; one that cannot be read has none.
pub fn subfolders(path: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let folders = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir());
    let mut found: Vec<_> = folders.collect();
    found.sort();
    found
}

/// Fills a file that has just been made; a part of one would be taken for the whole.
fn fill(mut file: fs::File, path: &Path, content: &str) -> Result<bool, FsError> {
    let written = file.write_all(content.as_bytes());
    if written.is_err() {
        drop(file);
        // The error of the write is the one to report.
        drop(fs::remove_file(path));
    }
    written.at("write", path).map(|()| true)
}

/// Creates a file that only its owner can read and that must not exist yet; `false` when it does.
pub fn create_new_private(path: &Path, content: &str) -> Result<bool, FsError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match options.open(path) {
        Ok(file) => fill(file, path, content),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(e) => Err(e).at("create", path),
    }
}

/// Tells whether others than the owner can use a file.
#[cfg(unix)]
pub fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|m| m.permissions().mode() & 0o077 != 0)
}

/// Tells whether others than the owner can use a file; not known here.
#[cfg(not(unix))]
pub fn is_open_to_others(_path: &Path) -> bool {
    false
}

/// What a file is called inside the system: another file at the same path has another one.
#[cfg(unix)]
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|m| (m.dev(), m.ino()))
}

/// What a file is called inside the system; not known here.
#[cfg(not(unix))]
pub fn identity(_path: &Path) -> Option<(u64, u64)> {
    None
}

/// Removes a file; one that is already gone is fine.
pub fn remove_file(path: &Path) -> Result<(), FsError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e).at("remove", path),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Moves a file to another place of the same file system.
pub fn rename(from: &Path, to: &Path) -> Result<(), FsError> {
    fs::rename(from, to).at("move", from)
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

/// Gives a file a second name beside it, which keeps its text when the first one is given to another
/// file. Where a file system has no second names, the text is copied. Nobody sweeps it away: it can be
/// all that is left of a person's text.
pub fn second_name(path: &Path) -> Result<PathBuf, FsError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".before-{}", super::random::alphanumeric(10)));
    let second = path.with_file_name(name);
    fs::hard_link(path, &second)
        .or_else(|_| {
            let copied = fs::copy(path, &second).and_then(|_| fs::File::open(&second)?.sync_data());
            if copied.is_err() {
                // The error of the copy is the one to report; a part of one is only untidy.
                drop(fs::remove_file(&second));
            }
            copied
        })
        .at("keep the old text of", path)?;
    Ok(second)
}

/// Takes a file out of the way if its content is still the one expected; another one is put back.
/// `true` when the name is free of that content.
pub fn remove_if(path: &Path, expected: impl AsRef<[u8]>) -> Result<bool, FsError> {
    let temp = beside(path);
    match fs::rename(path, &temp) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(e) => return Err(e).at("remove", path),
    }
    let same = fs::read(&temp).is_ok_and(|content| content == expected.as_ref());
    if !same {
        // Somebody has replaced it meanwhile: it gets its name back unless a third was faster.
        drop(fs::hard_link(&temp, path));
    }
    fs::remove_file(&temp).at("remove", &temp)?;
    Ok(same)
}

fn beside(path: &Path) -> PathBuf {
    let parent = path.parent().unwrap_or(Path::new("."));
    parent.join(super::leftovers::temporary_name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_users_link_stays_and_its_file_is_written() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("dotfiles")).unwrap();
        std::fs::write(at("dotfiles/settings.json"), "old").unwrap();
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(at("dotfiles/settings.json"), private).unwrap();
        symlink("dotfiles/settings.json", at("mine.json")).unwrap();
        write_through(&at("mine.json"), "new").unwrap();
        assert!(at("mine.json").is_symlink());
        assert_eq!(read(&at("dotfiles/settings.json")).unwrap(), "new");
        let mode = std::fs::metadata(at("mine.json")).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        let other = write_shared(&at("mine.json"), "x").unwrap_err();
        assert!(other.to_string().contains("another name"), "{other}");
        symlink("dotfiles/settings.json", at("settings.json")).unwrap();
        write_shared(&at("settings.json"), "shared").unwrap();
        assert_eq!(read(&at("dotfiles/settings.json")).unwrap(), "shared");
        symlink("nowhere", at("lost")).unwrap();
        let lost = write_through(&at("lost"), "x").unwrap_err();
        assert!(lost.to_string().contains("leads nowhere"), "{lost}");
        assert!(at("lost").is_symlink());
        assert_eq!(std::fs::read_dir(at("dotfiles")).unwrap().count(), 1);
    }

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
