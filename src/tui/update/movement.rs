//! Moving: cursors in lists, focus between panes, scrolling, sizes, pages, and the way back.

use ratatui::layout::Rect;

use super::run::page_places;
use crate::tui::effect::Effect;
use crate::tui::overlay;
use crate::tui::screens::body_of;
use crate::tui::screens::workspace::{Geometry, geometry};
use crate::tui::state::work::SizeClass;
use crate::tui::state::{FleetRow, Layout, Region, ScreenId, State};

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

/// Focuses an agent in the workspace.
pub(super) fn focus(state: &mut State, agent: &str) -> Vec<Effect> {
    let (places, main_first) = page_places(state);
    state.work.focus_on(agent, places, main_first);
    if let Some(pane) = state.panes.get_mut(agent) {
        pane.bell = false;
    }
    state.touch();
    Vec::new()
}

/// Carries out a movement on the current screen.
pub(super) fn go(state: &mut State, motion: Motion) -> Vec<Effect> {
    match state.screen {
        ScreenId::Work => work(state, motion),
        ScreenId::Mail => {
            mail(state, motion);
            Vec::new()
        }
        ScreenId::Merge => {
            merge(state, motion);
            Vec::new()
        }
        ScreenId::Health => {
            health(state, motion);
            Vec::new()
        }
    }
}

/// Translates a movement into rows; nothing if it is not one between rows.
fn rows_of(motion: Motion) -> Option<isize> {
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

fn here(state: &State) -> Geometry {
    geometry(state, body_of(state.size.0, state.size.1))
}

fn work(state: &mut State, motion: Motion) -> Vec<Effect> {
    let geometry = here(state);
    let has_list = geometry.fleet.is_some();
    let region = if has_list {
        state.region
    } else {
        Region::Panes
    };
    match (motion, region) {
        (Motion::NextRegion | Motion::PrevRegion, _) => {
            state.region = match region {
                Region::Fleet => Region::Panes,
                Region::Panes if has_list => Region::Fleet,
                Region::Panes => return next_pane(state, &geometry, motion == Motion::NextRegion),
            };
            Vec::new()
        }
        (Motion::Right, Region::Fleet) => {
            state.region = Region::Panes;
            Vec::new()
        }
        (Motion::Left | Motion::Right | Motion::Up | Motion::Down, Region::Panes) => {
            neighbour(state, &geometry, motion)
        }
        (Motion::Left, Region::Fleet) => Vec::new(),
        (
            Motion::PageUp
            | Motion::PageDown
            | Motion::HalfUp
            | Motion::HalfDown
            | Motion::Top
            | Motion::Bottom,
            Region::Panes,
        ) => {
            scroll_focused(state, motion);
            Vec::new()
        }
        (_, Region::Fleet) => fleet(state, motion),
    }
}

fn fleet(state: &mut State, motion: Motion) -> Vec<Effect> {
    let Some(delta) = rows_of(motion) else {
        return Vec::new();
    };
    let rows = state.fleet.rows();
    // The group on top repeats agents of the tree: the cursor walks the tree only.
    let names: Vec<String> = rows
        .iter()
        .filter_map(|r| match r {
            FleetRow::Agent { agent, .. } => Some(agent.name.clone()),
            FleetRow::Waiting(_) | FleetRow::Folded(_) => None,
        })
        .collect();
    let at = names
        .iter()
        .position(|n| Some(n) == state.work.focus.as_ref());
    let next = match at {
        Some(at) => at
            .saturating_add_signed(delta)
            .min(names.len().saturating_sub(1)),
        None => 0,
    };
    match names.get(next).cloned() {
        Some(name) => focus(state, &name),
        None => Vec::new(),
    }
}

fn next_pane(state: &mut State, geometry: &Geometry, forward: bool) -> Vec<Effect> {
    let at = position(state, geometry);
    let count = geometry.slots.len().max(1);
    let next = if forward { at + 1 } else { at + count - 1 } % count;
    match geometry.slots.get(next).map(|s| s.agent.clone()) {
        Some(agent) => focus(state, &agent),
        None => Vec::new(),
    }
}

fn position(state: &State, geometry: &Geometry) -> usize {
    let focus = state.work.focus.as_deref();
    geometry
        .slots
        .iter()
        .position(|s| Some(s.agent.as_str()) == focus)
        .unwrap_or(0)
}

fn centre(area: Rect) -> (i32, i32) {
    let x = i32::from(area.x) * 2 + i32::from(area.width);
    let y = i32::from(area.y) * 2 + i32::from(area.height);
    (x, y)
}

/// Focuses the nearest pane in a direction; left of the leftmost is the fleet.
fn neighbour(state: &mut State, geometry: &Geometry, motion: Motion) -> Vec<Effect> {
    let Some(from) = geometry.slots.get(position(state, geometry)) else {
        state.region = Region::Fleet;
        return Vec::new();
    };
    let (x, y) = centre(from.area);
    let sideways = matches!(motion, Motion::Left | Motion::Right);
    let candidates = geometry.slots.iter().filter(|slot| {
        let (a, b) = (from.area, slot.area);
        (motion == Motion::Left && b.right() <= a.x)
            || (motion == Motion::Right && b.x >= a.right())
            || (motion == Motion::Up && b.bottom() <= a.y)
            || (motion == Motion::Down && b.y >= a.bottom())
    });
    let nearest = candidates.min_by_key(|slot| {
        let (sx, sy) = centre(slot.area);
        let (dx, dy) = ((sx - x).abs(), (sy - y).abs());
        // Across the direction counts more than along it, so that lines are kept.
        if sideways { dx + 4 * dy } else { 4 * dx + dy }
    });
    match nearest.map(|s| s.agent.clone()) {
        Some(agent) => focus(state, &agent),
        None if motion == Motion::Left && geometry.fleet.is_some() => {
            state.region = Region::Fleet;
            Vec::new()
        }
        // With one pane only, up and down go through the fleet.
        None if geometry.slots.len() == 1 => fleet(state, motion),
        None => Vec::new(),
    }
}

/// Says how many rows an agent's visible pane has.
pub(super) fn page_of(state: &State, agent: &str) -> usize {
    let geometry = here(state);
    let slot = geometry.slots.iter().find(|s| s.agent == agent);
    usize::from(slot.map_or(10, |s| s.inner.height.max(2))) - 1
}

/// Scrolls an agent's pane, back in time if positive.
pub(super) fn scroll_pane(state: &mut State, agent: &str, lines: isize) {
    if let Some(pane) = state.panes.get_mut(agent)
        && pane.scroll(lines)
    {
        state.touch();
    }
}

fn scroll_focused(state: &mut State, motion: Motion) {
    let Some(agent) = state.work.focus.clone() else {
        return;
    };
    let page = page_of(state, &agent) as isize;
    let lines = match motion {
        Motion::PageUp => page,
        Motion::PageDown => -page,
        Motion::HalfUp => page / 2,
        Motion::HalfDown => -page / 2,
        Motion::Top => isize::MAX / 2,
        Motion::Bottom => isize::MIN / 2,
        Motion::Up
        | Motion::Down
        | Motion::Left
        | Motion::Right
        | Motion::NextRegion
        | Motion::PrevRegion => 0,
    };
    scroll_pane(state, &agent, lines);
}

fn scrolled(value: usize, motion: Motion) -> usize {
    match rows_of(motion) {
        Some(delta) => value.saturating_add_signed(delta).min(10_000),
        None => value,
    }
}

fn mail(state: &mut State, motion: Motion) {
    match motion {
        Motion::NextRegion | Motion::PrevRegion => state.mail.detail = !state.mail.detail,
        Motion::Left => state.mail.detail = false,
        Motion::Right => state.mail.detail = true,
        Motion::Up
        | Motion::Down
        | Motion::Top
        | Motion::Bottom
        | Motion::PageUp
        | Motion::PageDown
        | Motion::HalfUp
        | Motion::HalfDown => {
            if state.mail.detail {
                let rows = crate::tui::screens::thread_rows(state, state.size.0 / 2).len();
                state.mail.scroll = scrolled(state.mail.scroll, motion).min(rows);
            } else if let Some(delta) = rows_of(motion) {
                let ids: Vec<String> = state.mail.rows().iter().map(|m| m.id.clone()).collect();
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                state.mail.cursor.step(&ids, delta);
                state.mail.scroll = 0;
            }
        }
    }
}

fn merge(state: &mut State, motion: Motion) {
    if state.review.open.is_some() {
        review(state, motion);
        return;
    }
    if let Some(delta) = rows_of(motion) {
        let ids = state.merge.row_ids();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        state.merge.cursor.step(&ids, delta);
    }
}

fn review(state: &mut State, motion: Motion) {
    match (motion, rows_of(motion)) {
        (Motion::Left | Motion::Right, _) => super::review::step(state, motion == Motion::Right),
        (_, Some(rows)) => super::review::scroll(state, rows),
        (_, None) => {}
    }
}

fn health(state: &mut State, motion: Motion) {
    if let Some(delta) = rows_of(motion) {
        let names: Vec<String> = state
            .health
            .rows(&state.fleet)
            .iter()
            .map(|a| a.name.clone())
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        state.health.cursor.step(&names, delta);
    }
}

/// Selects a row of the current screen's list.
pub(super) fn select_row(state: &mut State, index: usize) {
    match state.screen {
        ScreenId::Work => {}
        ScreenId::Mail => {
            let ids: Vec<String> = state.mail.rows().iter().map(|m| m.id.clone()).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            state.mail.cursor.set(&ids, index);
            state.mail.scroll = 0;
        }
        ScreenId::Merge => {
            let ids = state.merge.row_ids();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            state.merge.cursor.set(&ids, index);
        }
        ScreenId::Health => {
            let names: Vec<String> = state
                .health
                .rows(&state.fleet)
                .iter()
                .map(|a| a.name.clone())
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            state.health.cursor.set(&names, index);
        }
    }
}

/// Goes one level back: notice, filter, detail, zoom, scrollback, page, region.
pub(super) fn back(state: &mut State) -> Vec<Effect> {
    if state.notices.dismiss() || super::merge::hide(state) {
        return Vec::new();
    }
    let reviewing = state.screen == ScreenId::Merge && state.review.open.is_some();
    if !reviewing && !overlay::current_filter(state).is_empty() {
        overlay::set_filter(state, String::new());
        return Vec::new();
    }
    match state.screen {
        ScreenId::Mail if state.mail.detail => state.mail.detail = false,
        ScreenId::Merge if state.review.open.is_some() => super::review::close(state),
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

/// Makes the focused side larger or smaller by `delta` cells.
pub(super) fn resize(state: &mut State, delta: i16) {
    let class = SizeClass::of(state.size.0, state.size.1);
    let strip = class == SizeClass::Medium && state.work.layout == Layout::Auto;
    let on_fleet = state.region == Region::Fleet && state.work.fleet_shown;
    let adjust = state
        .work
        .adjust
        .entry((state.work.layout, class))
        .or_default();
    if on_fleet {
        adjust.fleet = (adjust.fleet + delta).clamp(-12, 60);
    } else if strip {
        adjust.split = (adjust.split + delta / 2).clamp(-12, 12);
    } else {
        adjust.fleet = (adjust.fleet - delta).clamp(-12, 60);
    }
}

/// Turns to the next or previous page of panes and focuses its first.
pub(super) fn turn_page(state: &mut State, forward: bool) {
    let (places, _) = page_places(state);
    let pages = state.work.order.len().div_ceil(places.max(1)).max(1);
    let page = state.work.page;
    let page = if forward {
        (page + 1) % pages
    } else {
        (page + pages - 1) % pages
    };
    state.work.page = page;
    if let Some(first) = state.work.order.get(page * places.max(1)) {
        state.work.focus = Some(first.clone());
    }
}
