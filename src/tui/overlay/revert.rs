//! A prepared revert: what it would change, before anybody lands it.

use ratatui::layout::Rect;

use super::sheet::sheet;
use super::stack::Next;
use crate::engine::command::Command;
use crate::engine::review::Revert;
use crate::tui::effect::Effect;
use crate::tui::keymap::Key;
use crate::tui::state::State;
use crate::tui::theme::Token;
use crate::tui::widgets::Canvas;

/// The revert and how far it is scrolled.
#[derive(Debug, Clone)]
pub(crate) struct RevertSheet {
    revert: Revert,
    scroll: usize,
}

impl RevertSheet {
    /// Shows a revert from its beginning.
    pub(crate) fn new(revert: Revert) -> Self {
        Self { revert, scroll: 0 }
    }

    pub(super) fn on_key(&mut self, key: Key, state: &mut State) -> (Next, Vec<Effect>) {
        let last = self.revert.patch.len().saturating_sub(1);
        match key.name().as_str() {
            "Esc" => {
                state.refuse("the revert is kept for later: u shows it again");
                return (Next::Close, Vec::new());
            }
            "l" => {
                let command = Command::LandRevert {
                    id: self.revert.id,
                    commit: self.revert.commit.clone(),
                };
                let label = format!("revert of {}", self.revert.branch);
                return (Next::Close, vec![state.ask(command, label, None)]);
            }
            "Down" | "j" => self.scroll = (self.scroll + 1).min(last),
            "Up" | "k" => self.scroll = self.scroll.saturating_sub(1),
            "PgDn" | "^D" | "Space" => self.scroll = (self.scroll + 10).min(last),
            "PgUp" | "^U" => self.scroll = self.scroll.saturating_sub(10),
            "Home" => self.scroll = 0,
            "End" => self.scroll = last,
            _ => {}
        }
        (Next::Stay, Vec::new())
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let title = format!(
            "{} has gone on: revert of {}",
            self.revert.target, self.revert.branch
        );
        let hint = "l lands it after the gates   j k scroll   Esc lands nothing";
        let height = (self.revert.patch.len() as u16 + 2).clamp(8, area.height.max(8));
        let inner = sheet(canvas, area, (110, height), &title, hint);
        let lines = self.revert.patch.iter().skip(self.scroll);
        for (y, line) in (inner.y..inner.bottom()).zip(lines) {
            let token = match line.as_bytes().first() {
                Some(b'+') => Token::DiffAdd,
                Some(b'-') => Token::DiffDel,
                Some(_) | None => Token::DiffContext,
            };
            let line = line.replace('\t', "    ");
            canvas.say(inner.x, y, inner.width, &line, token);
        }
    }
}
