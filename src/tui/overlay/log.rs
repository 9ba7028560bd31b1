//! The action log: what was done here and what the engine reported, newest first.

use ratatui::layout::Rect;

use super::sheet::{furthest, sheet};
use super::stack::Next;
use crate::tui::effect::Effect;
use crate::tui::keymap::Key;
use crate::tui::look::Look;
use crate::tui::state::State;
use crate::tui::theme::Token;
use crate::tui::widgets::Canvas;

/// How far the log is scrolled.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogView {
    scroll: usize,
}

impl LogView {
    pub(super) fn on_key(&mut self, key: Key, state: &State) -> (Next, Vec<Effect>) {
        let last = furthest(state.log.len(), state);
        match key.name().as_str() {
            "Esc" | "Enter" | "q" => {
                return (Next::Close, Vec::new());
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

    pub(super) fn draw(&self, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
        let forgotten = match state.log.forgotten {
            0 => String::new(),
            n => format!("   {n} older lines are gone"),
        };
        let hint = format!("j k scroll   Esc back{forgotten}");
        let height = (state.log.len() as u16 + 3).clamp(6, area.height);
        let inner = sheet(canvas, area, (110, height), "Action log", &hint);
        if state.log.is_empty() {
            let text =
                "Nothing has happened yet. What you do and what the engine reports is listed here.";
            canvas.say(inner.x, inner.y, inner.width, text, Token::Muted);
        }
        let first = self
            .scroll
            .min(state.log.len().saturating_sub(usize::from(inner.height)));
        let lines = state
            .log
            .newest()
            .skip(first)
            .take(usize::from(inner.height));
        for (y, entry) in (inner.y..).zip(lines) {
            let time = canvas.time(entry.at_ms);
            let who = match (&entry.agent, entry.own) {
                (_, true) => "you",
                (Some(agent), false) => agent,
                (None, false) => "grove",
            };
            let x = canvas.say(inner.x, y, 6, &time, Token::Muted);
            canvas.say(x + 1, y, 16, who, Token::Accent);
            let room = inner.width.saturating_sub(24);
            canvas.say(inner.x + 24, y, room, &entry.text, Look::level(entry.level));
        }
    }
}
