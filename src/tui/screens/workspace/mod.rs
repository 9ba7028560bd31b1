//! The workspace: the fleet, the live panes, what is going on now.
//!
//! `geometry` decides where everything is; updates use it too, to know which panes are visible and
//! how large their terminals should be.

mod feed;
mod fleet;
mod geometry;
mod panes;

pub(crate) use geometry::{Geometry, geometry, places};

use ratatui::layout::Rect;

use super::empty;
use crate::tui::action::Action;
use crate::tui::state::{Mode, Region, State};
use crate::tui::widgets::{Canvas, Frame, FrameKind};

/// Draws the workspace.
pub(super) fn render(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let geometry = geometry(state, body);
    if let Some(area) = geometry.chips {
        fleet::chips(state, canvas, area);
    }
    if let Some(area) = geometry.fleet {
        fleet::list(state, canvas, area);
    }
    if let Some(area) = geometry.empty {
        nobody(state, canvas, area);
    }
    for slot in &geometry.slots {
        panes::slot(state, canvas, slot, &geometry);
    }
    if let Some(area) = geometry.log {
        let inner = Frame::titled("Now").draw(canvas, area);
        feed::lines(state, canvas, inner, true);
    }
}

fn nobody(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let kind = match (state.region, &state.mode) {
        (Region::Panes, Mode::Normal) => FrameKind::Focused,
        (Region::Fleet, _) | (Region::Panes, Mode::Typing { .. }) => FrameKind::Plain,
    };
    let inner = Frame::titled("No agents yet").kind(kind).draw(canvas, area);
    if !state.is_loaded(state.fleet.known) {
        empty::loading(canvas, inner);
        return;
    }
    let text = "An agent works on one task in its own worktree, and its terminal appears here.\n\
                From a shell:  grove sling <task> --capability builder\n ";
    empty::explain(
        state,
        canvas,
        inner,
        text,
        &[
            (Action::Sling, "sling the first agent"),
            (Action::Demo, "watch the demo: scripted agents, no tokens"),
        ],
    );
}
