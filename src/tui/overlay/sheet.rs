//! The ground every overlay is drawn on: centred, as large as its content, never larger than the
//! screen allows; on a narrow screen the whole page.

use ratatui::layout::Rect;

use crate::tui::hit::Target;
use crate::tui::state::State;
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, Frame, FrameKind};

/// Below this width overlays are pages.
const PAGE_BELOW: u16 = 60;

/// Gives the first row that is shown when a sheet is scrolled to its end.
pub(super) fn furthest(rows: usize, state: &State) -> usize {
    rows.saturating_sub(usize::from(state.size.1.saturating_sub(4)))
}

/// Draws an empty sheet and returns the area inside its frame.
pub(super) fn sheet(
    canvas: &mut Canvas<'_>,
    area: Rect,
    (width, height): (u16, u16),
    title: &str,
    bottom: &str,
) -> Rect {
    let place = if area.width < PAGE_BELOW {
        area
    } else {
        let width = width.min(area.width.saturating_sub(4));
        let height = height.min(area.height.saturating_sub(2));
        Rect::new(
            area.x + (area.width - width) / 2,
            area.y + (area.height - height) / 2,
            width,
            height,
        )
    };
    // A click beside the sheet must not reach what is behind it.
    canvas.hit(area, Target::Overlay);
    let ground = canvas.style(Token::Bg).patch(canvas.style(Token::Panel));
    canvas.clear(place, ground);
    canvas.drawn.cursor = None;
    let inner = Frame::titled(title)
        .kind(FrameKind::Keyboard)
        .bottom(bottom)
        .draw(canvas, place);
    Rect::new(
        inner.x + 1,
        inner.y,
        inner.width.saturating_sub(2),
        inner.height,
    )
}
