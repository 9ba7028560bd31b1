//! Waiting for news that are printed as they come: woken by the system when a file has changed, and
//! after a while in any case; over when nobody reads standard output any more.

use super::settle::Settle;
use super::watch;
use super::{fs, hangup};
use notify::RecursiveMode;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The shortest time between two looks: a burst of changes is a few of them.
const BREATH: Duration = Duration::from_millis(50);

/// The longest time between two looks while nothing tells of changes.
const UNALARMED: Duration = Duration::from_secs(1);

/// Files that are followed.
#[derive(Debug)]
pub struct Follow {
    folder: PathBuf,
    mode: RecursiveMode,
    names: &'static [&'static str],
    interval: Duration,
    settle: Settle,
    looked: Option<Instant>,
    /// None where the system cannot tell, or the folder is not there yet.
    alarm: Option<Alarm>,
    /// Which folder the alarm is set in: one that comes in its place needs another alarm.
    watched: Option<(u64, u64)>,
}

impl Follow {
    /// Follows files of these names in a folder. `interval`: the longest time between two looks.
    pub fn files(folder: &Path, names: &'static [&'static str], interval: Duration) -> Self {
        Self::begin(folder, RecursiveMode::NonRecursive, names, interval)
    }

    /// As [`Self::files`], also in all folders below, those to come included.
    pub fn tree(folder: &Path, names: &'static [&'static str], interval: Duration) -> Self {
        Self::begin(folder, RecursiveMode::Recursive, names, interval)
    }

    fn begin(
        folder: &Path,
        mode: RecursiveMode,
        names: &'static [&'static str],
        interval: Duration,
    ) -> Self {
        let mut follow = Self {
            folder: folder.to_owned(),
            mode,
            names,
            interval,
            settle: Settle::default(),
            looked: None,
            alarm: None,
            watched: None,
        };
        follow.set_alarm();
        follow
    }

    fn set_alarm(&mut self) {
        self.alarm = None;
        self.watched = fs::identity(&self.folder);
        match Alarm::set(&self.folder, self.mode, self.names) {
            Ok(alarm) => self.alarm = Some(alarm),
            Err(e) => tracing::debug!("{} cannot be watched: {e}", self.folder.display()),
        }
    }

    /// Sleeps until there may be news; `false` when nobody reads them. After a change it returns a
    /// few times more: what was noticed may not have been visible yet.
    pub fn wait(&mut self) -> bool {
        self.wait_at_most(self.interval)
    }

    /// As [`Self::wait`], but not for longer than `limit`.
    pub fn wait_at_most(&mut self, limit: Duration) -> bool {
        let breath = self.looked.map(|at| BREATH.saturating_sub(at.elapsed()));
        if breath.is_some_and(|breath| !breath.is_zero() && hangup::pause(breath)) {
            return false;
        }
        let goes_on = self.sleep(limit);
        self.looked = Some(Instant::now());
        goes_on
    }

    fn sleep(&mut self, limit: Duration) -> bool {
        let again = self.settle.wait();
        let limit = again.map_or(limit, |again| again.min(limit));
        let Some(alarm) = &self.alarm else {
            let gone = hangup::pause(limit.min(UNALARMED));
            self.set_alarm();
            return !gone;
        };
        match alarm.wait(limit) {
            hangup::Woken::Ready => {
                self.settle.noticed();
                if fs::identity(&self.folder) != self.watched {
                    self.set_alarm();
                }
            }
            hangup::Woken::TimeUp => {
                self.settle.is_due();
            }
            hangup::Woken::ReaderGone => return false,
        }
        true
    }
}

/// Rings once for any number of changes.
#[cfg(unix)]
#[derive(Debug)]
struct Alarm {
    _watch: watch::Watch,
    bell: std::io::PipeReader,
    rings: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

#[cfg(unix)]
impl Alarm {
    fn set(
        folder: &Path,
        mode: RecursiveMode,
        names: &'static [&'static str],
    ) -> Result<Self, notify::Error> {
        use std::io::Write;
        use std::sync::Arc;
        use std::sync::atomic::{AtomicBool, Ordering};
        let (bell, mut rope) = std::io::pipe()?;
        let rings = Arc::new(AtomicBool::new(false));
        let ringing = Arc::clone(&rings);
        let on_change = move || {
            // One byte at most is in the pipe, so this never waits.
            if !ringing.swap(true, Ordering::AcqRel)
                && let Err(e) = rope.write_all(&[0])
            {
                tracing::debug!("nobody waits for a change any more: {e}");
            }
        };
        Ok(Self {
            _watch: watch::below(folder, mode, names, on_change)?,
            bell,
            rings,
        })
    }

    fn wait(&self, limit: Duration) -> hangup::Woken {
        use std::io::Read;
        let woken = hangup::wait(&self.bell, Some(limit));
        if woken == hangup::Woken::Ready {
            if let Err(e) = (&self.bell).read(&mut [0]) {
                tracing::debug!("a change was noticed, but not taken: {e}");
            }
            // Before the look that follows: a change after it rings again.
            self.rings
                .store(false, std::sync::atomic::Ordering::Release);
        }
        woken
    }
}

/// Where one cannot wait for two things at once, news are looked for now and then.
#[cfg(not(unix))]
#[derive(Debug)]
struct Alarm;

#[cfg(not(unix))]
impl Alarm {
    fn set(_: &Path, _: RecursiveMode, _: &'static [&'static str]) -> Result<Self, notify::Error> {
        Err(notify::Error::generic("not on this system"))
    }

    fn wait(&self, limit: Duration) -> hangup::Woken {
        std::thread::sleep(limit);
        hangup::Woken::TimeUp
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Nothing here waits for so long.
    const HOUR: Duration = Duration::from_hours(1);

    #[test]
    fn a_change_ends_the_wait_also_in_a_folder_that_came_later() {
        let dir = tempfile::tempdir().unwrap();
        let mut follow = Follow::tree(dir.path(), &["log"], HOUR);
        let below = dir.path().join("agent/session");
        std::fs::create_dir_all(&below).unwrap();
        // The system may take a moment until it watches the new folder.
        let is_seen = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut number = 0;
                while !is_seen.load(std::sync::atomic::Ordering::Relaxed) {
                    std::fs::write(below.join("log"), number.to_string()).unwrap();
                    number += 1;
                }
            });
            let is_woken = follow.wait();
            is_seen.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(is_woken);
        });
    }

    #[test]
    fn after_a_change_there_are_two_more_looks_for_what_was_not_visible_yet() {
        let dir = tempfile::tempdir().unwrap();
        let mut follow = Follow::files(dir.path(), &["store"], HOUR);
        std::fs::write(dir.path().join("store"), "x").unwrap();
        // One write may be noticed more than once, and each notice asks for looks of its own.
        let mut looks = 0;
        while looks == 0 || follow.settle.wait().is_some() {
            assert!(follow.wait());
            looks += 1;
        }
        assert!(looks >= 3, "{looks}");
    }

    #[test]
    fn a_folder_that_takes_the_place_of_another_is_watched() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("stores");
        std::fs::create_dir(&folder).unwrap();
        let mut follow = Follow::files(&folder, &["store"], HOUR);
        std::fs::rename(&folder, dir.path().join("aside")).unwrap();
        std::fs::create_dir(&folder).unwrap();
        while follow.watched != fs::identity(&folder) || follow.settle.wait().is_some() {
            assert!(follow.wait());
        }
        std::fs::write(folder.join("store"), "x").unwrap();
        assert!(follow.wait());
        assert!(follow.settle.wait().is_some(), "the write was noticed");
    }

    #[test]
    fn a_folder_that_is_not_there_yet_is_watched_as_soon_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("logs");
        let mut follow = Follow::tree(&folder, &["log"], Duration::from_millis(1));
        std::fs::create_dir(&folder).unwrap();
        assert!(follow.alarm.is_none());
        assert!(follow.wait());
        assert!(follow.alarm.is_some());
    }
}
