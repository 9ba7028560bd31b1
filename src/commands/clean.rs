//! `clean`: remove what agents have left behind.

use serde::Serialize;

use crate::agents::clean::{self, Cleaned, Targets};
use crate::cli::{CliError, CliResult, Context, Outcome, Project};
use crate::mulch::{self, Health, Mulch};
use crate::platform::clock;

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
struct CleanJson<'a> {
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
    mulch_health: Option<HealthJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HealthJson<'a> {
    checked: bool,
    domains_near_limit: Vec<NearLimitJson<'a>>,
    stale_prune_candidates: usize,
    doctor_issues: usize,
    doctor_warnings: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NearLimitJson<'a> {
    domain: &'a str,
    record_count: usize,
    warn_threshold: usize,
}

impl<'a> From<&'a Health> for HealthJson<'a> {
    fn from(health: &'a Health) -> Self {
        let near = health.near_limit.iter().map(|near| NearLimitJson {
            domain: &near.domain,
            record_count: near.records,
            warn_threshold: near.warn_at,
        });
        Self {
            checked: true,
            domains_near_limit: near.collect(),
            stale_prune_candidates: health.stale,
            doctor_issues: health.issues,
            doctor_warnings: health.warnings,
        }
    }
}

impl<'a> CleanJson<'a> {
    fn new(cleaned: &Cleaned, health: Option<&'a Health>) -> Self {
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
            mulch_health: health.map(HealthJson::from),
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
    let mut health = None;
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
        None => {
            let project = ctx.project()?;
            if targets.all {
                health = expertise(&project);
            }
            clean::clean(&project.paths, targets)?
        }
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
    // What was asked for has not been done as a whole, and scripts look at the exit code.
    let outcome = if cleaned.problems.is_empty() {
        Outcome::Done
    } else {
        Outcome::Failed
    };
    if ctx.is_json() {
        ctx.out
            .json("clean", &CleanJson::new(&cleaned, health.as_ref()))?;
        return Ok(outcome);
    }
    for line in health.iter().flat_map(health_lines) {
        ctx.out.line(line)?;
    }
    let lines = lines(&cleaned);
    if lines.is_empty() {
        if outcome == Outcome::Done {
            ctx.out.hint("Nothing to clean")?;
        }
        return Ok(outcome);
    }
    lines.iter().try_for_each(|line| ctx.out.line(line))?;
    if outcome == Outcome::Done {
        ctx.out.success("Clean complete")?;
    }
    Ok(outcome)
}

/// How the project's expertise is, where it uses any. Cleaning goes on without knowing.
fn expertise(project: &Project) -> Option<Health> {
    let mulch = Mulch::open(&project.root).filter(|_| project.config.mulch.enabled)?;
    let found = mulch::health(&mulch, &project.root, clock::now());
    found
        .inspect_err(|e| tracing::warn!("the expertise cannot be judged: {e}"))
        .ok()
}

fn health_lines(health: &Health) -> Vec<String> {
    let near = health.near_limit.iter().map(|near| {
        format!(
            "Expertise: domain {} has {} records (the project warns at {})",
            near.domain, near.records, near.warn_at
        )
    });
    let mut lines: Vec<String> = near.collect();
    let counted = |count: usize, one: &str, many: &str| {
        format!("{count} {}", if count == 1 { one } else { many })
    };
    if health.stale > 0 {
        lines.push(format!(
            "Expertise: {} out of date",
            counted(health.stale, "record is", "records are")
        ));
    }
    if health.issues + health.warnings > 0 {
        lines.push(format!(
            "Expertise: {}, {} ('ml doctor' says which)",
            counted(health.issues, "issue", "issues"),
            counted(health.warnings, "warning", "warnings")
        ));
    }
    lines
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
