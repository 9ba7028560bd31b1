//! What a movement is, and whose it is.

use super::{lists, work};
use crate::tui::effect::Effect;
use crate::tui::state::{ScreenId, State};

const PAGE: isize = 10;

/// A movement, whatever it moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Motion {
    Up,
    Down,
    Left,
    Right,
    Top,
    Bottom,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    NextRegion,
    PrevRegion,
}

/// Carries out a movement on the current screen.
pub(in crate::tui::update) fn go(state: &mut State, motion: Motion) -> Vec<Effect> {
    match state.screen {
        ScreenId::Work => work::work(state, motion),
        ScreenId::Mail => {
            lists::mail(state, motion);
            Vec::new()
        }
        ScreenId::Merge => {
            lists::merge(state, motion);
            Vec::new()
        }
        ScreenId::Health => {
            lists::health(state, motion);
            Vec::new()
        }
    }
}

/// Translates a movement into rows; nothing if it is not one between rows.
pub(super) fn rows_of(motion: Motion) -> Option<isize> {
    Some(match motion {
        Motion::Up => -1,
        Motion::Down => 1,
        Motion::PageUp => -PAGE,
        Motion::PageDown => PAGE,
        Motion::HalfUp => -PAGE / 2,
        Motion::HalfDown => PAGE / 2,
        Motion::Top => isize::MIN / 2,
        Motion::Bottom => isize::MAX / 2,
        Motion::Left | Motion::Right | Motion::NextRegion | Motion::PrevRegion => return None,
    })
}
