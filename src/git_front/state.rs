//! What git keeps of a worktree in files of its own: HEAD, and what is under way (a cherry-pick, a rebase, a
//! bisect). Git replaces and removes these files, so links would not do: they are copied for one call, and what has
//! become of them is moved back behind it. Index, logs and the worktree's own refs are links.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::view::remove;
use crate::platform::plain;

/// Messages of merges of thousands of commits are some megabytes.
const LARGEST: u64 = 64 * 1024 * 1024;

pub(super) const HEAD: &str = "HEAD";

/// Folders of the worktree that git writes into and does not replace; made where they are missing.
const LINKED: &[&str] = &["logs", "refs"];
/// Files and folders of the worktree that are linked where they are there.
const LINKED_IF_THERE: &[&str] = &["config.worktree", "info", "modules"];
const INDEX: &str = "index";

fn is_file_of_state(name: &str) -> bool {
    let listed = [
        HEAD,
        "AUTO_MERGE",
        "COMMIT_EDITMSG",
        "MERGE_AUTOSTASH",
        "MERGE_MODE",
        "MERGE_MSG",
        "MERGE_RR",
        "SQUASH_MSG",
    ];
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    listed.contains(&name) || is_name && (name.ends_with("_HEAD") || name.starts_with("BISECT_"))
}

fn is_folder_of_state(name: &str) -> bool {
    matches!(name, "rebase-apply" | "rebase-merge" | "sequencer")
}

/// Makes `turn` a worktree's folder like `admin`, for one call of git. Returns what HEAD says.
pub(super) fn take(admin: &Path, turn: &Path) -> io::Result<Vec<u8>> {
    if !is_kept(admin, turn)? {
        make(admin, turn)?;
    }
    let there = names(admin)?;
    for name in names(turn)?.difference(&there) {
        remove(&turn.join(name))?;
    }
    for name in there {
        let (from, to) = (admin.join(&name), turn.join(&name));
        // Mostly the call before has left it as it is.
        if is_folder_of_state(&name) || read(&from) != read(&to) {
            remove(&to)?;
            copy(&from, &to)?;
        }
    }
    read(&turn.join(HEAD)).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Takes away from the folder of the call before what was of that call, except files of state. Says whether the rest
/// can be used again.
fn is_kept(admin: &Path, turn: &Path) -> io::Result<bool> {
    let pointer = |folder: &Path| fs::read(folder.join("gitdir")).ok();
    if pointer(turn).is_none() || pointer(turn) != pointer(admin) {
        return Ok(false);
    }
    let mut links = 0;
    for entry in fs::read_dir(turn)?.flatten() {
        let kind = entry.file_type()?;
        let name = entry.file_name();
        if kind.is_symlink() {
            links += usize::from(fs::read_link(entry.path())? == admin.join(&name));
        } else if kind.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if name != "commondir"
            && name != "gitdir"
            && !name.to_str().is_some_and(is_file_of_state)
        {
            fs::remove_file(entry.path())?;
        }
    }
    let there = |name: &&&str| admin.join(name).exists();
    let wanted = LINKED.len() + 1 + LINKED_IF_THERE.iter().filter(there).count();
    Ok(links == wanted && turn.join("commondir").exists())
}

/// Makes the folder with its links and without state.
fn make(admin: &Path, turn: &Path) -> io::Result<()> {
    match fs::remove_dir_all(turn) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    fs::create_dir_all(turn)?;
    fs::write(turn.join("commondir"), "../..\n")?;
    fs::copy(admin.join("gitdir"), turn.join("gitdir"))?;
    for name in LINKED {
        fs::create_dir_all(admin.join(name))?;
        symlink(admin.join(name), turn.join(name))?;
    }
    let there = |name: &&&str| admin.join(name).exists();
    for name in LINKED_IF_THERE.iter().filter(there).chain([&INDEX]) {
        symlink(admin.join(name), turn.join(name))?;
    }
    Ok(())
}

/// Moves back into `admin` what a call has made of its `turn`. `head` is what HEAD said before: if it says something
/// else by now, somebody else has moved it, and theirs stays.
pub(super) fn put_back(admin: &Path, turn: &Path, head: &[u8]) -> io::Result<()> {
    let mut all = names(admin)?;
    all.extend(names(turn)?);
    for name in all {
        let (old, new) = (admin.join(&name), turn.join(&name));
        if is_folder_of_state(&name) {
            if old.is_dir() {
                fs::remove_dir_all(&old)?;
            }
            if new.is_dir() {
                fs::rename(&new, &old)?;
            }
            continue;
        }
        let (before, after) = (read(&old), read(&new));
        let is_theirs = name == HEAD && (before.as_deref() != Some(head) || after.is_none());
        if before == after || is_theirs {
            continue;
        }
        if after.is_some() {
            fs::rename(&new, &old)?;
        } else {
            remove(&old)?;
        }
    }
    Ok(())
}

/// What there is of state.
fn names(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder)?.flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let kind = entry.file_type()?;
        let is_file = kind.is_file() && is_file_of_state(&name);
        if is_file || kind.is_dir() && is_folder_of_state(&name) {
            names.insert(name);
        }
    }
    Ok(names)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.symlink_metadata()?.is_dir() {
        fs::copy(from, to)?;
        return Ok(());
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)?.flatten() {
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

fn read(file: &Path) -> Option<Vec<u8>> {
    plain::read(file, LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folders {
        _dir: tempfile::TempDir,
        admin: std::path::PathBuf,
        turn: std::path::PathBuf,
    }

    fn folders() -> Folders {
        let dir = tempfile::tempdir().unwrap();
        let admin = dir.path().join("admin");
        fs::create_dir_all(admin.join("rebase-merge")).unwrap();
        for (name, text) in [
            ("HEAD", "ref: refs/heads/a\n"),
            ("gitdir", "/w/.git\n"),
            ("commondir", "../..\n"),
            ("index", "DIRC"),
            ("CHERRY_PICK_HEAD", "1\n"),
            ("rebase-merge/done", "x"),
        ] {
            fs::write(admin.join(name), text).unwrap();
        }
        let turn = dir.path().join("turn");
        Folders {
            admin,
            turn,
            _dir: dir,
        }
    }

    #[test]
    fn what_a_call_makes_changes_and_removes_is_seen_behind_it() {
        let Folders { admin, turn, _dir } = folders();
        let head = take(&admin, &turn).unwrap();
        fs::remove_file(turn.join("CHERRY_PICK_HEAD")).unwrap();
        fs::remove_dir_all(turn.join("rebase-merge")).unwrap();
        fs::create_dir(turn.join("sequencer")).unwrap();
        fs::write(turn.join("sequencer/todo"), "t").unwrap();
        fs::write(turn.join("HEAD"), "2\n").unwrap();
        fs::write(turn.join("ORIG_HEAD"), "1\n").unwrap();
        fs::write(turn.join("index.lock"), "").unwrap();
        put_back(&admin, &turn, &head).unwrap();
        assert!(!admin.join("CHERRY_PICK_HEAD").exists());
        assert!(!admin.join("rebase-merge").exists());
        assert!(!admin.join("index.lock").exists());
        let read = |name: &str| fs::read_to_string(admin.join(name)).unwrap();
        assert_eq!(read("sequencer/todo"), "t");
        assert_eq!(read("HEAD"), "2\n");
        assert_eq!(read("ORIG_HEAD"), "1\n");
        assert_eq!(read("commondir"), "../..\n");
    }

    #[test]
    fn a_head_that_somebody_else_has_moved_meanwhile_stays() {
        let Folders { admin, turn, _dir } = folders();
        let head = take(&admin, &turn).unwrap();
        fs::write(turn.join("HEAD"), "2\n").unwrap();
        fs::write(admin.join("HEAD"), "ref: refs/heads/b\n").unwrap();
        put_back(&admin, &turn, &head).unwrap();
        let kept = fs::read_to_string(admin.join("HEAD")).unwrap();
        assert_eq!(kept, "ref: refs/heads/b\n");
        fs::remove_file(turn.join("HEAD")).unwrap_or_default();
        put_back(&admin, &turn, kept.as_bytes()).unwrap();
        assert!(admin.join("HEAD").exists());
    }

    #[test]
    fn a_folder_is_used_again_without_what_the_call_before_left_in_it() {
        let Folders { admin, turn, _dir } = folders();
        take(&admin, &turn).unwrap();
        fs::write(turn.join("HEAD.lock"), "").unwrap();
        fs::write(turn.join("REVERT_HEAD"), "1\n").unwrap();
        fs::remove_dir_all(admin.join("rebase-merge")).unwrap();
        fs::create_dir(admin.join("info")).unwrap();
        for _ in 0..2 {
            take(&admin, &turn).unwrap();
            let listed = fs::read_dir(&turn).unwrap().flatten();
            let mut names: Vec<_> = listed
                .map(|e| e.file_name().into_string().unwrap())
                .collect();
            names.sort();
            let expected = "CHERRY_PICK_HEAD HEAD commondir gitdir index info logs refs";
            assert_eq!(names.join(" "), expected);
        }
    }

    #[test]
    fn settings_and_pointers_are_no_state() {
        for name in [
            "config",
            "gitdir",
            "commondir",
            "index",
            "HEAD.lock",
            "grove",
            "locked",
        ] {
            assert!(
                !is_file_of_state(name) && !is_folder_of_state(name),
                "{name}"
            );
        }
        for name in [
            "HEAD",
            "REVERT_HEAD",
            "BISECT_LOG",
            "BISECT_EXPECTED_REV",
            "MERGE_MSG",
        ] {
            assert!(is_file_of_state(name), "{name}");
        }
    }
}
