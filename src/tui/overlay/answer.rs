//! Answering the question an agent is waiting on, without handing it the keyboard.
//!
//! Shows the end of the agent's screen, so that what is answered is what is read. One key is one
//! answer; anything longer is typed and sent as a line.

use ratatui::layout::Rect;

use super::sheet::sheet;
use super::stack::Next;
use crate::engine::command::Command;
use crate::tui::effect::Effect;
use crate::tui::keymap::Key;
use crate::tui::state::{State, TextField};
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, draw_field};

/// An answer in the making.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub agent: String,
    /// A whole line is being typed.
    pub text: Option<TextField>,
}

impl Answer {
    /// Starts an answer to an agent.
    pub(crate) fn new(agent: &str) -> Self {
        Self {
            agent: agent.to_owned(),
            text: None,
        }
    }

    pub(super) fn on_key(&mut self, key: Key, state: &mut State) -> (Next, Vec<Effect>) {
        let name = key.name();
        if let Some(field) = self.text.as_mut() {
            match name.as_str() {
                "Esc" => self.text = None,
                "Enter" => {
                    let mut bytes = field.text().into_bytes();
                    bytes.push(b'\r');
                    return self.send(bytes, "a line", state);
                }
                _ => {
                    field.key(key);
                }
            }
            return (Next::Stay, Vec::new());
        }
        match name.as_str() {
            "Esc" => (Next::Close, Vec::new()),
            "Enter" => self.send(vec![b'\r'], "Enter", state),
            "y" | "n" | "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" => {
                self.send(name.clone().into_bytes(), &name, state)
            }
            "e" => self.send(vec![0x1b], "Esc", state),
            "t" => {
                self.text = Some(TextField::single(""));
                (Next::Stay, Vec::new())
            }
            _ => (Next::Stay, Vec::new()),
        }
    }

    fn send(&self, bytes: Vec<u8>, what: &str, state: &mut State) -> (Next, Vec<Effect>) {
        let agent = self.agent.clone();
        let label = format!("answered {agent} with {what}");
        let command = Command::Input { agent, bytes };
        (Next::Close, vec![state.ask(command, label, None)])
    }

    pub(super) fn draw(&self, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
        let rows = self.screen_end(
            state,
            usize::from(area.height.saturating_sub(9).clamp(3, 14)),
        );
        let evidence = state
            .fleet
            .get(&self.agent)
            .map(|a| a.evidence.text.clone());
        let title = format!("{} Answer {}", canvas.g().needs_you, self.agent);
        let hint = match self.text {
            Some(_) => "Enter sends the line   Esc back",
            None => "1-9 y n Enter answer   t type a line   e sends Esc   Esc leaves",
        };
        let height = rows.len() as u16 + 5;
        let inner = sheet(canvas, area, (90, height), &title, hint);
        let why = evidence.unwrap_or_default();
        canvas.say(inner.x, inner.y, inner.width, &why, Token::Muted);
        for (y, row) in (inner.y + 1..).zip(&rows) {
            canvas.say(inner.x, y, inner.width, row, Token::Text);
        }
        if let Some(field) = &self.text {
            let y = inner.bottom().saturating_sub(1);
            let x = canvas.say(inner.x, y, inner.width, "line: ", Token::Accent);
            let room = Rect::new(x, y, inner.right().saturating_sub(x), 1);
            draw_field(canvas, room, field, true);
        }
    }

    /// Takes the last rows of the agent's screen that say something.
    fn screen_end(&self, state: &State, most: usize) -> Vec<String> {
        let Some(pane) = state.panes.get(&self.agent) else {
            return vec!["(its screen is not attached)".to_owned()];
        };
        let text = pane.engine.screen_text();
        let mut rows: Vec<String> = text
            .lines()
            .rev()
            .skip_while(|l| l.trim().is_empty())
            .take(most)
            .map(str::to_owned)
            .collect();
        rows.reverse();
        rows
    }
}
