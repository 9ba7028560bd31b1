//! `clean`: remove what agents have left behind.

use serde::Serialize;

use crate::agents::clean::{self, Cleaned, Targets};
use crate::cli::{CliError, CliResult, Context, Outcome};

/// Remove runtime state; commits and uncommitted files are kept under refs/grove/
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  grove clean --all                    everything but events, groups and configuration
  grove clean --agent builder-auth     one agent: its process, worktree, branch, logs and files")]
pub struct Args {
    /// Everything: stop all agents, remove their state
    #[arg(long)]
    all: bool,
    /// One agent: stop it, remove its worktree, branch, logs and files
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// All mail
    #[arg(long)]
    mail: bool,
    /// All sessions and runs
    #[arg(long)]
    sessions: bool,
    /// All costs and durations
    #[arg(long)]
    metrics: bool,
    /// Agents' logs and terminal recordings
    #[arg(long)]
    logs: bool,
    /// Stop all agents and remove their worktrees
    #[arg(long)]
    worktrees: bool,
    /// Agents' branches without a worktree
    #[arg(long)]
    branches: bool,
    /// Agents' identities and checkpoints
    #[arg(long)]
    agents: bool,
    /// Task specs
    #[arg(long)]
    specs: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CleanJson {
    session_end_events_logged: usize,
    tmux_killed: usize,
    orphan_pids_reaped: usize,
    worktrees_cleaned: usize,
    branches_deleted: usize,
    mail_wiped: bool,
    sessions_cleared: bool,
    merge_queue_cleared: bool,
    metrics_wiped: bool,
    logs_cleared: bool,
    agents_cleared: bool,
    specs_cleared: bool,
    nudge_state_cleared: bool,
    current_run_cleared: bool,
    /// Known once expertise is.
    mulch_health: Option<()>,
}

impl From<&Cleaned> for CleanJson {
    fn from(cleaned: &Cleaned) -> Self {
        Self {
            session_end_events_logged: cleaned.session_end_events,
            tmux_killed: cleaned.tmux_killed,
            orphan_pids_reaped: cleaned.pids_reaped,
            worktrees_cleaned: cleaned.worktrees,
            branches_deleted: cleaned.branches,
            mail_wiped: cleaned.mail,
            sessions_cleared: cleaned.sessions,
            merge_queue_cleared: cleaned.merge_queue,
            metrics_wiped: cleaned.metrics,
            logs_cleared: cleaned.logs,
            agents_cleared: cleaned.agents,
            specs_cleared: cleaned.specs,
            nudge_state_cleared: cleaned.nudge_state,
            current_run_cleared: cleaned.current_run,
            mulch_health: None,
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let targets = Targets {
        all: args.all,
        mail: args.mail,
        sessions: args.sessions,
        metrics: args.metrics,
        logs: args.logs,
        worktrees: args.worktrees,
        branches: args.branches,
        agents: args.agents,
        specs: args.specs,
    };
    let cleaned = match &args.agent {
        Some(agent) if targets == Targets::default() => clean::clean_agent(&ctx.paths()?, agent)?,
        Some(_) => {
            return Err(CliError::validation(
                "--agent cleans one agent as a whole and cannot be combined with other targets",
            ));
        }
        None if targets == Targets::default() => {
            return Err(CliError::validation(
                "No cleanup targets specified. Use --all for full cleanup, --agent <name> for single-agent cleanup, or individual flags (--mail, --sessions, --metrics, --logs, --worktrees, --branches, --agents, --specs).",
            ));
        }
        None => clean::clean(&ctx.project()?.paths, targets)?,
    };
    for problem in &cleaned.problems {
        ctx.out.note(format!("! not removed — {problem}"));
    }
    if !cleaned.kept.is_empty() {
        ctx.out.note(format!(
            "Removed work is kept: git for-each-ref refs/grove/ ({} refs)",
            cleaned.kept.len()
        ));
    }
    if ctx.is_json() {
        ctx.out.json("clean", &CleanJson::from(&cleaned))?;
        return Ok(Outcome::Done);
    }
    let lines = lines(&cleaned);
    if lines.is_empty() {
        ctx.out.hint("Nothing to clean")?;
        return Ok(Outcome::Done);
    }
    lines.iter().try_for_each(|line| ctx.out.line(line))?;
    ctx.out.success("Clean complete")?;
    Ok(Outcome::Done)
}

fn lines(cleaned: &Cleaned) -> Vec<String> {
    let counts = [
        (
            cleaned.session_end_events,
            "Logged",
            "synthetic session-end event",
            "synthetic session-end events",
        ),
        (
            cleaned.tmux_killed,
            "Killed",
            "tmux session",
            "tmux sessions",
        ),
        (
            cleaned.pids_reaped,
            "Reaped",
            "orphaned process",
            "orphaned processes",
        ),
        (cleaned.worktrees, "Removed", "worktree", "worktrees"),
        (
            cleaned.branches,
            "Deleted",
            "orphaned branch",
            "orphaned branches",
        ),
    ];
    let flags = [
        (cleaned.mail, "Wiped mail.db"),
        (cleaned.metrics, "Wiped metrics.db"),
        (cleaned.sessions, "Wiped sessions.db"),
        (cleaned.merge_queue, "Wiped merge-queue.db"),
        (cleaned.logs, "Cleared logs/"),
        (cleaned.agents, "Cleared agents/"),
        (cleaned.specs, "Cleared specs/"),
        (cleaned.nudge_state, "Cleared nudge-state.json"),
        (cleaned.current_run, "Cleared current-run.txt"),
    ];
    let counted =
        counts
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, verb, one, many)| {
                format!("{verb} {count} {}", if count == 1 { one } else { many })
            });
    let flagged = flags
        .into_iter()
        .filter(|(done, _)| *done)
        .map(|(_, line)| line.to_owned());
    counted.chain(flagged).collect()
}
