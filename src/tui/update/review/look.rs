//! Opening, stepping through, scrolling and leaving a review.

use crate::engine::command::Command;
use crate::engine::view::MergeView;
use crate::tui::action::ReviewVerb;
use crate::tui::effect::Effect;
use crate::tui::label;
use crate::tui::screens;
use crate::tui::state::review::{Asked, Phase, Review};
use crate::tui::state::{ScreenId, State};

/// Opens the review of an entry, with what was asked and begun in it before.
pub(in crate::tui::update) fn open(state: &mut State, entry: &MergeView) -> Vec<Effect> {
    let review = Review::new(entry.id, &entry.branch, &entry.agent);
    state.review.begin(review);
    state.touch();
    vec![state.send(Command::Review { id: entry.id })]
}

/// Measures the place looked at and asks for all there is about it, once.
pub(in crate::tui::update) fn look_up(state: &mut State) -> Option<Effect> {
    if state.screen != ScreenId::Merge {
        return None;
    }
    let review = state.review.open.as_mut()?;
    if review.arrived_at.as_ref() != review.place().map(|place| &place.key) {
        review.longest = review.place().map_or(0, screens::longest_line);
        review.arrived_at = review.place().map(|place| place.key.clone());
    }
    let place = review.place().filter(|place| !place.is_looked_up)?;
    let (id, key) = (review.id, place.key.clone());
    if review.looking_up.as_ref() == Some(&key) {
        return None;
    }
    review.looking_up = Some(key.clone());
    Some(state.send(Command::LookUp { id, place: key }))
}

/// Columns that long lines move at once.
const SIDEWAYS: usize = 40;

/// Changes what is seen of the review, and nothing else.
pub(super) fn look(state: &mut State, verb: ReviewVerb) {
    let wide = screens::fits_two_sides(state.size.0);
    let words = &mut state.review.words;
    if verb == ReviewVerb::Words {
        *words = !*words;
        let text = if *words {
            "the words that differ are marked"
        } else {
            "whole lines are marked"
        };
        state.refuse(text);
        return;
    }
    if verb == ReviewVerb::Shape {
        state.review.shape = state.review.shape.next(wide);
    }
    let hidden = state.review.open.as_ref();
    let hidden = hidden.map_or(0, |review| screens::hidden_columns(state, review));
    let Some(review) = &mut state.review.open else {
        return;
    };
    match verb {
        ReviewVerb::Shape => review.go(review.at),
        ReviewVerb::NextOpen => {
            if let Some(at) = review.next_open() {
                review.go(at);
            }
        }
        ReviewVerb::Left => review.shift = review.shift.saturating_sub(SIDEWAYS),
        ReviewVerb::Right => review.shift = (review.shift + SIDEWAYS).min(hidden),
        ReviewVerb::Ours
        | ReviewVerb::Theirs
        | ReviewVerb::Both
        | ReviewVerb::BothReversed
        | ReviewVerb::Edit
        | ReviewVerb::Ask
        | ReviewVerb::Take
        | ReviewVerb::TheirsAll
        | ReviewVerb::OursAll
        | ReviewVerb::Clear
        | ReviewVerb::Words
        | ReviewVerb::Accept => {}
    }
}

/// Goes to the next or previous place.
pub(in crate::tui::update) fn step(state: &mut State, forward: bool) {
    let Some(review) = &mut state.review.open else {
        return;
    };
    let last = review.places().len().saturating_sub(1);
    let next = if forward {
        (review.at + 1).min(last)
    } else {
        review.at.saturating_sub(1)
    };
    if next != review.at {
        review.go(next);
        return;
    }
    let text = if forward {
        "this is the last hunk"
    } else {
        "this is the first hunk"
    };
    state.refuse(text);
}

/// Scrolls by rows, as far as there is something.
pub(in crate::tui::update) fn scroll(state: &mut State, rows: isize) {
    if let Some(review) = &mut state.review.open {
        let (top, bottom) = review.bounds();
        review.scroll = review.scroll.saturating_add(rows).clamp(top, bottom);
    }
}

/// Closes the review; what was decided is kept.
pub(in crate::tui::update) fn close(state: &mut State) {
    let Some(review) = state.review.leave() else {
        return;
    };
    let waiting = review.asked.values();
    let waiting = waiting.filter(|it| matches!(it, Asked::Waiting { .. }));
    let waiting = waiting.count();
    let decided = review.places().len() - review.undecided();
    match review.phase {
        Phase::Landing { .. } => state.refuse("it goes on landing; the queue shows how far it is"),
        Phase::Deciding if decided > 0 || waiting > 0 => {
            let kept = format!("{} kept", label::count(decided, "decision"));
            let awaited = "the awaited answer will be shown here";
            let said = match (decided, waiting) {
                (_, 0) => kept,
                (0, _) => awaited.to_owned(),
                (_, _) => format!("{kept}; {awaited}"),
            };
            state.refuse(&said);
        }
        Phase::Deciding | Phase::Loading | Phase::Closed(_) | Phase::Landed(_) => {}
    }
}
