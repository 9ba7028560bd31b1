//! Writing the lines of one contested place, where no editor is configured.
//!
//! Esc leaves the place as it was; Ctrl-S decides it by what is written.

use ratatui::layout::Rect;

use super::sheet::sheet;
use super::stack::Next;
use crate::tui::effect::Effect;
use crate::tui::keymap::Key;
use crate::tui::state::{State, TextField};
use crate::tui::update;
use crate::tui::widgets::{Canvas, draw_text_area};

/// The lines being written.
#[derive(Debug, Clone)]
pub(crate) struct EditText {
    place: String,
    file: String,
    pub(super) text: TextField,
}

impl EditText {
    /// Starts with the lines that stand there now.
    pub(crate) fn new(place: &str, file: &str, text: &str) -> Self {
        let mut field = TextField::multi(text);
        field.go_to_start();
        Self {
            place: place.to_owned(),
            file: file.to_owned(),
            text: field,
        }
    }

    pub(super) fn on_key(&mut self, key: Key, state: &mut State) -> (Next, Vec<Effect>) {
        if key.is_ctrl('s') {
            let effects = update::written(state, &self.place, self.text.text());
            return (Next::Close, effects);
        }
        match key.name().as_str() {
            "Esc" => {
                state.refuse("nothing changed");
                return (Next::Close, Vec::new());
            }
            "Tab" => self.text.insert("\t"),
            _ => {
                self.text.key(key);
            }
        }
        (Next::Stay, Vec::new())
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let title = format!("Result in {}", self.file);
        let hint = "Ctrl-S takes it   Esc changes nothing";
        let height = area.height.saturating_sub(4);
        let inner = sheet(canvas, area, (110, height), &title, hint);
        draw_text_area(canvas, inner, &self.text, true);
    }
}
