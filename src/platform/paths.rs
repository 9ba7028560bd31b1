//! Where things are: the project's `.overstory/` folder and the per-user socket folder.

use super::env;
use super::fs::{self, FsError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// The files of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectPaths {
    pub root: PathBuf,
}

/// Name of an agent's instructions among the private files of its host.
pub const INSTRUCTIONS: &str = "instructions.md";

impl ProjectPaths {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub fn dir(&self) -> PathBuf {
        self.root.join(".overstory")
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    pub fn config(&self) -> PathBuf {
        self.file("config.yaml")
    }

    /// Keeps when the store of git's objects was last looked at.
    pub fn objects_mark(&self) -> PathBuf {
        self.file("objects-seen")
    }

    pub fn mail_db(&self) -> PathBuf {
        self.file("mail.db")
    }

    pub fn sessions_db(&self) -> PathBuf {
        self.file("sessions.db")
    }

    pub fn events_db(&self) -> PathBuf {
        self.file("events.db")
    }

    pub fn metrics_db(&self) -> PathBuf {
        self.file("metrics.db")
    }

    pub fn merge_queue_db(&self) -> PathBuf {
        self.file("merge-queue.db")
    }

    pub fn turn_locks_db(&self) -> PathBuf {
        self.file("turn-locks.db")
    }

    pub fn grove_db(&self) -> PathBuf {
        self.file("grove.db")
    }

    pub fn current_run(&self) -> PathBuf {
        self.file("current-run.txt")
    }

    /// Private files of one agent's host: launch record, guard settings, log.
    pub fn host_dir(&self, agent: &str) -> PathBuf {
        self.file("hosts").join(agent)
    }

    /// The instructions of an agent as its CLI was given them, where it takes them from a file.
    pub fn host_instructions(&self, agent: &str) -> PathBuf {
        self.host_dir(agent).join(INSTRUCTIONS)
    }

    /// What is remembered of an agent's name across its sessions.
    pub fn identity(&self, agent: &str) -> PathBuf {
        self.file("agents").join(agent).join("identity.yaml")
    }

    pub fn worktree(&self, agent: &str) -> PathBuf {
        self.file("worktrees").join(agent)
    }

    pub fn casts(&self, agent: &str) -> PathBuf {
        self.file("casts").join(agent)
    }

    /// Held while an agent is being started.
    pub fn start_lock(&self) -> PathBuf {
        self.file("start.lock")
    }

    /// Which mail is being handed over just now, and by whom.
    pub fn mail_claims(&self) -> PathBuf {
        self.file("mail-claims")
    }

    pub fn coordinator_lease(&self) -> PathBuf {
        self.file("coordinator.lease")
    }

    /// Socket of an agent's host. Unix socket paths are limited to about 100 bytes, so the
    /// name is a hash of project and agent in a short per-user folder.
    pub fn host_socket(&self, agent: &str) -> Result<PathBuf, FsError> {
        let mut hasher = DefaultHasher::new();
        self.root.hash(&mut hasher);
        agent.hash(&mut hasher);
        Ok(socket_dir()?.join(format!("{:016x}.sock", hasher.finish())))
    }
}

/// A folder of this user's that nobody else can enter.
pub fn socket_dir() -> Result<PathBuf, FsError> {
    let dir = match env::var("XDG_RUNTIME_DIR").map(PathBuf::from) {
        Some(base) if base.is_dir() => base.join("grove"),
        Some(_) | None => std::env::temp_dir().join(format!("grove-{}", user_id())),
    };
    fs::create_private_dir(&dir)?;
    own(&dir)?;
    Ok(dir)
}

/// A folder for one agent's temporary files, in the system's folder for such files: the socket
/// folder may be small.
pub fn agent_temp(session: &str) -> Result<PathBuf, FsError> {
    let base = std::env::temp_dir().join(format!("grove-{}", user_id()));
    fs::create_private_dir(&base)?;
    own(&base)?;
    let dir = base.join("tmp").join(session);
    fs::create_private_dir(&dir)?;
    Ok(dir)
}

/// Where tmux listens for this user under a name of its own; nothing is there while none runs.
pub fn tmux_socket(name: &str) -> PathBuf {
    let base = super::env::var("TMUX_TMPDIR").filter(|dir| !dir.is_empty());
    PathBuf::from(base.unwrap_or_else(|| "/tmp".to_owned()))
        .join(format!("tmux-{}", user_id()))
        .join(name)
}

/// The number by which the system knows the user.
#[cfg(unix)]
pub fn user_id() -> u32 {
    rustix::process::getuid().as_raw()
}

/// The number by which the system knows the user.
#[cfg(not(unix))]
pub fn user_id() -> u32 {
    0
}

/// Whether a folder in a shared place is this user's, and no link.
pub fn is_own(dir: &Path) -> bool {
    own(dir).is_ok()
}

// Somebody else could have made the folder first in a shared temp folder.
#[cfg(unix)]
fn own(dir: &Path) -> Result<(), FsError> {
    use super::fs::AtPath;
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::symlink_metadata(dir).at("inspect", dir)?;
    if meta.is_dir() && meta.uid() == user_id() {
        return Ok(());
    }
    Err(std::io::Error::other(
        "belongs to somebody else; set XDG_RUNTIME_DIR to a folder of yours",
    ))
    .at("use", dir)
}

#[cfg(not(unix))]
fn own(_dir: &Path) -> Result<(), FsError> {
    Ok(())
}
