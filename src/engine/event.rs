//! What the engine tells a front end, and the pair of channels between the two.
//!
//! Views replace the previous view of their kind as a whole; pane events are increments in the
//! order in which the host produced them. Both channels are bounded: a front end that does not
//! keep up delays nobody but itself, and the engine brings a pane up to date with a new snapshot.

use tokio::sync::mpsc;

use crate::engine::command::{CommandId, Request};
use crate::engine::review::{Place, Proposal, ReviewView};
use crate::engine::view::{AgentView, AttemptView, MailView, MergeView, ProjectView, UndoView};

/// The only thing a front end ever holds of the engine.
#[derive(Debug)]
pub struct EngineHandle {
    pub commands: mpsc::Sender<Request>,
    pub events: mpsc::Receiver<EngineEvent>,
}

impl EngineHandle {
    /// Creates the front end's half and the engine's half of a connection.
    pub fn pair(capacity: usize) -> (Self, EngineSide) {
        let (commands, requests) = mpsc::channel(capacity);
        let (sender, events) = mpsc::channel(capacity);
        (
            Self { commands, events },
            EngineSide {
                requests,
                events: sender,
            },
        )
    }
}

/// The engine's half of a connection to a front end.
#[derive(Debug)]
pub struct EngineSide {
    pub requests: mpsc::Receiver<Request>,
    pub events: mpsc::Sender<EngineEvent>,
}

/// Something a front end should know. A view that is not sent along with a project that is ready
/// is an empty one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineEvent {
    Fleet(Vec<AgentView>),
    /// All messages worth showing, newest first.
    Mail(Vec<MailView>),
    /// The queue in landing order, landed entries last.
    Merge(Vec<MergeView>),
    /// All attempts to land an entry's branch, the newest first, as was asked.
    Attempts {
        id: i64,
        attempts: Vec<AttemptView>,
    },
    /// What taking a landed merge back would do, as was asked.
    Undo(UndoView),
    Project(ProjectView),
    /// What is contested in an entry of the queue, or why that cannot be said.
    Review {
        id: i64,
        result: Result<Box<ReviewView>, String>,
    },
    /// All there is to know about one place of a review; what is decided about it, the front end knows.
    Place {
        id: i64,
        place: Box<Place>,
    },
    /// What the runtime answered about one place.
    Proposal {
        id: i64,
        place: String,
        result: Result<Proposal, String>,
    },
    /// How accepting a review ended: what landed, or why nothing did.
    Accepted {
        id: i64,
        result: Result<String, String>,
    },
    /// One line for the feed.
    Log(LogLine),
    Toast {
        level: Level,
        text: String,
    },
    CommandDone {
        id: CommandId,
        /// What happened, or why nothing did, in words for a person. May be empty on success.
        result: Result<String, String>,
    },
    Pane {
        agent: String,
        event: PaneEvent,
    },
}

impl EngineEvent {
    /// Counts the bytes of terminal output in it, for front ends that take a limited amount.
    pub fn output_len(&self) -> usize {
        match self {
            Self::Pane {
                event: PaneEvent::Output(bytes),
                ..
            } => bytes.len(),
            Self::Fleet(_)
            | Self::Mail(_)
            | Self::Merge(_)
            | Self::Attempts { .. }
            | Self::Undo(_)
            | Self::Project(_)
            | Self::Review { .. }
            | Self::Place { .. }
            | Self::Proposal { .. }
            | Self::Accepted { .. }
            | Self::Log(_)
            | Self::Toast { .. }
            | Self::CommandDone { .. }
            | Self::Pane { .. } => 0,
        }
    }
}

/// How loud a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Noted, not announced.
    Info,
    /// Something worked.
    Ok,
    Warn,
    Error,
    /// A person has to act.
    Act,
}

/// One line of the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    pub at_ms: i64,
    pub level: Level,
    /// The agent it is about, if it is about one.
    pub agent: Option<String>,
    pub text: String,
}

/// Something that happened to an attached terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaneEvent {
    /// Replaces the pane's whole screen: a reset terminal of this size fed with these bytes.
    Snapshot {
        cols: u16,
        rows: u16,
        bytes: Vec<u8>,
    },
    Output(Vec<u8>),
    /// The terminal has this size from the next output on.
    Resized {
        cols: u16,
        rows: u16,
    },
    Exited {
        code: Option<i32>,
        signal: Option<i32>,
        cause: Option<String>,
    },
    /// There is no terminal to show (no host, host unreachable, stream without a transcript).
    Unavailable {
        reason: String,
    },
}
