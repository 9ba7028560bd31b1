//! Where merge drivers stand while they run: git puts the versions of a file where it stands, under names like
//! `.merge_file_x`, and the user's checkout is no place for that.

use std::io;
use std::path::{Path, PathBuf};

use super::repo::Repo;
use crate::platform::random;

/// A folder that looks like the top of the checkout, as far as names of scripts and of files beside them go: links to
/// what is there. It goes away with this value.
#[derive(Debug)]
pub(super) struct DriverPlace(PathBuf);

impl DriverPlace {
    /// Makes the folder that the repository names for this, or one among the system's temporary ones.
    pub(super) fn make(repo: &Repo) -> io::Result<Self> {
        let name = || format!("grove-drivers-{}", random::alphanumeric(12));
        let (folder, top) = match repo.driver_place() {
            Some((folder, top)) => (folder.clone(), top.as_path()),
            None => (std::env::temp_dir().join(name()), repo.path()),
        };
        std::fs::create_dir_all(&folder)?;
        let place = Self(folder);
        for entry in std::fs::read_dir(top)? {
            let entry = entry?;
            if entry.file_name() != ".git" {
                link(&entry.path(), &place.0.join(entry.file_name()))?;
            }
        }
        // The shared folder: one of a worktree would be told that its worktree has moved here.
        let pointer = [
            b"gitdir: ",
            repo.common_dir().as_os_str().as_encoded_bytes(),
            b"\n",
        ];
        std::fs::write(place.0.join(".git"), pointer.concat())?;
        Ok(place)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for DriverPlace {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, "the folder of merge drivers stays behind: {}", self.0.display());
        }
    }
}

#[cfg(unix)]
fn link(target: &Path, name: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, name)
}

#[cfg(not(unix))]
fn link(_target: &Path, _name: &Path) -> io::Result<()> {
    Ok(())
}
