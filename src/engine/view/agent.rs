//! One agent of the fleet, and what it deserves right now.

use crate::types::host::Protection;

/// The state of a session as it is recorded in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AgentState {
    Booting,
    Working,
    InTurn,
    BetweenTurns,
    Completed,
    Stalled,
    Zombie,
}

impl AgentState {
    /// Names the state as the store and the command line spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Booting => "booting",
            Self::Working => "working",
            Self::InTurn => "in_turn",
            Self::BetweenTurns => "between_turns",
            Self::Completed => "completed",
            Self::Stalled => "stalled",
            Self::Zombie => "zombie",
        }
    }

    /// Tells whether the session is over.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Zombie)
    }
}

/// What an agent that needs a person is waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NeedsReason {
    /// A tool call waits for permission.
    Permission,
    /// The agent asked a question.
    Question,
    /// Mail that escalates to a person.
    Escalation,
    /// A plan checkpoint.
    Checkpoint,
    /// A merge was held because lines would be displaced.
    Displaced,
    /// The CLI wants somebody to sign in.
    SignIn,
    /// The guard has refused it the same thing again and again.
    Refused,
}

impl NeedsReason {
    /// Names the reason in one short word, as lists show it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Question => "question",
            Self::Escalation => "escalation",
            Self::Checkpoint => "checkpoint",
            Self::Displaced => "displaced",
            Self::SignIn => "sign-in",
            Self::Refused => "refused",
        }
    }
}

/// What an agent deserves right now, derived by the engine from evidence, not from the record
/// alone. The variants are listed by urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attention {
    NeedsYou {
        reason: NeedsReason,
    },
    Error,
    OverBudget,
    Stalled,
    RateLimited,
    Working,
    Booting,
    BetweenTurns,
    /// The process is gone although the session was not completed.
    Dead,
    /// A person has stopped it before it was done.
    Stopped,
    Done,
}

impl Attention {
    /// Ranks by urgency: the smaller, the sooner somebody should look.
    pub fn urgency(self) -> u8 {
        match self {
            Self::NeedsYou { .. } => 0,
            Self::Error => 1,
            Self::OverBudget => 2,
            Self::Stalled => 3,
            Self::RateLimited => 4,
            Self::Working => 5,
            Self::Booting => 6,
            Self::BetweenTurns => 7,
            Self::Dead => 8,
            Self::Stopped => 9,
            Self::Done => 10,
        }
    }
}

/// One observed fact and when it was observed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    pub text: String,
    /// Since when this holds.
    pub since_ms: i64,
}

/// How the agent is hosted and therefore what its pane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneMode {
    /// A live terminal: keys can be typed into it.
    Pty,
    /// A rendered transcript of a structured stream: only messages can be sent.
    Stream,
}

/// Tokens used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCounts {
    pub input: u64,
    pub output: u64,
    pub cache: u64,
}

/// How an agent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitView {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// The likely cause in words, if one is known.
    pub cause: Option<String>,
    pub at_ms: i64,
}

/// One agent of the fleet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentView {
    pub name: String,
    pub capability: String,
    pub state: AgentState,
    pub attention: Attention,
    /// Why `attention` is what it is, and since when.
    pub evidence: Evidence,
    /// Further facts for the health screen, newest last.
    pub observations: Vec<Evidence>,
    pub parent: Option<String>,
    pub depth: u32,
    pub task: Option<String>,
    pub branch: Option<String>,
    pub worktree: Option<String>,
    pub runtime: String,
    pub mode: PaneMode,
    pub model: Option<String>,
    /// `None` when the price is not known.
    pub cost_micro_usd: Option<i64>,
    pub tokens: TokenCounts,
    pub context_percent: Option<u8>,
    pub pid: Option<u32>,
    pub started_ms: i64,
    pub last_output_ms: Option<i64>,
    pub unread_mail: u32,
    /// How far the watchdog has gone: 0 is nothing.
    pub escalation_level: u32,
    /// What will happen by itself and when, if anything is planned.
    pub next_step: Option<Evidence>,
    pub exit: Option<ExitView>,
    /// What keeps it in its place, where that is known.
    pub protection: Option<Protection>,
}
