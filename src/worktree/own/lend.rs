//! Giving an agent its store, before its CLI starts.

use std::path::Path;

use crate::git::Repo;
use crate::platform::fs::{self, AtPath};

use super::super::error::WorktreeError;
use super::brought;
use super::{COMMONDIR, LENT, OwnStore, PACKED};

/// What the agent sees as it is in the repository. It can be missing there and come later.
const LINKED: &[&str] = &[
    "config",
    "config.worktree",
    "hooks",
    "info",
    "lfs",
    "rr-cache",
    "shallow",
    "worktrees",
];

impl OwnStore {
    /// Makes the store, or makes an earlier life's whole again, and leads the worktree to it. `false` when
    /// the repository keeps its refs in a form that cannot be shared out (`reftable`).
    pub fn lend(&self, repo: &Repo, branch: &str) -> Result<bool, WorktreeError> {
        let Some((folder, _)) = branch.rsplit_once('/') else {
            return Ok(false);
        };
        if self.common.join("reftable").exists() {
            return Ok(false);
        }
        if let Some(parent) = self.dir.parent() {
            fs::create_private_dir(parent)?;
        }
        let _turn = self.turn()?;
        if self.exists() {
            // What was not brought over when an earlier life ended.
            self.bring(repo)?;
        } else if self.dir.exists() {
            fs::remove_dir_all(&self.dir)?;
        }
        self.furnish()?;
        let folder = format!("refs/heads/{folder}/");
        fs::create_dir_all(&self.dir.join(&folder))?;
        fs::create_dir_all(&self.dir.join("logs").join(&folder))?;
        self.confined_to(&self.written(&folder), |_| self.borrow_objects())??;
        let known = brought::read(&self.dir)?;
        brought::write(&self.dir, &[folder], &known)?;
        self.adopt()?;
        self.show_refs()?;
        // From here on the worktree is led here; the mark says that this is so.
        fs::write_atomic(&self.dir.join(LENT), "lent\n")?;
        let way = self.dir.to_string_lossy();
        fs::write_atomic(&self.admin.join(COMMONDIR), format!("{way}\n"))?;
        Ok(true)
    }

    fn furnish(&self) -> Result<(), WorktreeError> {
        fs::create_private_dir(&self.dir)?;
        fs::create_dir_all(&self.objects())?;
        fs::create_dir_all(&self.dir.join("refs"))?;
        for name in LINKED {
            link(&self.common.join(name), &self.dir.join(name))?;
        }
        fs::create_dir_all(&self.dir.join(PACKED))?;
        link(
            &Path::new(PACKED).join("packed-refs"),
            &self.dir.join("packed-refs"),
        )?;
        // Git takes no link to a HEAD for one; nobody works on this one.
        let head = fs::read_optional(&self.common.join("HEAD"))?;
        let head = head.unwrap_or_else(|| "ref: refs/heads/main\n".to_owned());
        fs::write_atomic(&self.dir.join("HEAD"), head)?;
        Ok(())
    }

    /// Written where the agent may write; in an earlier life it may have put links there, so this is done in
    /// the sandbox.
    fn borrow_objects(&self) -> Result<(), WorktreeError> {
        let info = self.objects().join("info");
        fs::create_dir_all(&info)?;
        let shared = self.common.join("objects");
        // A path in there is taken as it is, to the end of its line.
        let line = format!("{}\n", shared.to_string_lossy());
        Ok(fs::write_atomic(&info.join("alternates"), line)?)
    }
}

#[cfg(unix)]
fn link(target: &Path, name: &Path) -> Result<(), WorktreeError> {
    match std::os::unix::fs::symlink(target, name) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => Err(e).at("link", name)?,
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(not(unix))]
fn link(_target: &Path, name: &Path) -> Result<(), WorktreeError> {
    let unsupported = std::io::Error::from(std::io::ErrorKind::Unsupported);
    Err(unsupported).at("link", name)?
}
