//! Noticing that a store or a file has changed, by the operating system's file notification.

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// Why somebody is woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// A database or its write-ahead log was touched; ask the database whether it has changed.
    Store,
    /// Another file that matters was written.
    File,
    /// The notification has lost events: everything should be looked at.
    Overflow,
}

/// A running watch; dropping it ends it.
#[derive(Debug)]
pub struct Watch {
    _watcher: RecommendedWatcher,
}

/// Calls something at an interval, on a thread of its own; dropping it ends it. For when the system has no notification to give:
/// how many there are is a limit of all a user's programs together.
#[derive(Debug)]
pub struct Rounds {
    _end: Sender<()>,
}

impl Rounds {
    /// Starts them.
    pub fn start(
        interval: Duration,
        mut on_round: impl FnMut() + Send + 'static,
    ) -> io::Result<Self> {
        let (end, ended) = mpsc::channel();
        std::thread::Builder::new()
            .name("rounds".to_owned())
            .spawn(move || {
                while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                    on_round();
                }
            })?;
        Ok(Self { _end: end })
    }
}

/// Watches the databases in a folder. The callback runs on the watcher's thread and must be
/// quick.
pub fn stores(
    dir: &Path,
    mut on_wake: impl FnMut(Wake) + Send + 'static,
) -> Result<Watch, notify::Error> {
    let mut watcher =
        notify::recommended_watcher(move |event: notify::Result<Event>| match event {
            Ok(event) if event.need_rescan() => on_wake(Wake::Overflow),
            Ok(event) if writes(&event) => {
                let mut kinds = event.paths.iter().filter_map(|p| kind(p));
                if let Some(first) = kinds.next() {
                    on_wake(if kinds.any(|k| k == Wake::File) {
                        Wake::File
                    } else {
                        first
                    });
                }
            }
            Ok(_) => {}
            Err(_) => on_wake(Wake::Overflow),
        })?;
    watcher.watch(dir, RecursiveMode::NonRecursive)?;
    Ok(Watch { _watcher: watcher })
}

/// Watches files of these names in some folders, whether they are there or not, and the end of the
/// folders themselves. The callback runs on the
/// watcher's thread.
pub fn files(
    folders: &[&Path],
    names: &[&str],
    on_change: impl FnMut() + Send + 'static,
) -> Result<Watch, notify::Error> {
    watch(folders, RecursiveMode::NonRecursive, names, on_change)
}

/// Watches files of these names in one folder, or also in all below it.
pub(super) fn below(
    folder: &Path,
    mode: RecursiveMode,
    names: &[&str],
    on_change: impl FnMut() + Send + 'static,
) -> Result<Watch, notify::Error> {
    watch(&[folder], mode, names, on_change)
}

fn watch(
    folders: &[&Path],
    mode: RecursiveMode,
    names: &[&str],
    mut on_change: impl FnMut() + Send + 'static,
) -> Result<Watch, notify::Error> {
    let themselves: Vec<PathBuf> = folders.iter().map(|folder| folder.to_path_buf()).collect();
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let is_one = move |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| names.iter().any(|known| known == name))
            || themselves.iter().any(|folder| folder == path)
    };
    let mut watcher =
        notify::recommended_watcher(move |event: notify::Result<Event>| match event {
            Ok(event) if event.need_rescan() => on_change(),
            Ok(event) if writes(&event) && event.paths.iter().any(|path| is_one(path)) => {
                on_change();
            }
            Ok(_) => {}
            Err(_) => on_change(),
        })?;
    for folder in folders {
        watcher.watch(folder, mode)?;
    }
    Ok(Watch { _watcher: watcher })
}

/// Opening and reading a database also touches files; only writing counts.
fn writes(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Modify(_) | EventKind::Create(_) | EventKind::Remove(_)
    )
}

fn kind(path: &Path) -> Option<Wake> {
    let name = path.file_name()?.to_str()?;
    if name.ends_with(".db-wal") {
        return Some(Wake::Store);
    }
    let files = [
        "config.yaml",
        "config.local.yaml",
        "current-run.txt",
        "coordinator.lease",
    ];
    files.contains(&name).then_some(Wake::File)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn rounds_end_with_whoever_started_them() {
        let (sender, receiver) = mpsc::channel();
        let rounds = Rounds::start(Duration::from_millis(1), move || {
            sender.send(()).unwrap_or_default();
        })
        .unwrap();
        for _ in 0..3 {
            receiver.recv().unwrap();
        }
        drop(rounds);
        // The thread has gone, and what it sends with.
        while receiver.recv().is_ok() {}
    }
}
