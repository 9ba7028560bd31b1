//! Sockets that killed hosts have left: finding and removing those that nobody listens on any more.

use super::fs::{self, FsError};
use super::patience::connect_until;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// A younger one may belong to a host that has bound it and does not listen yet.
const YOUNG: Duration = Duration::from_mins(1);
/// How long somebody may take to answer; the system itself says at once that nobody is there.
const ANSWER: Duration = Duration::from_millis(100);

/// Whether the system says that nobody listens on a socket. Its owner is dead then, whoever it was: a host
/// that is stopped, or too busy to answer, still listens.
fn is_left(path: &Path) -> bool {
    let until = Some(Instant::now() + ANSWER);
    connect_until(path, until).is_err_and(|e| e.kind() == ErrorKind::ConnectionRefused)
}

/// Sockets of hosts in a folder that nobody listens on.
pub fn left(folder: &Path) -> Vec<PathBuf> {
    let found = fs::list_dir(folder).unwrap_or_default();
    let mut left: Vec<PathBuf> = found
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "sock"))
        .filter(|path| is_old_socket(path) && is_left(path))
        .collect();
    left.sort();
    left
}

fn is_old_socket(path: &Path) -> bool {
    let Ok(meta) = std::fs::symlink_metadata(path) else {
        return false;
    };
    let made = meta.modified().ok();
    let age = made.and_then(|made| SystemTime::now().duration_since(made).ok());
    meta.file_type().is_socket() && age.is_some_and(|age| age >= YOUNG)
}

/// Removes the socket of a host that is known to be dead, unless somebody else listens there by now.
pub fn remove_left(path: &Path) -> Result<(), FsError> {
    if is_left(path) {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Removes what [`left`] finds; gives how many that were. Best effort: what stays is only untidy.
pub fn sweep(folder: &Path) -> usize {
    let found = left(folder);
    let removed = found.iter().filter(|path| match fs::remove_file(path) {
        Ok(()) => true,
        Err(e) => {
            tracing::debug!("a socket stays behind: {e}");
            false
        }
    });
    removed.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    fn age(path: &Path) {
        let file = rustix::fs::Timespec {
            tv_sec: 1,
            tv_nsec: 0,
        };
        let times = rustix::fs::Timestamps {
            last_access: file,
            last_modification: file,
        };
        let here = rustix::fs::CWD;
        rustix::fs::utimensat(here, path, &times, rustix::fs::AtFlags::empty()).unwrap();
    }

    #[test]
    fn only_old_sockets_without_a_listener_go() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let served = UnixListener::bind(at("served.sock")).unwrap();
        for name in ["left.sock", "young.sock"] {
            drop(UnixListener::bind(at(name)).unwrap());
        }
        std::fs::write(at("text.sock"), "").unwrap();
        std::fs::write(at("notes"), "").unwrap();
        for name in ["served.sock", "left.sock", "text.sock"] {
            age(&at(name));
        }
        assert_eq!(left(dir.path()), [at("left.sock")]);
        assert_eq!(sweep(dir.path()), 1);
        assert!(!at("left.sock").exists());
        remove_left(&at("served.sock")).unwrap();
        remove_left(&at("gone.sock")).unwrap();
        assert!(at("served.sock").exists());
        // Of one whose owner is known to be dead, the age says nothing.
        remove_left(&at("young.sock")).unwrap();
        assert!(!at("young.sock").exists());
        drop(served);
    }
}
