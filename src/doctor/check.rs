//! What a check has to say.

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStatus {
    /// As it should be.
    Pass,
    /// Worth knowing.
    Warn,
    /// Something will not work.
    Fail,
}

impl CheckStatus {
    /// Returns the name used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// A repair that `--fix` can carry out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Create missing folders and files, remove leftovers.
    Structure,
    /// Migrate old databases, set unreadable ones aside.
    Databases,
    /// Mark sessions whose process is gone.
    DeadSessions,
    /// Remove a pid file that names nobody.
    WatchdogPid,
    /// Remove sockets that nobody listens on.
    Sockets,
    /// Remove checkouts that killed merges have made.
    Checkouts,
    /// Let worktrees and their repository find each other.
    Pointers,
    /// Remove links from git's folders of worktrees.
    Links,
    /// Set objects aside that were replaced, and write them anew.
    Objects,
    /// Remove refs of agents that name no object.
    Refs,
    /// Make agents' branches that are other names branches of their own.
    SymbolicRefs,
    /// Remove worktrees that a killed git has left half made.
    HalfMade,
}

/// What one repair has come to, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repaired {
    Done(String),
    Failed(String),
}

impl Repaired {
    /// A repair that did not go through.
    pub(super) fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(format!("could not repair: {error}"))
    }

    /// The line.
    pub fn text(&self) -> &str {
        match self {
            Self::Done(text) | Self::Failed(text) => text,
        }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Short fixed name.
    pub name: String,
    /// Category, set by the runner.
    pub category: &'static str,
    /// Outcome.
    pub status: CheckStatus,
    /// One sentence.
    pub message: String,
    /// Names and paths, absent when there are none.
    pub details: Option<Vec<String>>,
    /// Whether `--fix` helps; absent where the category does not say.
    pub fixable: Option<bool>,
    /// What `--fix` would do.
    pub repair: Option<Repair>,
}

impl Check {
    fn new(name: impl Into<String>, status: CheckStatus, message: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            category: "",
            status,
            message: message.into(),
            details: None,
            fixable: None,
            repair: None,
        }
    }

    /// A check that found nothing.
    pub fn pass(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(name, CheckStatus::Pass, message)
    }

    /// A check that found something worth knowing.
    pub fn warn(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(name, CheckStatus::Warn, message)
    }

    /// A check that found something broken.
    pub fn fail(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(name, CheckStatus::Fail, message)
    }

    /// Adds details.
    #[must_use]
    pub fn details(mut self, details: Vec<String>) -> Self {
        self.details = Some(details);
        self
    }

    /// Says that `--fix` does not help.
    #[must_use]
    pub fn not_fixable(mut self) -> Self {
        self.fixable = Some(false);
        self
    }

    /// Says that `--fix` helps, though not automatically here.
    #[must_use]
    pub fn fixable(mut self) -> Self {
        self.fixable = Some(true);
        self
    }

    /// Says what `--fix` does about it, where the contract's report is silent about that.
    #[must_use]
    pub fn quietly_repaired_by(mut self, repair: Repair) -> Self {
        self.repair = Some(repair);
        self
    }

    /// Says what `--fix` does about it.
    #[must_use]
    pub fn repaired_by(mut self, repair: Repair) -> Self {
        self.fixable = Some(true);
        self.repair = Some(repair);
        self
    }
}
