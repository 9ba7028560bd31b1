//! `merge show` and `merge undo`: what became of a merge, and taking one back.

use clap::Subcommand;
use serde::Serialize;
use serde_json::Value;

use super::merge_list::{RecordJson, list};
use super::merge_show::{show_attempt, show_attempts, show_decided, show_receipt};
use crate::cli::{CliError, CliResult, Context, Outcome, Project};
use crate::coordinator::CoordinatorError;
use crate::coordinator::landing;
use crate::coordinator::receipts::{self, StoredMerge};
use crate::git::git;
use crate::merge::{
    CallOff, GateProgress, MergeContext, MergeError, NOTES_REF, UndoOutcome, revert_by_hand,
};
use crate::process::leaving;
use crate::types::merge::MergeReceipt;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List what became of all branches in the queue, the newest first
    #[command(after_help = "Example: grove merge list --json")]
    List,
    /// Show the receipt of a merge: what was counted, woven, displaced, and which gates were green
    #[command(after_help = "Example: grove merge show 12")]
    Show {
        /// Number in the queue, branch, receipt id or merge commit
        id: String,
        /// Also store the receipt as a git note on the merge commit
        #[arg(long)]
        note: bool,
    },
    /// Take a landed merge back: exactly, or as a revert when the target has moved on
    #[command(after_help = "Example: grove merge undo 12")]
    Undo {
        /// Number in the queue, branch, receipt id or merge commit
        id: String,
        /// Land the revert that was prepared and shown
        #[arg(long)]
        land: bool,
    },
}

#[derive(Serialize)]
struct ShowJson<'a> {
    merge: RecordJson<'a>,
    report: &'a Value,
    /// Every landing, the newest first.
    landings: &'a [Value],
}

/// Runs the command.
pub(super) fn run(
    ctx: &Context,
    project: &Project,
    command: &Command,
    merges: &CallOff,
) -> CliResult {
    match command {
        Command::List => list(ctx, project),
        Command::Show { id, note } => show(ctx, project, id, *note),
        Command::Undo { id, land } => undo(ctx, project, (id, *land), merges),
    }
}

fn find(project: &Project, id: &str) -> CliResult<StoredMerge> {
    receipts::find(&project.paths, id)?.ok_or_else(|| {
        CliError::validation(format!("No merge is called \"{id}\"")).hint("see `grove merge list`")
    })
}

fn landed(stored: &StoredMerge) -> CliResult<MergeReceipt> {
    stored.receipt().ok_or_else(|| {
        CliError::coded(
            "MERGE_ERROR",
            format!(
                "{} has not landed: it has no receipt",
                stored.row.entry.branch_name
            ),
        )
        .hint(format!("see why with `grove merge show {}`", stored.row.id))
    })
}

fn show(ctx: &Context, project: &Project, id: &str, note: bool) -> CliResult {
    let stored = find(project, id)?;
    if note {
        receipts::write_note(&project.paths, &landed(&stored)?)?;
    }
    if ctx.is_json() {
        let data = ShowJson {
            merge: RecordJson::from(&stored),
            report: &stored.report,
            landings: &stored.landings,
        };
        ctx.out.json("merge show", &data)?;
        return Ok(Outcome::Done);
    }
    let entry = &stored.row.entry;
    ctx.out.header(&format!("Merge {}", stored.row.id))?;
    ctx.out.line(format!("Branch:  {}", entry.branch_name))?;
    ctx.out.line(format!(
        "Agent:   {} | Task: {}",
        entry.agent_name, entry.task_id
    ))?;
    let undone = if stored.is_undone() { ", undone" } else { "" };
    ctx.out.line(format!("Status:  {}{undone}", entry.status))?;
    if !stored.has_just_landed() {
        show_attempt(ctx, &stored)?;
    }
    let meant = stored.receipt();
    if let Some(receipt) = &meant {
        show_receipt(ctx, receipt, &stored.notes(receipt))?;
        show_decided(ctx, &stored)?;
    }
    for (receipt, undone) in stored.receipts() {
        if meant.as_ref().is_some_and(|meant| meant.id == receipt.id) {
            continue;
        }
        let fate = if undone { " (undone)" } else { "" };
        ctx.out.line(format!("\nAlso landed{fate}:"))?;
        show_receipt(ctx, &receipt, &stored.notes(&receipt))?;
    }
    show_attempts(ctx, project, &stored)?;
    if note {
        ctx.out
            .success(format!("Stored as a note in {NOTES_REF}"))?;
    }
    Ok(Outcome::Done)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UndoJson<'a> {
    id: i64,
    branch_name: &'a str,
    /// `restored`, `prepared` or `reverted`.
    outcome: &'static str,
    /// The commit the target is at, or the prepared revert.
    commit: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    /// What the gates of the revert did besides, and what could not be stored.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
}

fn undo(ctx: &Context, project: &Project, (id, land): (&str, bool), merges: &CallOff) -> CliResult {
    super::merge::recover(ctx, project)?;
    let stored = find(project, id)?;
    let receipt = landed(&stored)?;
    let mut outcome =
        receipts::undo(&project.paths, &stored).map_err(|error| broken_off(error, &receipt))?;
    if let (
        UndoOutcome::RevertPrepared {
            commit,
            known: false,
            ..
        },
        true,
    ) = (&outcome, land)
    {
        return not_seen(ctx, project, commit);
    }
    if let (UndoOutcome::RevertPrepared { commit, .. }, true) = (&outcome, land) {
        let context = MergeContext {
            call_off: merges.clone(),
            ..landing::context(&project.paths, &project.config, &receipt.target)
        };
        let commit = commit.clone();
        outcome = receipts::land_revert(
            &project.paths,
            &context,
            &stored,
            &commit,
            &mut |progress| {
                if let GateProgress::Started { index, total, gate } = progress
                    && !ctx.is_json()
                {
                    ctx.out
                        .note(format!("   gate {}/{total}: {}", index + 1, gate.name));
                }
            },
        )
        .map_err(|error| broken_off(error, &receipt))?;
    }
    tell_undone(ctx, project, &stored, &receipt, &outcome)
}

/// What taking a merge back came to when it was broken off.
fn broken_off(error: CoordinatorError, receipt: &MergeReceipt) -> CliError {
    let CoordinatorError::Merge(error) = error else {
        return error.into();
    };
    if !leaving::is_asked() {
        return CoordinatorError::Merge(error).into();
    }
    let MergeReceipt { branch, target, .. } = receipt;
    let mut said = format!("the merge of {branch} is still on {target}");
    if let MergeError::HalfLanded { checkout, .. } = &error {
        let checkout = checkout.display();
        said += &format!("; {checkout} is half-updated, which the next `grove merge` puts right");
    }
    CliError::coded("MERGE_ERROR", said)
}

/// What lands is what was shown: not a commit that was made this moment.
fn not_seen(ctx: &Context, project: &Project, commit: &str) -> CliResult {
    if !ctx.is_json() {
        ctx.out.line(stat_of(project, commit)?)?;
    }
    let short = commit.get(..8).unwrap_or(commit);
    Err(CliError::coded(
        "MERGE_ERROR",
        format!(
            "nothing landed: {short} is a revert that was not shown before, or the target has moved on since. Look at it \
             with `git show {short}`, then land it with the same command"
        ),
    ))
}

fn stat_of(project: &Project, commit: &str) -> Result<String, CliError> {
    let shown = ["show", "--stat", "--format=%s", commit];
    Ok(git(&project.root).args(shown).text()?)
}

fn tell_undone(
    ctx: &Context,
    project: &Project,
    stored: &StoredMerge,
    receipt: &MergeReceipt,
    outcome: &UndoOutcome,
) -> CliResult {
    let id = stored.row.id;
    let (word, commit, reference, warnings): (_, _, _, &[String]) = match outcome {
        UndoOutcome::Restored {
            to,
            redo_ref,
            warnings,
        } => ("restored", to, Some(redo_ref.as_str()), warnings),
        UndoOutcome::RevertPrepared {
            commit, reference, ..
        } => ("prepared", commit, Some(reference.as_str()), &[]),
        UndoOutcome::Reverted { commit, warnings } => ("reverted", commit, None, warnings),
        UndoOutcome::GateRed { .. }
        | UndoOutcome::RevertConflicts { .. }
        | UndoOutcome::TakenBack { .. }
        | UndoOutcome::NotThere
        | UndoOutcome::Refused { .. } => return Err(not_undone(ctx, receipt, outcome)),
    };
    if ctx.is_json() {
        let data = UndoJson {
            id,
            branch_name: &receipt.branch,
            outcome: word,
            commit,
            reference,
            warnings,
        };
        ctx.out.json("merge undo", &data)?;
        return Ok(Outcome::Done);
    }
    let (target, short) = (&receipt.target, commit.get(..8).unwrap_or(commit));
    if matches!(outcome, UndoOutcome::RevertPrepared { .. }) {
        ctx.out.line(stat_of(project, commit)?)?;
        ctx.out.hint(format!(
            "{target} has moved on, so nothing was changed. Look at it with `git show {short}`, land it with `grove merge undo {id} --land`"
        ))?;
        return Ok(Outcome::Done);
    }
    let branch = &receipt.branch;
    ctx.out.success(match reference {
        None => format!("{target} is at {short}, the revert of {branch}"),
        Some(_) => format!("{target} is at {short} again, as before the merge of {branch}"),
    })?;
    if let Some(reference) = reference {
        ctx.out.hint(format!("The merge is kept as {reference}"))?;
    }
    for warning in warnings {
        ctx.out.line(format!("   {warning}"))?;
    }
    Ok(Outcome::Done)
}

/// Why a merge could not be taken back.
fn not_undone(ctx: &Context, receipt: &MergeReceipt, outcome: &UndoOutcome) -> CliError {
    let target = &receipt.target;
    let why = match outcome {
        UndoOutcome::GateRed { gate, warnings } => {
            for warning in warnings {
                ctx.out.note(warning);
            }
            format!("quality gate {gate} is red on the revert; {target} is untouched")
        }
        UndoOutcome::RevertConflicts { files } => revert_by_hand(receipt, files),
        UndoOutcome::Refused { checkout, reason } => reason.of(target, checkout),
        UndoOutcome::TakenBack { by } => UndoOutcome::taken_back(receipt, by),
        UndoOutcome::NotThere
        | UndoOutcome::Restored { .. }
        | UndoOutcome::RevertPrepared { .. }
        | UndoOutcome::Reverted { .. } => format!(
            "the merge of {} is not part of {target} any more",
            receipt.branch
        ),
    };
    CliError::coded("MERGE_ERROR", why)
}
