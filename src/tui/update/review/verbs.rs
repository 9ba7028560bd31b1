//! Carrying out a verb of the review.

use super::{decide, look};
use crate::engine::review::Decision;
use crate::tui::action::ReviewVerb;
use crate::tui::effect::Effect;
use crate::tui::state::State;

/// Carries out a verb of the review.
pub(in crate::tui::update) fn run(state: &mut State, verb: ReviewVerb) -> Vec<Effect> {
    match verb {
        ReviewVerb::Ours => decide::decide(state, Some(Decision::Ours)),
        ReviewVerb::Theirs => decide::decide(state, Some(Decision::Theirs)),
        ReviewVerb::Both => decide::decide(state, Some(Decision::Both)),
        ReviewVerb::BothReversed => decide::decide(state, Some(Decision::BothReversed)),
        ReviewVerb::Clear => decide::decide(state, None),
        ReviewVerb::TheirsAll => decide::everywhere(state, &Decision::Theirs),
        ReviewVerb::OursAll => decide::everywhere(state, &Decision::Ours),
        ReviewVerb::Take => decide::take(state),
        ReviewVerb::Edit => decide::edit(state),
        ReviewVerb::Ask => decide::ask(state),
        ReviewVerb::NextOpen
        | ReviewVerb::Words
        | ReviewVerb::Shape
        | ReviewVerb::Left
        | ReviewVerb::Right => {
            look::look(state, verb);
            Vec::new()
        }
        ReviewVerb::Accept => decide::accept(state),
    }
}
