//! Saying beforehand which tier a merge will need. The same planning as the real thing, and nothing
//! after it: no lock, no ref, no checkout.

pub use super::settle::held_as_too_large;

use crate::git::Repo;
use crate::types::merge::{MergeTier, Prediction};

use super::answers::{Decided, Kept, half_decided, kept};
use super::assist::contested_files;
use super::commit::require_verified;
use super::context::own_settings::{changed_settings, waits};
use super::error::MergeError;
use super::outcome::{MergeOutcome, MergePlan};
use super::plan::{plan, plan_doubted};
use super::scratch::Ahead;

/// Predicts merging `branch` into `target`, by what a person has `decided` about it. `gives_up` knows from earlier merges
/// which tiers are not worth trying on some files.
pub fn predict(
    ahead: &Ahead<'_>,
    (target, branch): (&str, &str),
    decided: &Decided,
    gives_up: &dyn Fn(MergeTier, &[String]) -> bool,
) -> Result<Prediction, MergeError> {
    let outcome = plan(ahead.repo(), target, branch)?;
    let held = match outcome.plan() {
        Some(plan) => held_ahead(ahead, (target, branch), plan)?,
        None => None,
    };
    let prediction = |tier: MergeTier, conflict_files, reason| Prediction {
        predicted_tier: tier,
        conflict_files,
        would_require_agent: tier.requires_agent() && held.is_none(),
        reason,
        held: held.clone(),
    };
    Ok(match outcome {
        MergeOutcome::Clean(plan) if plan.already_merged => prediction(
            MergeTier::CleanMerge,
            Vec::new(),
            format!("{branch} is already an ancestor of {target}"),
        ),
        MergeOutcome::Clean(_) => prediction(
            MergeTier::CleanMerge,
            Vec::new(),
            "no conflicts: merge-tree reports clean merge".to_owned(),
        ),
        MergeOutcome::Resolved(plan) => {
            let reason = match plan.conflict_files.as_slice() {
                [file] => format!("{file} resolves without discarding content"),
                files => format!("{} files resolve without discarding content", files.len()),
            };
            prediction(MergeTier::AutoResolve, plan.conflict_files, reason)
        }
        MergeOutcome::ContentDisplaced(plan) => {
            let mut files: Vec<&str> = plan.displaced.iter().map(|h| h.file.as_str()).collect();
            files.dedup();
            let reason = match files.as_slice() {
                [file] => format!("{file} has contentful canonical"),
                [first, ..] => format!(
                    "{} files have contentful canonical (e.g. {first})",
                    files.len()
                ),
                [] => "content would be displaced".to_owned(),
            };
            match kept_ahead(ahead.repo(), &plan, decided)? {
                Kept::Nothing => {}
                Kept::All(review) => {
                    let reason = format!(
                        "{reason}; every contested place is decided and accepted, and lands so"
                    );
                    return Ok(Prediction {
                        would_require_agent: false,
                        ..prediction(review.tier, plan.conflict_files, reason)
                    });
                }
                Kept::Some { decided, of } => {
                    let waits = half_decided(decided, of);
                    return Ok(Prediction {
                        would_require_agent: false,
                        held: held.clone().or(Some(waits)),
                        ..prediction(MergeTier::AutoResolve, plan.conflict_files, reason)
                    });
                }
            }
            if let Some(why) = nobody_to_ask(ahead.repo(), &plan)? {
                let reason = format!("{reason}; no model can be asked: {why}");
                return Ok(prediction(
                    MergeTier::AutoResolve,
                    plan.conflict_files,
                    reason,
                ));
            }
            if gives_up(MergeTier::AiResolve, &plan.conflict_files) {
                let reason = format!("{reason}, and ai-resolve has failed on such files before");
                return Ok(prediction(
                    MergeTier::Reimagine,
                    plan.conflict_files,
                    reason,
                ));
            }
            prediction(MergeTier::AiResolve, plan.conflict_files, reason)
        }
        // Nobody is asked about these: the merge ends with the tier that needs nobody.
        MergeOutcome::Failed(failure) => prediction(
            MergeTier::AutoResolve,
            failure.paths().to_vec(),
            format!("no tier can merge this: {failure}"),
        ),
    })
}

/// What a person has decided about the places of a plan, as merging it would find it.
fn kept_ahead(repo: &Repo, plan: &MergePlan, decided: &Decided) -> Result<Kept, MergeError> {
    if decided.places.is_empty() {
        return Ok(Kept::Nothing);
    }
    // A person was shown the places that the account asks about, too.
    let shown = plan_doubted(repo, plan, None)?;
    Ok(shown
        .plan()
        .map_or(Kept::Nothing, |plan| kept(plan, decided)))
}

/// Why no model can be asked about what a plan displaces: it is not text. The merge is held then by the tier that needs
/// nobody.
pub fn nobody_to_ask(repo: &Repo, plan: &MergePlan) -> Result<Option<String>, MergeError> {
    Ok(contested_files(repo, plan)?.err())
}

/// Why a planned merge would not land by itself, whatever its tier: the user wants branches signed, or it changes
/// settings that only a person lands. `target` and `branch` are the names of the two.
pub fn held_ahead(
    ahead: &Ahead<'_>,
    (target, branch): (&str, &str),
    plan: &MergePlan,
) -> Result<Option<String>, MergeError> {
    if plan.already_merged {
        return Ok(None);
    }
    let (repo, root) = ahead.project();
    match require_verified(repo, (target, branch), plan.branch) {
        Ok(()) => {}
        Err(error @ MergeError::NotVerified { .. }) => return Ok(Some(error.to_string())),
        Err(error) => return Err(error),
    }
    let objects = ahead.repo();
    let trees = (objects.tree_of(plan.target)?, plan.tree);
    let settings = changed_settings((repo, root), objects, trees)?;
    Ok((!settings.is_empty()).then(|| waits(branch, &settings)))
}
