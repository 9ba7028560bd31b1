//! A prepared revert: what it would change, before anybody lands it.

use ratatui::layout::Rect;

use super::sheet::{furthest, sheet};
use super::stack::Next;
use crate::engine::view::{UndoView, UndoWay};
use crate::tui::effect::Effect;
use crate::tui::keymap::Key;
use crate::tui::label;
use crate::tui::state::State;
use crate::tui::theme::Token;
use crate::tui::update;
use crate::tui::widgets::Canvas;

/// The revert and how far it is scrolled.
#[derive(Debug, Clone)]
pub(crate) struct RevertSheet {
    undo: UndoView,
    /// What the merge is called while it runs.
    what: String,
    scroll: usize,
}

impl RevertSheet {
    /// Shows a revert from its beginning.
    pub(crate) fn new(undo: UndoView, what: String) -> Self {
        Self {
            undo,
            what,
            scroll: 0,
        }
    }

    /// The prepared commit and its change.
    fn prepared(&self) -> Option<(&str, &[String])> {
        match &self.undo.way {
            UndoWay::Revert { commit, patch, .. } => Some((commit, patch)),
            UndoWay::Exact { .. } => None,
        }
    }

    pub(super) fn on_key(&mut self, key: Key, state: &mut State) -> (Next, Vec<Effect>) {
        let Some((commit, patch)) = self.prepared() else {
            return (Next::Close, Vec::new());
        };
        let last = furthest(patch.len(), state);
        match key.name().as_str() {
            "Esc" => {
                state.refuse("the revert is kept for later: u shows it again");
                return (Next::Close, Vec::new());
            }
            "l" => {
                let commit = Some(commit.to_owned());
                let effects = update::confirmed_undo(state, self.undo.id, commit, &self.what);
                return (Next::Close, effects);
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
        let on = match &self.undo.way {
            UndoWay::Revert { on_top, .. } => label::count(*on_top, "commit"),
            UndoWay::Exact { .. } => String::new(),
        };
        let (target, branch) = (&self.undo.target, &self.undo.branch);
        let title = format!("{target} has gone on by {on}: revert of {branch}");
        let patch = self.prepared().map_or(&[][..], |(_, patch)| patch);
        let hint = "l lands it after the gates   j k scroll   Esc lands nothing";
        let height = (patch.len() as u16 + 2).clamp(8, area.height.max(8));
        let inner = sheet(canvas, area, (110, height), &title, hint);
        let lines = patch.iter().skip(self.scroll);
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
