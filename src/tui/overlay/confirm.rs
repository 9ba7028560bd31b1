//! Questions before something that cannot be taken back.
//!
//! Cancel has the focus, Enter activates only what has the focus, every other answer is a letter
//! that is not the one that opened the dialog, and it carries a word, not just a colour.

use ratatui::layout::{Position, Rect};

use super::sheet::sheet;
use super::stack::Next;
use crate::engine::command::Command;
use crate::tui::effect::Effect;
use crate::tui::hit::Target;
use crate::tui::keymap::Key;
use crate::tui::label;
use crate::tui::options::ExitReason;
use crate::tui::state::{State, TextField};
use crate::tui::theme::Token;
use crate::tui::update;
use crate::tui::widgets::{Canvas, draw_field};

/// What a choice does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    /// Sends commands, each with the words its outcome is told in.
    Send(Vec<(Command, String)>),
    /// Opens the next question.
    Ask(Box<Confirm>),
    /// Lands a branch with both sides of what is contested; `what` names it.
    KeepBoth {
        branch: String,
        id: i64,
        what: String,
    },
    /// Takes a landed merge back, exactly or by a prepared revert; `what` names it.
    Undo {
        id: i64,
        revert: Option<String>,
        what: String,
    },
    /// Sends commands and leaves.
    Leave(Vec<Command>, ExitReason),
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub key: char,
    pub label: String,
    pub danger: bool,
    pub act: Act,
}

/// Something to be typed before the answer counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Typed {
    pub field: TextField,
    pub expected: String,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Confirm {
    pub title: String,
    pub lines: Vec<String>,
    pub choices: Vec<Choice>,
    /// 0 is Cancel.
    pub focus: usize,
    pub typed: Option<Typed>,
}

impl Confirm {
    /// Makes a question with Cancel in focus.
    pub(crate) fn new(title: String, lines: Vec<String>, choices: Vec<Choice>) -> Self {
        Self {
            title,
            lines,
            choices,
            focus: 0,
            typed: None,
        }
    }

    /// Demands that `expected` is typed first.
    pub(crate) fn typing(mut self, expected: &str) -> Self {
        self.typed = Some(Typed {
            field: TextField::single(""),
            expected: expected.to_owned(),
        });
        self
    }

    fn is_armed(&self) -> bool {
        self.typed
            .as_ref()
            .is_none_or(|t| t.field.text().trim() == t.expected)
    }

    pub(super) fn on_key(&mut self, key: Key, state: &mut State) -> (Next, Vec<Effect>) {
        let stay = (Next::Stay, Vec::new());
        let buttons = self.choices.len() + 1;
        match key.name().as_str() {
            "Esc" => return (Next::Close, Vec::new()),
            "^C" => return (Next::Close, Vec::new()),
            "Tab" | "Right" | "Down" => {
                self.focus = (self.focus + 1) % buttons;
                return stay;
            }
            "Left" | "Up" | "Shift-Tab" => {
                self.focus = (self.focus + buttons - 1) % buttons;
                return stay;
            }
            "Enter" if self.typed.is_some() && self.focus == 0 => {
                // With something to type, Enter in the field is the answer once it is right.
                let first = self.choices.first().map(|c| c.act.clone());
                return match first.filter(|_| self.is_armed()) {
                    Some(act) => (Next::Close, perform(act, state)),
                    None => stay,
                };
            }
            "Enter" if self.focus == 0 => return (Next::Close, Vec::new()),
            "Enter" => {
                let act = self.choices.get(self.focus - 1).map(|c| c.act.clone());
                return match act.filter(|_| self.is_armed()) {
                    Some(act) => (Next::Close, perform(act, state)),
                    None => stay,
                };
            }
            _ => {}
        }
        if let Some(typed) = self.typed.as_mut() {
            typed.field.key(key);
            return stay;
        }
        let chosen = key
            .plain_char()
            .and_then(|c| self.choices.iter().find(|o| o.key == c));
        match chosen.map(|c| c.act.clone()) {
            Some(act) => (Next::Close, perform(act, state)),
            None => stay,
        }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let lines = self.lines.iter().map(|l| label::width(&label::clean(l)));
        let buttons = self.buttons();
        let in_one_row: usize = buttons.iter().map(Button::width).sum();
        let title = label::width(&label::clean(&self.title)) + 6;
        let widest = lines
            .chain([title, in_one_row.min(88), 44])
            .max()
            .unwrap_or(44);
        let width = (widest.min(88) + 4) as u16;
        let text_width = usize::from(width.min(area.width.saturating_sub(4)).saturating_sub(4));
        let one_row = in_one_row <= text_width;
        let rows: Vec<String> = self
            .lines
            .iter()
            .flat_map(|l| label::wrap(l, text_width))
            .collect();
        let extra = if self.typed.is_some() { 2 } else { 0 };
        let button_rows = if one_row { 1 } else { buttons.len() as u16 };
        let height = rows.len() as u16 + 4 + extra + button_rows;
        let hint = match self.typed {
            Some(_) => "Enter once it is typed   Esc cancels",
            None => "Enter: marked button only   Esc cancels",
        };
        let inner = sheet(canvas, area, (width, height), &self.title, hint);
        let mut y = inner.y + 1;
        for row in &rows {
            canvas.say(inner.x, y, inner.width, row, Token::Text);
            y += 1;
        }
        y += 1;
        if let Some(typed) = &self.typed {
            let ask = format!("Type {} to go on: ", typed.expected);
            let x = canvas.say(inner.x, y, inner.width, &ask, Token::Text);
            let room = Rect::new(x, y, inner.right().saturating_sub(x), 1);
            draw_field(canvas, room, &typed.field, true);
            y += 2;
        }
        let mut x = inner.x;
        for (index, button) in buttons.iter().enumerate() {
            let room = inner.right().saturating_sub(x);
            // With something to type the field has the focus, not a button.
            let marked = index == self.focus && (self.typed.is_none() || index > 0);
            let end = button.draw(canvas, (x, y), room, marked);
            if marked {
                canvas.drawn.cursor = Some(Position::new(x + 2, y));
            }
            canvas.hit(Rect::new(x, y, end - x, 1), Target::OverlayRow(index));
            if one_row {
                x = end + 2;
            } else {
                y += 1;
            }
        }
    }

    fn buttons(&self) -> Vec<Button> {
        let cancel = Button {
            key: "Esc".to_owned(),
            label: "Cancel".to_owned(),
            danger: false,
        };
        let rest = self.choices.iter().map(|c| Button {
            key: match self.typed {
                Some(_) => "Enter".to_owned(),
                None => c.key.to_string(),
            },
            label: c.label.clone(),
            danger: c.danger,
        });
        std::iter::once(cancel).chain(rest).collect()
    }
}

struct Button {
    key: String,
    label: String,
    danger: bool,
}

impl Button {
    fn width(&self) -> usize {
        label::width(&self.key) + label::width(&self.label) + 7
    }

    fn draw(&self, canvas: &mut Canvas<'_>, (x, y): (u16, u16), room: u16, marked: bool) -> u16 {
        let token = if self.danger {
            Token::DialogDanger
        } else {
            Token::Text
        };
        let (key, style) = (canvas.style(Token::Key), canvas.style(token));
        let pieces = [
            ("[ ", style),
            (self.key.as_str(), key),
            (" ", style),
            (self.label.as_str(), style),
            (" ]", style),
        ];
        let end = canvas.pieces(x, y, room, &pieces);
        if marked {
            canvas.tint(Rect::new(x, y, end - x, 1), Token::Selection);
        }
        end
    }
}

fn perform(act: Act, state: &mut State) -> Vec<Effect> {
    match act {
        Act::Send(commands) => commands
            .into_iter()
            .map(|(command, label)| state.ask(command, label, None))
            .collect(),
        Act::Ask(question) => {
            state.open(super::Overlay::Confirm(*question));
            Vec::new()
        }
        Act::KeepBoth { branch, id, what } => update::confirmed_both(state, branch, id, &what),
        Act::Undo { id, revert, what } => update::confirmed_undo(state, id, revert, &what),
        Act::Leave(commands, reason) => {
            let mut effects: Vec<_> = commands.into_iter().map(|c| state.send(c)).collect();
            effects.push(Effect::Quit(reason));
            effects
        }
    }
}
