//! Which folder an agent's present session logs into: named by `.current-session` until it ends.

use std::path::{Path, PathBuf};

use crate::platform::{FsError, clock, fs};

const MARKER: &str = ".current-session";

/// Returns the folder of the agent's present session, making one when there is none.
pub fn session_folder(logs: &Path, agent: &str) -> Result<PathBuf, FsError> {
    let home = logs.join(agent);
    let marker = home.join(MARKER);
    if let Some(text) = fs::read_optional(&marker)? {
        let known = PathBuf::from(text.trim());
        // The marker is a plain file: what it names is only used inside the agent's own folder.
        if known.starts_with(&home) && known != home {
            fs::create_dir_all(&known)?;
            return Ok(known);
        }
    }
    let folder = home.join(clock::now().stamp());
    fs::create_dir_all(&folder)?;
    fs::write_atomic(&marker, folder.display().to_string())?;
    Ok(folder)
}

/// The session has ended: the next line begins a new folder.
pub fn close_session(logs: &Path, agent: &str) -> Result<(), FsError> {
    fs::remove_file(&logs.join(agent).join(MARKER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lasts_until_the_session_is_closed() {
        let dir = tempfile::tempdir().unwrap();
        let first = session_folder(dir.path(), "a").unwrap();
        assert_eq!(session_folder(dir.path(), "a").unwrap(), first);
        close_session(dir.path(), "a").unwrap();
        close_session(dir.path(), "a").unwrap();
        assert!(!dir.path().join("a/.current-session").exists());
    }

    #[test]
    fn a_marker_that_leads_elsewhere_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("a")).unwrap();
        std::fs::write(dir.path().join("a/.current-session"), "/etc").unwrap();
        let folder = session_folder(dir.path(), "a").unwrap();
        assert!(folder.starts_with(dir.path().join("a")));
    }
}
