//! Deciding places: by a side, by both, by a proposal, by lines of one's own; and landing the whole.

use crate::engine::command::Command;
use crate::engine::event::Level;
use crate::engine::review::{CodeLine, Decision, Place, PlaceKind, stray_marker};
use crate::tui::effect::{Edit, Effect};
use crate::tui::label;
use crate::tui::overlay::{EditText, Overlay};
use crate::tui::state::review::{Asked, Phase, chosen, going, is_whole};
use crate::tui::state::{Notices, State};

/// How notices begin that are about the decision made last.
const EDITED: &str = "edited; ";
const UNDECIDED: &str = "nothing decided: ";
const UNCHANGED: &str = "nothing changed";
const EVERYWHERE: [&str; 2] = ["ours for ", "theirs for "];

fn key_of_place(state: &State) -> Option<(i64, String)> {
    let review = state.review.open.as_ref()?;
    Some((review.id, review.place()?.key.clone()))
}

pub(super) fn decide(state: &mut State, decision: Option<Decision>) -> Vec<Effect> {
    match key_of_place(state) {
        Some((_, key)) => decide_for(state, &key, decision),
        None => Vec::new(),
    }
}

/// What was said of the decision before is not so any more.
fn outdate(notices: &mut Notices) {
    let [ours, theirs] = EVERYWHERE;
    for beginning in [EDITED, UNDECIDED, UNCHANGED, ours, theirs] {
        notices.outdate(beginning);
    }
}

/// Decides about a place and has the decision stored.
fn decide_for(state: &mut State, key: &str, decision: Option<Decision>) -> Vec<Effect> {
    let Some(review) = &mut state.review.open else {
        return Vec::new();
    };
    let id = review.id;
    review.refused = None;
    match decision {
        Some(_) => review.cleared.remove(key),
        None => review.cleared.insert(key.to_owned()),
    };
    outdate(&mut state.notices);
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

/// Takes one side wherever nothing is decided yet, and says what that costs.
pub(super) fn everywhere(state: &mut State, decision: &Decision) -> Vec<Effect> {
    let Some(review) = &state.review.open else {
        return Vec::new();
    };
    let places = review.places().iter();
    let open: Vec<&Place> = places.filter(|place| place.decision.is_none()).collect();
    let view = review.view.as_ref();
    let ours = *decision == Decision::Ours;
    let lines = open.iter().filter(|place| !is_whole(place));
    let [for_ours, for_theirs] = EVERYWHERE;
    let (begin, loser, lines): (_, &str, usize) = if ours {
        let lines = lines.map(|place| place.theirs_go).sum();
        (for_ours, &review.agent, lines)
    } else {
        let lines = lines.map(|place| place.ours_go).sum();
        (for_theirs, view.map_or("the target", |v| &v.target), lines)
    };
    let text = match open.len() {
        0 => "every place is decided already".to_owned(),
        n => format!(
            "{begin}{}: {} of {loser} will go",
            label::count(n, "place"),
            label::count(lines, "line"),
        ),
    };
    let keys: Vec<String> = open.iter().map(|place| place.key.clone()).collect();
    let mut effects = Vec::new();
    for key in keys {
        effects.extend(decide_for(state, &key, Some(decision.clone())));
    }
    state.note(Level::Warn, text, true);
    effects
}

pub(super) fn take(state: &mut State) -> Vec<Effect> {
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

pub(super) fn edit(state: &mut State) -> Vec<Effect> {
    let Some(review) = &mut state.review.open else {
        return Vec::new();
    };
    let Some(place) = review.place() else {
        return Vec::new();
    };
    // A file has one version: what is written begins with that of the target.
    let begin = match place.kind {
        PlaceKind::Whole => Decision::Ours,
        PlaceKind::Text
        | PlaceKind::DeletedByBranch
        | PlaceKind::DeletedByTarget
        | PlaceKind::Binary
        | PlaceKind::Symlink
        | PlaceKind::Mode
        | PlaceKind::Renamed
        | PlaceKind::Driven => Decision::Both,
    };
    let lines = match (&place.decision, review.proposal(&place.key)) {
        (Some(decision), _) => chosen(place, decision)
            .iter()
            .map(|line| line.text)
            .collect(),
        (None, Some(proposal)) => proposal.text.lines().collect(),
        (None, None) => chosen(place, &begin)
            .iter()
            .map(|line| line.text)
            .collect::<Vec<_>>(),
    };
    let unfinished = review.unfinished.get(&place.key);
    let mut text = unfinished.map_or_else(|| lines.join("\n"), |text| text.trim_end().to_owned());
    let (key, file) = (place.key.clone(), place.file.clone());
    if state.settings.editor.is_some() {
        if !text.is_empty() {
            text.push('\n');
        }
        review.editing = Some((key, text.clone()));
        return vec![Effect::Edit(Edit { file, text })];
    }
    state.open(Overlay::Edit(EditText::new(&key, &file, &text)));
    Vec::new()
}

/// Finds a conflict marker that no version of the place has.
fn marker_in(place: &Place, text: &str) -> Option<String> {
    let joined = |lines: &[CodeLine]| {
        let lines: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        lines.join("\n")
    };
    let versions = [&place.base, &place.ours.lines, &place.theirs.lines].map(|side| joined(side));
    let versions = versions.each_ref().map(String::as_str);
    stray_marker(&place.file, text, &versions).map(str::to_owned)
}

/// Takes what an editor has left; the error says why there is nothing.
pub(crate) fn edited(state: &mut State, result: Result<String, String>) -> Vec<Effect> {
    let editing = state.review.open.as_mut().and_then(|r| r.editing.take());
    match (editing, result) {
        // Closing an editor decides nothing by itself.
        (Some((_, given)), Ok(text)) if text == given => {
            let why = format!("{UNCHANGED}, so nothing is decided by that");
            state.note(Level::Warn, why, true);
            Vec::new()
        }
        (Some((key, _)), Ok(text)) => written(state, &key, text),
        (_, Err(reason)) => {
            state.note(Level::Warn, format!("{UNCHANGED}: {reason}"), true);
            Vec::new()
        }
        (None, Ok(_)) => Vec::new(),
    }
}

/// Decides a place by lines that a person has written. With a conflict marker in them they are not done:
/// nothing is decided, and the next edit goes on from there.
pub(crate) fn written(state: &mut State, key: &str, text: String) -> Vec<Effect> {
    if let Some(review) = &mut state.review.open {
        let place = review.places().iter().find(|place| place.key == key);
        if let Some(marker) = place.and_then(|place| marker_in(place, &text)) {
            let why = format!("{UNDECIDED}a conflict marker is left in the text: {marker}");
            review.refused = Some(why.clone());
            review.unfinished.insert(key.to_owned(), text);
            state.note(Level::Warn, why, true);
            return Vec::new();
        }
        review.unfinished.remove(key);
    }
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
        let text = format!("{EDITED}{lines} of both sides {verb} not in it");
        state.note(Level::Warn, text, true);
    }
    effects
}

pub(super) fn ask(state: &mut State) -> Vec<Effect> {
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

pub(super) fn accept(state: &mut State) -> Vec<Effect> {
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
    outdate(&mut state.notices);
    vec![state.send(command)]
}
