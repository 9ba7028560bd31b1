//! Temporary files beside those they were to become: what they are called, and removing those that a
//! killed process has left.

use super::holders::{self, Holder};
use super::liveness::{self, Liveness};
use crate::types::host::ProcessId;
use std::fs::{DirEntry, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const PREFIX: &str = ".grove-";
/// As the names of locks end, which the `.gitignore` of the trackers leaves out.
const SUFFIX: &str = ".lock";
const LETTERS: usize = 10;
/// Nothing that is still being written is so old.
const OLD: Duration = Duration::from_hours(24);
/// Nothing that is still being written is so old and open nowhere.
const UNATTENDED: Duration = Duration::from_mins(1);

/// A new name for a file that will soon have another. It says who writes it.
pub(super) fn temporary_name() -> String {
    let me = liveness::own_identity();
    let letters = super::random::alphanumeric(LETTERS);
    format!("{PREFIX}{}-{}-{letters}{SUFFIX}", me.pid, me.start)
}

/// What the name of a temporary file tells of its writer.
#[derive(Debug, PartialEq, Eq)]
enum Writer {
    Process(ProcessId),
    /// An earlier version, `sd` or `ml`.
    Nameless,
}

/// The writer of a temporary file; `None` for every other name.
fn writer(name: &str) -> Option<Writer> {
    let is_random =
        |text: &str| text.len() == LETTERS && text.bytes().all(|b| b.is_ascii_alphanumeric());
    let Some(own) = name.strip_prefix(PREFIX) else {
        return is_of_a_tracker(name).then_some(Writer::Nameless);
    };
    if is_random(own) {
        return Some(Writer::Nameless);
    }
    let mut parts = own.strip_suffix(SUFFIX)?.splitn(3, '-');
    let pid = parts.next()?.parse().ok()?;
    let start = parts.next()?.parse().ok()?;
    let process = Writer::Process(ProcessId { pid, start });
    parts.next().is_some_and(is_random).then_some(process)
}

/// `issues.jsonl.tmp.<hex>` and `issues.jsonl.lock.stale.<hex>`, as `sd` and `ml` write them.
fn is_of_a_tracker(name: &str) -> bool {
    let of = |(target, hex): (&str, &str)| {
        target.contains(".jsonl") && hex.len() >= 8 && hex.bytes().all(|b| b.is_ascii_hexdigit())
    };
    name.split_once(".tmp.").is_some_and(of) || name.split_once(".lock.stale.").is_some_and(of)
}

/// Temporary files in a folder that nobody writes any more: their writer is gone, nobody has them open, or they
/// are old.
pub fn old(folder: &Path) -> Vec<PathBuf> {
    let now = SystemTime::now();
    let is_old = |entry: &DirEntry| {
        let writer = entry.file_name().to_str().and_then(writer);
        let seen = writer.as_ref().and_then(|_| entry.metadata().ok());
        let Some(seen) = seen.filter(Metadata::is_file) else {
            return false;
        };
        let written = seen.modified().ok();
        let age = written.and_then(|time| now.duration_since(time).ok());
        let is_older = |than: Duration| age.is_some_and(|age| age > than);
        is_older(OLD)
            || match writer {
                Some(Writer::Process(id)) => liveness::check(id) == Liveness::Dead,
                Some(Writer::Nameless) => {
                    let open = || holders::of_git_lock(&entry.path(), &[]);
                    is_older(UNATTENDED) && open() == Holder::Nobody
                }
                None => false,
            }
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(is_old).map(|entry| entry.path()).collect()
}

/// Removes the temporary files of a folder that nobody writes any more. Best effort: what cannot be removed is only untidy.
pub fn sweep(folder: &Path) {
    for path in old(folder) {
        drop(std::fs::remove_file(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_writes_any_more_goes() {
        let dir = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - Duration::from_hours(25);
        let mut stays = Vec::new();
        let mut make = |name: &str, time: SystemTime, goes: bool| {
            let file = std::fs::File::create(dir.path().join(name)).unwrap();
            file.set_modified(time).unwrap();
            if !goes {
                stays.push(name.to_owned());
            }
        };
        let now = SystemTime::now();
        let lately = now - Duration::from_mins(2);
        make(".grove-abcdefghi4", lately, cfg!(target_os = "linux"));
        make(".grove-abcdefghi5", lately, false);
        let open = std::fs::File::open(dir.path().join(".grove-abcdefghi5")).unwrap();
        make(".grove-abcdefghi1", old, true);
        make(".grove-abcdefghi2", now, false);
        make(".grove-notes", old, false);
        make("issues.jsonl", old, false);
        make("issues.jsonl.lock", old, false);
        make("issues.jsonl.tmp.0a1b2c3d", old, true);
        make("plans.jsonl.tmp.0a1b2c3d", now, false);
        make("cli.jsonl.lock.stale.0a1b2c3d4e5f6071", old, true);
        make("notes.tmp.0a1b2c3d", old, false);
        make(".grove-999999999-1-abcdefghij.lock", now, cfg!(unix));
        make(&temporary_name(), now, false);
        std::fs::create_dir(dir.path().join(".grove-abcdefghi3")).unwrap();
        stays.push(".grove-abcdefghi3".to_owned());
        sweep(dir.path());
        drop(open);
        let mut left: Vec<_> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        stays.sort();
        assert_eq!(left, stays);
    }

    #[test]
    fn a_temporary_file_names_its_writer() {
        let own = liveness::own_identity();
        assert_eq!(writer(&temporary_name()), Some(Writer::Process(own)));
        for other in [
            ".grove-1-2.lock",
            ".grove-1-2-abc.lock",
            ".grove-x-2-abcdefghij.lock",
        ] {
            assert_eq!(writer(other), None, "{other}");
        }
    }
}
