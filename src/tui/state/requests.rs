//! What was asked of the engine, so that every answer can be told to the user in the words of the
//! question.

use crate::engine::command::{Command, CommandId, Request};
use crate::engine::event::Level;
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::keymap::Scope;
use crate::tui::overlay::Draft;
use crate::tui::state::{Dropped, State};

/// A dropped entry can be put back with one key for this long.
const UNDO_DROP_MS: i64 = 30_000;
/// The end of a hidden merge is announced for this long.
const HIDDEN_END_MS: i64 = 6_000;

/// What was asked of the engine and not answered yet.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    label: String,
    /// What to give back to the user if it fails.
    draft: Option<Draft>,
    /// The filled form of a start, for the same reason.
    form: Option<Command>,
    after: After,
}

/// What its answer means besides being told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum After {
    #[default]
    Nothing,
    /// A merge that is shown while it runs has come to its end.
    Foreground,
    /// An entry has left the merge queue, and can come back for a while.
    Dropped { id: i64, branch: String },
    /// A dropped entry is back.
    Restored,
}

impl State {
    /// Sends a command nobody waits for.
    pub(crate) fn send(&mut self, command: Command) -> Effect {
        let id = CommandId(self.next_id);
        self.next_id += 1;
        Effect::Send(Request { id, command })
    }

    /// Sends a command whose outcome the user is told; `label` names it.
    pub(crate) fn ask(&mut self, command: Command, label: String, draft: Option<Draft>) -> Effect {
        self.ask_then(command, label, draft, After::Nothing).1
    }

    /// Sends a command whose answer means something to a screen.
    pub(crate) fn ask_then(
        &mut self,
        command: Command,
        label: String,
        draft: Option<Draft>,
        after: After,
    ) -> (CommandId, Effect) {
        let id = CommandId(self.next_id);
        let form = matches!(command, Command::Sling { .. }).then(|| command.clone());
        let asked = Asked {
            label,
            draft,
            form,
            after,
        };
        self.asked.insert(id, asked);
        (id, self.send(command))
    }

    /// Takes the engine's answer.
    pub(crate) fn answered(&mut self, id: CommandId, result: Result<String, String>) {
        let Some(asked) = self.asked.remove(&id) else {
            if let Err(reason) = result {
                self.note(Level::Error, reason, false);
            }
            return;
        };
        let hidden = asked.after == After::Foreground
            && self
                .merge
                .foreground
                .take_if(|f| f.command == id)
                .is_some_and(|f| f.hidden);
        match result {
            Ok(text) => {
                self.notices.outdate(&failed(&asked.label));
                let text = match text.as_str() {
                    "" => asked.label,
                    text if text.starts_with(&asked.label) => text.to_owned(),
                    text => format!("{}: {text}", asked.label),
                };
                self.note(Level::Ok, text.clone(), true);
                match asked.after {
                    After::Dropped { id, branch } => self.offer_back(id, branch),
                    After::Restored => self.merge.dropped = None,
                    // Nobody looks at the status bar for something that was put out of sight.
                    After::Foreground if hidden => {
                        self.notices.offer(&text, self.now_ms + HIDDEN_END_MS);
                    }
                    After::Foreground | After::Nothing => {}
                }
            }
            Err(reason) => {
                let kept = asked.draft.is_some();
                self.draft = asked.draft.or(self.draft.take());
                self.unstarted = asked.form.or(self.unstarted.take());
                let hint = if kept {
                    " (the text is kept as draft)"
                } else {
                    ""
                };
                let text = format!("{}{reason}{hint}", failed(&asked.label));
                self.note(Level::Error, text, true);
            }
        }
    }

    /// Says for a while which key puts a dropped entry back.
    fn offer_back(&mut self, id: i64, branch: String) {
        let until_ms = self.now_ms + UNDO_DROP_MS;
        let key = self.keymap.key_for(Scope::Merge, Action::MergeUndo);
        let text = match key {
            Some(key) => {
                format!("{branch} is out of the queue, its branch stays; {key} puts it back")
            }
            None => format!("{branch} is out of the queue, its branch stays"),
        };
        self.notices.offer(&text, until_ms);
        self.merge.dropped = Some(Dropped {
            id,
            branch,
            until_ms,
        });
    }
}

/// How it begins when something is said to have failed.
fn failed(label: &str) -> String {
    format!("{label} failed: ")
}
