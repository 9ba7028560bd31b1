//! Choosing a theme: moving the cursor applies it at once, Esc goes back to the one before.

use ratatui::layout::Rect;

use super::sheet::sheet;
use super::stack::Next;
use crate::tui::effect::Effect;
use crate::tui::hit::Target;
use crate::tui::keymap::Key;
use crate::tui::state::State;
use crate::tui::theme::{BUNDLED, Theme, Token, bundled};
use crate::tui::widgets::Canvas;

/// The list and what was there before.
#[derive(Debug, Clone)]
pub(crate) struct ThemePicker {
    selected: usize,
    before: Theme,
}

impl ThemePicker {
    /// Starts at the theme in use.
    pub(crate) fn new(state: &State) -> Self {
        let before = state.look.theme.clone();
        let selected = BUNDLED
            .iter()
            .position(|(n, _)| *n == before.name)
            .unwrap_or(0);
        Self { selected, before }
    }

    pub(super) fn choose(&mut self, row: usize, state: &mut State) {
        self.selected = row.min(BUNDLED.len() - 1);
        let name = BUNDLED.get(self.selected).map_or("grove-dark", |(n, _)| n);
        match bundled(name, self.before.depth) {
            Ok(theme) => state.look.theme = theme,
            Err(error) => state.refuse(&error.to_string()),
        }
        state.touch();
    }

    pub(super) fn on_key(&mut self, key: Key, state: &mut State) -> (Next, Vec<Effect>) {
        match key.name().as_str() {
            "Esc" | "q" => {
                state.look.theme = self.before.clone();
                return (Next::Close, Vec::new());
            }
            "Enter" => return (Next::Close, Vec::new()),
            "Down" | "j" => self.choose(self.selected + 1, state),
            "Up" | "k" => {
                self.choose(self.selected.saturating_sub(1), state);
            }
            _ => {}
        }
        (Next::Stay, Vec::new())
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let height = BUNDLED.len() as u16 + 2;
        let hint = "j k try   Enter keep   Esc back";
        let inner = sheet(canvas, area, (76, height), "Theme", hint);
        for (row, (name, _)) in BUNDLED.iter().enumerate() {
            let y = inner.y + row as u16;
            if y >= inner.bottom() {
                break;
            }
            let line = Rect::new(inner.x, y, 24.min(inner.width), 1);
            canvas.say(
                line.x + 2,
                y,
                line.width.saturating_sub(2),
                name,
                Token::Text,
            );
            if row == self.selected {
                let caret = canvas.g().caret;
                canvas.say(line.x, y, 1, caret, Token::Accent);
                canvas.tint(line, Token::Selection);
            }
            canvas.hit(line, Target::OverlayRow(row));
        }
        let g = canvas.g();
        let x = inner.x + 26;
        let width = inner.width.saturating_sub(26);
        let samples: [&[(&str, &str, Token)]; 5] = [
            &[
                (g.working, " working  ", Token::StateWorking),
                (g.needs_you, " needs you ", Token::StateNeedsYou),
            ],
            &[
                (g.stalled, " stalled  ", Token::StateStalled),
                (g.zombie, " dead  ", Token::StateZombie),
                (g.done, " done", Token::StateDone),
            ],
            &[
                (g.add, " added line  ", Token::DiffAdd),
                (g.del, " removed line", Token::DiffDel),
            ],
            &[
                ("", "low ", Token::PrioLow),
                ("", "normal ", Token::PrioNormal),
                ("", "high ", Token::PrioHigh),
                ("", "urgent", Token::PrioUrgent),
            ],
            &[
                ("", "text ", Token::Text),
                ("", "muted ", Token::Muted),
                ("", "link", Token::Link),
            ],
        ];
        for (row, sample) in samples.iter().enumerate() {
            let y = inner.y + 1 + row as u16;
            if y >= inner.bottom() {
                break;
            }
            let mut at = x;
            for (glyph, text, token) in *sample {
                let room = (x + width).saturating_sub(at);
                at = canvas.say(at, y, room, &format!("{glyph}{text}"), *token);
            }
        }
    }
}
