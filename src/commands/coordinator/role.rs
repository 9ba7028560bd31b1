//! The two who can be started, asked and stopped by the same verbs.

use crate::agents::persistent::{self, Life};
use crate::cli::{CliError, CliResult};
use crate::db::SessionStore;
use crate::platform::{ProjectPaths, lease};
use crate::types::AgentSession;
use crate::types::host::ProcessId;

/// Who is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role {
    /// Agent name and capability.
    pub(crate) name: &'static str,
    /// At the beginning of a sentence.
    pub(crate) title: &'static str,
}

pub(crate) const COORDINATOR: Role = Role {
    name: "coordinator",
    title: "Coordinator",
};
pub(crate) const ORCHESTRATOR: Role = Role {
    name: "orchestrator",
    title: "Orchestrator",
};

/// Every active session that coordinates others, whatever its name.
pub(super) fn coordinating(paths: &ProjectPaths) -> CliResult<Vec<AgentSession>> {
    let mut all = SessionStore::look(&paths.sessions_db())?.active()?;
    all.retain(|s| [COORDINATOR.name, ORCHESTRATOR.name].contains(&s.capability.as_str()));
    Ok(all)
}

impl Role {
    /// Its active session.
    pub(super) fn session(&self, paths: &ProjectPaths) -> CliResult<Option<AgentSession>> {
        Ok(persistent::active(paths, self.name, self.name)?)
    }

    /// The session that is meant by a verb: its own, else the one that lives under another name,
    /// as `discover` starts it.
    pub(super) fn meant(&self, paths: &ProjectPaths) -> CliResult<Option<AgentSession>> {
        let own = self.session(paths)?;
        if own.is_some() || self.loop_holder(paths)?.is_some() {
            return Ok(own);
        }
        let mut others = Vec::new();
        for session in coordinating(paths)? {
            if session.capability == self.name && persistent::life(paths, &session)? == Life::Alive
            {
                others.push(session);
            }
        }
        if let [one, another, ..] = others.as_slice() {
            return Err(CliError::agent(format!(
                "several agents coordinate: {} and {}",
                one.agent_name, another.agent_name
            ))
            .hint(format!(
                "say which: grove stop {}, grove nudge {}, grove attach {}",
                one.agent_name, one.agent_name, one.agent_name
            )));
        }
        Ok(others.pop())
    }

    /// The process that runs the loop now, headless or in a full screen.
    pub(super) fn loop_holder(&self, paths: &ProjectPaths) -> CliResult<Option<ProcessId>> {
        if *self != COORDINATOR {
            return Ok(None);
        }
        Ok(lease::holder(&paths.coordinator_lease())?.filter(|h| h.pid > 0))
    }

    /// Whether what stands behind a session lives.
    pub(super) fn lives(&self, paths: &ProjectPaths, session: &AgentSession) -> CliResult<bool> {
        if self.loop_holder(paths)?.is_some() {
            return Ok(true);
        }
        Ok(persistent::life(paths, session)? == Life::Alive)
    }

    pub(super) fn none_active(&self) -> CliError {
        CliError::agent(format!("No active {} session found", self.name))
            .tip(format!("start it with 'grove {} start'", self.name))
    }

    /// The session of one that lives; one that does not is recorded as dead and said to be.
    pub(super) fn living(&self, paths: &ProjectPaths) -> CliResult<AgentSession> {
        let session = self.meant(paths)?.ok_or_else(|| self.none_active())?;
        if self.lives(paths, &session)? {
            return Ok(session);
        }
        persistent::bury(paths, &session)?;
        Err(if session.tmux_session.is_empty() {
            CliError::agent(format!(
                "{} is recorded as active, but its process is gone",
                self.title
            ))
            .hint(format!("start it again: grove {} start", self.name))
        } else {
            CliError::agent(format!(
                "{} tmux session \"{}\" is not alive",
                self.title, session.tmux_session
            ))
        })
    }
}
