//! Which folder an agent's present session logs into: named by `.current-session` until it ends.

use std::path::{Path, PathBuf};

use crate::platform::{FsError, clock, fs};

const MARKER: &str = ".current-session";

/// Returns the folder of the agent's present session, making one when there is none. Of several who
/// find none at the same moment one decides, and all use its folder.
pub fn session_folder(logs: &Path, agent: &str) -> Result<PathBuf, FsError> {
    let home = logs.join(agent);
    let marker = home.join(MARKER);
    if let Some(known) = known(&home, &marker)? {
        fs::create_dir_all(&known)?;
        return Ok(known);
    }
    fs::create_dir_all(&home)?;
    let new = home.join(clock::now().stamp());
    let text = new.display().to_string();
    let folder = if fs::link_new(&marker, &text)? {
        new
    } else if let Some(decided) = known(&home, &marker)? {
        decided
    } else {
        // It leads elsewhere, or the session it named has just been closed.
        fs::write_atomic(&marker, text)?;
        new
    };
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The folder that the marker names. It is a plain file: what it names is only used inside the
/// agent's own folder.
fn known(home: &Path, marker: &Path) -> Result<Option<PathBuf>, FsError> {
    let text = fs::read_optional(marker)?;
    let named = text.map(|text| PathBuf::from(text.trim()));
    Ok(named.filter(|named| named.starts_with(home) && named != home))
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
    fn calls_at_the_same_moment_share_one_folder() {
        let dir = tempfile::tempdir().unwrap();
        let start = std::sync::Barrier::new(20);
        let folders: Vec<PathBuf> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..20)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        session_folder(dir.path(), "new").unwrap()
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(folders.iter().all(|folder| *folder == folders[0]));
        let made = std::fs::read_dir(dir.path().join("new")).unwrap();
        assert_eq!(
            made.filter(|e| e.as_ref().unwrap().path().is_dir()).count(),
            1
        );
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
