//! What the project keeps of agents that have died.

use super::{Mulch, NewRecord};
use crate::platform::ProjectPaths;
use crate::types::AgentSession;

/// Keeps that an agent died, and of what: the next one on such a task may run into the same.
pub fn remember_death(paths: &ProjectPaths, session: &AgentSession, cause: &str) {
    let Some(mulch) = Mulch::wanted(paths) else {
        return;
    };
    if let Err(e) = mulch.record("agents", &death(session, cause), false) {
        tracing::warn!("the death of {} is not remembered: {e}", session.agent_name);
    }
}

fn death(session: &AgentSession, cause: &str) -> NewRecord {
    let AgentSession {
        agent_name: agent,
        capability,
        branch_name: branch,
        task_id: task,
        ..
    } = session;
    let on = if task.is_empty() {
        String::new()
    } else {
        format!(" on task {task}")
    };
    let mut new = NewRecord::new("failure")
        .text(
            "description",
            format!("Agent {agent} ({capability}){on} died: {cause}"),
        )
        .text(
            "resolution",
            format!(
                "Its branch {branch} and its worktree were kept; look there before starting again"
            ),
        );
    new.tags = vec!["watchdog".into(), "auto-recorded".into()];
    if !task.is_empty() {
        new.evidence = vec![("bead".into(), task.clone())];
    }
    new
}
