//! `agents discover`: who is there and what each one owns.

use clap::Subcommand;
use serde::Serialize;

use crate::agents::roster;
use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::db::SessionStore;
use crate::types::{AgentSession, AgentState};
use crate::worktree::read_file_scope;

/// Every role an agent may have.
pub(super) const CAPABILITIES: [&str; 9] = [
    "scout",
    "builder",
    "reviewer",
    "lead",
    "merger",
    "orchestrator",
    "coordinator",
    "supervisor",
    "monitor",
];

/// Find agents
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Example: grove agents discover --capability builder"
)]
pub struct Args {
    #[command(subcommand)]
    command: AgentsCommand,
}

#[derive(Debug, Subcommand)]
enum AgentsCommand {
    /// List agents with their files
    #[command(
        after_help = "Examples:\n  grove agents discover\n  grove agents discover --capability builder --all"
    )]
    Discover {
        /// Only this capability
        #[arg(long, value_name = "name")]
        capability: Option<String>,
        /// Finished agents too
        #[arg(long)]
        all: bool,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AgentJson<'a> {
    agent_name: &'a str,
    capability: &'a str,
    state: &'static str,
    task_id: &'a str,
    branch_name: &'a str,
    parent_agent: Option<&'a str>,
    depth: i64,
    file_scope: &'a [String],
    started_at: &'a str,
    last_activity: &'a str,
}

#[derive(Serialize)]
struct DiscoverJson<'a> {
    agents: Vec<AgentJson<'a>>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let AgentsCommand::Discover { capability, all } = args.command;
    if let Some(name) = capability
        .as_deref()
        .filter(|name| !CAPABILITIES.contains(name))
    {
        let known = CAPABILITIES.join(", ");
        return Err(CliError::validation(format!(
            "Invalid capability: {name}. Must be one of: {known}"
        )));
    }
    let project = ctx.project()?;
    let store = SessionStore::look(&project.paths.sessions_db())?;
    let mut sessions = if all { store.all()? } else { store.active()? };
    // Also without --all: one that is silently missing would be taken for one that has finished.
    roster::mark_lost(&project.paths, &mut sessions)?;
    let agents: Vec<(AgentSession, Vec<String>)> = sessions
        .into_iter()
        .filter(|session| {
            capability
                .as_deref()
                .is_none_or(|only| only == session.capability)
        })
        .map(|session| {
            let runtime = &project.config.runtime.default;
            let scope = read_file_scope(&project.paths, &session, runtime);
            (session, scope)
        })
        .collect();
    if ctx.is_json() {
        let agents = agents
            .iter()
            .map(|(session, scope)| json(session, scope))
            .collect();
        ctx.out.json("agents discover", &DiscoverJson { agents })?;
    } else {
        show(ctx, &agents)?;
    }
    Ok(Outcome::Done)
}

fn json<'a>(session: &'a AgentSession, scope: &'a [String]) -> AgentJson<'a> {
    AgentJson {
        agent_name: &session.agent_name,
        capability: &session.capability,
        state: session.state.as_str(),
        task_id: &session.task_id,
        branch_name: &session.branch_name,
        parent_agent: session.parent_agent.as_deref(),
        depth: session.depth,
        file_scope: scope,
        started_at: &session.started_at,
        last_activity: &session.last_activity,
    }
}

fn show(ctx: &Context, agents: &[(AgentSession, Vec<String>)]) -> CliResult<()> {
    if agents.is_empty() {
        return ctx.out.line("No agents found.");
    }
    let plural = if agents.len() == 1 { "" } else { "s" };
    ctx.out
        .line(format!("Found {} agent{plural}:\n", agents.len()))?;
    for (session, scope) in agents {
        let mark = match session.state {
            AgentState::Working | AgentState::InTurn => '>',
            AgentState::BetweenTurns => '~',
            AgentState::Booting => '-',
            AgentState::Stalled => '!',
            AgentState::Completed | AgentState::Zombie => ' ',
        };
        let files = if scope.is_empty() {
            "(unrestricted)".to_owned()
        } else {
            scope.join(", ")
        };
        let parent = session.parent_agent.as_deref().unwrap_or("none");
        ctx.out.line(format!(
            "  {mark} {} [{}]",
            session.agent_name, session.capability
        ))?;
        ctx.out.line(format!(
            "    State: {} | Task: {}",
            session.state.as_str(),
            session.task_id
        ))?;
        ctx.out
            .line(format!("    Branch: {}", session.branch_name))?;
        ctx.out
            .line(format!("    Parent: {parent} | Depth: {}", session.depth))?;
        ctx.out.line(format!("    Files: {files}\n"))?;
    }
    Ok(())
}
