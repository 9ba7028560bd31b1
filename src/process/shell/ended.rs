//! How a command ended that was run within bounds. Data only.

use std::process::ExitStatus;
use std::time::Duration;

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// `None` when it was ended from here: it timed out or was called off.
    pub status: Option<ExitStatus>,
    pub called_off: bool,
    pub duration: Duration,
    /// The end of what it printed.
    pub tail: String,
    pub dropped: u64,
    /// The end of stderr, where that was to be kept apart.
    pub errors: String,
}

/// As `Ended`, with what the command said as it said it.
#[derive(Debug)]
pub struct EndedBytes {
    pub status: Option<ExitStatus>,
    pub called_off: bool,
    pub duration: Duration,
    pub out: Vec<u8>,
    pub dropped: u64,
    pub errors: Vec<u8>,
    /// The words of a program that the command had started and that had not ended when the time was up, where the
    /// system tells.
    pub waited_for: Option<Vec<String>>,
}

impl From<EndedBytes> for Ended {
    fn from(ended: EndedBytes) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            status: ended.status,
            called_off: ended.called_off,
            duration: ended.duration,
            tail: text(&ended.out),
            dropped: ended.dropped,
            errors: text(&ended.errors),
        }
    }
}
