//! Starting, finding and ending processes (L2); knows nothing of agents.

mod become_other;
#[cfg(target_os = "linux")]
pub mod beside;
pub mod bound;
pub mod capture;
pub mod detach;
pub mod end;
mod ending;
pub mod leaving;
pub mod origin;
pub mod own;
pub mod peer;
pub mod pipes;
pub mod pty;
pub mod room;
pub mod shell;
pub mod tree;

pub use become_other::{attempt_in_sandbox, replace};
pub use shell::Ended;

use std::path::PathBuf;

/// Why a process could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("nothing to run: the command is empty")]
    Empty,
    #[error("'{program}' was not found on PATH; install it or choose another runtime")]
    NotFound { program: String },
    #[error("cannot open a terminal for '{program}': {message}")]
    Terminal { program: String, message: String },
    #[error("cannot start '{program}': {message}")]
    Failed { program: String, message: String },
}

/// What to start and where.
#[derive(Debug, Clone)]
pub struct SpawnSpec {
    pub argv: Vec<String>,
    /// Set on top of this process's own environment.
    pub env: Vec<(String, String)>,
    pub env_remove: Vec<String>,
    pub cwd: PathBuf,
}

/// Finds a program as the shell would; a name with a slash is taken as it is.
pub fn find_program(name: &str, path: Option<&str>) -> Option<PathBuf> {
    let is_program = |p: &PathBuf| {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::metadata(p).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
        }
        #[cfg(not(unix))]
        {
            p.is_file()
        }
    };
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(is_program);
    }
    let own = std::env::var_os("PATH").unwrap_or_default();
    let search = path.map_or(own, Into::into);
    std::env::split_paths(&search)
        .map(|dir| dir.join(name))
        .find(is_program)
}
