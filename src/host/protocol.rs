//! Frames between a host and its clients.
//!
//! A frame is a four-byte big-endian length, one byte of kind, then that many bytes of body:
//! raw bytes for terminal data, JSON for the rest. A frame of an unknown kind is skipped, so
//! an older side can talk to a newer one.

use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// Version of the frames' meaning; sent in hello and welcome.
pub const VERSION: u8 = 1;

/// What is said of an agent whose host takes no more callers.
pub const CROWDED: &str = "asks its host too much at once";

/// The largest body that is accepted; bytes.
pub const MAX_BODY: usize = 64 * 1024 * 1024;

/// What a frame's body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    // From client to host.
    Hello = 1,
    Input = 2,
    Paste = 3,
    Resize = 4,
    Stop = 5,
    Status = 6,
    Nudge = 7,
    /// There may be new mail for the agent.
    Poke = 8,
    /// A grove command run by the agent.
    Command = 9,
    /// The answer to a command was written and flushed where the agent reads it.
    Ack = 10,
    // From host to client.
    Welcome = 64,
    Snapshot = 65,
    Output = 66,
    Resized = 67,
    Exited = 68,
    Report = 69,
    Answer = 70,
    Refused = 71,
}

impl Kind {
    const ALL: [Self; 18] = [
        Self::Hello,
        Self::Input,
        Self::Paste,
        Self::Resize,
        Self::Stop,
        Self::Status,
        Self::Nudge,
        Self::Poke,
        Self::Command,
        Self::Ack,
        Self::Welcome,
        Self::Snapshot,
        Self::Output,
        Self::Resized,
        Self::Exited,
        Self::Report,
        Self::Answer,
        Self::Refused,
    ];

    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|k| *k as u8 == byte)
    }
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub kind: Kind,
    pub body: Vec<u8>,
}

impl Frame {
    pub fn new(kind: Kind, body: impl Into<Vec<u8>>) -> Self {
        Self {
            kind,
            body: body.into(),
        }
    }

    pub fn json(kind: Kind, value: &impl Serialize) -> Self {
        // These are plain structs of this crate: serialising them cannot fail.
        Self {
            kind,
            body: serde_json::to_vec(value).unwrap_or_default(),
        }
    }

    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, String> {
        serde_json::from_slice(&self.body).map_err(|e| format!("{:?}: {e}", self.kind))
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.body.len() + 5);
        bytes.extend_from_slice(&(self.body.len() as u32).to_be_bytes());
        bytes.push(self.kind as u8);
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// Length and kind byte of the frame that begins with these five bytes.
pub fn header(bytes: [u8; 5]) -> io::Result<(usize, u8)> {
    header_of(bytes, MAX_BODY)
}

fn header_of(bytes: [u8; 5], most: usize) -> io::Result<(usize, u8)> {
    let [a, b, c, d, kind] = bytes;
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    if length > most {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "frame too large",
        ));
    }
    Ok((length, kind))
}

/// Reads frames until one of a known kind comes; `None` at the end of the stream.
pub fn read(reader: &mut impl Read) -> io::Result<Option<Frame>> {
    read_at_most(reader, MAX_BODY)
}

/// Like [`read`], for bodies of at most `most` bytes; a longer one is an error before it is read.
pub fn read_at_most(reader: &mut impl Read, most: usize) -> io::Result<Option<Frame>> {
    loop {
        let mut head = [0; 5];
        match reader.read_exact(&mut head) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(e) => return Err(e),
        }
        let (length, kind) = header_of(head, most)?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        if let Some(kind) = Kind::from_byte(kind) {
            return Ok(Some(Frame { kind, body }));
        }
    }
}

/// Writes one frame in one call.
pub fn write(writer: &mut impl Write, frame: &Frame) -> io::Result<()> {
    writer.write_all(&frame.encode())?;
    writer.flush()
}

/// First frame of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub version: u8,
    /// Whether the client wants the screen: a snapshot, then output.
    pub attach: bool,
    /// The client's size, if it wants to set it.
    pub size: Option<(u16, u16)>,
}

/// First frame of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    pub version: u8,
    pub agent: String,
    pub mode: crate::types::host::Mode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    pub cols: u16,
    pub rows: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Kill at once instead of asking first.
    pub force: bool,
    /// Why it is given up; without it the agent is only asked to end.
    #[serde(default)]
    pub given_up: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nudge {
    pub from: String,
    pub text: String,
}

/// A grove command that the agent ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Without the program's name.
    pub argv: Vec<String>,
    pub cwd: PathBuf,
    /// Standard input, as far as the command reads it.
    #[serde(with = "bytes_as_text")]
    pub stdin: Vec<u8>,
}

/// What a command printed and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// How the agent is, seen by its host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub agent: String,
    pub session_id: String,
    pub cli_pid: i32,
    /// A tool is running now.
    pub in_tool: bool,
    /// A turn is going on.
    pub in_turn: bool,
    /// Milliseconds since the epoch of the last output, 0 for none.
    pub last_output_ms: i64,
    pub last_hook_ms: i64,
    pub clients: usize,
}

/// What became of a nudge or a stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct Outcome {
    pub done: bool,
    /// It was kept and will be given to the agent at its next step.
    pub queued: bool,
    pub detail: String,
}

/// The CLI has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exited {
    pub code: Option<i32>,
    pub signal: Option<String>,
    pub cause: String,
}

/// Bytes that are nearly always text: JSON keeps them readable, and bytes that are not UTF-8
/// are sent as numbers.
mod bytes_as_text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], s: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) => s.serialize_str(text),
            Err(_) => bytes.serialize(s),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<u8>, D::Error> {
        Ok(match Either::deserialize(d)? {
            Either::Text(text) => text.into_bytes(),
            Either::Bytes(bytes) => bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn frames_round_trip(body in prop::collection::vec(any::<u8>(), 0..2000)) {
            let frame = Frame::new(Kind::Output, body);
            let bytes = frame.encode();
            prop_assert_eq!(read(&mut bytes.as_slice()).unwrap(), Some(frame));
        }

        #[test]
        fn commands_round_trip_whatever_stdin_is(stdin in prop::collection::vec(any::<u8>(), 0..200)) {
            let command = Command { argv: vec!["hook".into()], cwd: "/w".into(), stdin };
            let frame = Frame::json(Kind::Command, &command);
            prop_assert_eq!(frame.parse::<Command>().unwrap(), command);
        }

        #[test]
        fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            drop(read(&mut bytes.as_slice()));
        }
    }

    #[test]
    fn an_unknown_kind_is_skipped() {
        let mut bytes = vec![0, 0, 0, 1, 250, 7];
        bytes.extend(Frame::new(Kind::Poke, []).encode());
        assert_eq!(
            read(&mut bytes.as_slice()).unwrap().unwrap().kind,
            Kind::Poke
        );
    }
}
