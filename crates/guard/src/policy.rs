//! What the guard is told about an agent, what it answers, and which freedoms each capability has.
//!
//! No rule lives here: only the table of roles the rules ask.

use std::path::PathBuf;

use super::advice::advice;

/// Everything the guard needs to know about the agent that makes a call.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The agent's name, which is also part of its branch.
    pub agent: String,
    /// The capability name; an unknown one gets read-only rules.
    pub capability: String,
    /// The agent's own worktree, where it may write.
    pub worktree: PathBuf,
    /// The main checkout.
    pub root: PathBuf,
    /// The agent's own temporary folder, also writable.
    pub temp: Option<PathBuf>,
    /// Commands a read-only role may run although they build things.
    pub quality_gates: Vec<String>,
    /// The tracker item the agent works on.
    pub task_id: Option<String>,
    /// The project's `guard.allow`: commands this role may run as one that writes could.
    pub allow: Vec<String>,
    /// The project's `guard.block`: commands nobody runs.
    pub block: Vec<String>,
}

/// The answer to one tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The call may go ahead.
    Allow,
    /// The call must not happen.
    Block {
        /// The rule that decided, a stable name.
        rule: &'static str,
        /// One sentence for the agent: what is wrong and the right way.
        reason: String,
    },
}

impl Decision {
    /// Whether the call may go ahead.
    pub fn is_allowed(&self) -> bool {
        *self == Self::Allow
    }
}

/// Why something is refused; becomes a `Decision::Block`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) rule: &'static str,
    pub(crate) reason: String,
}

impl Refusal {
    pub(crate) fn new(rule: &'static str, reason: impl Into<String>) -> Self {
        Self {
            rule,
            reason: reason.into(),
        }
    }
}

impl From<Result<(), Refusal>> for Decision {
    fn from(result: Result<(), Refusal>) -> Self {
        match result {
            Ok(()) => Self::Allow,
            Err(Refusal { rule, reason }) => Self::Block {
                rule,
                // An agent that only hears what is wrong tries the next wrong thing.
                reason: if reason.contains("; ") {
                    reason
                } else {
                    format!("{reason}; {}", advice(rule))
                },
            },
        }
    }
}

/// What a step of the judgement gives: a value, or the refusal that ends it.
pub(crate) type Judged<T> = Result<T, Refusal>;

/// The stable names of the rules.
pub(crate) mod rule {
    pub(crate) const MALFORMED: &str = "malformed";
    pub(crate) const UNPROVEN: &str = "unproven";
    pub(crate) const PUBLISH: &str = "publish";
    pub(crate) const OUTSIDE: &str = "outside";
    pub(crate) const DESTROY: &str = "destroy";
    pub(crate) const PROTECTED: &str = "protected";
    pub(crate) const READ_ONLY: &str = "read-only";
    pub(crate) const DELEGATION: &str = "delegation";
    pub(crate) const PROCESS: &str = "process";
    pub(crate) const PRIVILEGE: &str = "privilege";
    pub(crate) const NETWORK: &str = "network";
    pub(crate) const CREDENTIALS: &str = "credentials";
    pub(crate) const STATE: &str = "state";
    pub(crate) const BRANCH: &str = "branch";
    pub(crate) const PROJECT: &str = "project";
}

/// The names of all rules, as `grove guard log` shows them.
pub const RULES: &[&str] = &[
    rule::BRANCH,
    rule::CREDENTIALS,
    rule::DELEGATION,
    rule::DESTROY,
    rule::MALFORMED,
    rule::NETWORK,
    rule::OUTSIDE,
    rule::PRIVILEGE,
    rule::PROCESS,
    rule::PROJECT,
    rule::PROTECTED,
    rule::PUBLISH,
    rule::READ_ONLY,
    rule::STATE,
    rule::UNPROVEN,
];

/// The capabilities the guard knows; an agent of any other one only reads.
pub const CAPABILITIES: &[&str] = &[
    "builder",
    "coordinator",
    "lead",
    "merger",
    "monitor",
    "orchestrator",
    "reviewer",
    "scout",
    "supervisor",
];

/// The freedoms of a capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Writes inside its worktree and commits on its own branch.
    Writer,
    /// Reads, and may start other agents through the orchestrator.
    Lead,
    /// Reads, commits bookkeeping, and steers the team through the orchestrator.
    Coordination,
    /// Only reads.
    Reader,
}

impl Role {
    pub(crate) fn of(capability: &str) -> Self {
        match capability {
            "builder" | "merger" => Self::Writer,
            "lead" => Self::Lead,
            "coordinator" | "orchestrator" | "supervisor" | "monitor" => Self::Coordination,
            _ => Self::Reader,
        }
    }

    pub(crate) fn writes(self) -> bool {
        self == Self::Writer
    }
}
