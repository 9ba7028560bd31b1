//! Whether one more agent may be started. Pure: looks at the sessions it is given.

use super::AgentError;
use crate::config::AgentsConfig;
use crate::types::AgentSession;
use crate::types::agent::{can_spawn, is_persistent};

/// Where in the team somebody is wanted.
#[derive(Debug)]
pub struct Place<'a> {
    pub capability: &'a str,
    pub parent: Option<&'a str>,
    pub depth: i64,
    pub force_hierarchy: bool,
    /// An agent wants it, for its own team.
    pub for_agent: bool,
}

/// What is asked for.
#[derive(Debug)]
pub struct Wanted<'a> {
    pub name: &'a str,
    pub task: &'a str,
    pub parent: Option<&'a str>,
    pub run: Option<&'a str>,
    /// Overrides `agents.maxAgentsPerLead`.
    pub max_agents: Option<u64>,
}

/// Checks depth and hierarchy; ov looks at them before anything else.
pub fn check_place(wanted: &Place<'_>, limits: &AgentsConfig) -> Result<(), AgentError> {
    if wanted.depth < 0 {
        let depth = wanted.depth;
        return Err(AgentError::NegativeDepth { depth });
    }
    let max_depth = i64::from(limits.max_depth);
    if wanted.depth > max_depth {
        return Err(AgentError::Depth {
            depth: wanted.depth,
            max: max_depth,
        });
    }
    if wanted.for_agent && is_persistent(wanted.capability) {
        return Err(AgentError::OverTheTeam {
            capability: wanted.capability.to_owned(),
        });
    }
    if wanted.for_agent && can_spawn(wanted.capability) && wanted.depth >= max_depth {
        return Err(AgentError::LeadsNobody {
            capability: wanted.capability.to_owned(),
            depth: wanted.depth,
            max: max_depth,
        });
    }
    let alone = ["lead", "scout", "builder"];
    if wanted.parent.is_none() && !wanted.force_hierarchy && !alone.contains(&wanted.capability) {
        return Err(AgentError::Hierarchy {
            capability: wanted.capability.to_owned(),
        });
    }
    Ok(())
}

/// Checks the request against the limits and against who is at work, in ov's order.
pub fn check(
    wanted: &Wanted<'_>,
    limits: &AgentsConfig,
    sessions: &[AgentSession],
) -> Result<(), AgentError> {
    let of_run = sessions
        .iter()
        .filter(|s| s.run_id.is_some() && s.run_id.as_deref() == wanted.run);
    let per_run = u64::from(limits.max_sessions_per_run);
    if let Some(run) = wanted.run
        && per_run > 0
        && of_run.count() as u64 >= per_run
    {
        return Err(AgentError::RunLimit {
            run: run.to_owned(),
            max: per_run,
        });
    }
    let active: Vec<_> = sessions.iter().filter(|s| s.state.is_active()).collect();
    let max = u64::from(limits.max_concurrent);
    if active.len() as u64 >= max {
        return Err(AgentError::Concurrency {
            active: active.len(),
            max,
        });
    }
    if let Some(holder) = active.iter().find(|s| s.agent_name == wanted.name) {
        let (name, state) = (wanted.name.to_owned(), holder.state.as_str());
        return Err(AgentError::NameTaken { name, state });
    }
    let other = active
        .iter()
        .find(|s| s.task_id == wanted.task && Some(s.agent_name.as_str()) != wanted.parent);
    if let Some(other) = other {
        let (task, by) = (wanted.task.to_owned(), other.agent_name.clone());
        return Err(AgentError::TaskTaken { task, by });
    }
    if let Some(lead) = wanted.parent {
        let max = wanted
            .max_agents
            .unwrap_or(u64::from(limits.max_agents_per_lead));
        let children = active
            .iter()
            .filter(|s| s.parent_agent.as_deref() == Some(lead))
            .count();
        if max > 0 && children as u64 >= max {
            return Err(AgentError::LeadLimit {
                lead: lead.to_owned(),
                active: children,
                max,
            });
        }
    }
    Ok(())
}

/// A free name: `<capability>-<task>`, then with `-2`, `-3`, ….
pub fn free_name(capability: &str, task: &str, sessions: &[AgentSession]) -> String {
    let base = format!("{capability}-{task}");
    let taken = |name: &str| {
        sessions
            .iter()
            .any(|s| s.state.is_active() && s.agent_name == name)
    };
    if !taken(&base) {
        return base;
    }
    (2..=100)
        .map(|n| format!("{base}-{n}"))
        .find(|n| !taken(n))
        .unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(capability: &str, depth: i64, for_agent: bool) -> Place<'_> {
        Place {
            capability,
            parent: Some("anna"),
            depth,
            force_hierarchy: false,
            for_agent,
        }
    }

    #[test]
    fn a_lead_starts_neither_a_coordinator_nor_a_lead_that_could_start_nobody() {
        let limits = AgentsConfig::default();
        let deepest = i64::from(limits.max_depth);
        for capability in ["coordinator", "orchestrator", "monitor"] {
            assert!(check_place(&place(capability, 1, true), &limits).is_err());
        }
        assert!(check_place(&place("lead", deepest, true), &limits).is_err());
        assert!(check_place(&place("lead", deepest - 1, true), &limits).is_ok());
        assert!(check_place(&place("builder", deepest, true), &limits).is_ok());
        assert!(check_place(&place("lead", deepest, false), &limits).is_ok());
    }
}
