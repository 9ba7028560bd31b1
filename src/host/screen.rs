//! The end of an agent's screen as text, for those who only want to read it.

use super::protocol;
use super::shown::Shown;
use super::{HostError, client};
use crate::db::grove::HostRow;
use crate::term::{Engine, EngineOptions, Size};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// How long the first picture may take.
const LIMIT: Duration = Duration::from_secs(5);

/// A screen that follows its agent.
pub struct Screen {
    stream: UnixStream,
    engine: Engine,
    ended: bool,
}

impl Screen {
    /// Connects to a host and takes in its present screen. `history`: how many lines above the
    /// screen are kept.
    pub fn open(host: &HostRow, history: usize) -> Result<Self, HostError> {
        let stream = client::attach(host, None)?;
        let mut screen = Self {
            stream,
            engine: Engine::new(EngineOptions {
                size: Size { cols: 80, rows: 24 },
                history,
                answer_queries: false,
            }),
            ended: false,
        };
        let unreachable = |source| HostError::Unreachable {
            agent: host.agent.clone(),
            source,
        };
        screen
            .stream
            .set_read_timeout(Some(LIMIT))
            .map_err(unreachable)?;
        while !screen.take().map_err(unreachable)? && !screen.ended {}
        screen.stream.set_read_timeout(None).map_err(unreachable)?;
        Ok(screen)
    }

    /// Takes in the next piece of what the agent prints, or its end; waits for it.
    pub fn take_in(&mut self) -> std::io::Result<()> {
        self.take().map(|_| ())
    }

    /// Whether there will be nothing more.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Takes in one frame; tells whether it was a whole picture.
    fn take(&mut self) -> std::io::Result<bool> {
        let frame = match protocol::read(&mut self.stream) {
            Ok(Some(frame)) => frame,
            Ok(None) => {
                self.ended = true;
                return Ok(false);
            }
            // A host that was killed ends in the middle of what it says.
            Err(e) if is_end(&e) => {
                self.ended = true;
                return Ok(false);
            }
            Err(e) => return Err(e),
        };
        match frame.into_shown() {
            Some(Shown::Snapshot { cols, rows, bytes }) => {
                self.engine.resize(Size { cols, rows }.clamped());
                self.engine.feed(&bytes);
                return Ok(true);
            }
            Some(Shown::Output(bytes)) => {
                self.engine.feed(&bytes);
            }
            Some(Shown::Resized(protocol::Size { cols, rows })) => {
                self.engine.resize(Size { cols, rows }.clamped());
            }
            Some(Shown::Exited(_)) => self.ended = true,
            None => {}
        }
        Ok(false)
    }

    /// The last lines that hold something, oldest first.
    pub fn tail(&self, lines: usize) -> Vec<String> {
        let mut all = self.engine.history_text(lines);
        all.extend(self.engine.screen_text().lines().map(str::to_owned));
        last_lines(&all, lines)
    }
}

fn is_end(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionReset, UnexpectedEof};
    [ConnectionReset, UnexpectedEof].contains(&error.kind())
}

/// Readable when the agent has printed something, or has ended.
impl AsFd for Screen {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

/// The last lines of a text without the empty ones at its end, and without what pads them.
pub fn last_lines(all: &[String], lines: usize) -> Vec<String> {
    let end = all
        .iter()
        .rposition(|l| !l.trim().is_empty())
        .map_or(0, |at| at + 1);
    let start = end.saturating_sub(lines);
    let shown = all.get(start..end).unwrap_or_default();
    shown.iter().map(|l| l.trim_end().to_owned()).collect()
}

/// The end of a host's screen at this moment.
pub fn tail(host: &HostRow, lines: usize) -> Result<Vec<String>, HostError> {
    Ok(Screen::open(host, lines)?.tail(lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_ends_with_the_last_line_that_holds_something() {
        let all = ["a", "b  ", "", "c", " ", ""].map(str::to_owned);
        assert_eq!(last_lines(&all, 2), ["", "c"]);
        assert_eq!(last_lines(&all, 99), ["a", "b", "", "c"]);
        assert_eq!(last_lines(&[], 5), Vec::<String>::new());
    }
}
