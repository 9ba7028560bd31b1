//! `merge`: land finished branches.

use super::{interrupts, merge_all, merge_one, merge_receipts};
use crate::cli::{CliError, CliResult, Context, Project};
use crate::coordinator::recovery;
use crate::db::MergeQueueStore;
use crate::git::{Head, Repo};
use crate::merge::{CallOff, MergeError};

/// Land finished branches through the queue
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Example: grove merge --all --dry-run"
)]
pub struct Args {
    #[command(subcommand)]
    record: Option<merge_receipts::Command>,
    /// Merge this branch
    #[arg(long, value_name = "name")]
    branch: Option<String>,
    /// Merge everything that waits
    #[arg(long)]
    all: bool,
    /// Target branch; the session branch, else the canonical branch when left out
    #[arg(long, value_name = "branch")]
    into: Option<String>,
    /// Say what would happen and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let merges = CallOff::default();
    interrupts::during(&merges, || run_until(ctx, &args, &merges))
}

fn run_until(ctx: &Context, args: &Args, merges: &CallOff) -> CliResult {
    let project = ctx.project()?;
    if let Some(command) = &args.record {
        ctx.require_state(&project.paths)?;
        return merge_receipts::run(ctx, &project, command, merges);
    }
    let into = args.into.as_deref();
    match (&args.branch, args.all, args.dry_run) {
        (Some(branch), _, false) => merge_one::run(ctx, &project, (branch, into), merges),
        (Some(branch), _, true) => merge_one::look_ahead(ctx, &project, branch, into),
        (None, true, false) => merge_all::run(ctx, &project, into, merges),
        (None, true, true) => merge_all::look_ahead(ctx, &project, into),
        (None, false, _) => Err(CliError::validation(
            "Either --branch <name> or --all is required for grove merge",
        )
        .tip("'grove merge --all --dry-run' says what would land")),
    }
}

/// Ends what a killed merge or undo has left, and says what that means for the user's checkout.
pub(super) fn recover(ctx: &Context, project: &Project) -> CliResult<()> {
    let told = recovery::recover(&project.paths)?;
    for told in told.iter().filter(|told| told.is_for_user) {
        ctx.out.note(&told.line);
    }
    Ok(())
}

pub(super) fn queue(project: &Project) -> CliResult<MergeQueueStore> {
    Ok(MergeQueueStore::open(&project.paths.merge_queue_db())?)
}

/// A name that is no branch, as that of a tag, is told before any entry is taken.
pub(super) fn require_target(repo: &Repo, target: &str) -> CliResult<()> {
    if repo.branch_exists(target) {
        return Ok(());
    }
    let branch = target.to_owned();
    let no_target = || {
        let said = MergeError::NoTarget { branch }.to_string();
        CliError::coded("MERGE_ERROR", said)
    };
    Err(unborn(repo).unwrap_or_else(no_target))
}

/// A checkout on a branch without a commit, in a repository that has some: nothing can be merged there.
pub(super) fn unborn(repo: &Repo) -> Option<CliError> {
    let Ok(Head::Unborn(branch)) = repo.head() else {
        return None;
    };
    // One whose name is not UTF-8 is only known by another one, which has no commit.
    if branch.contains('\u{fffd}') {
        return None;
    }
    let others = repo.branches_with_prefix("").unwrap_or_default();
    (!others.is_empty()).then(|| {
        CliError::coded(
            "MERGE_ERROR",
            format!(
                "{branch} has no commit yet: make one there, or switch to another branch with `git switch`, and name the \
                 target with --into"
            ),
        )
    })
}
