//! One attempt to merge a branch as `merge` prints it, as text and as the contract's object.

use serde::Serialize;
use serde_json::{Map, Value};

use super::merge_show;
use super::merge_stakes::at_stake;
use crate::cli::{CliResult, Context, MergeEntryJson};
use crate::coordinator::landing::Landed;
use crate::db::merge_queue::QueueRow;
use crate::merge::{self, Conclusion, GateProgress, MergeProgress, MergeReport};
use crate::text::sanitize_line;
use crate::types::merge::{
    CrossedLines, DisplacedHunk, InventedLine, KeptTwice, MergeEntry, MergeStatus, MergeTier,
    RevivedLine, WentAlong, WovenLine,
};

/// How many lines about what a held merge would displace people are told at once.
const STAKES_TOLD: usize = 16;

/// One finished attempt in the contract's terms.
pub(super) struct Attempt {
    pub(super) id: i64,
    pub(super) entry: MergeEntry,
    pub(super) success: bool,
    /// Why it was not tried, or not to its end: its entry is as before, and nothing has failed.
    pub(super) waits: Option<String>,
    /// It waits because nothing more could land.
    pub(super) is_stopped: bool,
    /// The target that had everything of the branch before. Said in words alone: the contract's object has no
    /// place for it.
    already_in: Option<String>,
    tier: MergeTier,
    conflict_files: Vec<String>,
    pub(super) error_message: Option<String>,
    warnings: Vec<String>,
    displaced: Vec<DisplacedHunk>,
    woven: Vec<WovenLine>,
    invented: Vec<InventedLine>,
    brought_back: Vec<RevivedLine>,
    kept_twice: Vec<KeptTwice>,
    went_along: Vec<WentAlong>,
    crossed: Vec<CrossedLines>,
    /// What there is to know besides the error, for people and programs alike: what has become of the target, and
    /// what comes next.
    pub(super) hints: Vec<String>,
    /// What a held merge would displace. The contract's object does not have it; `merge show` does.
    at_stake: Vec<DisplacedHunk>,
}

impl Attempt {
    /// One that left nothing behind but its end.
    fn ended(row: &QueueRow, success: bool, tier: MergeTier) -> Self {
        Self {
            id: row.id,
            entry: row.entry.clone(),
            success,
            waits: None,
            is_stopped: false,
            already_in: None,
            tier,
            conflict_files: Vec::new(),
            error_message: None,
            warnings: Vec::new(),
            displaced: Vec::new(),
            woven: Vec::new(),
            invented: Vec::new(),
            brought_back: Vec::new(),
            kept_twice: Vec::new(),
            went_along: Vec::new(),
            crossed: Vec::new(),
            hints: Vec::new(),
            at_stake: Vec::new(),
        }
    }

    /// A branch that has nothing new since it was merged into `target`.
    pub(super) fn nothing_new(row: &QueueRow, target: &str) -> Self {
        Self {
            already_in: Some(target.to_owned()),
            ..Self::merged_before(row)
        }
    }

    /// A branch whose entry says that it is merged.
    fn merged_before(row: &QueueRow) -> Self {
        let tier = row.entry.resolved_tier.unwrap_or(MergeTier::CleanMerge);
        Self::ended(row, true, tier)
    }

    pub(super) fn of_landed(row: &QueueRow, landed: &Landed) -> Self {
        match landed {
            Landed::Report(report) => Self::of(row, report),
            Landed::Error(why) => Self::failed(row, why),
            Landed::Busy(error) => Self::waiting(row, error.to_string()),
            Landed::Stopped(why) => Self {
                is_stopped: true,
                ..Self::waiting(row, why.clone())
            },
            Landed::Paused => Self::waiting(
                row,
                "the queue was paused; `grove merge --all` merges it all the same".to_owned(),
            ),
        }
    }

    /// One that somebody else has had; `now` is what has become of its entry.
    pub(super) fn of_another(row: &QueueRow, now: Option<&QueueRow>) -> Self {
        match now {
            Some(now) if now.entry.status == MergeStatus::Merged => Self::merged_before(now),
            Some(_) => Self::waiting(row, taken(row)),
            None => Self::waiting(row, "it was taken out of the queue".to_owned()),
        }
    }

    fn waiting(row: &QueueRow, why: String) -> Self {
        Self {
            waits: Some(why),
            ..Self::ended(row, false, MergeTier::CleanMerge)
        }
    }

    /// ov prints a failed entry as `failed` without a tier, whatever the queue says.
    pub(super) fn of(row: &QueueRow, report: &MergeReport) -> Self {
        let success = report.is_success();
        // What is held displaces nothing: `merge show` has what it would.
        let (displaced, at_stake) = if success {
            (report.displaced.clone(), Vec::new())
        } else {
            (Vec::new(), report.displaced.clone())
        };
        let (woven, went_along) = if success {
            (report.woven.clone(), report.went_along.clone())
        } else {
            (Vec::new(), Vec::new())
        };
        let receipt = report.receipt.as_ref();
        let mut attempt = Self {
            already_in: report.was_merged_before().then(|| report.target.clone()),
            conflict_files: report.conflict_files.clone(),
            error_message: report.error_message.clone(),
            warnings: report.warnings.clone(),
            displaced,
            hints: hints(row.id, report),
            at_stake,
            woven,
            went_along,
            invented: receipt.map_or_else(Vec::new, |receipt| receipt.invented.clone()),
            brought_back: receipt.map_or_else(Vec::new, |receipt| receipt.brought_back.clone()),
            kept_twice: receipt.map_or_else(Vec::new, |receipt| receipt.kept_twice.clone()),
            crossed: receipt.map_or_else(Vec::new, |receipt| receipt.crossed.clone()),
            ..Self::ended(row, success, report.tier)
        };
        attempt.entry.status = if success {
            MergeStatus::Merged
        } else {
            MergeStatus::Failed
        };
        attempt.entry.resolved_tier = success.then_some(report.tier);
        attempt
    }

    pub(super) fn failed(row: &QueueRow, message: &str) -> Self {
        let mut attempt = Self {
            error_message: Some(message.to_owned()),
            ..Self::ended(row, false, MergeTier::CleanMerge)
        };
        attempt.entry.status = MergeStatus::Failed;
        attempt.entry.resolved_tier = None;
        attempt
    }
}

/// What has become of the target, and what comes next.
fn hints(id: i64, report: &MergeReport) -> Vec<String> {
    let unchanged = format!("nothing has changed on {}", report.target);
    match report.conclusion {
        Conclusion::Held => {
            let last_try = report.last_try();
            let last_try = last_try.map(|said| sanitize_line(said).into_owned());
            let next = format!("'grove merge show {id}' lists what would be displaced");
            let unchanged = format!("{unchanged}; {next}");
            last_try.into_iter().chain([unchanged]).collect()
        }
        Conclusion::Refused => {
            vec![format!(
                "{unchanged}; when that is done, the same command merges it"
            )]
        }
        Conclusion::Landed
        | Conclusion::AlreadyMerged
        | Conclusion::NeedsPerson
        | Conclusion::GatesRed
        | Conclusion::Failed => Vec::new(),
    }
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
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    kept_twice: &'a [KeptTwice],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    went_along: &'a [WentAlong],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    crossed: &'a [CrossedLines],
}

pub(super) fn fields(attempt: &Attempt, success: Option<bool>) -> CliResult<Map<String, Value>> {
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
        kept_twice: &attempt.kept_twice,
        went_along: &attempt.went_along,
        crossed: &attempt.crossed,
    })?;
    match value {
        Value::Object(map) => Ok(map),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Ok(Map::new())
        }
    }
}

/// Where everything about an attempt is: what would be displaced, what a gate printed.
pub(super) fn more(id: i64) -> String {
    format!("'grove merge show {id}' shows why")
}

/// Why a merge that went well has no commit.
pub(super) fn nothing_to_do(branch: &str, target: &str) -> String {
    format!("Nothing to do: {branch} is already in {target}")
}

pub(super) fn taken(row: &QueueRow) -> String {
    format!(
        "{} is being merged by another process",
        row.entry.branch_name
    )
}

pub(super) fn note_gate(ctx: &Context, before: &str, progress: MergeProgress<'_>) {
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

pub(super) fn announce(ctx: &Context, entry: &MergeEntry) -> CliResult<()> {
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

pub(super) fn show(ctx: &Context, attempt: &Attempt) -> CliResult<()> {
    if let Some(why) = &attempt.waits {
        return ctx.out.line(format!(
            "   Result: Not merged, and in the queue as before: {why}"
        ));
    }
    let word = if attempt.success { "Merged" } else { "Failed" };
    ctx.out
        .line(format!("   Result: {word} (tier: {})", attempt.tier))?;
    if let Some(target) = &attempt.already_in {
        let branch = &attempt.entry.branch_name;
        ctx.out
            .line(format!("   {}", nothing_to_do(branch, target)))?;
    }
    if !attempt.conflict_files.is_empty() {
        ctx.out.line(format!(
            "   Conflicts: {}",
            attempt.conflict_files.join(", ")
        ))?;
    }
    if let Some(message) = &attempt.error_message {
        ctx.out.line(format!("   Error: {message}"))?;
    }
    // Programs read here what ov prints; `merge show` has it for everybody.
    if ctx.out.is_terminal() {
        let said = merge::held_as_too_large(attempt.warnings.iter().map(String::as_str));
        if let Some(said) = said.filter(|_| !attempt.success) {
            ctx.out.line(format!("   What both sides rewrote {said}"))?;
        }
        for line in at_stake(&attempt.at_stake, STAKES_TOLD, attempt.id) {
            ctx.out.line(format!("   {line}"))?;
        }
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
    let along = merge_show::along(&attempt.went_along);
    let crossed = merge_show::crossed(&attempt.crossed);
    for line in [losses, written, along, crossed].into_iter().flatten() {
        ctx.out.line(format!("   {line}"))?;
    }
    Ok(())
}
