//! What the hosts of this user share about one login: whose turn it is, and which tries have failed.

use super::decide::Tries;
use crate::platform::lease::{self, Lease};
use crate::platform::{FsError, fs};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// In the home folder; among the stores that no agent can open.
const FOLDER: &str = ".local/share/grove/logins";

/// The files about one login.
#[derive(Debug)]
pub(super) struct Record {
    folder: PathBuf,
    name: String,
}

impl Record {
    pub(super) fn of(home: &Path, login: &Path) -> Result<Self, FsError> {
        let folder = home.join(FOLDER);
        fs::create_private_dir(&folder)?;
        let mut hasher = DefaultHasher::new();
        login.hash(&mut hasher);
        let name = format!("{:016x}", hasher.finish());
        Ok(Self { folder, name })
    }

    /// Waits until nobody else renews the login, which takes a minute at most.
    pub(super) fn turn(&self) -> Result<Lease, FsError> {
        lease::wait_for(&self.folder.join(format!("{}.lease", self.name)))
    }

    pub(super) fn tries(&self) -> Option<Tries> {
        let text = fs::read_optional(&self.file()).unwrap_or_else(|e| {
            tracing::warn!("tries to renew a login are not known: {e}");
            None
        });
        serde_json::from_str(&text?).ok()
    }

    pub(super) fn keep(&self, tries: Tries) -> Result<(), FsError> {
        let text = format!(
            "{{\"of\":{},\"count\":{},\"last\":{}}}\n",
            tries.of, tries.count, tries.last
        );
        fs::write_atomic(&self.file(), text)
    }

    pub(super) fn forget(&self) -> Result<(), FsError> {
        fs::remove_file(&self.file())
    }

    fn file(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.name))
    }

    /// An empty folder for the CLI to run in, which only this user enters.
    pub(super) fn empty_folder(&self) -> Result<PathBuf, FsError> {
        let folder = self.folder.join("empty");
        fs::create_private_dir(&folder)?;
        fs::clear_dir(&folder)?;
        Ok(folder)
    }
}
