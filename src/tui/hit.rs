//! What is where on the screen, so that a click means what was drawn there.
//!
//! Rendering fills it, the mouse update reads it; later entries lie on top of earlier ones.

use ratatui::layout::{Position, Rect};

use crate::tui::action::Action;
use crate::tui::state::ScreenId;

/// Something that can be clicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Screen(ScreenId),
    /// A row of the fleet list or a chip.
    Agent(String),
    Fold,
    /// The inside of a pane, where its cell (0, 0) of the view is.
    Pane(String),
    PaneTitle(String),
    /// A row of the list on this screen.
    Row(usize),
    Detail,
    /// The line between fleet and panes.
    FleetDivider,
    /// The line between the large pane and the strip.
    SplitDivider,
    Run(Action),
    /// A row of the topmost overlay.
    OverlayRow(usize),
    Overlay,
}

/// Where the mouse button went down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Press {
    pub at: Position,
    pub target: Option<Target>,
    pub at_ms: i64,
}

/// The map of the last frame.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hits {
    areas: Vec<(Rect, Target)>,
}

impl Hits {
    /// Adds an area on top of those before it.
    pub(crate) fn add(&mut self, area: Rect, target: Target) {
        self.areas.push((area, target));
    }

    /// Finds the topmost thing at a place.
    pub(crate) fn at(&self, x: u16, y: u16) -> Option<(Rect, &Target)> {
        let position = Position::new(x, y);
        let hit = self
            .areas
            .iter()
            .rev()
            .find(|(area, _)| area.contains(position));
        hit.map(|(area, target)| (*area, target))
    }

    /// Finds the area of a target.
    pub(crate) fn area_of(&self, target: &Target) -> Option<Rect> {
        self.areas
            .iter()
            .rev()
            .find(|(_, t)| t == target)
            .map(|(area, _)| *area)
    }
}
