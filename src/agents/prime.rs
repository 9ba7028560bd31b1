//! The context a session starts with: project and roles for a person's session, identity and task
//! for an agent. Pure rendering from what the caller collected.

use std::fmt::Write as _;

use super::checkpoint::Checkpoint;
use super::identity::Identity;
use super::manifest::Manifest;
use crate::config::Config;
use crate::db::metrics::SessionMetrics;
use crate::types::AgentSession;
use crate::worktree::INSTRUCTION_FILES;

/// What is known about the project.
#[derive(Debug)]
pub struct ProjectContext<'a> {
    /// Configuration.
    pub config: &'a Config,
    /// Roles, if the manifest can be read.
    pub manifest: Option<&'a Manifest>,
    /// Branch that is checked out.
    pub session_branch: Option<&'a str>,
    /// Latest sessions, newest first; `None` leaves the section out.
    pub recent: Option<&'a [SessionMetrics]>,
    /// Expertise text; `None` leaves the section out.
    pub expertise: Option<&'a str>,
}

/// What is remembered of an agent's name.
#[derive(Debug, Clone, Copy)]
pub enum Memory<'a> {
    /// The name was never used.
    None,
    /// Its earlier sessions.
    Known(&'a Identity),
    /// There is something, which cannot be read.
    Unreadable,
}

/// What is known about an agent.
#[derive(Debug)]
pub struct AgentContext<'a> {
    /// Agent name.
    pub name: &'a str,
    /// What is remembered of its name.
    pub memory: Memory<'a>,
    /// Its session, if it has one.
    pub session: Option<&'a AgentSession>,
    /// What it left behind, when it resumes.
    pub checkpoint: Option<&'a Checkpoint>,
    /// Runtime whose instruction file it reads.
    pub runtime: &'a str,
    /// Expertise text; `None` leaves the section out.
    pub expertise: Option<&'a str>,
}

/// Renders the context of a person's own session.
pub fn project_context(facts: &ProjectContext<'_>) -> String {
    let project = &facts.config.project;
    let mut out = format!(
        "# Overstory Context\n\n## Project: {}\nCanonical branch: {}\n",
        project.name, project.canonical_branch
    );
    if let Some(branch) = facts
        .session_branch
        .filter(|branch| *branch != project.canonical_branch)
    {
        writeln!(out, "Session branch: {branch} (merge target)").unwrap_or_default();
    }
    let agents = &facts.config.agents;
    writeln!(
        out,
        "Max concurrent agents: {}\nMax depth: {}",
        agents.max_concurrent, agents.max_depth
    )
    .unwrap_or_default();
    out.push_str("\n## Agent Manifest\n");
    for agent in facts.manifest.iter().flat_map(|manifest| &manifest.agents) {
        let spawns = if agent.can_spawn { " (can spawn)" } else { "" };
        writeln!(
            out,
            "- **{}** [{}]: {}{spawns}",
            agent.name,
            agent.model,
            agent.capabilities.join(", ")
        )
        .unwrap_or_default();
    }
    if let Some(recent) = facts.recent {
        out.push_str("\n## Recent Activity\n");
        if recent.is_empty() {
            out.push_str("No recent sessions.\n");
        }
        for session in recent {
            out.push_str(&recent_line(session));
        }
    }
    push_expertise(&mut out, facts.expertise);
    out
}

fn recent_line(session: &SessionMetrics) -> String {
    let state = if session.completed_at.is_some() {
        "completed"
    } else {
        "in-progress"
    };
    let seconds = (session.duration_ms as f64 / 1000.0).round() as i64;
    let duration = if session.duration_ms > 0 {
        format!(" ({seconds}s)")
    } else {
        String::new()
    };
    let merge = session
        .merge_result
        .as_ref()
        .map_or_else(String::new, |tier| format!(" [{tier}]"));
    format!(
        "- {} ({}): {} — {state}{duration}{merge}\n",
        session.agent_name, session.capability, session.task_id
    )
}

/// Renders the context of an agent.
pub fn agent_context(facts: &AgentContext<'_>) -> String {
    let mut out = format!("# Agent Context: {}\n\n## Identity\n", facts.name);
    match facts.memory {
        Memory::Known(identity) => push_identity(&mut out, identity),
        Memory::None => out.push_str("New agent - no prior sessions\n"),
        Memory::Unreadable => out.push_str("What is remembered of this agent cannot be read\n"),
    }
    let bound = facts
        .session
        .filter(|session| session.state.is_active() && !session.task_id.is_empty());
    if let Some(session) = bound {
        let file = INSTRUCTION_FILES
            .iter()
            .find(|(runtime, _)| *runtime == facts.runtime)
            .map_or(".claude/CLAUDE.md", |(_, file)| file);
        writeln!(out, "\n## Activation\nYou have a bound task: **{}**\nRead your overlay at `{file}` and begin working immediately.\nDo not wait for dispatch mail. Your assignment was bound at spawn time.",
            session.task_id).unwrap_or_default();
    }
    if let Some(checkpoint) = facts.checkpoint {
        push_checkpoint(&mut out, checkpoint);
    }
    push_expertise(&mut out, facts.expertise);
    out
}

fn push_identity(out: &mut String, identity: &Identity) {
    writeln!(
        out,
        "Name: {}\nCapability: {}\nSessions completed: {}",
        identity.name, identity.capability, identity.sessions_completed
    )
    .unwrap_or_default();
    if !identity.expertise_domains.is_empty() {
        writeln!(out, "Expertise: {}", identity.expertise_domains.join(", ")).unwrap_or_default();
    }
    if !identity.recent_tasks.is_empty() {
        out.push_str("Recent tasks:\n");
        for task in &identity.recent_tasks {
            writeln!(
                out,
                "  - {}: {} ({})",
                task.task_id, task.summary, task.completed_at
            )
            .unwrap_or_default();
        }
    }
}

fn push_checkpoint(out: &mut String, checkpoint: &Checkpoint) {
    writeln!(out, "\n## Session Recovery\n\nYou are resuming from a previous session that was compacted.\n\n**Progress so far:** {}\n**Files modified:** {}\n**Pending work:** {}\n**Branch:** {}",
        checkpoint.progress_summary,
        checkpoint.files_modified.join(", "),
        checkpoint.pending_work,
        checkpoint.current_branch).unwrap_or_default();
}

fn push_expertise(out: &mut String, text: Option<&str>) {
    if let Some(text) = text.map(str::trim_end).filter(|text| !text.is_empty()) {
        writeln!(out, "\n## Expertise\n{text}").unwrap_or_default();
    }
}
