//! Starting an agent: which task, as what, with which runtime.
//!
//! Only the task is needed; what is left empty the engine decides.

use ratatui::layout::Rect;

use super::sheet::sheet;
use super::stack::Next;
use crate::engine::command::Command;
use crate::tui::effect::Effect;
use crate::tui::hit::Target;
use crate::tui::keymap::Key;
use crate::tui::state::{State, TextField};
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, draw_field};

const NAMES: [(&str, &str); 5] = [
    ("Task", "id of the task, such as sd-112"),
    ("Capability", "arrows choose"),
    ("Name", "empty: chosen from capability and task"),
    ("Runtime", "empty: the project's; arrows choose"),
    ("Spec", "path of a spec file, if there is one"),
];

/// The form.
#[derive(Debug, Clone)]
pub(crate) struct Sling {
    fields: [TextField; 5],
    capabilities: Vec<String>,
    runtimes: Vec<String>,
    pub focus: usize,
}

impl Sling {
    /// Starts a form with what this project offers, filled as the start that failed last was.
    pub(crate) fn new(state: &mut State) -> Self {
        let mut capabilities = state.project.capabilities.clone();
        if capabilities.is_empty() {
            capabilities = ["builder", "scout", "reviewer", "lead", "merger"]
                .map(str::to_owned)
                .into();
        }
        let mut runtimes = vec![String::new()];
        runtimes.extend(state.project.runtimes.iter().cloned());
        let mut fields = [(); 5].map(|()| TextField::single(""));
        if let (Some(field), Some(first)) = (fields.get_mut(1), capabilities.first()) {
            *field = TextField::single(first);
        }
        if let Some(Command::Sling {
            task,
            capability,
            name,
            runtime,
            spec,
        }) = state.unstarted.take()
        {
            fields = [task, capability, name, runtime, spec].map(|t| TextField::single(&t));
        }
        Self {
            fields,
            capabilities,
            runtimes,
            focus: 0,
        }
    }

    pub(super) fn focused_text(&mut self) -> Option<&mut TextField> {
        match self.focus {
            1 | 3 => None,
            row => self.fields.get_mut(row),
        }
    }

    fn text(&self, row: usize) -> String {
        self.fields
            .get(row)
            .map(|f| f.text().trim().to_owned())
            .unwrap_or_default()
    }

    pub(super) fn on_key(&mut self, key: Key, state: &mut State) -> (Next, Vec<Effect>) {
        let stay = (Next::Stay, Vec::new());
        if key.is_ctrl('s') {
            return self.submit(state);
        }
        let last = NAMES.len() - 1;
        match key.name().as_str() {
            "Esc" => return (Next::Close, Vec::new()),
            "Shift-Tab" => self.focus = (self.focus + last) % (last + 1),
            "Up" => self.focus = self.focus.saturating_sub(1),
            "Tab" | "Down" => self.focus = (self.focus + 1) % (last + 1),
            "Enter" if self.focus == last => return self.submit(state),
            "Enter" => self.focus += 1,
            "Left" if matches!(self.focus, 1 | 3) => self.cycle(false),
            "Right" | "Space" if matches!(self.focus, 1 | 3) => self.cycle(true),
            _ => {
                if let Some(field) = self.focused_text() {
                    field.key(key);
                }
            }
        }
        stay
    }

    fn cycle(&mut self, forward: bool) {
        let values = if self.focus == 1 {
            &self.capabilities
        } else {
            &self.runtimes
        };
        let now = self.text(self.focus);
        let at = values.iter().position(|v| *v == now).unwrap_or(0);
        let step = if forward { 1 } else { values.len() - 1 };
        let next = values.get((at + step) % values.len()).cloned();
        if let (Some(next), Some(field)) = (next, self.fields.get_mut(self.focus)) {
            *field = TextField::single(&next);
        }
    }

    fn submit(&mut self, state: &mut State) -> (Next, Vec<Effect>) {
        let task = self.text(0);
        if task.is_empty() {
            self.focus = 0;
            state.refuse("which task? write its id");
            return (Next::Stay, Vec::new());
        }
        let label = format!("sling {} for {task}", self.text(1));
        let command = Command::Sling {
            task,
            capability: self.text(1),
            name: self.text(2),
            runtime: self.text(3),
            spec: self.text(4),
        };
        (Next::Close, vec![state.ask(command, label, None)])
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let hint = "Ctrl-S start   Tab next field   Esc cancels";
        let inner = sheet(canvas, area, (84, 9), "Sling a new agent", hint);
        for (row, (name, help)) in NAMES.iter().enumerate() {
            let y = inner.y + 1 + row as u16;
            if y >= inner.bottom() {
                break;
            }
            let focused = self.focus == row;
            let token = if focused { Token::Accent } else { Token::Muted };
            canvas.say(inner.x, y, 12, name, token);
            let value = Rect::new(inner.x + 12, y, inner.width.saturating_sub(12), 1);
            let is_choice = matches!(row, 1 | 3);
            if is_choice {
                let text = self.text(row);
                let text = if focused { format!("< {text} >") } else { text };
                canvas.say(value.x, y, value.width, &text, Token::Text);
            } else if let Some(field) = self.fields.get(row) {
                draw_field(canvas, value, field, focused);
            }
            if focused || self.text(row).is_empty() {
                let style = canvas.style(Token::Hint);
                canvas.put_right(inner.right(), y, value.width * 2 / 3, help, style);
            }
            let line = Rect::new(inner.x, y, inner.width, 1);
            canvas.hit(line, Target::OverlayRow(row));
        }
    }
}
