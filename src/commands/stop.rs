//! `stop`: end an agent.

use serde::Serialize;

use crate::agents::stop::{StopOptions, stop};
use crate::cli::{CliResult, Context, Outcome, with_near_agent};

/// Stop an agent; its worktree and branch stay
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove stop builder-auth --clean-worktree")]
pub struct Args {
    /// Agent to stop
    agent: String,
    /// Kill at once instead of asking first
    #[arg(long)]
    force: bool,
    /// Remove the worktree and its branch; commits and changes are kept under refs/grove/
    #[arg(long)]
    clean_worktree: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StoppedJson<'a> {
    stopped: bool,
    agent_name: &'a str,
    session_id: &'a str,
    capability: &'a str,
    tmux_killed: bool,
    pid_killed: bool,
    worktree_removed: bool,
    branch_deleted: bool,
    force: bool,
    was_zombie: bool,
    was_completed: bool,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let paths = ctx.paths()?;
    let options = StopOptions {
        force: args.force,
        clean_worktree: args.clean_worktree,
    };
    let stopped = stop(&paths, &args.agent, options)
        .map_err(|e| with_near_agent(e.into(), &paths, &args.agent))?;
    let session = &stopped.session;
    if ctx.is_json() {
        ctx.out.json(
            "stop",
            &StoppedJson {
                stopped: true,
                agent_name: &session.agent_name,
                session_id: &session.id,
                capability: &session.capability,
                tmux_killed: stopped.tmux_killed,
                pid_killed: stopped.pid_killed,
                worktree_removed: stopped.worktree_removed,
                branch_deleted: stopped.branch_deleted,
                force: args.force,
                was_zombie: stopped.was_zombie,
                was_completed: stopped.was_completed,
            },
        )?;
        return Ok(Outcome::Done);
    }
    ctx.out
        .success(format!("Agent stopped {}", session.agent_name))?;
    let pid = session
        .pid
        .map_or_else(|| "null".to_owned(), |p| p.to_string());
    if stopped.tmux_killed {
        ctx.out
            .line(format!("  Tmux session killed: {}", session.tmux_session))?;
    }
    if stopped.pid_killed {
        ctx.out.line(format!("  Process tree killed: PID {pid}"))?;
    } else if !stopped.was_completed && !stopped.tmux_killed {
        let line = if session.tmux_session.is_empty() {
            format!("  Process was already dead (PID {pid})")
        } else {
            "  Tmux session was already dead".to_owned()
        };
        ctx.out.line(line)?;
    }
    if stopped.was_zombie {
        ctx.out
            .line("  Zombie agent cleaned up (state → completed)")?;
    }
    if stopped.was_completed && !stopped.pid_killed {
        ctx.out
            .line("  Agent was already completed (skipped kill)")?;
    }
    if stopped.worktree_removed {
        ctx.out
            .line(format!("  Worktree removed: {}", session.worktree_path))?;
    }
    if stopped.branch_deleted {
        ctx.out
            .line(format!("  Branch deleted: {}", session.branch_name))?;
    }
    for kept in &stopped.kept {
        ctx.out.hint(format!("Work kept at {kept}"))?;
    }
    Ok(Outcome::Done)
}
