//! `merge`: land finished branches.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{merge_receipts, merge_show};
use crate::cli::{CliError, CliResult, Context, MergeEntryJson, Outcome, PredictionJson, Project};
use crate::coordinator::CoordinatorError;
use crate::coordinator::execute::changed_files;
use crate::coordinator::landing::{self, Landed};
use crate::coordinator::queue::{looked_at, to_land};
use crate::coordinator::recovery;
use crate::coordinator::train::{self, TrainNews};
use crate::db::merge_queue::QueueRow;
use crate::db::{GroveStore, MergeQueueStore};
use crate::git::Repo;
use crate::merge::{self, ConflictResolver, GateProgress, MergeError, MergeProgress, MergeReport};
use crate::mulch::{Mulch, history};
use crate::platform::clock;
use crate::types::merge::{
    DisplacedHunk, InventedLine, MergeEntry, MergeStatus, MergeTier, Prediction, RevivedLine,
    WovenLine,
};
use crate::worktree::agent_of_branch;

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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultJson<'a> {
    entry: MergeEntryJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    tier: &'static str,
    conflict_files: &'a [String],
    error_message: Option<&'a str>,
    warnings: &'a [String],
    /// Said only where there is something to say: the contract's object has neither.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    displaced: &'a [DisplacedHunk],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    woven: &'a [WovenLine],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    invented: &'a [InventedLine],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    brought_back: &'a [RevivedLine],
}

#[derive(Serialize)]
struct PredictedJson<'a> {
    #[serde(flatten)]
    entry: MergeEntryJson<'a>,
    prediction: PredictionJson<'a>,
}

/// Where everything about an attempt is: what would be displaced, what a gate printed.
fn more(id: i64) -> String {
    format!("'grove merge show {id}' shows why")
}

/// One finished attempt in the contract's terms.
struct Attempt {
    id: i64,
    entry: MergeEntry,
    success: bool,
    tier: MergeTier,
    conflict_files: Vec<String>,
    error_message: Option<String>,
    warnings: Vec<String>,
    displaced: Vec<DisplacedHunk>,
    woven: Vec<WovenLine>,
    invented: Vec<InventedLine>,
    brought_back: Vec<RevivedLine>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let project = ctx.project()?;
    if let Some(command) = &args.record {
        ctx.require_state(&project.paths)?;
        return merge_receipts::run(ctx, &project, command);
    }
    match (&args.branch, args.all) {
        (Some(branch), _) => one(ctx, &project, branch, &args),
        (None, true) => all(ctx, &project, &args),
        (None, false) => Err(CliError::validation(
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

fn queue(project: &Project) -> CliResult<MergeQueueStore> {
    Ok(MergeQueueStore::open(&project.paths.merge_queue_db())?)
}

fn one(ctx: &Context, project: &Project, branch: &str, args: &Args) -> CliResult {
    let target = landing::target(&project.paths, &project.config, args.into.as_deref())?;
    let repo = Repo::discover(&project.root)?;
    repo.require_usable()?;
    let known = || queue(project)?.by_branch(branch).map_err(CliError::from);
    let mut row = known()?;
    // Who merged it may have been killed.
    let merging = |row: &QueueRow| row.entry.status == MergeStatus::Merging;
    if !args.dry_run && row.as_ref().is_some_and(merging) {
        recover(ctx, project)?;
        row = known()?;
    }
    let row = match row {
        Some(row) => row,
        None => enqueue(project, &repo, branch, &target, args.dry_run)?,
    };
    if args.dry_run {
        let ahead = Ahead::of(project, &repo);
        let prediction = predict(project, ahead.repo(), &target, &row.entry);
        if ctx.is_json() {
            ctx.out.json("merge", &predicted(&row.entry, &prediction))?;
        } else {
            show_prediction(ctx, &row.entry, &prediction)?;
        }
        return Ok(Outcome::Done);
    }
    announce(ctx, &row.entry)?;
    let attempt = if row.entry.status == MergeStatus::Merged {
        land_again(ctx, project, &repo, &target, &row)?
    } else {
        match land(ctx, project, &target, &row)? {
            Some(attempt) => attempt,
            // Who had it may have brought it to its end.
            None => match known()?.filter(|row| row.entry.status == MergeStatus::Merged) {
                Some(row) => land_again(ctx, project, &repo, &target, &row)?,
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
    let message = attempt
        .error_message
        .unwrap_or_else(|| "the merge failed".to_owned());
    Err(CliError::coded("MERGE_ERROR", message).tip(more(row.id)))
}

/// A branch that was merged before: nothing is to be done unless it has got new commits.
fn land_again(
    ctx: &Context,
    project: &Project,
    repo: &Repo,
    target: &str,
    row: &QueueRow,
) -> CliResult<Attempt> {
    let branch = &row.entry.branch_name;
    if !repo.branch_exists(branch) {
        return Err(CliError::validation(format!(
            "Branch \"{branch}\" not found"
        )));
    }
    // Not only whether the target has the commits: a revert may have taken their work back.
    let planned = merge::plan_commits(repo, repo.commit_of(target)?, repo.branch_tip(branch)?)
        .map_err(CoordinatorError::from)?;
    if planned.plan().is_some_and(|plan| plan.already_merged) {
        return Ok(Attempt {
            id: row.id,
            entry: row.entry.clone(),
            success: true,
            tier: row.entry.resolved_tier.unwrap_or(MergeTier::CleanMerge),
            conflict_files: Vec::new(),
            error_message: None,
            warnings: Vec::new(),
            displaced: Vec::new(),
            woven: Vec::new(),
            invented: Vec::new(),
            brought_back: Vec::new(),
        });
    }
    queue(project)?.change_status(row.id, &[MergeStatus::Merged], MergeStatus::Pending, None)?;
    land(ctx, project, target, row)?.ok_or_else(|| is_taken(row))
}

/// A name that is no branch is told before any entry is taken.
fn require_target(repo: &Repo, target: &str) -> CliResult<()> {
    if repo.branch_exists(target) {
        return Ok(());
    }
    let branch = target.to_owned();
    Err(CliError::coded(
        "MERGE_ERROR",
        MergeError::NoTarget { branch }.to_string(),
    ))
}

/// Puts a branch into the queue that is not there. What only a dry run has put there is marked before
/// anybody can take it.
fn enqueue(
    project: &Project,
    repo: &Repo,
    branch: &str,
    target: &str,
    dry_run: bool,
) -> CliResult<QueueRow> {
    if !repo.branch_exists(branch) {
        return Err(
            CliError::validation(format!("Branch \"{branch}\" not found"))
                .tip("'grove worktree list' shows the agents' branches"),
        );
    }
    let (agent, task) = agent_of_branch(branch).unwrap_or(("unknown", "unknown"));
    let files = changed_files(repo, branch, target).unwrap_or_default();
    let now = clock::now().iso();
    if dry_run {
        GroveStore::open(&project.paths.grove_db())?.note_looked_at(branch, &now)?;
    }
    Ok(queue(project)?.enqueue_once(branch, task, agent, &files, now)?)
}

fn all(ctx: &Context, project: &Project, args: &Args) -> CliResult {
    // What a killed merge has left behind may be what waits.
    if !args.dry_run {
        recover(ctx, project)?;
    }
    let mut pending = to_land(&project.paths)?;
    let looked = looked_at(&project.paths)?;
    let unasked: Vec<&str> = pending
        .iter()
        .filter(|row| looked.has(row))
        .map(|row| row.entry.branch_name.as_str())
        .collect();
    if let Some(first) = unasked.first() {
        ctx.out.note(format!(
            "not merged by --all, because only a dry run has queued it: {}; `grove merge --branch {first}` merges it",
            unasked.join(", ")
        ));
    }
    if !args.dry_run {
        pending.retain(|row| !looked.has(row));
    }
    if pending.is_empty() {
        if ctx.is_json() {
            ctx.out.json("merge", &json!({"results": [], "count": 0}))?;
        } else {
            ctx.out.hint("No pending branches to merge")?;
        }
        return Ok(Outcome::Done);
    }
    let target = landing::target(&project.paths, &project.config, args.into.as_deref())?;
    let repo = Repo::discover(&project.root)?;
    let count = pending.len();
    let plural = if count == 1 { "" } else { "es" };
    if args.dry_run {
        let ahead = Ahead::of(project, &repo);
        let predictions: Vec<_> = pending
            .iter()
            .map(|r| (&r.entry, predict(project, ahead.repo(), &target, &r.entry)))
            .collect();
        if ctx.is_json() {
            let entries: Vec<_> = predictions.iter().map(|(e, p)| predicted(e, p)).collect();
            ctx.out.json("merge", &json!({"entries": entries}))?;
            return Ok(Outcome::Done);
        }
        ctx.out.line(format!("{count} pending branch{plural}:\n"))?;
        for (entry, prediction) in &predictions {
            show_prediction(ctx, entry, prediction)?;
            ctx.out.line("")?;
        }
        return Ok(Outcome::Done);
    }
    require_target(&repo, &target)?;
    if !ctx.is_json() {
        ctx.out
            .line(format!("Merging {count} pending branch{plural}:\n"))?;
    }
    let attempts = land_all(ctx, project, &target, &pending)?;
    let good = attempts.iter().filter(|a| a.success).count();
    if ctx.is_json() {
        let results = attempts
            .iter()
            .map(|a| fields(a, Some(a.success)))
            .collect::<CliResult<Vec<_>>>()?;
        ctx.out.json(
            "merge",
            &json!({"results": results, "count": count, "successCount": good, "failCount": count - good}),
        )?;
    } else {
        ctx.out
            .line(format!("Done: {good} merged, {} failed.", count - good))?;
    }
    Ok(Outcome::Done)
}

/// Merges one entry; `None` when somebody else has it.
fn land(
    ctx: &Context,
    project: &Project,
    target: &str,
    row: &QueueRow,
) -> CliResult<Option<Attempt>> {
    recover(ctx, project)?;
    let context = landing::context(&project.paths, &project.config, target);
    let past = train::remembered(&project.paths, &project.config);
    let resolver = train::resolver(&project.paths, &project.config, target, &past);
    let resolver = resolver.as_ref().map(|r| r as &dyn ConflictResolver);
    let landed = landing::land(&project.paths, &context, row, resolver, &mut |progress| {
        note_gate(ctx, "   ", progress);
    })?;
    match landed {
        Some(Landed::Report(report)) => Ok(Some(attempt(row, &report))),
        Some(Landed::Error(error)) => Ok(Some(failed(row, &error.to_string()))),
        Some(Landed::Busy(error)) => Err(CliError::coded("MERGE_ERROR", error.to_string())),
        None => Ok(None),
    }
}

fn is_taken(row: &QueueRow) -> CliError {
    CliError::coded("MERGE_ERROR", taken(row))
        .hint("wait for it, then look at `grove merge --all --dry-run`")
}

fn taken(row: &QueueRow) -> String {
    format!(
        "{} is being merged by another process",
        row.entry.branch_name
    )
}

fn note_gate(ctx: &Context, before: &str, progress: MergeProgress<'_>) {
    if let MergeProgress::Gate(GateProgress::Started { index, total, gate }) = progress
        && !ctx.is_json()
    {
        ctx.out.note(format!(
            "{before}gate {}/{total}: {} ({})",
            index + 1,
            gate.name,
            gate.command
        ));
    }
}

/// Merges everything that waits; each end is shown as soon as those before it are known.
fn land_all(
    ctx: &Context,
    project: &Project,
    target: &str,
    rows: &[QueueRow],
) -> CliResult<Vec<Attempt>> {
    let context = landing::context(&project.paths, &project.config, target);
    let past = train::remembered(&project.paths, &project.config);
    let resolver = train::resolver(&project.paths, &project.config, target, &past);
    let resolver = resolver.as_ref().map(|r| r as &dyn ConflictResolver);
    let mut ended: Vec<Option<Attempt>> = rows.iter().map(|_| None).collect();
    let mut shown = 0;
    let mut problem = None;
    let landed = train::land_all(
        &project.paths,
        &context,
        rows,
        resolver,
        &mut |place, news| {
            let Some(row) = rows.get(place) else { return };
            match news {
                TrainNews::Progress(progress) => {
                    note_gate(ctx, &format!("   {}: ", row.entry.branch_name), progress);
                }
                TrainNews::Ended(landed) => {
                    if let Some(slot) = ended.get_mut(place) {
                        *slot = Some(attempt_of(row, Some(landed)));
                    }
                    if let Err(e) = show_ended(ctx, &ended, &mut shown) {
                        problem.get_or_insert(e);
                    }
                }
            }
        },
    );
    let landed = landed.map_err(|error| {
        if let CoordinatorError::Merge(error @ MergeError::Locked { .. }) = &error {
            return CliError::coded("MERGE_ERROR", error.to_string());
        }
        error.into()
    })?;
    for (slot, (row, landed)) in ended.iter_mut().zip(rows.iter().zip(&landed)) {
        slot.get_or_insert_with(|| attempt_of(row, landed.as_ref()));
    }
    show_ended(ctx, &ended, &mut shown)?;
    match problem {
        Some(problem) => Err(problem),
        None => Ok(ended.into_iter().flatten().collect()),
    }
}

fn attempt_of(row: &QueueRow, landed: Option<&Landed>) -> Attempt {
    match landed {
        Some(Landed::Report(report)) => attempt(row, report),
        Some(Landed::Error(error) | Landed::Busy(error)) => failed(row, &error.to_string()),
        None => failed(row, &taken(row)),
    }
}

/// Shows what has ended, in the order of the queue.
fn show_ended(ctx: &Context, ended: &[Option<Attempt>], shown: &mut usize) -> CliResult<()> {
    while let Some(Some(attempt)) = ended.get(*shown) {
        *shown += 1;
        announce(ctx, &attempt.entry)?;
        if !ctx.is_json() {
            show(ctx, attempt)?;
            if !attempt.success && ctx.out.is_terminal() {
                ctx.out.hint(format!(" {}", more(attempt.id)))?;
            }
            ctx.out.line("")?;
        }
    }
    Ok(())
}

/// ov prints a failed entry as `failed` without a tier, whatever the queue says.
fn attempt(row: &QueueRow, report: &MergeReport) -> Attempt {
    let success = report.is_success();
    let mut entry = row.entry.clone();
    entry.status = if success {
        MergeStatus::Merged
    } else {
        MergeStatus::Failed
    };
    entry.resolved_tier = success.then_some(report.tier);
    Attempt {
        id: row.id,
        entry,
        success,
        tier: report.tier,
        conflict_files: report.conflict_files.clone(),
        error_message: report.error_message.clone(),
        warnings: report.warnings.clone(),
        // What is held displaces nothing: `merge show` has what it would.
        displaced: of_landed(success, &report.displaced),
        woven: of_landed(success, &report.woven),
        invented: report
            .receipt
            .as_ref()
            .map_or_else(Vec::new, |receipt| receipt.invented.clone()),
        brought_back: report
            .receipt
            .as_ref()
            .map_or_else(Vec::new, |receipt| receipt.brought_back.clone()),
    }
}

fn of_landed<T: Clone>(success: bool, list: &[T]) -> Vec<T> {
    if success { list.to_vec() } else { Vec::new() }
}

fn failed(row: &QueueRow, message: &str) -> Attempt {
    let mut entry = row.entry.clone();
    entry.status = MergeStatus::Failed;
    entry.resolved_tier = None;
    Attempt {
        id: row.id,
        entry,
        success: false,
        tier: MergeTier::CleanMerge,
        conflict_files: Vec::new(),
        error_message: Some(message.to_owned()),
        warnings: Vec::new(),
        displaced: Vec::new(),
        woven: Vec::new(),
        invented: Vec::new(),
        brought_back: Vec::new(),
    }
}

fn fields(attempt: &Attempt, success: Option<bool>) -> CliResult<Map<String, Value>> {
    let value = serde_json::to_value(ResultJson {
        entry: MergeEntryJson::from(&attempt.entry),
        success,
        tier: attempt.tier.as_str(),
        conflict_files: &attempt.conflict_files,
        error_message: attempt.error_message.as_deref(),
        warnings: &attempt.warnings,
        displaced: &attempt.displaced,
        woven: &attempt.woven,
        invented: &attempt.invented,
        brought_back: &attempt.brought_back,
    })?;
    match value {
        Value::Object(map) => Ok(map),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Ok(Map::new())
        }
    }
}

fn predicted<'a>(entry: &'a MergeEntry, prediction: &'a Prediction) -> PredictedJson<'a> {
    PredictedJson {
        entry: MergeEntryJson::from(entry),
        prediction: PredictionJson::from(prediction),
    }
}

/// Where predictions are made: nothing is written to the project's repository if that can be helped.
enum Ahead<'a> {
    Aside(Box<merge::Aside>),
    Here(&'a Repo),
}

impl<'a> Ahead<'a> {
    fn of(project: &Project, repo: &'a Repo) -> Self {
        match merge::Aside::of(repo, &project.root) {
            Ok(aside) => Self::Aside(Box::new(aside)),
            Err(error) => {
                tracing::warn!(%error, "a prediction may leave objects behind");
                Self::Here(repo)
            }
        }
    }

    fn repo(&self) -> &Repo {
        match self {
            Self::Aside(aside) => aside.repo(),
            Self::Here(repo) => repo,
        }
    }
}

/// A prediction that cannot be made says so in its reason.
fn predict(project: &Project, repo: &Repo, target: &str, entry: &MergeEntry) -> Prediction {
    if !repo.branch_exists(&entry.branch_name) {
        return unpredictable(&format!(
            "Failed to resolve ref \"{}\": fatal: Needed a single revision",
            entry.branch_name
        ));
    }
    let past = past_merges(project);
    let gives_up = |tier, files: &[String]| history::gives_up(&past, tier, files);
    merge::predict(repo, target, &entry.branch_name, &gives_up)
        .unwrap_or_else(|e| unpredictable(&e.to_string()))
}

/// What the project remembers of earlier merges; a store that cannot be read remembers nothing.
fn past_merges(project: &Project) -> Vec<history::PastMerge> {
    let store = Mulch::open(&project.root).filter(|_| project.config.mulch.enabled);
    store
        .and_then(|store| history::recall(&store).ok())
        .unwrap_or_default()
}

fn unpredictable(why: &str) -> Prediction {
    Prediction {
        predicted_tier: MergeTier::AiResolve,
        conflict_files: Vec::new(),
        would_require_agent: true,
        reason: format!("prediction-failed: {why}"),
    }
}

fn announce(ctx: &Context, entry: &MergeEntry) -> CliResult<()> {
    if ctx.is_json() {
        return Ok(());
    }
    ctx.out
        .line(format!("Merging branch: {}", entry.branch_name))?;
    ctx.out.line(format!(
        "   Agent: {} | Task: {}",
        entry.agent_name, entry.task_id
    ))?;
    ctx.out
        .line(format!("   Files: {} modified", entry.files_modified.len()))
}

fn show(ctx: &Context, attempt: &Attempt) -> CliResult<()> {
    let word = if attempt.success { "Merged" } else { "Failed" };
    ctx.out
        .line(format!("   Result: {word} (tier: {})", attempt.tier))?;
    if !attempt.conflict_files.is_empty() {
        ctx.out.line(format!(
            "   Conflicts: {}",
            attempt.conflict_files.join(", ")
        ))?;
    }
    if let Some(message) = &attempt.error_message {
        ctx.out.line(format!("   Error: {message}"))?;
    }
    if attempt.success {
        show_losses(ctx, attempt)?;
    }
    Ok(())
}

/// What a merge that landed has done besides: lines that are gone, woven, new or back, hooks that did
/// not run, gates that were green only the second time. Not hidden by `--quiet`: it is about content.
fn show_losses(ctx: &Context, attempt: &Attempt) -> CliResult<()> {
    let losses = merge::losses(&attempt.displaced, &attempt.warnings);
    let written = merge_show::written(&attempt.woven, &attempt.invented);
    for line in losses.into_iter().chain(written) {
        ctx.out.line(format!("   {line}"))?;
    }
    Ok(())
}

fn show_prediction(ctx: &Context, entry: &MergeEntry, prediction: &Prediction) -> CliResult<()> {
    ctx.out
        .line(format!("[dry-run] Branch: {}", entry.branch_name))?;
    ctx.out.line(format!(
        "   Agent: {} | Task: {}",
        entry.agent_name, entry.task_id
    ))?;
    ctx.out.line(format!("   Status: {}", entry.status))?;
    ctx.out
        .line(format!("   Files: {} modified", entry.files_modified.len()))?;
    for file in &entry.files_modified {
        ctx.out.line(format!("     - {file}"))?;
    }
    let agent = if prediction.would_require_agent {
        " (would require merger agent)"
    } else {
        ""
    };
    ctx.out.line(format!(
        "   Prediction: {}{agent} — {}",
        prediction.predicted_tier, prediction.reason
    ))?;
    if !prediction.conflict_files.is_empty() {
        ctx.out.line(format!(
            "   Conflict files: {}",
            prediction.conflict_files.join(", ")
        ))?;
    }
    Ok(())
}
