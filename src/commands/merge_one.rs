//! `merge --branch`: one branch, whether it is in the queue or not.

use serde_json::Value;

use super::interrupts;
use super::merge::{queue, recover, require_target, unborn};
use super::merge_ahead::{predict, predicted, show_prediction};
use super::merge_attempt::{Attempt, announce, fields, more, note_gate, show, taken};
use crate::cli::{CliError, CliResult, Context, Outcome, Project};
use crate::coordinator::execute::changed_files;
use crate::coordinator::landing::{self, Landed};
use crate::coordinator::left_over;
use crate::coordinator::train;
use crate::db::GroveStore;
use crate::db::merge_queue::QueueRow;
use crate::git::{Repo, symbolic_target};
use crate::merge::{self, Ahead, CallOff, ConflictResolver, MergeContext, MergeError, OwnSettings};
use crate::platform::{clock, env, liveness};
use crate::types::merge::{MergeEntry, MergeStatus};
use crate::worktree::agent_of_branch;

/// Where a branch is to go.
struct Way {
    target: String,
    repo: Repo,
}

impl Way {
    fn find(project: &Project, into: Option<&str>) -> CliResult<Self> {
        let target = landing::target(&project.paths, &project.config, into)?;
        let repo = landing::repository(&project.paths, &project.config)?;
        if let Err(error) = repo.require_usable() {
            return Err(unborn(&repo).unwrap_or_else(|| error.into()));
        }
        Ok(Self { target, repo })
    }
}

fn is_itself(way: &Way, branch: &str) -> bool {
    way.repo.moving_ref(branch) == way.repo.moving_ref(&way.target)
}

/// A branch always has everything of itself: to say that it is merged would be of no use.
fn not_itself(way: &Way, branch: &str) -> CliResult<()> {
    if !is_itself(way, branch) {
        return Ok(());
    }
    let target = &way.target;
    let same = if branch == target {
        String::new()
    } else {
        format!(" ({target} is the same branch)")
    };
    Err(CliError::validation(format!(
        "{branch} is not merged into itself{same}: name another target with --into"
    )))
}

/// A branch of an agent is its own: what another name of somebody else's has is not the agent's work.
fn not_another_name(way: &Way, branch: &str) -> CliResult<()> {
    let target = symbolic_target(&way.repo, branch).filter(|_| agent_of_branch(branch).is_some());
    match target {
        None => Ok(()),
        Some(target) => Err(CliError::validation(format!(
            "{branch} is only another name of {target}, so it has no work of its own"
        ))
        .hint("'grove doctor --category consistency --fix' makes it a branch of its own again")),
    }
}

/// Says what merging the branch would come to.
pub(super) fn look_ahead(
    ctx: &Context,
    project: &Project,
    branch: &str,
    into: Option<&str>,
) -> CliResult {
    let way = Way::find(project, into)?;
    not_another_name(&way, branch)?;
    let entry = match queue(project)?.by_branch(branch)? {
        Some(mut row) => {
            left_over::show_as_pending(&project.paths, std::slice::from_mut(&mut row))?;
            row.entry
        }
        // That never waits for anything.
        None if is_itself(&way, branch) => unqueued(branch),
        None => enqueue(project, &way, branch, Wish::Look)?.entry,
    };
    let ahead = Ahead::of(&way.repo, &project.root);
    let prediction = predict(project, &ahead, &way.target, &entry);
    interrupts::go_on()?;
    if ctx.is_json() {
        ctx.out.json("merge", &predicted(&entry, &prediction))?;
    } else {
        show_prediction(ctx, &entry, &prediction)?;
    }
    Ok(Outcome::Done)
}

/// Merges the branch.
pub(super) fn run(
    ctx: &Context,
    project: &Project,
    (branch, into): (&str, Option<&str>),
    merges: &CallOff,
) -> CliResult {
    let way = Way::find(project, into)?;
    not_another_name(&way, branch)?;
    not_itself(&way, branch)?;
    require_target(&way.repo, &way.target)?;
    let known = || queue(project)?.by_branch(branch).map_err(CliError::from);
    let mut row = known()?;
    // Who merged it may have been killed.
    let merging = |row: &QueueRow| row.entry.status == MergeStatus::Merging;
    if row.as_ref().is_some_and(merging) {
        recover(ctx, project)?;
        row = known()?;
    }
    let row = match row {
        Some(row) => {
            // Of a merge that is killed before it has taken it, a dry run's entry waits like any other.
            let (grove, entry) = (GroveStore::open(&project.paths.grove_db())?, &row.entry);
            if entry.status == MergeStatus::Pending {
                let me = liveness::own_identity();
                grove.note_wanted(&entry.branch_name, &entry.enqueued_at, me)?;
            }
            row
        }
        None => enqueue(project, &way, branch, Wish::Merge)?,
    };
    announce(ctx, &row.entry)?;
    let attempt = if row.entry.status == MergeStatus::Merged {
        land_again(ctx, project, (&way, merges), &row)?
    } else {
        match land(ctx, project, (&way.target, merges), &row)? {
            Some(attempt) => attempt,
            // Who had it may have brought it to its end.
            None => match known()?.filter(|row| row.entry.status == MergeStatus::Merged) {
                Some(row) => land_again(ctx, project, (&way, merges), &row)?,
                None => return Err(is_taken(&row)),
            },
        }
    };
    if ctx.is_json() {
        let mut data = fields(&attempt, None)?;
        data.insert("success".to_owned(), Value::Bool(attempt.success));
        ctx.out.json("merge", &data)?;
    } else {
        show(ctx, &attempt)?;
    }
    if attempt.success {
        return Ok(Outcome::Done);
    }
    let hints = attempt.hints;
    let message = attempt
        .error_message
        .unwrap_or_else(|| "the merge failed".to_owned());
    let error = CliError::coded("MERGE_ERROR", message);
    Err(if hints.is_empty() {
        error.tip(more(row.id))
    } else {
        hints.into_iter().fold(error, CliError::hint)
    })
}

/// A branch that was merged before: nothing is to be done unless it has got new commits.
fn land_again(
    ctx: &Context,
    project: &Project,
    (way, merges): (&Way, &CallOff),
    row: &QueueRow,
) -> CliResult<Attempt> {
    let (repo, branch) = (&way.repo, &row.entry.branch_name);
    if !repo.branch_exists(branch) {
        return Err(not_found(branch));
    }
    // Not only whether the target has the commits: a revert may have taken their work back.
    if merge::is_merged(
        repo,
        repo.branch_tip(&way.target)?,
        repo.branch_tip(branch)?,
    )? {
        return Ok(Attempt::nothing_new(row, &way.target));
    }
    queue(project)?.change_status(row.id, &[MergeStatus::Merged], MergeStatus::Pending, None)?;
    land(ctx, project, (&way.target, merges), row)?.ok_or_else(|| is_taken(row))
}

fn not_found(branch: &str) -> CliError {
    CliError::validation(format!("Branch \"{branch}\" not found"))
}

/// What a branch would be in the queue.
fn unqueued(branch: &str) -> MergeEntry {
    let (agent, task) = agent_of_branch(branch).unwrap_or(("unknown", "unknown"));
    MergeEntry {
        branch_name: branch.to_owned(),
        task_id: task.to_owned(),
        agent_name: agent.to_owned(),
        files_modified: Vec::new(),
        enqueued_at: clock::now().iso(),
        status: MergeStatus::Pending,
        resolved_tier: None,
    }
}

/// What a branch is put into the queue for.
#[derive(Clone, Copy)]
enum Wish {
    /// To know what merging it would come to.
    Look,
    /// To be merged by this process.
    Merge,
}

/// Puts a branch into the queue that is not there, marked before anybody can take it as one that nobody lands by itself:
/// a dry run only looks, and a merge wants to take it as its own, which ends the mark. Of a merge that is killed before
/// that, the mark ends with the process, and the branch waits like any other.
fn enqueue(project: &Project, way: &Way, branch: &str, wish: Wish) -> CliResult<QueueRow> {
    if !way.repo.branch_exists(branch) {
        return Err(not_found(branch).tip("'grove worktree list' shows the agents' branches"));
    }
    let (agent, task) = agent_of_branch(branch).unwrap_or(("unknown", "unknown"));
    let files = changed_files(&way.repo, branch, &way.target).unwrap_or_default();
    let now = clock::now().iso();
    let grove = GroveStore::open(&project.paths.grove_db())?;
    match wish {
        Wish::Look => grove.note_looked_at(branch, &now)?,
        Wish::Merge => grove.note_wanted(branch, &now, liveness::own_identity())?,
    }
    Ok(queue(project)?.enqueue_once(branch, task, agent, &files, now)?)
}

/// Merges one entry; `None` when somebody else has it.
fn land(
    ctx: &Context,
    project: &Project,
    (target, merges): (&str, &CallOff),
    row: &QueueRow,
) -> CliResult<Option<Attempt>> {
    recover(ctx, project)?;
    let inside = ctx.acting_agent().or_else(|| env::var(env::AGENT_NAME));
    let context = MergeContext {
        // A person who names the branch has decided; an agent that does has not.
        own_settings: match inside {
            None => OwnSettings::Land,
            Some(_) => OwnSettings::Hold,
        },
        call_off: merges.clone(),
        ..landing::context(&project.paths, &project.config, target)
    };
    let past = train::remembered(&project.paths, &project.config);
    let resolver = train::resolver(&project.paths, &project.config, &context, &past);
    let resolver = resolver.as_ref().map(|r| r as &dyn ConflictResolver);
    let landed = landing::land(&project.paths, &context, row, resolver, &mut |progress| {
        note_gate(ctx, "   ", progress);
    })?;
    match landed {
        Some(Landed::Report(report)) => Ok(Some(Attempt::of(row, &report))),
        Some(Landed::Error(why)) => Ok(Some(Attempt::failed(row, &why))),
        Some(Landed::Busy(error)) => {
            Err(CliError::coded("MERGE_ERROR", waits(row, target, &error)))
        }
        Some(Landed::Paused | Landed::Stopped(_)) | None => Ok(None),
    }
}

/// Why a branch was not merged whose entry is as before.
fn waits(row: &QueueRow, target: &str, error: &MergeError) -> String {
    let branch = &row.entry.branch_name;
    if matches!(error, MergeError::CalledOff { .. }) {
        return format!("{branch} is in the queue as before, and {target} is untouched");
    }
    error.to_string()
}

fn is_taken(row: &QueueRow) -> CliError {
    CliError::coded("MERGE_ERROR", taken(row))
        .hint("wait for it, then look at `grove merge --all --dry-run`")
}
