//! Why mail was not sent or found.

use thiserror::Error;

use crate::db::DbError;
use crate::platform::FsError;
use crate::platform::claims::ClaimError;

/// A mail operation that did not happen.
#[derive(Debug, Error)]
pub enum MailError {
    /// The store failed.
    #[error(transparent)]
    Db(#[from] DbError),
    /// A file beside the store failed.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// Who hands over what could not be told.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// No message has this id.
    #[error("Message not found: {id}")]
    NotFound {
        /// The id asked for.
        id: String,
    },
    /// The recipient will never read again.
    #[error(
        "Recipient \"{agent}\" is in terminal state ({state}); message not sent. The agent is no longer running, so this message would never be delivered."
    )]
    TerminalRecipient {
        /// The recipient.
        agent: String,
        /// Its state.
        state: &'static str,
    },
    /// Two agents only answer each other.
    #[error(
        "you and \"{other}\" have sent each other {count} messages in {time}; this one was not sent. Go on with your task; what cannot wait goes to your parent with --type escalation"
    )]
    Loop {
        /// The other side.
        other: String,
        /// Messages both ways.
        count: i64,
        /// Within which time.
        time: &'static str,
    },
    /// Agents only hand on to each other, in a circle.
    #[error(
        "messages go round in a circle ({}) for {time}; this one was not sent. Go on with your task; what cannot wait goes to your parent with --type escalation", .path.join(" -> ")
    )]
    Circle {
        /// From the sender back to it.
        path: Vec<String>,
        /// Within which time.
        time: &'static str,
    },
    /// One agent writes too fast.
    #[error(
        "you have sent {count} messages {to} in {time}; this one was not sent. Gather what you have to say in one message"
    )]
    Flood {
        /// To whom: one agent, or all.
        to: String,
        /// How many.
        count: i64,
        /// Within which time.
        time: &'static str,
    },
    /// The address starts with `@` and names no group.
    #[error("Unknown group address: \"{address}\". Valid groups: {}", super::VALID_GROUPS.join(", "))]
    UnknownGroup {
        /// The address as given.
        address: String,
    },
    /// Nobody is in the group right now.
    #[error("Group address \"{address}\" resolved to zero recipients ({why})")]
    EmptyGroup {
        /// The address as given.
        address: String,
        /// Which members were looked for.
        why: String,
    },
}
