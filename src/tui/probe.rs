//! Asking the terminal what it can do, with a limit on how long the answer may take.
//!
//! The question about the keyboard is followed by one that every terminal answers, so a terminal
//! without the extended keyboard is known at once. A late answer is harmless: it is recognised as
//! one and dropped by the event reader.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// What was learnt, and what was typed meanwhile.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Learnt {
    pub(crate) extended_keys: bool,
    pub(crate) typed: Vec<Event>,
}

/// Asks the terminal.
#[cfg(unix)]
pub(crate) fn ask() -> Learnt {
    ask::answer().map(|bytes| read(&bytes)).unwrap_or_default()
}

/// Asks the terminal.
#[cfg(not(unix))]
pub(crate) fn ask() -> Learnt {
    Learnt::default()
}

/// Takes the answers out of what was read; the rest was typed.
#[cfg_attr(not(unix), expect(dead_code, reason = "nothing is asked here"))]
fn read(bytes: &[u8]) -> Learnt {
    let mut learnt = Learnt::default();
    let mut typed = Vec::new();
    let mut rest = bytes;
    while let Some((first, tail)) = rest.split_first() {
        let Some(body) = rest.strip_prefix(b"\x1b[?") else {
            typed.push(*first);
            rest = tail;
            continue;
        };
        let end = body.iter().position(|b| !b.is_ascii_digit() && *b != b';');
        learnt.extended_keys |= end.and_then(|end| body.get(end)) == Some(&b'u');
        rest = end.and_then(|end| body.get(end + 1..)).unwrap_or_default();
    }
    learnt.typed = String::from_utf8_lossy(&typed).chars().map(key).collect();
    learnt
}

/// Reads a character typed in the plain form. Longer sequences in that moment are not recognised.
fn key(c: char) -> Event {
    let (code, mods) = match c {
        '\r' => (KeyCode::Enter, KeyModifiers::NONE),
        '\t' => (KeyCode::Tab, KeyModifiers::NONE),
        '\x1b' => (KeyCode::Esc, KeyModifiers::NONE),
        '\x7f' => (KeyCode::Backspace, KeyModifiers::NONE),
        c @ '\x01'..='\x1a' => {
            let letter = char::from(b'a' - 1 + c as u8);
            (KeyCode::Char(letter), KeyModifiers::CONTROL)
        }
        c => (KeyCode::Char(c), KeyModifiers::NONE),
    };
    Event::Key(KeyEvent::new(code, mods))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(learnt: &Learnt) -> String {
        let chars = learnt.typed.iter().filter_map(|e| {
            let Event::Key(key) = e else { return None };
            if key.code == KeyCode::Enter {
                return Some('\n');
            }
            key.code.as_char()
        });
        chars.collect()
    }

    #[test]
    fn answers_are_told_from_what_was_typed() {
        let both = read(b"2\x1b[?0u\x1b[?62;22cq\r");
        assert!(both.extended_keys);
        assert_eq!(typed(&both), "2q\n");
        let plain = read("\x1b[?62;22cé".as_bytes());
        assert!(!plain.extended_keys);
        assert_eq!(typed(&plain), "é");
        assert_eq!(read(b""), Learnt::default());
        assert!(!read(b"\x1b[?1").extended_keys);
    }
}

#[cfg(unix)]
mod ask {
    use std::io::{self, Write};
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    const QUESTION: &[u8] = b"\x1b[?u\x1b[c";
    const PATIENCE: Duration = Duration::from_millis(150);

    /// Asks and reads until the second answer has come or the time is over.
    pub(super) fn answer() -> io::Result<Vec<u8>> {
        let mut out = io::stdout();
        out.write_all(QUESTION)?;
        out.flush()?;
        let started = Instant::now();
        let mut answer = Vec::new();
        while !is_complete(&answer) {
            let left = PATIENCE.saturating_sub(started.elapsed());
            if left.is_zero() || !readable(left)? {
                break;
            }
            // One byte at a time and past std's buffer: what follows the answer belongs to
            // whoever reads the terminal next.
            let mut byte = [0; 1];
            if rustix::io::read(rustix::stdio::stdin(), &mut byte)? == 0 {
                break;
            }
            answer.extend_from_slice(&byte);
        }
        Ok(answer)
    }

    fn readable(within: Duration) -> io::Result<bool> {
        let stdin = rustix::stdio::stdin();
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        let time = Timespec {
            tv_sec: 0,
            tv_nsec: i64::from(within.subsec_nanos()),
        };
        Ok(poll(&mut fds, Some(&time))? > 0)
    }

    /// Tells whether the answer every terminal gives has arrived.
    fn is_complete(answer: &[u8]) -> bool {
        let asked = answer.windows(3).any(|w| w == b"\x1b[?");
        asked && answer.last() == Some(&b'c')
    }
}
