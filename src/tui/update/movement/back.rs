//! The way back.

use super::work::scroll_pane;
use crate::tui::effect::Effect;
use crate::tui::overlay;
use crate::tui::state::{Region, ScreenId, State};
use crate::tui::update;

/// Goes one level back: filter, detail, zoom, scrollback, page, region. A notice goes along; where Esc would only change
/// how panes are arranged, the notice alone.
pub(in crate::tui::update) fn back(state: &mut State) -> Vec<Effect> {
    let dismissed = state.notices.dismiss();
    if dismissed && state.screen == ScreenId::Work || update::merge::hide(state) {
        return Vec::new();
    }
    let reviewing = state.screen == ScreenId::Merge && state.review.open.is_some();
    if !reviewing && !overlay::current_filter(state).is_empty() {
        overlay::set_filter(state, String::new());
        return Vec::new();
    }
    match state.screen {
        ScreenId::Mail if state.mail.detail => state.mail.detail = false,
        ScreenId::Merge if state.review.open.is_some() => update::review::close(state),
        ScreenId::Work => back_in_work(state),
        ScreenId::Mail | ScreenId::Merge | ScreenId::Health => state.screen = ScreenId::Work,
    }
    Vec::new()
}

fn back_in_work(state: &mut State) {
    let focus = state.work.focus.clone().unwrap_or_default();
    let scrolled = state
        .panes
        .get(&focus)
        .is_some_and(|p| p.engine.scroll_offset() > 0);
    if state.work.fleet_page {
        state.work.fleet_page = false;
    } else if scrolled {
        scroll_pane(state, &focus, isize::MIN / 2);
    } else if state.work.zoom.is_some() {
        state.work.zoom = None;
    } else {
        state.region = Region::Fleet;
    }
}
