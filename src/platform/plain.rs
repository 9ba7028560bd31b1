//! Reading a file that somebody else can replace at any moment, without being led elsewhere or kept waiting.
//!
//! Where agents write, a name can lead to a pipe nobody writes to, to a device without an end, or to a file of which
//! there is little but its length.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a regular file of at most `most` bytes. No link is followed, no pipe waited for.
pub fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    let file = open(path).ok()?;
    if file.metadata().ok()?.len() > most {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The same as text.
pub fn text(path: &Path, most: u64) -> Option<String> {
    String::from_utf8(read(path, most)?).ok()
}

/// The text of a file in a folder, where a link may stand for another file of the same folder.
pub fn text_within(folder: &Path, name: &str, most: u64) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let path = folder.join(name).canonicalize().ok()?;
    text(&path, most).filter(|_| path.starts_with(&folder))
}

/// Opens a regular file for reading; no link is followed, no pipe waited for.
///
/// # Errors
/// It cannot be opened, or is anything else.
pub fn open(path: &Path) -> io::Result<File> {
    regular(path, false)
}

/// Opens a regular file for reading, also one that a link leads to; no pipe is waited for. Of devices only the one that
/// is empty counts as a file.
///
/// # Errors
/// It cannot be opened, or is anything else.
pub fn open_linked(path: &Path) -> io::Result<File> {
    regular(path, true)
}

fn regular(path: &Path, through_links: bool) -> io::Result<File> {
    let refused = || io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
    // Opening some devices does something already.
    if through_links && !is_readable(&path.metadata()?) {
        return Err(refused());
    }
    let file = open_at_once(path, through_links)?;
    let found = file.metadata()?;
    let is_fine = found.is_file() || through_links && is_readable(&found);
    if is_fine { Ok(file) } else { Err(refused()) }
}

/// A folder is told by whoever reads it.
fn is_readable(found: &std::fs::Metadata) -> bool {
    found.is_file() || found.is_dir() || is_null(found)
}

#[cfg(unix)]
fn is_null(found: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let null = || std::fs::metadata("/dev/null").map(|null| null.rdev());
    found.file_type().is_char_device() && null().is_ok_and(|null| null == found.rdev())
}

#[cfg(not(unix))]
fn is_null(_found: &std::fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn open_at_once(path: &Path, through_links: bool) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    flags.set(OFlags::NOFOLLOW, !through_links);
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_at_once(path: &Path, through_links: bool) -> io::Result<File> {
    let found = if through_links {
        path.metadata()
    } else {
        path.symlink_metadata()
    };
    if !found?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::open(path)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn pipe(path: &Path) {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).unwrap();
    }

    #[test]
    fn what_is_no_regular_file_is_told_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        pipe(&at("pipe"));
        symlink(at("pipe"), at("to-pipe")).unwrap();
        symlink("/dev/zero", at("to-zero")).unwrap();
        std::fs::write(at("file"), "text").unwrap();
        symlink("file", at("to-file")).unwrap();
        symlink("/dev/null", at("to-null")).unwrap();
        for name in ["pipe", "to-pipe", "to-zero", "."] {
            assert_eq!(read(&at(name), 10), None, "{name}");
            assert_eq!(text_within(dir.path(), name, 10), None, "{name}");
        }
        for name in ["pipe", "to-pipe", "to-zero"] {
            assert!(open_linked(&at(name)).is_err(), "{name}");
        }
        assert_eq!(text(&at("file"), 4).as_deref(), Some("text"));
        assert_eq!(text(&at("file"), 3), None);
        assert_eq!(text(&at("to-file"), 4), None);
        assert_eq!(
            text_within(dir.path(), "to-file", 4).as_deref(),
            Some("text")
        );
        assert!(open_linked(&at("to-file")).is_ok());
        assert!(open_linked(&at("to-null")).is_ok());
    }
}
