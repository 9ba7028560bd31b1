//! `worktree list`: where agents have their checkouts.

use serde::Serialize;

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::db::SessionStore;
use crate::git::{WorktreeInfo, worktrees};
use crate::types::AgentSession;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WorktreeJson<'a> {
    path: String,
    branch: &'a str,
    head: &'a str,
    agent_name: Option<&'a str>,
    state: Option<&'static str>,
    task_id: Option<&'a str>,
}

#[derive(Serialize)]
struct ListJson<'a> {
    worktrees: Vec<WorktreeJson<'a>>,
}

/// Runs the command.
pub(super) fn run(ctx: &Context) -> CliResult {
    let paths = ctx.paths()?;
    let listed = worktrees(&paths.root)
        .map_err(|_| CliError::new("Not in an overstory project. Run 'grove init' first."))?;
    let agents: Vec<WorktreeInfo> = listed
        .into_iter()
        .filter(|worktree| worktree.branch.starts_with("overstory/"))
        .collect();
    let sessions = if paths.sessions_db().exists() {
        SessionStore::look(&paths.sessions_db())?.all()?
    } else {
        Vec::new()
    };
    let owner = |worktree: &WorktreeInfo| {
        let path = worktree.path.display().to_string();
        sessions
            .iter()
            .find(|session| session.worktree_path == path)
    };
    if ctx.is_json() {
        let worktrees = agents
            .iter()
            .map(|worktree| json(worktree, owner(worktree)))
            .collect();
        ctx.out.json("worktree list", &ListJson { worktrees })?;
        return Ok(Outcome::Done);
    }
    if agents.is_empty() {
        ctx.out.hint("No agent worktrees found")?;
        return Ok(Outcome::Done);
    }
    ctx.out
        .line(format!("Agent worktrees: {}\n", agents.len()))?;
    for worktree in &agents {
        let session = owner(worktree);
        let fact = |get: fn(&AgentSession) -> &str| session.map_or("?", get);
        ctx.out.line(format!("  {}", worktree.branch))?;
        ctx.out.line(format!(
            "    Agent: {} | State: {} | Task: {}",
            fact(|session| &session.agent_name),
            fact(|session| session.state.as_str()),
            fact(|session| &session.task_id)
        ))?;
        ctx.out
            .line(format!("    Path: {}\n", worktree.path.display()))?;
    }
    Ok(Outcome::Done)
}

fn json<'a>(worktree: &'a WorktreeInfo, session: Option<&'a AgentSession>) -> WorktreeJson<'a> {
    WorktreeJson {
        path: worktree.path.display().to_string(),
        branch: &worktree.branch,
        head: &worktree.head,
        agent_name: session.map(|session| session.agent_name.as_str()),
        state: session.map(|session| session.state.as_str()),
        task_id: session.map(|session| session.task_id.as_str()),
    }
}
