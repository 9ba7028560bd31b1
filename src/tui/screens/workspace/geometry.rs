//! Where everything in the workspace is, and how large each agent's terminal should be.
//!
//! Pure arithmetic on the state and the body's area. The sizes of the arrangements are the ones
//! the interface was drawn with: 80×24, 120×36, 200×60.

use ratatui::layout::Rect;

use crate::term::Size;
use crate::tui::state::work::{Adjust, SizeClass};
use crate::tui::state::{Layout, State};

/// No pane is drawn smaller, frame included, in arrangements of equal panes.
const LEAST: (u16, u16) = (44, 8);
/// Equal panes are made at least this large while that leaves more than one.
const COMFORTABLE: (u16, u16) = (58, 14);
const STRIP_PANES: usize = 3;
const LOG_HEIGHT: u16 = 5;

/// One visible pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slot {
    pub agent: String,
    /// With its frame.
    pub area: Rect,
    /// Where the terminal is drawn; empty if only the title is.
    pub inner: Rect,
    /// The size its terminal should have.
    pub wish: Size,
    /// A title line instead of a frame.
    pub bare: bool,
}

/// Everything in the workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub fleet: Option<Rect>,
    pub chips: Option<Rect>,
    pub slots: Vec<Slot>,
    pub log: Option<Rect>,
    /// Where panes would be if there were agents.
    pub empty: Option<Rect>,
    /// The first pane is the large one.
    pub main_first: bool,
    /// Page and number of pages, where there is more than one.
    pub pages: Option<(usize, usize)>,
    /// First row of the strip.
    pub strip_top: Option<u16>,
}

/// Says how many panes a page holds, and whether the focused agent always takes the first.
pub(crate) fn places(state: &State, body: Rect) -> (usize, bool) {
    let class = SizeClass::of(state.size.0, state.size.1);
    let (panes, _, _) = split_fleet(state, body, class);
    match (state.work.layout, class) {
        (Layout::Auto, SizeClass::Small) | (Layout::Solo, _) => (1, true),
        (Layout::Auto, SizeClass::Medium) => (1 + STRIP_PANES, true),
        (Layout::Auto, SizeClass::Large) => (4, false),
        (Layout::Grid, _) => {
            let (cols, rows) = grid_room(panes);
            (usize::from(cols) * usize::from(rows), false)
        }
        (Layout::Columns, _) => (usize::from((panes.width / LEAST.0).clamp(1, 4)), false),
        (Layout::Stack, _) => {
            let titles = panes.height.saturating_sub(LEAST.1);
            (usize::from(titles.max(1)), false)
        }
    }
}

fn adjust(state: &State, class: SizeClass) -> Adjust {
    state
        .work
        .adjust
        .get(&(state.work.layout, class))
        .copied()
        .unwrap_or_default()
}

/// Takes fleet list or chips off the body.
fn split_fleet(state: &State, body: Rect, class: SizeClass) -> (Rect, Option<Rect>, Option<Rect>) {
    let usual: u16 = match class {
        SizeClass::Small => 0,
        SizeClass::Medium => 32,
        SizeClass::Large => 36,
    };
    if usual == 0 || !state.work.fleet_shown {
        let chips = Rect::new(body.x, body.y, body.width, 1);
        let rest = Rect::new(
            body.x,
            body.y + 1,
            body.width,
            body.height.saturating_sub(1),
        );
        return (rest, None, Some(chips));
    }
    let most = body.width.saturating_sub(LEAST.0).max(20);
    let width = usual
        .saturating_add_signed(adjust(state, class).fleet)
        .clamp(20, most);
    let fleet = Rect::new(body.x, body.y, width, body.height);
    let rest = Rect::new(body.x + width, body.y, body.width - width, body.height);
    (rest, Some(fleet), None)
}

/// Computes the whole arrangement.
pub(crate) fn geometry(state: &State, body: Rect) -> Geometry {
    let class = SizeClass::of(state.size.0, state.size.1);
    let mut out = Geometry::default();
    if class == SizeClass::Small && state.work.fleet_page {
        out.fleet = Some(body);
        return out;
    }
    if let Some(agent) = &state.work.zoom {
        out.slots.push(framed(agent, body));
        return out;
    }
    let (panes, fleet, chips) = split_fleet(state, body, class);
    out.fleet = fleet;
    out.chips = chips;
    let (per_page, main_first) = places(state, body);
    out.main_first = main_first;
    let names = visible(state, per_page, &mut out);
    if names.is_empty() {
        out.empty = Some(panes);
        return out;
    }
    match (state.work.layout, class) {
        (Layout::Auto | Layout::Solo, SizeClass::Small) => bare(&names, panes, &mut out),
        (Layout::Auto, SizeClass::Medium) => strip(state, &names, panes, &mut out),
        (Layout::Auto, SizeClass::Large) => quarters(&names, panes, &mut out),
        (Layout::Solo, _) => out.slots.extend(names.first().map(|n| framed(n, panes))),
        (Layout::Grid, _) => grid(&names, panes, &mut out),
        (Layout::Columns, _) => {
            let areas = split_width(panes, names.len());
            out.slots
                .extend(names.iter().zip(areas).map(|(n, area)| framed(n, area)));
        }
        (Layout::Stack, _) => stack(state, &names, panes, &mut out),
    }
    out
}

fn visible<'a>(state: &'a State, per_page: usize, out: &mut Geometry) -> Vec<&'a String> {
    let per_page = per_page.max(1);
    let order = &state.work.order;
    let paged = matches!(
        state.work.layout,
        Layout::Grid | Layout::Columns | Layout::Stack
    );
    let pages = order.len().div_ceil(per_page).max(1);
    let page = if paged {
        state.work.page.min(pages - 1)
    } else {
        0
    };
    if paged && pages > 1 {
        out.pages = Some((page, pages));
    }
    order.iter().skip(page * per_page).take(per_page).collect()
}

fn inside(area: Rect) -> Rect {
    Rect::new(
        area.x + 1,
        area.y + 1,
        area.width.saturating_sub(2),
        area.height.saturating_sub(2),
    )
}

fn framed(agent: &str, area: Rect) -> Slot {
    let inner = inside(area);
    Slot {
        agent: agent.to_owned(),
        area,
        inner,
        wish: Size::new(inner.width, inner.height).for_pty(),
        bare: false,
    }
}

/// One pane without side borders, so that all 80 columns belong to the agent.
fn bare(names: &[&String], area: Rect, out: &mut Geometry) {
    let Some(name) = names.first() else {
        return;
    };
    let inner = Rect::new(
        area.x,
        area.y + 1,
        area.width,
        area.height.saturating_sub(1),
    );
    out.slots.push(Slot {
        agent: (*name).clone(),
        area,
        inner,
        wish: Size::new(inner.width, inner.height).for_pty(),
        bare: true,
    });
}

/// A large pane above a strip of small ones. All have the large pane's size, so that changing
/// places resizes no terminal.
fn strip(state: &State, names: &[&String], area: Rect, out: &mut Geometry) {
    let Some((first, others)) = names.split_first() else {
        return;
    };
    if others.is_empty() {
        out.slots.push(framed(first, area));
        return;
    }
    let split = adjust(state, SizeClass::Medium).split;
    let usual = area.height * 7 / 11;
    let most = area.height.saturating_sub(5).max(6);
    let height = usual.saturating_add_signed(split).clamp(6, most);
    let main = framed(first, Rect::new(area.x, area.y, area.width, height));
    let below = Rect::new(area.x, area.y + height, area.width, area.height - height);
    out.strip_top = Some(below.y);
    let wish = main.wish;
    out.slots.push(main);
    for (name, area) in others.iter().zip(split_width(below, others.len())) {
        out.slots.push(Slot {
            wish,
            ..framed(name, area)
        });
    }
}

/// Up to four equal panes and the feed below.
fn quarters(names: &[&String], area: Rect, out: &mut Geometry) {
    let log = Rect::new(area.x, area.bottom() - LOG_HEIGHT, area.width, LOG_HEIGHT);
    out.log = Some(log);
    let area = Rect::new(area.x, area.y, area.width, area.height - LOG_HEIGHT);
    equal(names, area, if names.len() > 1 { 2 } else { 1 }, out);
}

fn grid(names: &[&String], area: Rect, out: &mut Geometry) {
    let (cols, _) = grid_room(area);
    let wanted = (1..=cols)
        .find(|c| usize::from(*c).pow(2) >= names.len())
        .unwrap_or(cols);
    equal(names, area, usize::from(wanted), out);
}

/// Says how many columns and rows of panes fit.
fn grid_room(area: Rect) -> (u16, u16) {
    let room = |least: (u16, u16)| (area.width / least.0, area.height / least.1);
    let (cols, rows) = room(COMFORTABLE);
    let (most_cols, most_rows) = room(LEAST);
    let cols = if cols >= 2 { cols } else { most_cols.min(2) };
    let rows = if rows >= 2 { rows } else { most_rows.min(2) };
    (cols.clamp(1, 4), rows.clamp(1, 4))
}

fn equal(names: &[&String], area: Rect, cols: usize, out: &mut Geometry) {
    let lines = names.len().div_ceil(cols);
    for (row, chunk) in split_height(area, lines)
        .into_iter()
        .zip(names.chunks(cols))
    {
        // The last line may have fewer panes; they share its width.
        let areas = split_width(row, chunk.len());
        out.slots
            .extend(chunk.iter().zip(areas).map(|(n, area)| framed(n, area)));
    }
}

/// Titles of all, the focused one open.
fn stack(state: &State, names: &[&String], area: Rect, out: &mut Geometry) {
    let open = names
        .iter()
        .position(|n| Some(*n) == state.work.focus.as_ref())
        .unwrap_or(0);
    let titles = names.len() as u16 - 1;
    let height = area.height.saturating_sub(titles);
    let mut y = area.y;
    let wish = framed("", Rect::new(area.x, area.y, area.width, height)).wish;
    for (index, name) in names.iter().enumerate() {
        if index == open {
            out.slots
                .push(framed(name, Rect::new(area.x, y, area.width, height)));
            y += height;
        } else {
            out.slots.push(Slot {
                agent: (*name).clone(),
                area: Rect::new(area.x, y, area.width, 1),
                inner: Rect::new(area.x, y + 1, area.width, 0),
                wish,
                bare: true,
            });
            y += 1;
        }
    }
}

fn split_width(area: Rect, parts: usize) -> Vec<Rect> {
    let shares = shares(area.width, parts);
    let mut x = area.x;
    shares
        .into_iter()
        .map(|width| {
            let part = Rect::new(x, area.y, width, area.height);
            x += width;
            part
        })
        .collect()
}

fn split_height(area: Rect, parts: usize) -> Vec<Rect> {
    let shares = shares(area.height, parts);
    let mut y = area.y;
    shares
        .into_iter()
        .map(|height| {
            let part = Rect::new(area.x, y, area.width, height);
            y += height;
            part
        })
        .collect()
}

/// Splits a length evenly; the first parts take what does not divide.
fn shares(length: u16, parts: usize) -> Vec<u16> {
    let parts = parts.max(1) as u16;
    let (each, more) = (length / parts, length % parts);
    (0..parts).map(|i| each + u16::from(i < more)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::view::Attention;
    use crate::tui::keymap::{Keymap, LeaderEnv};
    use crate::tui::look::Look;
    use crate::tui::screens::body_of;
    use crate::tui::state::Settings;
    use crate::tui::state::sample::agent;
    use crate::tui::theme::{Depth, Theme};
    use proptest::prelude::*;

    fn state(size: (u16, u16), agents: usize, layout: Layout) -> State {
        let look = Look::new(Theme::plain(Depth::None), true);
        let keymap = Keymap::bare(&LeaderEnv::default());
        let mut state = State::new(size, Settings::default(), look, keymap);
        state.fleet.agents = (0..agents)
            .map(|i| agent(&format!("a{i}"), None, Attention::Working))
            .collect();
        state.work.layout = layout;
        let (places, _) = places(&state, body_of(size.0, size.1));
        let fleet = state.fleet.clone();
        state.work.follow(&fleet, places);
        state
    }

    #[test]
    fn the_sizes_the_interface_was_drawn_with() {
        let small = geometry(&state((80, 24), 5, Layout::Auto), body_of(80, 24));
        assert_eq!(small.slots[0].inner, Rect::new(0, 3, 80, 19));
        let medium = geometry(&state((120, 36), 5, Layout::Auto), body_of(120, 36));
        assert_eq!(medium.fleet.map(|f| f.width), Some(32));
        assert_eq!(medium.slots[0].area, Rect::new(32, 1, 88, 21));
        assert_eq!(medium.slots.len(), 4);
        let large = geometry(&state((200, 60), 5, Layout::Auto), body_of(200, 60));
        assert_eq!(large.fleet.map(|f| f.width), Some(36));
        assert_eq!(large.slots[3].area, Rect::new(118, 27, 82, 26));
        assert_eq!(large.log, Some(Rect::new(36, 53, 164, 5)));
    }

    proptest! {
        #[test]
        fn panes_never_overlap_nor_leave_the_body(
            cols in 60u16..260,
            rows in 16u16..90,
            agents in 1usize..30,
            layout in 0usize..5,
            chips in any::<bool>(),
            fleet_by in -12i16..60,
            split_by in -12i16..12,
        ) {
            let mut chosen = Layout::Auto;
            for _ in 0..layout {
                chosen = chosen.next();
            }
            let mut state = state((cols, rows), agents, chosen);
            state.work.fleet_shown = !chips;
            let adjust = Adjust { fleet: fleet_by, split: split_by };
            state.work.adjust.insert((chosen, SizeClass::of(cols, rows)), adjust);
            let body = body_of(cols, rows);
            let found = geometry(&state, body);
            prop_assert!(!found.slots.is_empty());
            let mut areas: Vec<Rect> = found.slots.iter().map(|s| s.area).collect();
            areas.extend(found.fleet);
            areas.extend(found.chips);
            areas.extend(found.log);
            for (i, area) in areas.iter().enumerate() {
                prop_assert_eq!(area.intersection(body), *area, "{:?} leaves {:?}", area, body);
                for other in &areas[i + 1..] {
                    prop_assert!(!area.intersects(*other), "{:?} overlaps {:?}", area, other);
                }
            }
            for slot in &found.slots {
                prop_assert!(slot.wish.cols >= 80 && slot.wish.rows >= 18);
                prop_assert_eq!(slot.inner.intersection(body), slot.inner);
            }
        }
    }
}
