//! What the engine says about a review: loaded, proposed, landed, moved.

use std::collections::BTreeMap;

use crate::engine::command::Command;
use crate::engine::event::Level;
use crate::engine::review::{Place, Proposal, ReviewView};
use crate::engine::view::{LookedOver, MergeState as QueueState, MergeView};
use crate::tui::effect::Effect;
use crate::tui::state::review::{Asked, Phase, Review, has_landed};
use crate::tui::state::{ScreenId, State};

fn open_review(state: &mut State, id: i64) -> Option<&mut Review> {
    state.review.open.as_mut().filter(|review| review.id == id)
}

/// Takes a loaded review.
pub(in crate::tui::update) fn loaded(
    state: &mut State,
    id: i64,
    result: Result<Box<ReviewView>, String>,
) {
    let Some(review) = open_review(state, id) else {
        return;
    };
    let mut moved = None;
    match result {
        Err(why) => {
            review.phase = Phase::Closed(why);
            review.view = None;
        }
        Ok(mut view) => {
            let is_same = review.view.as_ref().is_some_and(|old| {
                (&old.target_tip, &old.branch_tip) == (&view.target_tip, &view.branch_tip)
            });
            let mut known: BTreeMap<&str, &Place> = BTreeMap::new();
            known.extend(review.places().iter().map(|old| (old.key.as_str(), old)));
            for place in &mut view.places {
                let Some(old) = known.get(place.key.as_str()) else {
                    continue;
                };
                // What was decided here this instant may not have been stored when this was read; what is not decided
                // here may be by another window.
                let elsewhere = place.decision.take();
                let is_open = !review.cleared.contains(&place.key);
                if is_same && old.is_looked_up {
                    place.clone_from(old);
                }
                place.decision = old.decision.clone().or(elsewhere.filter(|_| is_open));
            }
            for place in &view.places {
                review.take_answer(place);
            }
            review.looking_up = None;
            moved.clone_from(&view.moved);
            let of_others = review.view.as_ref().is_some_and(|old| {
                (&old.target_tip, &old.branch_tip) != (&view.target_tip, &view.branch_tip)
            });
            if of_others && moved.is_none() {
                moved = Some(format!(
                    "{} or the branch has moved: this is what is contested now",
                    view.target
                ));
            }
            review.phase = if view.places.is_empty() {
                Phase::Closed(format!(
                    "nothing is contested between {} and {}: it can be merged as it is",
                    view.target, view.branch
                ))
            } else {
                Phase::Deciding
            };
            review.at = review.at.min(view.places.len().saturating_sub(1));
            review.refused.clone_from(&moved);
            review.view = Some(*view);
        }
    }
    if let Some(text) = moved {
        state.note(Level::Warn, text, false);
    }
    state.touch();
}

/// Takes all there is about a place; what is decided about it stays.
pub(in crate::tui::update) fn looked_up(state: &mut State, id: i64, mut place: Place) {
    let Some(review) = open_review(state, id) else {
        return;
    };
    let looked_at = review.place().is_some_and(|there| there.key == place.key);
    let places = review.view.iter_mut().flat_map(|view| &mut view.places);
    for known in places.filter(|known| known.key == place.key) {
        place.decision.clone_from(&known.decision);
        place.answer.clone_from(&known.answer);
        known.clone_from(&place);
    }
    if looked_at {
        state.touch();
    }
}

/// Takes an answer about a place. It is kept wherever the person is now.
pub(in crate::tui::update) fn proposed(
    state: &mut State,
    id: i64,
    place: &str,
    result: Result<Proposal, String>,
) {
    let of = match open_review(state, id) {
        Some(_) => String::new(),
        None => {
            let entry = state.merge.items.iter().find(|entry| entry.id == id);
            entry.map_or_else(String::new, |entry| format!(" for {}", entry.branch))
        }
    };
    let (level, text) = match &result {
        Err(why) => (Level::Warn, format!("no proposal{of}: {why}")),
        Ok(proposal) => {
            let text = format!(
                "{} proposes lines{of}; nothing is decided by that",
                proposal.by
            );
            (Level::Info, text)
        }
    };
    let asked = match result {
        Ok(proposal) => Asked::Answer(proposal),
        Err(why) => Asked::Failed(why),
    };
    state.review.keep_asked(id, place, asked);
    let looked_at = open_review(state, id)
        .and_then(|review| review.place())
        .is_some_and(|there| there.key == place);
    // Beside the place it is written already.
    if looked_at && state.screen == ScreenId::Merge {
        state.record(level, text);
    } else {
        state.note(level, text, false);
    }
    state.touch();
}

/// Takes the end of a landing.
pub(in crate::tui::update) fn accepted(state: &mut State, id: i64, result: Result<String, String>) {
    let branch = state.merge.items.iter().find(|entry| entry.id == id);
    let branch = branch.map_or_else(|| "the review".to_owned(), |entry| entry.branch.clone());
    if let Some(review) = open_review(state, id) {
        match &result {
            Ok(text) => review.phase = Phase::Landed(text.clone()),
            Err(why) => {
                review.phase = Phase::Deciding;
                review.refused = Some(why.lines().next().unwrap_or_default().to_owned());
            }
        }
    }
    match result {
        Ok(text) => state.note(Level::Ok, format!("{branch} {text}"), true),
        Err(why) => {
            let text = format!("{branch} did not land: {why}");
            // Beside the place it is written already.
            if state.screen == ScreenId::Merge && open_review(state, id).is_some() {
                state.record(Level::Error, text);
                state.touch();
            } else {
                state.note(Level::Error, text, true);
            }
        }
    }
}

/// What the queue said of the open review before it changed.
pub(in crate::tui::update) struct Before {
    landed: usize,
    looked_over: Option<LookedOver>,
    decided: u32,
}

impl Before {
    pub(in crate::tui::update) fn of(state: &State) -> Self {
        let entry = state.review.open.as_ref();
        let entry = entry.and_then(|review| state.merge.entry(review.id));
        Self {
            landed: landed(&state.merge.items),
            looked_over: entry.map(|entry| entry.looked_over.clone()),
            decided: entry.map_or(0, |entry| entry.decided),
        }
    }
}

/// Looks again after the queue has changed: what landed meanwhile may have moved the target, what was undone can be
/// decided again, and somebody else may have decided.
pub(in crate::tui::update) fn queue_changed(state: &mut State, before: &Before) -> Vec<Effect> {
    let landed = landed(&state.merge.items);
    let Some(review) = &mut state.review.open else {
        return Vec::new();
    };
    let id = review.id;
    let entry = state.merge.items.iter().find(|entry| entry.id == id);
    let is_landed = entry.is_some_and(|entry| entry.state == QueueState::Merged);
    let is_again = has_landed(review);
    let elsewhere = entry
        .filter(|_| is_landed && review.phase == Phase::Deciding)
        .and_then(|entry| match (&entry.looked_over, &before.looked_over) {
            _ if !is_again => Some("has landed meanwhile".to_owned()),
            (now, Some(before)) if now == before => None,
            (LookedOver::Kept { .. }, _) => {
                Some("was looked at meanwhile: it stays as it landed".to_owned())
            }
            (LookedOver::Decided { branch, .. }, _) => {
                Some(format!("is decided meanwhile: {branch} is in the queue"))
            }
            (LookedOver::NotNeeded | LookedOver::Waits, _) => None,
        });
    if let Some(said) = elsewhere {
        // Somebody else was faster.
        review.phase = Phase::Landed(said);
        state.touch();
        return Vec::new();
    }
    let waits_again = is_again
        && entry.is_some_and(|entry| entry.looked_over == LookedOver::Waits)
        && matches!(
            before.looked_over,
            Some(LookedOver::Decided { .. } | LookedOver::Kept { .. })
        );
    let reload = match &review.phase {
        Phase::Deciding => landed != before.landed && !is_landed,
        Phase::Landed(_) => waits_again || landed < before.landed && !is_landed,
        Phase::Loading | Phase::Closed(_) | Phase::Landing { .. } => false,
    };
    if reload {
        review.phase = Phase::Loading;
        return vec![state.send(Command::Review { id })];
    }
    // Another window may have decided what nobody has decided here.
    let decided = entry.map_or(0, |entry| entry.decided);
    let own = review.places().len() - review.undecided();
    let is_news = decided > before.decided && decided as usize > own;
    if review.phase == Phase::Deciding && is_news {
        return vec![state.send(Command::Review { id })];
    }
    Vec::new()
}

/// Counts the entries that have landed.
fn landed(items: &[MergeView]) -> usize {
    let merged = items.iter().filter(|m| m.state == QueueState::Merged);
    merged.count()
}
