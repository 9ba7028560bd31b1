//! Narrowing the list of a screen to rows that contain a text, live while it is typed.

use ratatui::layout::Rect;

use super::stack::Next;
use crate::tui::effect::Effect;
use crate::tui::keymap::Key;
use crate::tui::state::{ScreenId, State, TextField};
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, draw_field};

/// The text being typed.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    pub query: TextField,
}

/// Gives the filter of the current screen.
pub(crate) fn current(state: &State) -> &str {
    match state.screen {
        ScreenId::Work => &state.fleet.filter,
        ScreenId::Mail => &state.mail.filter,
        ScreenId::Merge => &state.merge.filter,
        ScreenId::Health => &state.health.filter,
    }
}

/// Sets the filter of the current screen.
pub(crate) fn set(state: &mut State, text: String) {
    match state.screen {
        ScreenId::Work => state.fleet.filter = text,
        ScreenId::Mail => state.mail.filter = text,
        ScreenId::Merge => state.merge.filter = text,
        ScreenId::Health => state.health.filter = text,
    }
}

impl Filter {
    /// Starts with the filter there is.
    pub(crate) fn new(state: &State) -> Self {
        Self {
            query: TextField::single(current(state)),
        }
    }

    pub(super) fn on_key(&mut self, key: Key, state: &mut State) -> (Next, Vec<Effect>) {
        match key.name().as_str() {
            "Esc" => {
                set(state, String::new());
                return (Next::Close, Vec::new());
            }
            "Enter" => return (Next::Close, Vec::new()),
            _ => {
                self.query.key(key);
                set(state, self.query.text());
            }
        }
        (Next::Stay, Vec::new())
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        if area.height < 2 {
            return;
        }
        let row = Rect::new(area.x, area.bottom() - 2, area.width, 1);
        let ground = canvas.style(Token::Bg);
        canvas.clear(row, ground);
        let x = canvas.say(row.x + 1, row.y, row.width, "/ ", Token::Accent);
        let room = (row.width / 2).saturating_sub(4);
        draw_field(canvas, Rect::new(x, row.y, room, 1), &self.query, true);
        let style = canvas.style(Token::Hint);
        let hint = "Enter keeps the filter   Esc clears it ";
        canvas.put_right(row.right(), row.y, row.width / 2, hint, style);
    }
}
