//! What a front end asks the engine to do.
//!
//! One value per verb, the same verb whether it comes from a key, the palette or the mouse.
//! Plain data: carrying a command out is the engine's business, and so is deciding whether it is
//! allowed. The answer comes back as `EngineEvent::CommandDone` with the same id.

use crate::engine::review::Decision;
use crate::engine::view::MailPriority;

/// Identifies one request of one front end, so that its answer can be told from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandId(pub u64);

/// A command on its way to the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub id: CommandId,
    pub command: Command,
}

/// Everything a front end can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Show this agent's terminal: answered by a `Snapshot`, then `Output` until `Detach`.
    Attach {
        agent: String,
        cols: u16,
        rows: u16,
    },
    Detach {
        agent: String,
    },
    /// Bytes for the agent's terminal, already encoded. Works without being attached.
    Input {
        agent: String,
        bytes: Vec<u8>,
    },
    /// Text for the agent's terminal; its host brackets it if the agent asked for that.
    Paste {
        agent: String,
        text: String,
    },
    Resize {
        agent: String,
        cols: u16,
        rows: u16,
    },
    SendMail {
        /// An agent name or a group such as `@all`.
        to: String,
        subject: String,
        body: String,
        kind: String,
        priority: MailPriority,
    },
    ReplyMail {
        id: String,
        body: String,
    },
    MarkRead {
        id: String,
        read: bool,
    },
    Nudge {
        agent: String,
        message: String,
    },
    Stop {
        agent: String,
        force: bool,
    },
    /// Merge the branch here and now, or next if somebody else coordinates.
    MergeNow {
        branch: String,
    },
    /// Merge everything that waits and needs nobody's decision.
    MergeClean,
    RetryMerge {
        branch: String,
    },
    /// Merge it with a model deciding the contested lines; its answer passes the same account.
    CombineMerge {
        branch: String,
    },
    /// Merge it with both sides of every contested place.
    KeepBoth {
        branch: String,
    },
    /// Let the entry land one place earlier or later.
    ReorderMerge {
        id: i64,
        earlier: bool,
    },
    /// Stop landing, or go on.
    PauseMerges {
        paused: bool,
    },
    /// Take the entry out of the queue; the branch stays.
    DropMerge {
        branch: String,
    },
    /// Cancel a merge of this process that has not come to its landing; without a branch all of them, for
    /// good: their entries wait as before.
    CancelMerge {
        branch: Option<String>,
    },
    /// Put a dropped entry back.
    RestoreMerge {
        id: i64,
    },
    /// Say what taking a landed merge back would do: answered by an `Undo` event, or an error.
    PlanUndo {
        id: i64,
    },
    /// Take a landed merge back: exactly, or by landing the revert that was prepared.
    UndoMerge {
        id: i64,
        revert: Option<String>,
    },
    /// Tell all attempts to land an entry's branch: answered by `Attempts`, silently empty if nothing
    /// can be read.
    MergeHistory {
        id: i64,
    },
    /// The merge queue is looked at, or no longer: forecasts are only made for somebody.
    WatchMerges {
        on: bool,
    },
    /// Whose work meets is looked at, or no longer, by somebody who does not look at the queue.
    WatchOverlaps {
        on: bool,
    },
    /// Find out what is contested in an entry of the queue: answered by a `Review`.
    Review {
        id: i64,
    },
    /// Find out all there is about a place of the review that was opened last: answered by a `Place`, not at
    /// all if there is none or another one is asked for meanwhile.
    LookUp {
        id: i64,
        place: String,
    },
    /// Keep a decision about one place, or forget it.
    Decide {
        id: i64,
        place: String,
        decision: Option<Decision>,
    },
    /// Ask the configured runtime about one place: answered by a `Proposal`.
    AskAi {
        id: i64,
        place: String,
    },
    /// Land what was decided, if target and branch still are these commits.
    AcceptReview {
        id: i64,
        target_tip: String,
        branch_tip: String,
        decisions: Vec<(String, Decision)>,
    },
    Sling {
        task: String,
        capability: String,
        /// Empty: the engine chooses.
        name: String,
        /// Empty: the configured default.
        runtime: String,
        /// Path of a spec file, or empty.
        spec: String,
    },
    /// Create `.overstory/` in this repository.
    Init,
    /// The front end is leaving. `handover` asks for a headless coordinator to go on.
    Quit {
        handover: bool,
    },
}

impl Command {
    /// Names the verb as the command line and the log spell it.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Attach { .. } => "attach",
            Self::Detach { .. } => "detach",
            Self::Input { .. } => "input",
            Self::Paste { .. } => "paste",
            Self::Resize { .. } => "resize",
            Self::SendMail { .. } => "mail send",
            Self::ReplyMail { .. } => "mail reply",
            Self::MarkRead { .. } => "mail read",
            Self::Nudge { .. } => "nudge",
            Self::Stop { .. } => "stop",
            Self::MergeNow { .. } => "merge",
            Self::MergeClean => "merge all",
            Self::RetryMerge { .. } => "merge retry",
            Self::CombineMerge { .. } => "merge combine",
            Self::KeepBoth { .. } => "merge keep both",
            Self::ReorderMerge { .. } => "merge reorder",
            Self::PauseMerges { .. } => "merge pause",
            Self::RestoreMerge { .. } => "merge restore",
            Self::PlanUndo { .. } | Self::UndoMerge { .. } => "merge undo",
            Self::MergeHistory { .. } => "merge show",
            Self::WatchMerges { .. } => "merge watch",
            Self::WatchOverlaps { .. } => "overlaps",
            Self::DropMerge { .. } => "merge drop",
            Self::CancelMerge { .. } => "merge cancel",
            Self::Review { .. } => "review",
            Self::LookUp { .. } => "review look",
            Self::Decide { .. } => "review decide",
            Self::AskAi { .. } => "review ask",
            Self::AcceptReview { .. } => "review accept",
            Self::Sling { .. } => "sling",
            Self::Init => "init",
            Self::Quit { .. } => "quit",
        }
    }
}
