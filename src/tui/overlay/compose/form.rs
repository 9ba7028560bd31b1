//! Writing a mail: to an agent, to a group, or as a reply.
//!
//! Esc never throws text away: it becomes the draft that the next compose starts with.

use crate::engine::command::Command;
use crate::engine::event::Level;
use crate::engine::view::MailPriority;
use crate::tui::effect::Effect;
use crate::tui::keymap::Key;
use crate::tui::overlay::stack::Next;
use crate::tui::state::{State, TextField};

/// The message types a person writes.
pub(super) const KINDS: [&str; 6] = [
    "status",
    "question",
    "result",
    "error",
    "dispatch",
    "escalation",
];

/// Text that was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    pub to: String,
    pub subject: String,
    pub body: String,
    pub reply_to: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    To,
    Kind,
    Priority,
    Subject,
    Body,
    Nudge,
}

const FIELDS: [Field; 6] = [
    Field::To,
    Field::Kind,
    Field::Priority,
    Field::Subject,
    Field::Body,
    Field::Nudge,
];

/// The form.
#[derive(Debug, Clone)]
pub(crate) struct Compose {
    pub(super) to: TextField,
    pub(super) kind: usize,
    pub(super) priority: MailPriority,
    pub(super) subject: TextField,
    pub(super) body: TextField,
    pub(super) nudge: bool,
    pub(super) reply_to: Option<String>,
    pub(super) focus: Field,
}

impl Compose {
    /// Starts a new mail; with a recipient the cursor is in the text already.
    pub(crate) fn new(to: &str) -> Self {
        Self {
            to: TextField::single(to),
            kind: 0,
            priority: MailPriority::Normal,
            subject: TextField::single(""),
            body: TextField::multi(""),
            nudge: false,
            reply_to: None,
            focus: if to.is_empty() {
                Field::To
            } else {
                Field::Body
            },
        }
    }

    /// Starts a reply.
    pub(crate) fn reply(id: &str, to: &str, subject: &str) -> Self {
        let mut reply = Self::new(to);
        reply.subject = TextField::single(subject);
        reply.reply_to = Some(id.to_owned());
        reply
    }

    /// Goes on with text that was not sent.
    pub(crate) fn resume(draft: &Draft) -> Self {
        let mut compose = Self::new(&draft.to);
        compose.subject = TextField::single(&draft.subject);
        compose.body = TextField::multi(&draft.body);
        compose.reply_to.clone_from(&draft.reply_to);
        compose
    }

    fn draft(&self) -> Draft {
        Draft {
            to: self.to.text().trim().to_owned(),
            subject: self.subject.text(),
            body: self.body.text(),
            reply_to: self.reply_to.clone(),
        }
    }

    pub(in crate::tui::overlay) fn focused_text(&mut self) -> Option<&mut TextField> {
        match self.focus {
            Field::To => Some(&mut self.to),
            Field::Subject => Some(&mut self.subject),
            Field::Body => Some(&mut self.body),
            Field::Kind | Field::Priority | Field::Nudge => None,
        }
    }

    pub(in crate::tui::overlay) fn focus_field(&mut self, row: usize) {
        if let Some(field) = self.fields().get(row) {
            self.focus = *field;
        }
    }

    fn fields(&self) -> Vec<Field> {
        // The thread decides everything but the text of a reply.
        match self.reply_to {
            Some(_) => vec![Field::Body],
            None => FIELDS.to_vec(),
        }
    }

    fn step(&mut self, delta: usize) {
        let fields = self.fields();
        let at = fields.iter().position(|f| *f == self.focus).unwrap_or(0);
        if let Some(field) = fields.get((at + delta) % fields.len()) {
            self.focus = *field;
        }
    }

    pub(in crate::tui::overlay) fn on_key(
        &mut self,
        key: Key,
        state: &mut State,
    ) -> (Next, Vec<Effect>) {
        let stay = (Next::Stay, Vec::new());
        if key.is_ctrl('s') {
            return self.submit(state);
        }
        match key.name().as_str() {
            "Esc" => {
                if !self.body.is_blank() || !self.subject.is_blank() {
                    state.draft = Some(self.draft());
                    state.refuse("draft kept; composing again goes on with it");
                }
                return (Next::Close, Vec::new());
            }
            "Tab" => {
                if self.focus != Field::To || !self.complete(state) {
                    self.step(1);
                }
                return stay;
            }
            "Shift-Tab" => {
                let back = self.fields().len() - 1;
                self.step(back);
                return stay;
            }
            _ => {}
        }
        match self.focus {
            Field::Kind => match key.name().as_str() {
                "Left" => self.kind = (self.kind + KINDS.len() - 1) % KINDS.len(),
                "Right" | "Space" => self.kind = (self.kind + 1) % KINDS.len(),
                "Enter" | "Down" => self.step(1),
                _ => {}
            },
            Field::Priority => match key.name().as_str() {
                "Left" => self.priority = neighbour(self.priority, 3),
                "Right" | "Space" => self.priority = neighbour(self.priority, 1),
                "Enter" | "Down" => self.step(1),
                _ => {}
            },
            Field::Nudge => {
                if matches!(key.name().as_str(), "Space" | "Enter") {
                    self.nudge = !self.nudge;
                }
            }
            Field::To | Field::Subject | Field::Body => {
                let taken = self.focused_text().is_some_and(|f| f.key(key));
                if !taken && matches!(key.name().as_str(), "Enter" | "Down") {
                    self.step(1);
                }
            }
        }
        stay
    }

    /// Completes the name being typed; tells whether it could.
    fn complete(&mut self, state: &State) -> bool {
        let text = self.to.text();
        let start = text.rfind([',', ' ']).map_or(0, |i| i + 1);
        let (done, word) = text.split_at(start);
        if word.is_empty() {
            return false;
        }
        let names = recipients(state);
        let found: Vec<&String> = names.iter().filter(|n| n.starts_with(word)).collect();
        match found.as_slice() {
            [only] if only.as_str() != word => {
                self.to = TextField::single(&format!("{done}{only}"));
                true
            }
            [first, .., last] => {
                let common: String = first
                    .chars()
                    .zip(last.chars())
                    .take_while(|(a, b)| a == b)
                    .map(|(a, _)| a)
                    .collect();
                let longer = common.len() > word.len();
                if longer {
                    self.to = TextField::single(&format!("{done}{common}"));
                }
                longer
            }
            _ => false,
        }
    }

    fn submit(&mut self, state: &mut State) -> (Next, Vec<Effect>) {
        let to = self.to.text();
        let names: Vec<&str> = to
            .split([',', ' '])
            .map(str::trim)
            .filter(|n| !n.is_empty())
            .collect();
        if names.is_empty() {
            self.focus = Field::To;
            state.refuse("who is it for? write a name or a group such as @all");
            return (Next::Stay, Vec::new());
        }
        if self.body.is_blank() && (self.subject.is_blank() || self.reply_to.is_some()) {
            self.focus = Field::Body;
            state.refuse("there is no text yet");
            return (Next::Stay, Vec::new());
        }
        let body = self.body.text().trim_end().to_owned();
        let draft = self.draft();
        if let Some(id) = self.reply_to.clone() {
            let label = format!("reply to {to}");
            let command = Command::ReplyMail { id, body };
            return (Next::Close, vec![state.ask(command, label, Some(draft))]);
        }
        let mut effects = Vec::new();
        for name in names {
            if state.fleet.get(name).is_some_and(|a| a.state.is_terminal()) {
                state.note(
                    Level::Warn,
                    format!("{name} has ended and may never read this"),
                    false,
                );
            }
            let command = Command::SendMail {
                to: name.to_owned(),
                subject: self.subject_or_first_line(),
                body: body.clone(),
                kind: KINDS.get(self.kind).map_or("status", |k| k).to_owned(),
                priority: self.priority,
            };
            effects.push(state.ask(command, format!("mail to {name}"), Some(draft.clone())));
            if self.nudge {
                let command = Command::Nudge {
                    agent: name.to_owned(),
                    message: String::new(),
                };
                effects.push(state.ask(command, format!("nudge {name}"), None));
            }
        }
        (Next::Close, effects)
    }

    fn subject_or_first_line(&self) -> String {
        if !self.subject.is_blank() {
            return self.subject.text().trim().to_owned();
        }
        let text = self.body.text();
        let first = text.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
        first.trim().chars().take(60).collect()
    }
}

fn neighbour(priority: MailPriority, delta: usize) -> MailPriority {
    let all = MailPriority::ALL;
    let at = all.iter().position(|p| *p == priority).unwrap_or(1);
    all.get((at + delta) % all.len())
        .copied()
        .unwrap_or(priority)
}

/// Lists names and groups a mail can be sent to.
pub(super) fn recipients(state: &State) -> Vec<String> {
    let mut names: Vec<String> = state.fleet.agents.iter().map(|a| a.name.clone()).collect();
    let mut roles: Vec<String> = state
        .fleet
        .agents
        .iter()
        .map(|a| format!("@{}s", a.capability))
        .collect();
    names.sort();
    roles.sort();
    roles.dedup();
    names.push("@all".to_owned());
    names.extend(roles);
    names
}
