//! Verbs of the review, and what the engine says about it.

use crate::engine::command::Command;
use crate::engine::event::Level;
use crate::engine::review::{Decision, Place, PlaceKind, Proposal, ReviewView};
use crate::engine::view::{MergeState as QueueState, MergeView};
use crate::tui::action::ReviewVerb;
use crate::tui::effect::{Edit, Effect};
use crate::tui::label;
use crate::tui::overlay::{EditText, Overlay};
use crate::tui::state::review::{Asked, Phase, Review, chosen, going};
use crate::tui::state::{ScreenId, State};

/// Says whether a verb of the review applies.
pub(super) fn applies(state: &State, verb: ReviewVerb) -> Result<(), String> {
    let on_screen = state.screen == ScreenId::Merge;
    let review = state.review.open.as_ref().filter(|_| on_screen);
    let review = review.ok_or("open a review first: Enter on a branch in the merge queue")?;
    if matches!(verb, ReviewVerb::Words | ReviewVerb::Shape) {
        return steppable(state);
    }
    match &review.phase {
        Phase::Loading => return Err("the review is being loaded".to_owned()),
        Phase::Closed(why) => return Err(why.clone()),
        Phase::Landing { .. } => return Err("it is landing; what is decided stays".to_owned()),
        Phase::Landed(_) => return Err("it has landed; undo it to decide anew".to_owned()),
        Phase::Deciding => {}
    }
    let place = review.place().ok_or("there is nothing to decide")?;
    match verb {
        ReviewVerb::Both | ReviewVerb::BothReversed => both(place, verb),
        ReviewVerb::Edit => writable(place),
        ReviewVerb::Ask => match review.asked.get(&place.key) {
            Some(Asked::Waiting { .. }) => Err("it has been asked already".to_owned()),
            Some(Asked::Answer(_) | Asked::Failed(_)) | None => writable(place),
        },
        ReviewVerb::Take => match review.proposal(&place.key) {
            Some(_) => Ok(()),
            None => Err("there is no proposal for this place".to_owned()),
        },
        ReviewVerb::Clear if place.decision.is_none() => {
            Err("this place has no decision".to_owned())
        }
        ReviewVerb::TheirsAll if review.undecided() == 0 => {
            Err("every place is decided already".to_owned())
        }
        ReviewVerb::Accept if review.undecided() > 0 => Err(left(review.undecided())),
        ReviewVerb::Ours
        | ReviewVerb::Theirs
        | ReviewVerb::Clear
        | ReviewVerb::TheirsAll
        | ReviewVerb::Accept
        | ReviewVerb::Words
        | ReviewVerb::Shape => Ok(()),
    }
}

fn both(place: &Place, verb: ReviewVerb) -> Result<(), String> {
    let two_names = place.kind == PlaceKind::Renamed && verb == ReviewVerb::Both;
    if place.kind == PlaceKind::Text || two_names {
        return Ok(());
    }
    Err("only one version of this file can be there: ours or theirs".to_owned())
}

fn writable(place: &Place) -> Result<(), String> {
    if place.kind != PlaceKind::Text {
        return Err("this is decided for the whole file: ours or theirs".to_owned());
    }
    if place.is_editable {
        return Ok(());
    }
    Err(
        "these lines are not plain UTF-8 text: ours, theirs or both keeps them as they are"
            .to_owned(),
    )
}

/// Says whether there are places to look at.
pub(super) fn steppable(state: &State) -> Result<(), String> {
    let review = state.review.open.as_ref();
    let shown = review.is_some_and(|review| match review.phase {
        Phase::Loading | Phase::Deciding | Phase::Landing { .. } => review.place().is_some(),
        Phase::Closed(_) | Phase::Landed(_) => false,
    });
    if shown {
        Ok(())
    } else {
        Err("open a review to step through its hunks".to_owned())
    }
}

/// Says how many places have no decision.
pub(crate) fn left(undecided: usize) -> String {
    match undecided {
        1 => "1 place has no decision yet".to_owned(),
        n => format!("{n} places have no decision yet"),
    }
}

/// Opens the review of an entry, or goes on with the one that is open.
pub(super) fn open(state: &mut State, entry: &MergeView) -> Vec<Effect> {
    state.review.open = Some(Review::new(entry.id, &entry.branch, &entry.agent));
    state.touch();
    vec![state.send(Command::Review { id: entry.id })]
}

/// Carries out a verb of the review.
pub(super) fn run(state: &mut State, verb: ReviewVerb) -> Vec<Effect> {
    match verb {
        ReviewVerb::Ours => decide(state, Some(Decision::Ours)),
        ReviewVerb::Theirs => decide(state, Some(Decision::Theirs)),
        ReviewVerb::Both => decide(state, Some(Decision::Both)),
        ReviewVerb::BothReversed => decide(state, Some(Decision::BothReversed)),
        ReviewVerb::Clear => decide(state, None),
        ReviewVerb::TheirsAll => theirs_everywhere(state),
        ReviewVerb::Take => take(state),
        ReviewVerb::Edit => edit(state),
        ReviewVerb::Ask => ask(state),
        ReviewVerb::Words => {
            state.review.words = !state.review.words;
            let text = if state.review.words {
                "the words that differ are marked"
            } else {
                "whole lines are marked"
            };
            state.refuse(text);
            Vec::new()
        }
        ReviewVerb::Shape => {
            let wide = crate::tui::screens::fits_two_sides(state.size.0);
            state.review.shape = state.review.shape.next(wide);
            if let Some(review) = &mut state.review.open {
                review.scroll = 0;
            }
            Vec::new()
        }
        ReviewVerb::Accept => accept(state),
    }
}

fn key_of_place(state: &State) -> Option<(i64, String)> {
    let review = state.review.open.as_ref()?;
    Some((review.id, review.place()?.key.clone()))
}

fn decide(state: &mut State, decision: Option<Decision>) -> Vec<Effect> {
    match key_of_place(state) {
        Some((_, key)) => decide_for(state, &key, decision),
        None => Vec::new(),
    }
}

/// Decides about a place and has the decision stored.
fn decide_for(state: &mut State, key: &str, decision: Option<Decision>) -> Vec<Effect> {
    let Some(review) = &mut state.review.open else {
        return Vec::new();
    };
    let id = review.id;
    review.refused = None;
    let places = review.view.iter_mut().flat_map(|view| &mut view.places);
    for place in places.filter(|place| place.key == key) {
        place.decision.clone_from(&decision);
    }
    state.touch();
    let place = key.to_owned();
    vec![state.send(Command::Decide {
        id,
        place,
        decision,
    })]
}

/// Takes the branch's side wherever nothing is decided yet, and says what that costs.
fn theirs_everywhere(state: &mut State) -> Vec<Effect> {
    let Some(review) = &state.review.open else {
        return Vec::new();
    };
    let open: Vec<&Place> = review
        .places()
        .iter()
        .filter(|place| place.decision.is_none())
        .collect();
    let lines: usize = open.iter().map(|place| place.ours_go).sum();
    let target = review
        .view
        .as_ref()
        .map_or("the target", |view| &view.target);
    let text = match open.len() {
        0 => "every place is decided already".to_owned(),
        n => format!(
            "theirs for {}: {} of {target} will go",
            label::count(n, "place"),
            label::count(lines, "line"),
        ),
    };
    let keys: Vec<String> = open.iter().map(|place| place.key.clone()).collect();
    let mut effects = Vec::new();
    for key in keys {
        effects.extend(decide_for(state, &key, Some(Decision::Theirs)));
    }
    state.note(Level::Warn, text, true);
    effects
}

fn take(state: &mut State) -> Vec<Effect> {
    let proposal = state.review.open.as_ref().and_then(|review| {
        let place = review.place()?;
        Some(review.proposal(&place.key)?.text.clone())
    });
    match proposal {
        Some(text) => decide(
            state,
            Some(Decision::Text {
                text,
                proposed: true,
            }),
        ),
        None => Vec::new(),
    }
}

fn edit(state: &mut State) -> Vec<Effect> {
    let Some(review) = &mut state.review.open else {
        return Vec::new();
    };
    let Some(place) = review.place() else {
        return Vec::new();
    };
    let both = Decision::Both;
    let lines = match (&place.decision, review.proposal(&place.key)) {
        (Some(decision), _) => chosen(place, decision)
            .iter()
            .map(|line| line.text)
            .collect(),
        (None, Some(proposal)) => proposal.text.lines().collect(),
        (None, None) => chosen(place, &both)
            .iter()
            .map(|line| line.text)
            .collect::<Vec<_>>(),
    };
    let mut text = lines.join("\n");
    let (key, file) = (place.key.clone(), place.file.clone());
    if state.settings.editor.is_some() {
        if !text.is_empty() {
            text.push('\n');
        }
        review.editing = Some(key);
        return vec![Effect::Edit(Edit { file, text })];
    }
    state.open(Overlay::Edit(EditText::new(&key, &file, &text)));
    Vec::new()
}

/// Takes what an editor has left; the error says why there is nothing.
pub(crate) fn edited(state: &mut State, result: Result<String, String>) -> Vec<Effect> {
    let editing = state.review.open.as_mut().and_then(|r| r.editing.take());
    match (editing, result) {
        (Some(key), Ok(text)) => written(state, &key, text),
        (_, Err(reason)) => {
            state.note(Level::Warn, format!("nothing changed: {reason}"), true);
            Vec::new()
        }
        (None, Ok(_)) => Vec::new(),
    }
}

/// Decides a place by lines that a person has written.
pub(crate) fn written(state: &mut State, key: &str, text: String) -> Vec<Effect> {
    let decision = Decision::Text {
        text,
        proposed: false,
    };
    let effects = decide_for(state, key, Some(decision));
    let place = state.review.open.as_ref().and_then(|review| {
        let place = review.places().iter().find(|place| place.key == key)?;
        Some(going(place))
    });
    let gone = place.map_or(0, |(ours, theirs)| ours + theirs);
    if gone > 0 {
        let verb = if gone == 1 { "is" } else { "are" };
        let lines = label::count(gone, "line");
        let text = format!("edited; {lines} of both sides {verb} not in it");
        state.note(Level::Warn, text, true);
    }
    effects
}

fn ask(state: &mut State) -> Vec<Effect> {
    let Some((id, place)) = key_of_place(state) else {
        return Vec::new();
    };
    let since_ms = state.now_ms;
    if let Some(review) = &mut state.review.open {
        let waiting = Asked::Waiting { since_ms };
        review.asked.insert(place.clone(), waiting);
    }
    vec![state.send(Command::AskAi { id, place })]
}

fn accept(state: &mut State) -> Vec<Effect> {
    let since_ms = state.now_ms;
    let Some(review) = &mut state.review.open else {
        return Vec::new();
    };
    let Some(view) = &review.view else {
        return Vec::new();
    };
    let decisions = view
        .places
        .iter()
        .filter_map(|place| Some((place.key.clone(), place.decision.clone()?)))
        .collect();
    let command = Command::AcceptReview {
        id: review.id,
        target_tip: view.target_tip.clone(),
        branch_tip: view.branch_tip.clone(),
        decisions,
    };
    review.phase = Phase::Landing { since_ms };
    review.refused = None;
    vec![state.send(command)]
}

/// Goes to the next or previous place.
pub(super) fn step(state: &mut State, forward: bool) {
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
        review.at = next;
        review.scroll = 0;
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
pub(super) fn scroll(state: &mut State, rows: isize) {
    if let Some(review) = &mut state.review.open {
        let (top, bottom) = review.bounds();
        review.scroll = review.scroll.saturating_add(rows).clamp(top, bottom);
    }
}

/// Closes the review; what was decided is kept.
pub(super) fn close(state: &mut State) {
    let Some(review) = state.review.open.take() else {
        return;
    };
    let decided = review.places().len() - review.undecided();
    match review.phase {
        Phase::Landing { .. } => state.refuse("it goes on landing; the queue shows how far it is"),
        Phase::Deciding if decided > 0 => {
            let text = format!("{} kept", label::count(decided, "decision"));
            state.refuse(&text);
        }
        Phase::Deciding | Phase::Loading | Phase::Closed(_) | Phase::Landed(_) => {}
    }
}

fn open_review(state: &mut State, id: i64) -> Option<&mut Review> {
    state.review.open.as_mut().filter(|review| review.id == id)
}

/// Takes a loaded review.
pub(super) fn loaded(state: &mut State, id: i64, result: Result<Box<ReviewView>, String>) {
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
            // What was decided here this instant may not have been stored when this was read.
            for place in &mut view.places {
                let known = review.places().iter().find(|old| old.key == place.key);
                if let Some(old) = known {
                    place.decision.clone_from(&old.decision);
                }
            }
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

/// Takes an answer about a place.
pub(super) fn proposed(state: &mut State, id: i64, place: &str, result: Result<Proposal, String>) {
    let Some(review) = open_review(state, id) else {
        return;
    };
    let asked = match result {
        Ok(proposal) => Asked::Answer(proposal),
        Err(why) => Asked::Failed(why),
    };
    review.asked.insert(place.to_owned(), asked.clone());
    match asked {
        Asked::Failed(why) => state.note(Level::Warn, format!("no proposal: {why}"), false),
        Asked::Answer(proposal) => {
            let text = format!("{} proposes lines; nothing is decided by that", proposal.by);
            state.note(Level::Info, text, false);
        }
        Asked::Waiting { .. } => {}
    }
    state.touch();
}

/// Takes the end of a landing.
pub(super) fn accepted(state: &mut State, id: i64, result: Result<String, String>) {
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
        Err(why) => state.note(Level::Error, format!("{branch} did not land: {why}"), true),
    }
}

/// Looks again after the queue has changed: what landed meanwhile may have moved the target, and what
/// was undone can be decided again.
pub(super) fn queue_changed(state: &mut State, landed_before: usize) -> Vec<Effect> {
    let landed = landed(&state.merge.items);
    let Some(review) = &mut state.review.open else {
        return Vec::new();
    };
    let id = review.id;
    let entry = state.merge.items.iter().find(|entry| entry.id == id);
    let is_landed = entry.is_some_and(|entry| entry.state == QueueState::Merged);
    let reload = match &review.phase {
        Phase::Deciding => landed != landed_before && !is_landed,
        Phase::Landed(_) => landed < landed_before && !is_landed,
        Phase::Loading | Phase::Closed(_) | Phase::Landing { .. } => false,
    };
    if reload {
        review.phase = Phase::Loading;
        return vec![state.send(Command::Review { id })];
    }
    Vec::new()
}

/// Counts the entries that have landed.
pub(super) fn landed(items: &[MergeView]) -> usize {
    let merged = items.iter().filter(|m| m.state == QueueState::Merged);
    merged.count()
}
