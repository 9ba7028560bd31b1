//! What the engine tells a front end about the project: plain values, ready to be drawn.
//!
//! Responsible for the shapes only. It does no I/O, reads no clock and knows no store: every
//! time is in epoch milliseconds and every age is worked out where it is drawn, so a view that
//! has not changed does not have to be sent again because a second has passed.

mod agent;
mod mail;
mod merge;
mod project;

pub use agent::{
    AgentState, AgentView, Attention, Evidence, ExitView, NeedsReason, PaneMode, TokenCounts,
};
pub use mail::{MailPriority, MailView};
pub use merge::{
    AttemptView, ChangeView, DisplacedView, ForecastView, GateProgress, GateView, LookedOver,
    MeetingKind, MeetingView, MergeState, MergeStep, MergeView, OverlapView, ReceiptView,
    RedGateView, UndoView, UndoWay,
};
pub use project::{FoundView, Lease, ProjectStage, ProjectView, RunView};
