//! Who may hold a lock file of git: looks through the running processes.
//! Decides nothing about the lock.

use std::path::Path;

/// What the running processes say about a lock file of git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// No process has it open, and no git is at work in these folders.
    Nobody,
    /// This process has it open, or is a git in one of these folders.
    Process(i32),
    /// The system does not tell.
    Unknown,
}

/// Finds a process that may hold `lock`: one that has it open, or a git whose working folder lies in
/// one of `folders`. A git keeps its lock also while it is closed (an editor for the commit message is
/// open), so an open file alone says too little. Of another user's git the folder is not known: it
/// counts as one that may.
#[cfg(target_os = "linux")]
pub fn of_git_lock(lock: &Path, folders: &[&Path]) -> Holder {
    let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let lock = resolved(lock);
    let folders: Vec<_> = folders.iter().map(|folder| resolved(folder)).collect();
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Holder::Unknown;
    };
    let mut any = false;
    for process in processes.flatten() {
        let Some(pid) = process
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<i32>().ok())
        else {
            continue;
        };
        any = true;
        let of = process.path();
        if super::liveness::stat(pid).is_none_or(|stat| stat.zombie) {
            continue;
        }
        let open = std::fs::read_dir(of.join("fd")).into_iter().flatten();
        let has_it_open = open
            .flatten()
            .any(|file| std::fs::read_link(file.path()).is_ok_and(|to| to == lock));
        let named = std::fs::read_to_string(of.join("comm")).unwrap_or_default();
        let named = named.trim_end();
        let is_git = named == "git" || named.starts_with("git-");
        let is_there = || match std::fs::read_link(of.join("cwd")) {
            Ok(at) => folders.iter().any(|folder| at.starts_with(folder)),
            // One that has ended meanwhile holds nothing.
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        };
        if has_it_open || (is_git && is_there()) {
            return Holder::Process(pid);
        }
    }
    if any { Holder::Nobody } else { Holder::Unknown }
}

/// Not told by this system.
#[cfg(not(target_os = "linux"))]
pub fn of_git_lock(_lock: &Path, _folders: &[&Path]) -> Holder {
    Holder::Unknown
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_the_lock_open_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        let lock = dir.path().join("index.lock");
        let file = std::fs::File::create(&lock).unwrap();
        let own = std::process::id() as i32;
        assert_eq!(of_git_lock(&lock, &[dir.path()]), Holder::Process(own));
        drop(file);
        assert_eq!(of_git_lock(&lock, &[dir.path()]), Holder::Nobody);
    }
}
