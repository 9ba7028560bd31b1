//! Which verbs of the merge queue make sense right now, and why the others do not.

use crate::engine::review::PlaceKind;
use crate::engine::view::{
    DisplacedView, GateProgress, MergeState as QueueState, MergeStep, MergeView,
};
use crate::tui::action::Action;
use crate::tui::state::review::{Phase, Review, has_landed};
use crate::tui::state::{ScreenId, State};

/// Says whether the queue is what is looked at; its verbs belong to it.
pub(super) fn on_screen(state: &State) -> Result<(), String> {
    if state.screen == ScreenId::Merge {
        Ok(())
    } else {
        Err("this belongs to the Merge screen".to_owned())
    }
}

fn selected(state: &State) -> Result<&MergeView, String> {
    on_screen(state)?;
    state
        .merge
        .selected()
        .ok_or_else(|| "no branch is selected".to_owned())
}

/// Merging is for whoever coordinates; a viewer is told where.
pub(super) fn merges_here(state: &State) -> Result<(), String> {
    if let Some(front) = &state.merge.foreground {
        return Err(format!("{} first", front.what));
    }
    match state.viewer_of() {
        Some(pid) => Err(format!("pid {pid} coordinates this project; merge there")),
        None => Ok(()),
    }
}

fn under_way(entry: &MergeView) -> Result<(), String> {
    match entry.state {
        QueueState::Merging => Err(format!("{} is merging right now", entry.branch)),
        QueueState::Merged => Err(format!("{} has landed already", entry.branch)),
        QueueState::Pending | QueueState::Review | QueueState::Conflict | QueueState::Failed => {
            Ok(())
        }
    }
}

pub(super) fn now(state: &State) -> Result<(), String> {
    let entry = selected(state)?;
    under_way(entry)?;
    merges_here(state)?;
    let key = |action, word: &str| match state.keymap.key_for(state.scope(), action) {
        Some(key) => format!("{key} {word}"),
        None => word.to_owned(),
    };
    if entry.state == QueueState::Review {
        return Err(format!(
            "{} needs a decision first: {}, {}, {}",
            entry.branch,
            key(Action::Open, "opens the review"),
            key(Action::MergeCombine, "asks a model"),
            key(Action::MergeBoth, "keeps both"),
        ));
    }
    Ok(())
}

pub(super) fn all(state: &State) -> Result<(), String> {
    on_screen(state)?;
    let waiting: Vec<&MergeView> = state
        .merge
        .items
        .iter()
        .filter(|m| m.state == QueueState::Pending && !m.looked_at)
        .collect();
    if waiting.is_empty() && state.merge.items.iter().any(|m| m.looked_at) {
        return Err("what waits was put there by a dry run; merge it by itself".to_owned());
    }
    if waiting.is_empty() {
        return Err("no branch waits in the queue".to_owned());
    }
    let contested = |m: &&MergeView| m.forecast.as_ref().is_some_and(|f| !f.is_clean());
    if waiting.iter().all(contested) {
        return Err("nothing that waits is clean".to_owned());
    }
    merges_here(state)
}

pub(super) fn untouched(state: &State) -> Result<(), String> {
    under_way(selected(state)?)
}

/// Taking an entry out of the queue, or cancelling the merge of it that is under way.
pub(super) fn droppable(state: &State) -> Result<(), String> {
    if state.screen == ScreenId::Merge
        && let Some(review) = &state.review.open
    {
        return stoppable(state, review);
    }
    let entry = selected(state)?;
    match (entry.state, &entry.gates) {
        (QueueState::Merging, Some(progress)) => cancellable(entry, progress),
        (QueueState::Merging, None)
        | (
            QueueState::Pending
            | QueueState::Merged
            | QueueState::Review
            | QueueState::Conflict
            | QueueState::Failed,
            _,
        ) => under_way(entry),
    }
}

/// In a review nothing is dropped: what lands from it can be cancelled.
fn stoppable(state: &State, review: &Review) -> Result<(), String> {
    match review.phase {
        Phase::Landing { .. } => {}
        Phase::Loading | Phase::Deciding | Phase::Closed(_) | Phase::Landed(_) => {
            let why = "nothing lands from here; branches are dropped in the queue";
            return Err(why.to_owned());
        }
    }
    let entry = landing_entry(state, review);
    match entry.and_then(|entry| Some((entry, entry.gates.as_ref()?))) {
        Some((entry, progress)) => cancellable(entry, progress),
        None => Err("it has only begun to land; in a moment it can be cancelled".to_owned()),
    }
}

/// Gives the entry that lands from a review: what is decided about a landed merge is an entry of its own.
pub(crate) fn landing_entry<'s>(state: &'s State, review: &Review) -> Option<&'s MergeView> {
    let entry = state.merge.entry(review.id)?;
    if !has_landed(review) {
        return Some(entry);
    }
    let mut items = state.merge.items.iter();
    items.find(|other| other.branch == entry.follow_up)
}

/// A merge can be cancelled where it runs, and until it lands.
pub(super) fn cancellable(entry: &MergeView, progress: &GateProgress) -> Result<(), String> {
    let branch = &entry.branch;
    match (progress.elsewhere, progress.step) {
        (Some(pid), _) => Err(format!("pid {pid} merges {branch}; cancel it there")),
        (None, MergeStep::Landing) => Err(format!(
            "{branch} is landing: too late to cancel; undo takes it back"
        )),
        (
            None,
            MergeStep::Planning
            | MergeStep::Asking
            | MergeStep::Waiting
            | MergeStep::Behind
            | MergeStep::Gates
            | MergeStep::Reverting,
        ) => Ok(()),
    }
}

pub(super) fn in_line(state: &State, earlier: bool) -> Result<(), String> {
    let entry = selected(state)?;
    let Some((place, count)) = state.merge.place_in_line(entry.id) else {
        let word = entry.state.as_str();
        return Err(format!("{} is not in line: {word}", entry.branch));
    };
    match (place, earlier) {
        (1, true) => Err(format!("{} is the first in line", entry.branch)),
        (place, false) if place == count => Err(format!("{} is the last in line", entry.branch)),
        _ => Ok(()),
    }
}

fn contested(state: &State) -> Result<(), String> {
    let entry = selected(state)?;
    under_way(entry)?;
    match entry.state {
        QueueState::Review => merges_here(state),
        QueueState::Pending => Err(format!("{} has not been tried yet", entry.branch)),
        QueueState::Conflict | QueueState::Failed | QueueState::Merging | QueueState::Merged => {
            Err(format!(
                "{} has no contested lines to combine",
                entry.branch
            ))
        }
    }
}

/// Both sides of a file that is taken as a whole cannot stand.
pub(super) fn both(state: &State) -> Result<(), String> {
    contested(state)?;
    let whole = |hunk: &&DisplacedView| match hunk.kind {
        PlaceKind::Text | PlaceKind::Renamed => false,
        PlaceKind::DeletedByBranch
        | PlaceKind::DeletedByTarget
        | PlaceKind::Whole
        | PlaceKind::Binary
        | PlaceKind::Symlink
        | PlaceKind::Driven
        | PlaceKind::Mode => true,
    };
    match selected(state)?.displaced.iter().find(whole) {
        Some(hunk) => Err(format!(
            "only one version of {} can be there; the review decides",
            hunk.file
        )),
        None => Ok(()),
    }
}

/// A model combines lines; it has nothing to say about files that are taken as a whole.
pub(super) fn combine(state: &State) -> Result<(), String> {
    contested(state)?;
    let is_text = |hunk: &DisplacedView| hunk.kind == PlaceKind::Text;
    if selected(state)?.displaced.iter().any(is_text) {
        return Ok(());
    }
    Err("there are no lines to combine; the review decides".to_owned())
}

pub(super) fn retry(state: &State) -> Result<(), String> {
    let entry = selected(state)?;
    under_way(entry)?;
    if entry.state == QueueState::Pending {
        return Err(format!("{} has not been tried yet", entry.branch));
    }
    Ok(())
}

/// Gives the entry that undoing is about: the reviewed one while a review is open.
pub(super) fn undo_target(state: &State) -> Result<&MergeView, String> {
    match &state.review.open {
        // What was decided about a landed merge is an entry of its own.
        Some(review) if has_landed(review) => {
            let branch = state.merge.entry(review.id).map(|m| m.follow_up.as_str());
            let mut landed = state.merge.items.iter();
            landed
                .find(|m| m.state == QueueState::Merged && Some(m.branch.as_str()) == branch)
                .ok_or_else(|| format!("what is decided about {} has not landed", review.branch))
        }
        Some(review) => state
            .merge
            .entry(review.id)
            .filter(|m| m.state == QueueState::Merged || state.review.has_landed(m.id))
            .ok_or_else(|| format!("{} has not landed", review.branch)),
        None => state
            .merge
            .undo_target()
            .ok_or_else(|| "nothing has landed that could be taken back".to_owned()),
    }
}

pub(super) fn undo(state: &State) -> Result<(), String> {
    on_screen(state)?;
    if state.merge.recently_dropped(state.now_ms).is_some() {
        return Ok(());
    }
    let target = undo_target(state)?;
    merges_here(state)?;
    match &target.receipt {
        Some(_) => Ok(()),
        // It has landed a moment ago; its receipt is on the way.
        None if state.review.has_landed(target.id) => Ok(()),
        None => Err(format!(
            "{} has no receipt: revert it with git",
            target.branch
        )),
    }
}
