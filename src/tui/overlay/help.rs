//! Help: every key that works here, from the live keymap, with what each one does.
//!
//! Typing filters, Enter runs the marked action; what cannot run now says why.

use ratatui::layout::Rect;

use super::palette::score;
use super::sheet::sheet;
use super::stack::Next;
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::hit::Target;
use crate::tui::keymap::{Key, Scope};
use crate::tui::state::row::first_visible;
use crate::tui::state::{State, TextField};
use crate::tui::theme::Token;
use crate::tui::update;
use crate::tui::widgets::{Canvas, draw_field};

/// What is typed and which row is marked.
#[derive(Debug, Clone)]
pub(crate) struct Help {
    pub query: TextField,
    pub selected: usize,
}

struct Row {
    action: Action,
    keys: String,
    title: String,
    text: String,
    enabled: bool,
    /// Its place among the hints: what is used most comes first.
    order: u8,
}

impl Help {
    /// Starts with every key of the current screen.
    pub(crate) fn new() -> Self {
        Self {
            query: TextField::single(""),
            selected: 0,
        }
    }

    pub(super) fn on_key(&mut self, key: Key, state: &mut State) -> (Next, Vec<Effect>) {
        let rows = self.rows(state);
        let last = rows.len().saturating_sub(1);
        match key.name().as_str() {
            "Esc" | "F1" => return (Next::Close, Vec::new()),
            "Down" => self.selected = (self.selected + 1).min(last),
            "Up" => self.selected = self.selected.saturating_sub(1),
            "PgDn" => self.selected = (self.selected + 10).min(last),
            "PgUp" => self.selected = self.selected.saturating_sub(10),
            "Enter" => {
                let Some(action) = rows.get(self.selected).map(|r| r.action) else {
                    return (Next::Stay, Vec::new());
                };
                return (Next::Close, update::run(state, action));
            }
            _ => {
                if self.query.key(key) {
                    self.selected = 0;
                }
            }
        }
        (Next::Stay, Vec::new())
    }

    fn rows(&self, state: &State) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for (keys, binding) in state.keymap.list(state.scope()) {
            let shown = Key::show(&keys);
            if let Some(row) = rows.iter_mut().find(|r| r.action == binding.action) {
                row.keys.push_str("  ");
                row.keys.push_str(&shown);
                row.order = row.order.min(binding.hint.unwrap_or(u8::MAX));
                continue;
            }
            let info = binding.action.info();
            let why = update::applies(state, binding.action).err();
            let text = match &why {
                Some(why) => format!("now: {why}"),
                None => info.help.to_owned(),
            };
            rows.push(Row {
                action: binding.action,
                keys: shown,
                title: info.title.to_owned(),
                text,
                enabled: why.is_none(),
                order: binding.hint.unwrap_or(u8::MAX),
            });
        }
        rows.sort_by_key(|row| (!row.enabled, row.order));
        let query = self.query.text();
        rows.retain(|row| {
            let text = format!("{} {} {}", row.keys, row.title, row.text);
            score(&query, &row.title, &text).is_some()
        });
        rows
    }

    pub(super) fn draw(&self, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
        let rows = self.rows(state);
        let title = format!("Keys {} {}", canvas.g().dot, place(state));
        let leave = format!("while typing: {} leaves", state.keymap.leader_label());
        let hint = format!("type to filter   Enter runs   Esc   {leave}");
        let height = rows.len() as u16 + 4;
        let inner = sheet(canvas, area, (108, height), &title, &hint);
        let x = canvas.say(inner.x, inner.y, 7, "filter ", Token::Muted);
        let field = Rect::new(x, inner.y, inner.right().saturating_sub(x), 1);
        draw_field(canvas, field, &self.query, true);
        // Where the last column is short, the last line says in full what the marked row does.
        let full = u16::from(inner.width < 100);
        if let Some(row) = rows.get(self.selected).filter(|_| full > 0) {
            let y = inner.bottom().saturating_sub(1);
            canvas.say(inner.x, y, inner.width, &row.text, Token::Text);
        }
        let height = usize::from(inner.height.saturating_sub(1 + full));
        let first = first_visible(self.selected, rows.len(), height);
        for (y, (index, row)) in
            (inner.y + 1..).zip(rows.iter().enumerate().skip(first).take(height))
        {
            let token = if row.enabled {
                Token::Text
            } else {
                Token::Muted
            };
            canvas.say(inner.x, y, 18, &row.keys, Token::Key);
            canvas.say(inner.x + 19, y, 30, &row.title, token);
            let room = inner.width.saturating_sub(50);
            canvas.say(inner.x + 50, y, room, &row.text, Token::Muted);
            let line = Rect::new(inner.x, y, inner.width, 1);
            if index == self.selected {
                canvas.tint(line, Token::Selection);
            }
            canvas.hit(line, Target::OverlayRow(index));
        }
    }
}

/// Names where the keys hold.
fn place(state: &State) -> &'static str {
    match state.scope() {
        Scope::First => "First page",
        Scope::Review => "Review",
        Scope::Work | Scope::Mail | Scope::Merge | Scope::Health => state.screen.title(),
    }
}

impl Default for Help {
    fn default() -> Self {
        Self::new()
    }
}
