//! Which verbs of the review make sense right now, and why the others do not.

use crate::engine::review::{Place, PlaceKind};
use crate::tui::action::ReviewVerb;
use crate::tui::screens;
use crate::tui::state::review::{Asked, Phase, Review, has_landed, is_text};
use crate::tui::state::{ScreenId, State};
use crate::tui::update::queue_rules;

/// Says whether a verb of the review applies.
pub(in crate::tui::update) fn applies(state: &State, verb: ReviewVerb) -> Result<(), String> {
    let on_screen = state.screen == ScreenId::Merge;
    let review = state.review.open.as_ref().filter(|_| on_screen);
    let review = review.ok_or("open a review first: Enter on a branch in the merge queue")?;
    if verb.only_looks() {
        steppable(state)?;
        return looks(state, review, verb);
    }
    match &review.phase {
        Phase::Loading => return Err("the review is being loaded".to_owned()),
        Phase::Closed(why) => return Err(why.clone()),
        Phase::Landing { .. } => return Err("it is landing; what is decided stays".to_owned()),
        Phase::Landed(_) => return Err("it has landed; undo it to decide anew".to_owned()),
        Phase::Deciding => {}
    }
    let place = review.place().ok_or("there is nothing to decide")?;
    decides(state, review, place, verb)
}

/// The verbs that change what is seen.
fn looks(state: &State, review: &Review, verb: ReviewVerb) -> Result<(), String> {
    if verb == ReviewVerb::NextOpen && review.next_open().is_none() {
        return Err("no other place is without a decision".to_owned());
    }
    if verb == ReviewVerb::Left && review.shift == 0 {
        return Err("lines are shown from their beginning".to_owned());
    }
    if verb == ReviewVerb::Right && review.shift >= screens::hidden_columns(state, review) {
        return Err("lines are shown to their end".to_owned());
    }
    Ok(())
}

/// The verbs that change what is decided.
fn decides(state: &State, review: &Review, place: &Place, verb: ReviewVerb) -> Result<(), String> {
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
        ReviewVerb::TheirsAll | ReviewVerb::OursAll if review.undecided() == 0 => {
            // There each place begins with what has landed.
            if has_landed(review) {
                let why = "what has landed is decided otherwise place by place";
                return Err(why.to_owned());
            }
            Err("every place is decided already".to_owned())
        }
        ReviewVerb::TheirsAll | ReviewVerb::OursAll => has_others(state),
        ReviewVerb::Accept if review.undecided() > 0 => Err(left(review.undecided())),
        ReviewVerb::Accept => queue_rules::merges_here(state),
        ReviewVerb::Ours
        | ReviewVerb::Theirs
        | ReviewVerb::Clear
        | ReviewVerb::NextOpen
        | ReviewVerb::Left
        | ReviewVerb::Right
        | ReviewVerb::Words
        | ReviewVerb::Shape => Ok(()),
    }
}

fn both(place: &Place, verb: ReviewVerb) -> Result<(), String> {
    let third = matches!(place.kind, PlaceKind::Renamed | PlaceKind::Driven);
    if place.kind == PlaceKind::Text || (third && verb == ReviewVerb::Both) {
        return Ok(());
    }
    let versions = match place.kind {
        PlaceKind::Driven => "ours, theirs or the merge driver's",
        PlaceKind::Whole if place.is_editable => "ours, theirs or one that you write",
        PlaceKind::Text
        | PlaceKind::Whole
        | PlaceKind::DeletedByBranch
        | PlaceKind::DeletedByTarget
        | PlaceKind::Binary
        | PlaceKind::Symlink
        | PlaceKind::Mode
        | PlaceKind::Renamed => "ours or theirs",
    };
    Err(format!(
        "only one version of this file can be there: {versions}"
    ))
}

fn writable(place: &Place) -> Result<(), String> {
    if !is_text(place) {
        return Err("this is decided for the whole file".to_owned());
    }
    if place.is_editable {
        return Ok(());
    }
    if place.kind == PlaceKind::Whole {
        let why = "this file is not plain UTF-8 text with plain line ends: ours or theirs keeps it as it is";
        return Err(why.to_owned());
    }
    Err(
        "these lines are not plain UTF-8 text: ours, theirs or both keeps them as they are"
            .to_owned(),
    )
}

/// Says whether there are places to look at.
pub(in crate::tui::update) fn steppable(state: &State) -> Result<(), String> {
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

/// Says whether there is another place than the one looked at.
pub(in crate::tui::update) fn has_others(state: &State) -> Result<(), String> {
    steppable(state)?;
    match state.review.open.as_ref().map(|r| r.places().len()) {
        Some(1) => Err("this is the only hunk".to_owned()),
        Some(_) | None => Ok(()),
    }
}

/// Says how many places have no decision.
pub(crate) fn left(undecided: usize) -> String {
    match undecided {
        1 => "1 place has no decision yet".to_owned(),
        n => format!("{n} places have no decision yet"),
    }
}
