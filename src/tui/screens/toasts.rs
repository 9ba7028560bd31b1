//! Toasts: bottom right, newest last, never over the focused input or the border below it.

use ratatui::layout::Rect;

use crate::tui::label;
use crate::tui::look::Look;
use crate::tui::state::State;
use crate::tui::theme::Token;
use crate::tui::widgets::Canvas;

/// Draws the toasts over the body.
pub(super) fn render(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    // The lowest row is the border that says what a key does next; a toast would hide just the line
    // it is about.
    let mut y = body.bottom().saturating_sub(1);
    let cursor = canvas.drawn.cursor;
    for toast in state.notices.toasts().iter().rev() {
        let count = match toast.count {
            1 => String::new(),
            n => format!("  {n}x"),
        };
        let text = format!(" {}{count} ", label::clean(&toast.text));
        let width = (label::width(&text) as u16)
            .min(body.width.saturating_sub(4))
            .max(1);
        let Some(row) = y.checked_sub(1).filter(|r| *r > body.y) else {
            return;
        };
        let area = Rect::new(body.right().saturating_sub(width + 1), row, width, 1);
        y = row;
        if cursor.is_some_and(|at| area.contains(at)) {
            continue;
        }
        let style = canvas
            .style(Token::Toast)
            .patch(canvas.style(Look::level(toast.level)));
        canvas.clear(area, style);
        canvas.put(area.x, area.y, area.width, &text, style);
    }
}
