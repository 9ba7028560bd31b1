//! `merge --dry-run`: what a merge would come to.

use serde::Serialize;

use crate::cli::{CliResult, Context, MergeEntryJson, PredictionJson, Project};
use crate::coordinator::decisions::AllDecided;
use crate::merge::{self, Ahead};
use crate::mulch::{Mulch, history};
use crate::types::merge::{MergeEntry, MergeTier, Prediction};

#[derive(Serialize)]
pub(super) struct PredictedJson<'a> {
    #[serde(flatten)]
    entry: MergeEntryJson<'a>,
    prediction: PredictionJson<'a>,
}

pub(super) fn predicted<'a>(
    entry: &'a MergeEntry,
    prediction: &'a Prediction,
) -> PredictedJson<'a> {
    PredictedJson {
        entry: MergeEntryJson::from(entry),
        prediction: PredictionJson::from(prediction),
    }
}

/// A prediction that cannot be made says so in its reason.
pub(super) fn predict(
    project: &Project,
    ahead: &Ahead<'_>,
    target: &str,
    entry: &MergeEntry,
) -> Prediction {
    if !ahead.repo().branch_exists(&entry.branch_name) {
        return unpredictable(&format!(
            "Failed to resolve ref \"{}\": fatal: Needed a single revision",
            entry.branch_name
        ));
    }
    let past = past_merges(project);
    let gives_up = |tier, files: &[String]| history::gives_up(&past, tier, files);
    let branch = &entry.branch_name;
    let decided = AllDecided::open(&project.paths).and_then(|all| all.of(branch));
    let predicted = decided
        .map_err(|error| error.to_string())
        .and_then(|decided| {
            merge::predict(ahead, (target, branch), &decided, &gives_up)
                .map_err(|error| error.to_string())
        });
    predicted.unwrap_or_else(|why| unpredictable(&why))
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
        held: None,
    }
}

pub(super) fn show_prediction(
    ctx: &Context,
    entry: &MergeEntry,
    prediction: &Prediction,
) -> CliResult<()> {
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
    if let Some(held) = &prediction.held {
        ctx.out.line(format!("   Held: {held}"))?;
    }
    if !prediction.conflict_files.is_empty() {
        ctx.out.line(format!(
            "   Conflict files: {}",
            prediction.conflict_files.join(", ")
        ))?;
    }
    Ok(())
}
