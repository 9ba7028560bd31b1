//! One call of git after the other: each has the worktree's state for itself, and what a killed one has left is put
//! back by the next.

use std::fs;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::packed::{Gone, PackedRefs};
use super::place::Place;
use super::state;
use super::view::View;
use super::words::Need;
use crate::platform::lease::{self, Lease};
use crate::platform::liveness::{self, Liveness};
use crate::platform::plain;
use crate::types::host::ProcessId;

/// How long the call before is waited for. One that git makes for itself would wait for ever.
const PATIENCE: Duration = Duration::from_secs(5);
const LARGEST: u64 = 16 * 1024;

/// A call that has the worktree's state.
#[derive(Debug)]
pub(super) struct Turn {
    admin: PathBuf,
    view: View,
    head: Vec<u8>,
    packed: PackedRefs,
    note: Note,
    /// The right to begin; the system takes it back when this process ends, however it does.
    _lock: Lease,
}

impl Turn {
    /// Begins one; `None` when the state is somebody else's for too long.
    pub(super) fn begin(place: &Place, need: Need) -> io::Result<Option<Self>> {
        let Some(view) = View::of(place) else {
            return Ok(None);
        };
        fs::create_dir_all(&view.folder)?;
        let lock = lease::wait_at_most(&view.folder.join("lock"), PATIENCE);
        let Some(lock) = lock.map_err(|error| error.source)? else {
            return Ok(None);
        };
        let path = view.folder.join(NOTE);
        let note = Note::open(&path)?;
        if let Some((holder, head)) = plain::read(&path, LARGEST).as_deref().and_then(noted) {
            if liveness::check(holder) == Liveness::Alive {
                return Ok(None);
            }
            state::put_back(&place.admin, &view.turn, head)?;
            note.of(NOBODY)?;
        }
        let packed = view.build(place, need)?;
        let head = state::take(&place.admin, &view.turn)?;
        note.begin(liveness::own_identity(), &head)?;
        Ok(Some(Self {
            admin: place.admin.clone(),
            view,
            head,
            packed,
            note,
            _lock: lock,
        }))
    }

    /// The folder that is this call's worktree folder.
    pub(super) fn git_dir(&self) -> &PathBuf {
        &self.view.turn
    }

    /// Git has been started: it goes on when this process is killed.
    pub(super) fn started(&self, pid: i32) -> io::Result<()> {
        self.note.of(liveness::identify(pid))
    }

    /// Git has ended. Returns the packed refs that it wanted removed.
    pub(super) fn end(self) -> io::Result<Vec<Gone>> {
        state::put_back(&self.admin, &self.view.turn, &self.head)?;
        self.note.of(NOBODY)?;
        self.packed.gone()
    }
}

/// Puts back what a killed call has left, for those that look at it. What cannot be put back now is tried again by
/// the next call.
pub(super) fn finish_killed(place: &Place) {
    let note = View::of(place).map(|view| view.folder.join(NOTE));
    let text = note.and_then(|note| plain::read(&note, LARGEST));
    let holder = text.as_deref().and_then(noted).map(|(holder, _)| holder);
    if holder.is_some_and(|holder| liveness::check(holder) == Liveness::Dead)
        && let Ok(Some(turn)) = Turn::begin(place, Need::State)
    {
        turn.end().unwrap_or_default();
    }
}

/// The file that says that a call has the state.
const NOTE: &str = "running";
const NOBODY: ProcessId = ProcessId { pid: 0, start: 0 };

/// Says who has the state, and what HEAD said before. Always the same file, written in place: to make, replace or remove
/// one costs more than all the rest. It is not kept for the case that the power fails.
#[derive(Debug)]
struct Note(fs::File);

impl Note {
    fn open(path: &Path) -> io::Result<Self> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        options.open(path).map(Self)
    }

    fn begin(&self, holder: ProcessId, head: &[u8]) -> io::Result<()> {
        let text = [line(holder).as_bytes(), head].concat();
        self.0.write_all_at(&text, 0)?;
        self.0.set_len(text.len() as u64)
    }

    fn of(&self, holder: ProcessId) -> io::Result<()> {
        self.0.write_all_at(line(holder).as_bytes(), 0)
    }
}

/// As long for everybody.
fn line(holder: ProcessId) -> String {
    format!("{:11} {:20}\n", holder.pid, holder.start)
}

fn noted(text: &[u8]) -> Option<(ProcessId, &[u8])> {
    let end = text.iter().position(|byte| *byte == b'\n')?;
    let (line, head) = text.split_at(end + 1);
    let line = std::str::from_utf8(line).ok()?.trim_end();
    let mut numbers = line.split_ascii_whitespace();
    let holder = ProcessId {
        pid: numbers.next()?.parse().ok()?,
        start: numbers.next()?.parse().ok()?,
    };
    (holder != NOBODY).then_some((holder, head))
}
