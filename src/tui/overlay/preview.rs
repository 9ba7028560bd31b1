//! Everything about one entry of the merge queue: what it came to, and a dry run in memory. It is
//! kept up to date while it is open.

use ratatui::layout::Rect;

use super::sheet::{furthest, sheet};
use super::stack::Next;
use crate::engine::view::MergeState;
use crate::tui::effect::Effect;
use crate::tui::keymap::Key;
use crate::tui::label;
use crate::tui::screens::{folded, preview_rows};
use crate::tui::state::State;
use crate::tui::widgets::Canvas;

/// How far the preview is scrolled.
#[derive(Debug, Clone, Default)]
pub(crate) struct Preview {
    scroll: usize,
}

impl Preview {
    pub(super) fn on_key(&mut self, key: Key, state: &State) -> (Next, Vec<Effect>) {
        let rows = folded(preview_rows(state), width(state.size.0));
        let last = furthest(rows.len(), state);
        match key.name().as_str() {
            "Esc" | "Enter" | "q" | "p" => return (Next::Close, Vec::new()),
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
        let rows = folded(preview_rows(state), width(area.width));
        let branch = state.merge.selected().map_or("", |m| m.branch.as_str());
        let word = match state.merge.selected().map(|m| m.state) {
            Some(MergeState::Pending) | None => "Preview",
            Some(
                MergeState::Merging
                | MergeState::Review
                | MergeState::Conflict
                | MergeState::Failed
                | MergeState::Merged,
            ) => "Details",
        };
        let id = state.merge.selected().map_or(0, |m| m.id);
        let dot = canvas.g().dot;
        let title = format!("{word} {dot} merge {id} {dot} {}", label::clean(branch));
        let height = (rows.len() as u16 + 2).clamp(5, area.height);
        let hint = "looking changes nothing   j k scroll   Esc back";
        let inner = sheet(canvas, area, (110, height), &title, hint);
        let most = rows.len().saturating_sub(usize::from(inner.height));
        let rows = rows.into_iter().skip(self.scroll.min(most));
        for (y, (text, token)) in (inner.y..inner.bottom()).zip(rows) {
            canvas.say(inner.x, y, inner.width, &text, token);
        }
    }
}

/// Columns of the sheet's inside.
fn width(cols: u16) -> usize {
    usize::from(cols.saturating_sub(8).min(106))
}
