//! One life of an agent and the states it goes through.

/// The recorded state of a session; text forms are those of `sessions.db`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    pub const ALL: [Self; 7] = [
        Self::Booting,
        Self::Working,
        Self::InTurn,
        Self::BetweenTurns,
        Self::Completed,
        Self::Stalled,
        Self::Zombie,
    ];

    pub const fn as_str(self) -> &'static str {
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

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }

    /// Whether a session in this state will never do anything again.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Zombie)
    }

    pub const fn is_active(self) -> bool {
        !self.is_terminal()
    }

    /// The states from which a guarded transition into `self` is allowed.
    pub const fn allowed_from(self) -> &'static [Self] {
        use AgentState::{BetweenTurns, Booting, Completed, InTurn, Stalled, Working, Zombie};
        match self {
            Booting => &[],
            Working => &[Booting, Working, Stalled],
            InTurn => &[Booting, InTurn, BetweenTurns, Stalled],
            BetweenTurns => &[InTurn, BetweenTurns, Stalled],
            Stalled => &[Booting, Working, InTurn, BetweenTurns, Stalled],
            Completed => &Self::ALL,
            Zombie => &[Booting, Working, InTurn, BetweenTurns, Stalled, Zombie],
        }
    }
}

/// One row of `sessions`: an agent and its latest life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSession {
    pub id: String,
    pub agent_name: String,
    pub capability: String,
    pub worktree_path: String,
    pub branch_name: String,
    /// Empty for persistent agents.
    pub task_id: String,
    /// Empty for agents without a tmux session, which is every agent grove starts.
    pub tmux_session: String,
    pub state: AgentState,
    pub pid: Option<i64>,
    pub parent_agent: Option<String>,
    pub depth: i64,
    pub run_id: Option<String>,
    pub started_at: String,
    pub last_activity: String,
    pub escalation_level: i64,
    pub stalled_since: Option<String>,
    pub transcript_path: Option<String>,
    pub prompt_version: Option<String>,
    pub claude_session_id: Option<String>,
}

#[cfg(test)]
impl AgentSession {
    /// A builder that works, for tests to change.
    pub(crate) fn example(name: &str) -> Self {
        Self {
            id: format!("session-1-{name}"),
            agent_name: name.to_owned(),
            capability: "builder".to_owned(),
            worktree_path: "/w".to_owned(),
            branch_name: format!("overstory/{name}/t-1"),
            task_id: "t-1".to_owned(),
            tmux_session: String::new(),
            state: AgentState::Working,
            pid: None,
            parent_agent: None,
            depth: 0,
            run_id: None,
            started_at: "2026-01-01T00:00:00.000Z".to_owned(),
            last_activity: "2026-01-01T00:00:00.000Z".to_owned(),
            escalation_level: 0,
            stalled_since: None,
            transcript_path: None,
            prompt_version: None,
            claude_session_id: None,
        }
    }
}

/// Capabilities that live as long as the project and are exempt from stale and zombie timing.
pub fn is_persistent(capability: &str) -> bool {
    matches!(capability, "coordinator" | "orchestrator" | "monitor")
}

/// Capabilities whose sessions may not change any file.
pub fn is_read_only(capability: &str) -> bool {
    !matches!(capability, "builder" | "merger")
}

/// Capabilities that may start other agents.
pub fn can_spawn(capability: &str) -> bool {
    matches!(
        capability,
        "lead" | "coordinator" | "orchestrator" | "supervisor"
    )
}

#[cfg(test)]
mod tests {
    use super::AgentState as S;

    #[test]
    fn completed_is_never_left_and_zombie_only_towards_completed() {
        for target in S::ALL {
            assert_eq!(
                target.allowed_from().contains(&S::Completed),
                target == S::Completed
            );
            let from_zombie = target.allowed_from().contains(&S::Zombie);
            assert_eq!(from_zombie, matches!(target, S::Completed | S::Zombie));
        }
    }

    #[test]
    fn text_round_trips() {
        for state in S::ALL {
            assert_eq!(S::parse(state.as_str()), Some(state));
        }
        assert_eq!(S::parse("idle"), None);
    }
}
