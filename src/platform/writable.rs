//! Why the system would not let something be written, found by asking it; nothing is changed.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// The system's reason why an existing file cannot be opened for writing, or one cannot be made
/// beside it; `None` when both are possible.
pub fn refusal(file: &Path) -> Option<Refusal> {
    if file.is_file()
        && let Err(error) = OpenOptions::new().write(true).open(file)
    {
        return Some(Refusal::File(error));
    }
    let folder = file.parent().filter(|path| !path.as_os_str().is_empty());
    folder_refusal(folder.unwrap_or(Path::new("."))).map(Refusal::Folder)
}

/// What cannot be written, and the system's reason.
#[derive(Debug)]
pub enum Refusal {
    /// The file itself.
    File(io::Error),
    /// The folder it is in.
    Folder(io::Error),
}

/// How many bytes may still be written to the disk of a folder, as far as the system tells.
#[cfg(unix)]
pub fn room_at(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// How many bytes may still be written to the disk of a folder: only Unix tells.
#[cfg(not(unix))]
pub fn room_at(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(unix)]
fn folder_refusal(folder: &Path) -> Option<io::Error> {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK)
        .err()
        .map(io::Error::from)
}

#[cfg(not(unix))]
fn folder_refusal(folder: &Path) -> Option<io::Error> {
    // Rights are told by trying only.
    std::fs::metadata(folder).err()
}
