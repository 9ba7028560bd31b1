//! What a list without rows says: what would fill it, and the key that does.

use ratatui::layout::Rect;

use crate::tui::action::Action;
use crate::tui::hit::Target;
use crate::tui::label;
use crate::tui::state::State;
use crate::tui::theme::Token;
use crate::tui::widgets::Canvas;

/// Draws an explanation, with the live keys of the actions that help.
pub(super) fn explain(
    state: &State,
    canvas: &mut Canvas<'_>,
    area: Rect,
    text: &str,
    help: &[(Action, &str)],
) {
    let mut y = area.y + (area.height / 3).min(3);
    let width = area.width.saturating_sub(4);
    for row in label::wrap(text, usize::from(width)) {
        if y >= area.bottom() {
            return;
        }
        canvas.say(area.x + 2, y, width, &row, Token::Muted);
        y += 1;
    }
    for (action, what) in help {
        let key = state.keymap.key_for(state.scope(), *action);
        if let Some(key) = key.filter(|_| y < area.bottom()) {
            let x = canvas.say(area.x + 2, y, 12, &key, Token::Key);
            canvas.say(x + 1, y, width.saturating_sub(14), what, Token::Text);
            canvas.hit(Rect::new(area.x + 2, y, width, 1), Target::Run(*action));
            y += 1;
        }
    }
}

/// Says what is not known yet: nothing for a moment, then that it is being read.
pub(super) fn loading(canvas: &mut Canvas<'_>, area: Rect) {
    canvas.say(
        area.x + 2,
        area.y + 1,
        area.width.saturating_sub(4),
        "reading",
        Token::Muted,
    );
}
