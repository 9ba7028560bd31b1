//! Finds, in the raw stream, what the emulator ignores: notifications, working directory, prompt
//! marks, clipboard writes, synchronized updates and a few queries.
//!
//! It follows the emulator's own state machine byte for byte, but only decides *where* something
//! is; what it means is read in `notices.rs` and `replies.rs`. It also knows which bytes of an
//! unfinished sequence are still outstanding, which a snapshot must repeat.

use std::io::BufRead;

/// A longer OSC string is cut off: the emulator would collect it without limit.
const LONGEST_OSC: usize = 1 << 20;
/// Of other unfinished sequences only this much is remembered.
const LONGEST_PENDING: usize = 1 << 16;
/// Repeat counts above this are handed to the engine, which limits them to one screen.
const LARGE_REPEAT: u16 = 1000;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
/// Cancels the sequence in progress.
pub(super) const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;

/// Something in the stream that needs attention once the bytes before it are applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A synchronized update begins (mode 2026 set).
    SyncBegin,
    /// It ends.
    SyncEnd,
    /// XTVERSION.
    VersionQuery,
    /// `CSI ? 996 n`: dark or light?
    ColorSchemeQuery,
    /// A whole OSC string, without introducer and terminator.
    Osc(Vec<u8>),
    /// A whole DCS string of one of the query kinds, likewise.
    DcsQuery(Vec<u8>),
    /// REP with a large count, its final byte withheld.
    LargeRepeat(u16),
    /// An OSC string outgrew the limit; the rest of it is dropped.
    Overlong,
}

/// The result of one scan: `bytes[skip..skip + pass]` goes to the emulator, the rest of the
/// `taken` bytes does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) skip: usize,
    pub(super) pass: usize,
    pub(super) taken: usize,
    pub(super) found: Option<Found>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    Escape,
    EscapeIntermediate,
    Csi,
    Osc,
    OscDropped,
    DcsEntry,
    DcsParam,
    DcsIntermediate,
    DcsBody,
    DcsIgnored,
    /// SOS, PM, APC: read over.
    String,
}

#[derive(Debug, Default)]
pub(super) struct Scanner {
    state: State,
    /// The unfinished sequence, as far as earlier slices brought it.
    pending: Vec<u8>,
}

impl Scanner {
    /// The bytes of a sequence or character that is still incomplete.
    pub(super) fn pending(&self) -> &[u8] {
        &self.pending
    }

    /// How much of `bytes` is text before the next sequence; none if a sequence is under way.
    pub(super) fn plain_length(&self, bytes: &[u8]) -> usize {
        if self.state != State::Ground || !self.pending.is_empty() {
            return 0;
        }
        find_escape(bytes).unwrap_or(bytes.len())
    }

    /// Reads up to the next thing of interest, or to the end of `bytes`.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> Step {
        let mut at = 0;
        let mut skip = 0;
        // Where, in this slice, the sequence under way or the plain text began.
        let mut start = 0;
        while let Some(&byte) = bytes.get(at) {
            let before = self.state;
            if before == State::Ground {
                let rest = bytes.get(at..).unwrap_or_default();
                match find_escape(rest) {
                    Some(offset) => {
                        at += offset;
                        self.begin(State::Escape);
                        start = at;
                        at += 1;
                    }
                    None => at = bytes.len(),
                }
                continue;
            }
            if before == State::Osc && self.pending.len() + (at - start) >= LONGEST_OSC {
                self.begin(State::OscDropped);
                return Step {
                    skip,
                    pass: at - skip,
                    taken: at,
                    found: Some(Found::Overlong),
                };
            }
            let next = self.advance(byte);
            if next == before {
                at += 1;
                continue;
            }
            if before == State::OscDropped {
                // Nothing of the dropped string reaches the emulator but the next introducer.
                skip = if next == State::Escape { at } else { at + 1 };
            }
            let found = self.finished(before, byte, bytes.get(start..at).unwrap_or_default());
            let repeat = matches!(found, Some(Found::LargeRepeat(_)));
            match next {
                State::Ground => {
                    self.begin(State::Ground);
                    start = at + 1;
                }
                State::Escape => {
                    self.begin(State::Escape);
                    start = at;
                }
                State::EscapeIntermediate
                | State::Csi
                | State::Osc
                | State::OscDropped
                | State::DcsEntry
                | State::DcsParam
                | State::DcsIntermediate
                | State::DcsBody
                | State::DcsIgnored
                | State::String => self.state = next,
            }
            at += 1;
            if found.is_some() {
                let passed = if repeat { at - 1 } else { at };
                self.remember(bytes.get(start..at).unwrap_or_default());
                return Step {
                    skip,
                    pass: passed.saturating_sub(skip),
                    taken: at,
                    found,
                };
            }
        }
        if self.state == State::OscDropped {
            skip = at;
        }
        self.remember(bytes.get(start..at).unwrap_or_default());
        Step {
            skip,
            pass: at - skip,
            taken: at,
            found: None,
        }
    }

    fn begin(&mut self, state: State) {
        self.state = state;
        self.pending.clear();
    }

    /// Keeps what a snapshot would have to repeat of the slice just read.
    fn remember(&mut self, slice: &[u8]) {
        match self.state {
            State::Ground => {
                self.pending.extend(last_bytes(slice));
                let keep = unfinished_character(&self.pending);
                self.pending.drain(..self.pending.len() - keep);
            }
            State::OscDropped => {
                self.pending.clear();
                self.pending.extend(b"\x1b]");
            }
            State::Osc => self.pending.extend(slice),
            State::Escape
            | State::EscapeIntermediate
            | State::Csi
            | State::DcsEntry
            | State::DcsParam
            | State::DcsIntermediate
            | State::DcsBody
            | State::DcsIgnored
            | State::String => {
                let room = LONGEST_PENDING.saturating_sub(self.pending.len());
                self.pending
                    .extend(slice.get(..room.min(slice.len())).unwrap_or_default());
            }
        }
    }

    /// The state after `byte`; the same rules as the emulator's parser.
    fn advance(&self, byte: u8) -> State {
        match (self.state, byte) {
            (State::Escape, ESC) => State::Escape,
            (_, ESC) => State::Escape,
            (_, CAN | SUB) => State::Ground,
            (State::Escape, 0x20..=0x2f) => State::EscapeIntermediate,
            (State::Escape, b'[') => State::Csi,
            (State::Escape, b']') => State::Osc,
            (State::Escape, b'P') => State::DcsEntry,
            (State::Escape, b'X' | b'^' | b'_') => State::String,
            (State::Escape | State::EscapeIntermediate, 0x30..=0x7e)
            | (State::Csi, 0x40..=0x7e)
            | (State::Osc | State::OscDropped, BEL)
            | (State::DcsBody, 0x9c) => State::Ground,
            (State::DcsEntry | State::DcsParam | State::DcsIntermediate, 0x40..=0x7e) => {
                State::DcsBody
            }
            (State::DcsEntry | State::DcsParam, 0x20..=0x2f) => State::DcsIntermediate,
            (State::DcsEntry, 0x30..=0x3f) => State::DcsParam,
            (State::DcsParam, 0x3c..=0x3f) | (State::DcsIntermediate, 0x30..=0x3f) => {
                State::DcsIgnored
            }
            (state, _) => state,
        }
    }

    /// What the sequence that `byte` ends amounts to; `slice` is its part in the current slice.
    fn finished(&self, state: State, byte: u8, slice: &[u8]) -> Option<Found> {
        let cancelled = byte == CAN || byte == SUB;
        match state {
            State::Csi if !cancelled && byte != ESC => {
                if !matches!(byte, b'h' | b'l' | b'q' | b'n' | b'b') {
                    return None;
                }
                csi(self.whole(slice).get(2..).unwrap_or_default(), byte)
            }
            State::Osc if !cancelled => {
                let mut text = self.whole(slice);
                text.drain(..2.min(text.len()));
                text.retain(|&b| b >= 0x20);
                Some(Found::Osc(text))
            }
            State::DcsBody if !cancelled => {
                let mut text = self.whole(slice);
                text.drain(..2.min(text.len()));
                (text.starts_with(b"$q") || text.starts_with(b"+q"))
                    .then_some(Found::DcsQuery(text))
            }
            State::Ground
            | State::Escape
            | State::EscapeIntermediate
            | State::Csi
            | State::Osc
            | State::OscDropped
            | State::DcsEntry
            | State::DcsParam
            | State::DcsIntermediate
            | State::DcsBody
            | State::DcsIgnored
            | State::String => None,
        }
    }

    fn whole(&self, slice: &[u8]) -> Vec<u8> {
        [self.pending.as_slice(), slice].concat()
    }
}

/// The control sequences of interest; anything malformed is none.
fn csi(body: &[u8], last: u8) -> Option<Found> {
    let body: Vec<u8> = body
        .iter()
        .copied()
        .filter(|&b| b >= 0x20 && b != 0x7f)
        .collect();
    let body = std::str::from_utf8(&body).ok()?;
    match last {
        b'h' | b'l' => {
            let mut modes = body.strip_prefix('?')?.split(';');
            let sync = modes.any(|mode| mode.parse() == Ok(2026_u16));
            let found = if last == b'h' {
                Found::SyncBegin
            } else {
                Found::SyncEnd
            };
            sync.then_some(found)
        }
        b'q' => matches!(body.strip_prefix('>')?, "" | "0").then_some(Found::VersionQuery),
        b'n' => (body == "?996").then_some(Found::ColorSchemeQuery),
        b'b' => body
            .split(';')
            .next()
            .and_then(|count| count.parse::<u32>().ok())
            .map(|count| u16::try_from(count).unwrap_or(u16::MAX))
            .filter(|&count| count > LARGE_REPEAT)
            .map(Found::LargeRepeat),
        _ => None,
    }
}

/// Where the next sequence begins. Most output is plain, so this is what a flood costs most;
/// the standard library's reader searches many bytes at a time.
fn find_escape(bytes: &[u8]) -> Option<usize> {
    let mut reader = bytes;
    let found = reader.skip_until(ESC).ok()?.checked_sub(1)?;
    (bytes.get(found) == Some(&ESC)).then_some(found)
}

fn last_bytes(bytes: &[u8]) -> &[u8] {
    bytes
        .get(bytes.len().saturating_sub(3)..)
        .unwrap_or_default()
}

/// How many bytes at the end are the beginning of a character.
fn unfinished_character(bytes: &[u8]) -> usize {
    let tail = last_bytes(bytes);
    (1..=tail.len())
        .rev()
        .find(|&len| {
            let candidate = tail.get(tail.len() - len..).unwrap_or_default();
            candidate.first().is_some_and(|&lead| lead >= 0xc0)
                && std::str::from_utf8(candidate)
                    .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        })
        .unwrap_or(0)
}

#[cfg(test)]
#[path = "tests/scanner.rs"]
mod tests;
