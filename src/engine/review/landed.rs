//! Deciding about what a merge has displaced that landed as `merge.onDisplaced: commit` has it. The places are those of
//! the merge as it was made; what is decided otherwise becomes a commit on a branch of its own, which goes through the
//! queue like any other: account, gates, receipt and undo are the same.

use super::land::{Accepted, Ended, Offer, ended, review_of};
use super::load::{Loaded, words};
use super::view::Decision;
use crate::config;
use crate::coordinator::CoordinatorError;
use crate::coordinator::execute::changed_files;
use crate::coordinator::landing::{self, Landed};
use crate::coordinator::receipts;
use crate::db::merge_queue::QueueRow;
use crate::db::{GroveStore, MergeQueueStore};
use crate::git::{Oid, Repo};
use crate::merge::{
    self, CallOff, Choices, Contested, MergeContext, MergeProgress, OwnSettings, Review,
};
use crate::platform::{ProjectPaths, clock, liveness};
use crate::types::merge::{MergeReceipt, MergeStatus, SettledBy};

/// Finds out what there is to decide about a landed entry. The error is a sentence.
pub(super) fn receipt_of(paths: &ProjectPaths, id: i64) -> Result<MergeReceipt, String> {
    let stored = receipts::find(paths, &id.to_string()).map_err(words)?;
    let receipt = stored.and_then(|stored| stored.receipt());
    let receipt = receipt.filter(|it| it.settled_by == Some(SettledBy::Policy));
    receipt.ok_or_else(|| "it has landed, and nothing in it waits for a decision".to_owned())
}

/// The commits whose merge is decided about.
pub(super) fn sides(repo: &Repo, receipt: &MergeReceipt) -> Result<(Oid, Oid), String> {
    let commit = |name: &str| repo.commit_of(name).map_err(words);
    let target = format!("refs/heads/{}", receipt.target);
    let (merged, tip) = (commit(&receipt.merged_commit)?, repo.ref_target(&target));
    let is_there = tip.is_some_and(|tip| repo.is_ancestor(merged, tip).unwrap_or(false));
    if !is_there {
        return Err(format!(
            "the merge is not part of {} any more",
            receipt.target
        ));
    }
    Ok((
        commit(&receipt.target_before)?,
        commit(&receipt.branch_tip)?,
    ))
}

/// Says why a landed merge cannot be decided about here, if its places do not come to what has landed.
pub(super) fn is_as_landed(
    repo: &Repo,
    receipt: &MergeReceipt,
    contested: &Contested,
) -> Result<(), String> {
    let review = Review {
        target: contested.target,
        branch: contested.branch,
        choices: Choices::Hunks(vec![merge::Decision::Theirs; contested.places.len()]),
        tier: receipt.tier,
        made: contested.made.clone(),
    };
    match merge::tree_of(repo, &review).map_err(words)? {
        Ok(found) if found.tree.to_string() == receipt.merged_tree => Ok(()),
        Ok(_) | Err(_) => Err(
            "what it displaced cannot be decided place by place any more: take the merge back, and merge again"
                .to_owned(),
        ),
    }
}

/// What has landed in a place that nobody has decided about.
pub(super) fn as_landed() -> Decision {
    Decision::Theirs
}

/// Takes what was decided: notes that it stays as it landed, or lands a commit that decides otherwise.
pub(super) fn accept(
    (paths, call_off): (&ProjectPaths, &CallOff),
    (loaded, receipt): (&Loaded, &MergeReceipt),
    offer: &Offer,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<Accepted, String> {
    let review = review_of(loaded, offer)?;
    let config = config::load(&paths.root).map_err(words)?.config;
    let repo = landing::repository(paths, &config).map_err(words)?;
    let decided = merge::tree_of(&repo, &review)
        .map_err(words)?
        .map_err(|failure| failure.to_string())?;
    let stored = receipts::find(paths, &receipt.id).map_err(words)?;
    let stored = stored.ok_or("its receipt is gone")?;
    if decided.tree.to_string() == receipt.merged_tree {
        receipts::note_reviewed(paths, &stored, None).map_err(words)?;
        let text = "stays as it landed; its receipt keeps what was displaced";
        return Ok(Accepted::Landed(text.to_owned()));
    }
    let branch = follow_up(&receipt.agent, offer.id);
    let merged = repo.commit_of(&receipt.merged_commit).map_err(words)?;
    let message = format!(
        "Decide what the merge of {} displaced\n\nMerge {} had landed the branch's side of every contested place.",
        receipt.branch, receipt.merged_commit
    );
    merge::branch_with(&repo, &branch, (decided.tree, merged), &message).map_err(words)?;
    let row = enqueue(paths, &repo, receipt, (&branch, offer.id)).map_err(words)?;
    let by = Some((branch.as_str(), decided.displaced.as_slice()));
    receipts::note_reviewed(paths, &stored, by).map_err(words)?;
    let context = MergeContext {
        call_off: call_off.clone(),
        own_settings: OwnSettings::Land,
        ..landing::context(paths, &config, &receipt.target)
    };
    let landed = landing::land(paths, &context, &row, None, observer).map_err(words)?;
    let waits = |why: String| {
        Err(format!(
            "{why}; what is decided waits in the queue as {branch}"
        ))
    };
    match landed {
        Some(Landed::Report(report)) => match ended(&report) {
            // What goes with it was decided here; to the queue that is a change like any other.
            Ok(Ended::Landed { target, commit, .. }) => {
                let gone = match decided.displaced.as_slice() {
                    [] => "no line is gone".to_owned(),
                    displaced => format!(
                        "{} gone, kept with merge {}",
                        merge::amount(displaced),
                        offer.id
                    ),
                };
                Ok(Accepted::Landed(format!(
                    "is decided: {branch} landed on {target} as {commit}; {gone}"
                )))
            }
            Ok(there @ Ended::WasThere { .. }) => {
                Ok(Accepted::Landed(format!("is decided: {}", there.said())))
            }
            Err(why) => waits(why),
        },
        // It is in the line, and whoever lands what waits lands it.
        Some(Landed::Busy(_) | Landed::Paused) | None => Ok(Accepted::Landed(format!(
            "is decided: {branch} is in the queue and lands when its turn comes"
        ))),
        Some(Landed::Stopped(why) | Landed::Error(why)) => waits(why),
    }
}

/// The branch with what was decided about a landed entry.
pub(in crate::engine) fn follow_up(agent: &str, id: i64) -> String {
    format!("overstory/{agent}/review-{id}")
}

/// Puts that branch into the queue, so that this process is the one that lands it.
fn enqueue(
    paths: &ProjectPaths,
    repo: &Repo,
    receipt: &MergeReceipt,
    (branch, id): (&str, i64),
) -> Result<QueueRow, CoordinatorError> {
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    let grove = GroveStore::open(&paths.grove_db())?;
    let me = liveness::own_identity();
    if let Some(known) = queue.by_branch(branch)? {
        grove.note_wanted(branch, &known.entry.enqueued_at, me)?;
        let from = [
            MergeStatus::Merged,
            MergeStatus::Failed,
            MergeStatus::Conflict,
        ];
        queue.change_status(known.id, &from, MergeStatus::Pending, None)?;
        return Ok(known);
    }
    let now = clock::now().iso();
    grove.note_wanted(branch, &now, me)?;
    let files = changed_files(repo, branch, &receipt.target).unwrap_or_default();
    let task = format!("review-{id}");
    Ok(queue.enqueue_once(branch, &task, &receipt.agent, &files, now)?)
}
