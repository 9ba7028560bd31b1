//! The command palette: every action and every agent by name.
//!
//! Every row shows its key and, if it cannot run now, why; so the palette teaches.

use ratatui::layout::Rect;

use super::sheet::sheet;
use super::stack::Next;
use crate::tui::action::{ACTIONS, Action};
use crate::tui::effect::Effect;
use crate::tui::hit::Target;
use crate::tui::keymap::Key;
use crate::tui::state::row::first_visible;
use crate::tui::state::{State, TextField};
use crate::tui::theme::Token;
use crate::tui::update;
use crate::tui::widgets::{Canvas, draw_field};

/// What is typed and which row is marked.
#[derive(Debug, Clone)]
pub(crate) struct Palette {
    pub query: TextField,
    pub selected: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Do(Action),
    Focus(String),
}

struct Row {
    item: Item,
    title: String,
    key: String,
    note: String,
    enabled: bool,
}

impl Palette {
    /// Starts empty, with all actions.
    pub(crate) fn new() -> Self {
        Self {
            query: TextField::single(""),
            selected: 0,
        }
    }

    pub(super) fn on_key(&mut self, key: Key, state: &mut State) -> (Next, Vec<Effect>) {
        let rows = self.rows(state);
        match key.name().as_str() {
            "Esc" => return (Next::Close, Vec::new()),
            "Down" => self.selected = (self.selected + 1).min(rows.len().saturating_sub(1)),
            "Up" => self.selected = self.selected.saturating_sub(1),
            "PgDn" => {
                self.selected = (self.selected + 10).min(rows.len().saturating_sub(1));
            }
            "PgUp" => self.selected = self.selected.saturating_sub(10),
            "Tab" => {
                if let Some(row) = rows.get(self.selected) {
                    self.query = TextField::single(&row.title);
                    self.selected = 0;
                }
            }
            "Enter" => {
                let effects = match rows.get(self.selected).map(|r| r.item.clone()) {
                    Some(Item::Do(action)) => update::run(state, action),
                    Some(Item::Focus(agent)) => update::go_to_agent(state, &agent),
                    None => return (Next::Stay, Vec::new()),
                };
                return (Next::Close, effects);
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
        let query = self.query.text();
        let (agents_only, query) = match query.strip_prefix('@') {
            Some(rest) => (true, rest.to_owned()),
            None => (false, query),
        };
        let mut scored = Vec::new();
        if !agents_only {
            for info in &ACTIONS {
                let key = state
                    .keymap
                    .key_for(state.scope(), info.action)
                    .unwrap_or_default();
                let text = format!("{} {} {} {key}", info.title, info.help, info.cli);
                let Some(score) = score(&query, info.title, &text) else {
                    continue;
                };
                let why = update::applies(state, info.action).err();
                let row = Row {
                    item: Item::Do(info.action),
                    title: info.title.to_owned(),
                    key,
                    enabled: why.is_none(),
                    note: why.unwrap_or_else(|| info.cli.to_owned()),
                };
                scored.push((score, row));
            }
        }
        if agents_only || !query.is_empty() {
            for agent in &state.fleet.agents {
                let title = format!("Go to agent {}", agent.name);
                let text = format!(
                    "{title} {} {}",
                    agent.capability,
                    agent.task.as_deref().unwrap_or("")
                );
                if let Some(score) = score(&query, &title, &text) {
                    let (_, word, _) = state.look.attention(agent.attention);
                    let row = Row {
                        item: Item::Focus(agent.name.clone()),
                        title,
                        key: String::new(),
                        note: word.to_owned(),
                        enabled: true,
                    };
                    scored.push((score, row));
                }
            }
        }
        // What can run comes before what cannot, and what fingers know by themselves is not searched
        // for; the sort keeps the written order otherwise.
        let moves = |row: &Row| match &row.item {
            Item::Do(action) => action.info().id.starts_with("move."),
            Item::Focus(_) => false,
        };
        scored.sort_by_key(|(score, row)| (std::cmp::Reverse(*score), !row.enabled, moves(row)));
        scored.into_iter().map(|(_, row)| row).collect()
    }

    pub(super) fn draw(&self, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
        let rows = self.rows(state);
        let height = (rows.len() as u16 + 4).clamp(8, 20);
        let hint = "Enter run   Tab complete   @ agents   Esc";
        let inner = sheet(canvas, area, (86, height), "Commands", hint);
        let x = canvas.say(inner.x, inner.y, 2, ": ", Token::Accent);
        let field = Rect::new(x, inner.y, inner.right().saturating_sub(x), 1);
        draw_field(canvas, field, &self.query, true);
        if rows.is_empty() {
            let text = "No action has that name. Backspace, or Esc to leave.";
            canvas.say(inner.x, inner.y + 1, inner.width, text, Token::Muted);
        }
        let height = usize::from(inner.height.saturating_sub(2));
        let first = first_visible(self.selected, rows.len(), height);
        for (y, (index, row)) in
            (inner.y + 1..).zip(rows.iter().enumerate().skip(first).take(height))
        {
            let token = if row.enabled {
                Token::Text
            } else {
                Token::Muted
            };
            canvas.say(inner.x + 2, y, 36, &row.title, token);
            canvas.say(inner.x + 40, y, 8, &row.key, Token::Key);
            let room = inner.width.saturating_sub(49);
            canvas.say(inner.x + 49, y, room, &row.note, Token::Muted);
            let line = Rect::new(inner.x, y, inner.width, 1);
            if index == self.selected {
                let caret = canvas.g().caret;
                canvas.say(inner.x, y, 1, caret, Token::Accent);
                canvas.tint(line, Token::Selection);
            }
            canvas.hit(line, Target::OverlayRow(index));
        }
        let count = format!("{} of {} actions", rows.len(), ACTIONS.len());
        let last = inner.bottom().saturating_sub(1);
        canvas.say(inner.x, last, inner.width, &count, Token::Hint);
    }
}

impl Default for Palette {
    fn default() -> Self {
        Self::new()
    }
}

/// Rates how well a text answers a query; nothing if it does not. Letters have to come in order;
/// words that begin with the query's words count most.
pub(super) fn score(query: &str, title: &str, text: &str) -> Option<u32> {
    let query = query.trim().to_lowercase();
    if query.is_empty() {
        return Some(0);
    }
    let (title, text) = (title.to_lowercase(), text.to_lowercase());
    let words: Vec<&str> = query.split_whitespace().collect();
    let starts = |hay: &str, word: &str| hay.split_whitespace().any(|w| w.starts_with(word));
    if words.iter().all(|w| starts(&title, w)) {
        return Some(400);
    }
    if words.iter().all(|w| title.contains(w)) {
        return Some(300);
    }
    if words.iter().all(|w| text.contains(w)) {
        return Some(200);
    }
    let mut letters = title.chars();
    let in_order = query
        .chars()
        .filter(|c| *c != ' ')
        .all(|c| letters.any(|l| l == c));
    in_order.then_some(100)
}

#[cfg(test)]
mod tests {
    use super::score;

    #[test]
    fn beginnings_of_words_beat_middles_beat_scattered_letters() {
        let rate = |query| {
            score(
                query,
                "Stop agent",
                "Stop agent stop the agent grove stop x",
            )
        };
        assert!(rate("sto ag") > rate("top"));
        assert!(rate("top") > rate("grove"));
        assert!(rate("grove") > rate("spgt"));
        assert_eq!(rate("zq"), None);
        assert_eq!(rate(""), Some(0));
    }
}
