//! What a host sends to those who look at its agent's terminal.

use super::protocol::{Exited, Frame, Kind, Size};
use super::terminal::split_snapshot;

/// One change of the picture, or its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Bytes that draw the whole picture.
    Snapshot {
        cols: u16,
        rows: u16,
        bytes: Vec<u8>,
    },
    Output(Vec<u8>),
    Resized(Size),
    Exited(Exited),
}

impl Frame {
    /// What the frame shows; `None` when it is for somebody else, or cannot be understood.
    pub fn into_shown(self) -> Option<Shown> {
        match self.kind {
            Kind::Snapshot => {
                split_snapshot(&self.body).map(|(cols, rows, bytes)| Shown::Snapshot {
                    cols,
                    rows,
                    bytes: bytes.to_vec(),
                })
            }
            Kind::Output => Some(Shown::Output(self.body)),
            Kind::Resized => self.parse().ok().map(Shown::Resized),
            Kind::Exited => self.parse().ok().map(Shown::Exited),
            Kind::Hello
            | Kind::Input
            | Kind::Paste
            | Kind::Resize
            | Kind::Stop
            | Kind::Status
            | Kind::Nudge
            | Kind::Poke
            | Kind::Command
            | Kind::Ack
            | Kind::Welcome
            | Kind::Report
            | Kind::Answer
            | Kind::Refused => None,
        }
    }
}
