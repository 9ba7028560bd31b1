//! Moving in the workspace: through the fleet, between panes, back in time.

use ratatui::layout::Rect;

use super::motion::{Motion, rows_of};
use crate::tui::effect::Effect;
use crate::tui::screens::body_of;
use crate::tui::screens::workspace::{Geometry, geometry};
use crate::tui::state::work::SizeClass;
use crate::tui::state::{FleetRow, Layout, Region, State};
use crate::tui::update::run::page_places;

/// Focuses an agent in the workspace.
pub(in crate::tui::update) fn focus(state: &mut State, agent: &str) -> Vec<Effect> {
    let (places, main_first) = page_places(state);
    state.work.focus_on(agent, places, main_first);
    if let Some(pane) = state.panes.get_mut(agent) {
        pane.bell = false;
    }
    state.touch();
    Vec::new()
}

fn here(state: &State) -> Geometry {
    geometry(state, body_of(state.size.0, state.size.1))
}

pub(super) fn work(state: &mut State, motion: Motion) -> Vec<Effect> {
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
pub(in crate::tui::update) fn page_of(state: &State, agent: &str) -> usize {
    let geometry = here(state);
    let slot = geometry.slots.iter().find(|s| s.agent == agent);
    usize::from(slot.map_or(10, |s| s.inner.height.max(2))) - 1
}

/// Scrolls an agent's pane, back in time if positive.
pub(in crate::tui::update) fn scroll_pane(state: &mut State, agent: &str, lines: isize) {
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

/// Makes the focused side larger or smaller by `delta` cells.
pub(in crate::tui::update) fn resize(state: &mut State, delta: i16) {
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
pub(in crate::tui::update) fn turn_page(state: &mut State, forward: bool) {
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
