//! Drawing the inside of an agent's pane.
//!
//! Cells come from the mirrored terminal as they are; the theme does not touch them, only the
//! terminal's colour depth limits them.

use ratatui::layout::{Position, Rect};
use ratatui::widgets::Widget;
use tui_term::widget::{Cursor, PseudoTerminal};

use super::Canvas;
use crate::term::{ScreenView, Size, viewport_for};
use crate::tui::state::{Pane, PaneStatus};
use crate::tui::theme::{Depth, Token};

/// What the frame should say about the view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PaneView {
    /// Columns are hidden to the left or right.
    pub cut_left: bool,
    pub cut_right: bool,
    /// Lines the view is scrolled back.
    pub scrolled: usize,
}

/// Draws a pane's screen; `typing` puts the hardware cursor where the agent's is.
pub(crate) fn draw_pane(
    canvas: &mut Canvas<'_>,
    area: Rect,
    pane: &Pane,
    typing: bool,
) -> PaneView {
    if area.width == 0 || area.height == 0 {
        return PaneView::default();
    }
    let slot = Size::new(area.width, area.height);
    let viewport = viewport_for(&pane.engine, slot);
    let view = ScreenView::new(&pane.engine, viewport, slot);
    let mut cursor = Cursor::default();
    cursor.hide();
    PseudoTerminal::new(&view)
        .cursor(cursor)
        .render(area, canvas.buf);
    limit(canvas, area);
    if typing && let Some((row, col)) = view.cursor() {
        let at = Position::new(area.x + col, area.y + row);
        if area.contains(at) {
            canvas.drawn.cursor = Some(at);
        }
    }
    PaneView {
        cut_left: viewport.left > 0,
        cut_right: pane.engine.size().cols > viewport.left + area.width,
        scrolled: pane.engine.scroll_offset(),
    }
}

fn limit(canvas: &mut Canvas<'_>, area: Rect) {
    let depth = canvas.look.theme.depth;
    if depth == Depth::TrueColor {
        return;
    }
    for position in area.intersection(*canvas.buf.area()).positions() {
        if let Some(cell) = canvas.buf.cell_mut(position) {
            cell.fg = depth.limit(cell.fg);
            cell.bg = depth.limit(cell.bg);
            cell.underline_color = depth.limit(cell.underline_color);
        }
    }
}

/// Says in one line what became of a pane that is not live.
pub(crate) fn status_line(pane: &Pane) -> Option<(String, Token)> {
    match &pane.status {
        PaneStatus::Live => None,
        PaneStatus::Attaching { .. } => None,
        PaneStatus::Exited {
            code,
            signal,
            cause,
        } => {
            let how = match (signal, code) {
                (Some(signal), _) => format!("ended by signal {signal}"),
                (None, Some(code)) => format!("ended with exit code {code}"),
                (None, None) => "ended".to_owned(),
            };
            let token = match (signal, code) {
                (None, Some(0)) => Token::StateDone,
                _ => Token::LevelError,
            };
            // A known cause says it better than the number.
            let text = match cause.as_deref() {
                Some(cause) if cause.starts_with("ended") => cause.to_owned(),
                Some(cause) if !cause.is_empty() => format!("ended: {cause}"),
                Some(_) | None => how,
            };
            Some((text, token))
        }
        PaneStatus::Unavailable { reason } => Some((reason.clone(), Token::Muted)),
    }
}
