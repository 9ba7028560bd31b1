//! `worktree clean`: remove the worktrees of finished agents.

use serde::Serialize;

use crate::agents::clean::{Step, Sweep, Swept, sweep};
use crate::cli::{CliResult, Context, Outcome};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove worktree clean --all --force")]
pub(super) struct Args {
    /// Only those of agents that have finished; the default
    #[arg(long)]
    completed: bool,
    /// Also those of agents that are at work, which are stopped
    #[arg(long)]
    all: bool,
    /// Even if a branch is not merged, others work inside, or the worktree is locked
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SweptJson<'a> {
    cleaned: &'a [String],
    failed: &'a [String],
    skipped: &'a [String],
    blocked_by_children: &'a [String],
    pruned: usize,
    mail_purged: usize,
    seeds_preserved: &'a [String],
}

/// Runs the command.
pub(super) fn run(ctx: &Context, args: &Args) -> CliResult {
    let project = ctx.project()?;
    let choice = Sweep {
        completed_only: args.completed || !args.all,
        force: args.force,
    };
    let swept = sweep(
        &project.paths,
        &project.config.project.canonical_branch,
        choice,
    )?;
    if ctx.is_json() {
        ctx.out.json(
            "worktree clean",
            &SweptJson {
                cleaned: &swept.cleaned,
                failed: &swept.failed,
                skipped: &swept.skipped,
                blocked_by_children: &swept.blocked,
                pruned: swept.pruned,
                mail_purged: swept.mail_purged,
                seeds_preserved: &swept.seeds_preserved,
            },
        )?;
        return Ok(Outcome::Done);
    }
    swept.steps.iter().try_for_each(|step| show(ctx, step))?;
    summary(ctx, &swept)?;
    Ok(Outcome::Done)
}

fn show(ctx: &Context, step: &Step) -> CliResult<()> {
    match step {
        Step::Forced { branch } => ctx
            .out
            .warning("Force-deleting unmerged branch", Some(branch)),
        Step::SeedsPreserved { agent } => ctx
            .out
            .success(format!("Preserved .seeds/ changes {agent}")),
        Step::SeedsRefused { branch, why } => ctx.out.warning(
            &format!("Failed to preserve .seeds/ from {branch}"),
            Some(why),
        ),
        Step::Removed { branch } => ctx.out.success(format!("Removed {branch}")),
        Step::Kept { reference } => {
            ctx.out.note(format!("  Work kept at {reference}"));
            Ok(())
        }
        Step::Failed { branch, why } => ctx
            .out
            .warning(&format!("Failed to remove {branch}"), Some(why)),
    }
}

fn summary(ctx: &Context, swept: &Swept) -> CliResult<()> {
    let nothing = swept.cleaned.is_empty()
        && swept.failed.is_empty()
        && swept.skipped.is_empty()
        && swept.blocked.is_empty()
        && swept.pruned == 0;
    if nothing {
        return ctx.out.hint("No worktrees to clean");
    }
    let counted = |count: usize, noun: &str| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {noun}{plural}")
    };
    let worktrees = |branches: &[String]| counted(branches.len(), "worktree");
    if !swept.cleaned.is_empty() {
        ctx.out
            .success(format!("Cleaned {}", worktrees(&swept.cleaned)))?;
    }
    if !swept.failed.is_empty() {
        let failed = format!("Failed to clean {}", worktrees(&swept.failed));
        ctx.out.warning(&failed, None)?;
    }
    if swept.mail_purged > 0 {
        let mail = counted(swept.mail_purged, "mail message");
        ctx.out
            .success(format!("Purged {mail} from cleaned agents"))?;
    }
    if swept.pruned > 0 {
        let sessions = counted(swept.pruned, "zombie session");
        ctx.out.success(format!("Pruned {sessions} from store"))?;
    }
    if !swept.seeds_preserved.is_empty() {
        let leads = counted(swept.seeds_preserved.len(), "lead");
        ctx.out.success(format!("Preserved .seeds/ from {leads}"))?;
    }
    if !swept.skipped.is_empty() {
        let skipped = format!(
            "Skipped {} with unmerged branches",
            worktrees(&swept.skipped)
        );
        ctx.out.warning(&skipped, None)?;
        list(ctx, &swept.skipped)?;
        ctx.out.hint("Use --force to delete unmerged branches")?;
    }
    if !swept.blocked.is_empty() {
        let blocked = format!(
            "Skipped {} with running agents inside",
            worktrees(&swept.blocked)
        );
        ctx.out.warning(&blocked, None)?;
        list(ctx, &swept.blocked)?;
        ctx.out.hint("Stop them first, or use --force")?;
    }
    Ok(())
}

fn list(ctx: &Context, branches: &[String]) -> CliResult<()> {
    branches
        .iter()
        .try_for_each(|branch| ctx.out.line(format!("  {branch}")))
}
