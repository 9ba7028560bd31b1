//! The one value that screens draw and updates change.
//!
//! It also hands out request ids and remembers what was asked, so that every answer of the engine
//! can be told to the user in the words of the question.

use std::collections::BTreeMap;

use crate::engine::command::{Command, CommandId, Request};
use crate::engine::event::Level;
use crate::engine::view::{AgentView, Lease, ProjectStage, ProjectView};
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::hit::Hits;
use crate::tui::keymap::{Key, Keymap, Scope};
use crate::tui::look::Look;
use crate::tui::overlay::{Draft, Overlay};
use crate::tui::state::{
    Dropped, FleetState, HealthState, LogEntry, LogState, MailState, MergeState, Notices, Panes,
    ReviewState, WorkState,
};

/// A dropped entry can be put back with one key for this long.
const UNDO_DROP_MS: i64 = 30_000;
/// The end of a hidden merge is announced for this long.
const HIDDEN_END_MS: i64 = 6_000;

/// The screens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ScreenId {
    Work,
    Mail,
    Merge,
    Health,
}

impl ScreenId {
    /// Every screen in the order of its digit.
    pub(crate) const ALL: [Self; 4] = [Self::Work, Self::Mail, Self::Merge, Self::Health];

    /// Names the screen as the top bar does.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Work => "Work",
            Self::Mail => "Mail",
            Self::Merge => "Merge",
            Self::Health => "Health",
        }
    }

    /// Names the screen where room is short.
    pub(crate) fn short_title(self) -> &'static str {
        match self {
            Self::Work => "Wrk",
            Self::Mail => "Mail",
            Self::Merge => "Mrg",
            Self::Health => "Hlth",
        }
    }
}

/// Who has the keyboard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    #[default]
    Normal,
    /// Every key but the leader goes to this agent.
    Typing { agent: String },
}

/// Which part of the workspace the movement keys act on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Region {
    #[default]
    Fleet,
    Panes,
}

/// What does not change while grove runs.
#[derive(Debug, Clone)]
pub struct Settings {
    pub utc_offset_s: i32,
    /// Sizes are asked for after this much quiet.
    pub resize_settle_ms: i64,
    /// Keys this soon after a dialog opened are not meant for it.
    pub dialog_guard_ms: i64,
    /// A pending sequence explains itself after this time.
    pub which_key_ms: i64,
    /// The program texts are edited with, and its arguments; without one grove's own field is used.
    pub editor: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            utc_offset_s: 0,
            resize_settle_ms: 80,
            dialog_guard_ms: 150,
            which_key_ms: 300,
            editor: None,
        }
    }
}

/// What was asked of the engine and not answered yet.
#[derive(Debug, Clone)]
struct Asked {
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

/// What has to be drawn again, and how soon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dirty {
    #[default]
    No,
    /// Output in a pane nobody types into.
    Background,
    /// Output in the focused pane.
    Pane,
    /// Anything the user did or should know.
    Yes,
}

/// Everything the interface knows.
pub(crate) struct State {
    pub now_ms: i64,
    pub size: (u16, u16),
    pub settings: Settings,
    pub look: Look,
    pub keymap: Keymap,
    pub project: ProjectView,
    pub project_known: bool,
    pub fleet: FleetState,
    pub mail: MailState,
    pub merge: MergeState,
    pub review: ReviewState,
    pub health: HealthState,
    pub work: WorkState,
    pub panes: Panes,
    pub log: LogState,
    pub notices: Notices,
    pub screen: ScreenId,
    pub region: Region,
    pub mode: Mode,
    pub overlays: Vec<Overlay>,
    /// When the topmost overlay opened.
    pub overlay_since_ms: i64,
    /// Keys of an unfinished sequence and when it began.
    pub pending: Vec<Key>,
    pub pending_since_ms: i64,
    /// The key that left TYPING, until another key is pressed: pressing it again sends it.
    pub just_left: Option<(String, Key)>,
    pub draft: Option<Draft>,
    /// The start that failed last; the form opens with what it asked for.
    pub unstarted: Option<Command>,
    pub hits: Hits,
    pub window_focused: bool,
    pub mouse_captured: bool,
    /// Where the mouse button went down, and when, for double clicks and drags.
    pub press: Option<crate::tui::hit::Press>,
    /// Set when a keymap or theme file could not be taken.
    pub banner: Option<String>,
    pub dirty: Dirty,
    asked: BTreeMap<CommandId, Asked>,
    next_id: u64,
}

impl State {
    /// Makes the state of an interface that has heard nothing yet.
    pub(crate) fn new(size: (u16, u16), settings: Settings, look: Look, keymap: Keymap) -> Self {
        Self {
            now_ms: 0,
            size,
            settings,
            look,
            keymap,
            project: ProjectView::default(),
            project_known: false,
            fleet: FleetState::default(),
            mail: MailState::default(),
            merge: MergeState::default(),
            review: ReviewState::default(),
            health: HealthState::default(),
            work: WorkState::default(),
            panes: Panes::default(),
            log: LogState::default(),
            notices: Notices::default(),
            screen: ScreenId::Work,
            region: Region::Fleet,
            mode: Mode::Normal,
            overlays: Vec::new(),
            overlay_since_ms: 0,
            pending: Vec::new(),
            pending_since_ms: 0,
            just_left: None,
            draft: None,
            unstarted: None,
            hits: Hits::default(),
            window_focused: true,
            mouse_captured: true,
            press: None,
            banner: None,
            dirty: Dirty::Yes,
            asked: BTreeMap::new(),
            next_id: 1,
        }
    }

    /// Asks for a frame.
    pub(crate) fn touch(&mut self) {
        self.dirty = Dirty::Yes;
    }

    /// Asks for a frame of at least this urgency.
    pub(crate) fn touch_as(&mut self, dirty: Dirty) {
        self.dirty = self.dirty.max(dirty);
    }

    /// Tells which bindings hold.
    pub(crate) fn scope(&self) -> Scope {
        if self.is_first_run() {
            return Scope::First;
        }
        match self.screen {
            ScreenId::Work => Scope::Work,
            ScreenId::Mail => Scope::Mail,
            ScreenId::Merge if self.review.open.is_some() => Scope::Review,
            ScreenId::Merge => Scope::Merge,
            ScreenId::Health => Scope::Health,
        }
    }

    /// Tells whether the project has still to be set up.
    pub(crate) fn is_first_run(&self) -> bool {
        match self.project.stage {
            ProjectStage::NotGit | ProjectStage::NotInitialised => self.project_known,
            ProjectStage::Ready => false,
        }
    }

    /// Tells whether a view can be trusted to be what there is. A view the engine does not send
    /// along with a project that is set up is empty.
    pub(crate) fn is_loaded(&self, sent: bool) -> bool {
        sent || (self.project_known && self.project.stage == ProjectStage::Ready)
    }

    /// Gives the focused agent of the workspace.
    pub(crate) fn focused(&self) -> Option<&AgentView> {
        self.work
            .focus
            .as_deref()
            .and_then(|name| self.fleet.get(name))
    }

    /// Gives the name of the agent that a verb on this screen is about.
    pub(crate) fn subject(&self) -> Option<String> {
        match self.screen {
            ScreenId::Work => self.work.focus.clone(),
            ScreenId::Mail => self.mail.selected().map(|m| m.from.clone()),
            ScreenId::Merge => match &self.review.open {
                Some(review) => Some(review.agent.clone()),
                None => self.merge.selected().map(|m| m.agent.clone()),
            },
            ScreenId::Health => {
                let rows = self.health.rows(&self.fleet);
                let ids: Vec<_> = rows.iter().map(|a| a.name.as_str()).collect();
                let index = self.health.cursor.resolve(&ids)?;
                rows.get(index).map(|a| a.name.clone())
            }
        }
    }

    /// Tells whether another process coordinates, so that this one only looks on.
    pub(crate) fn viewer_of(&self) -> Option<u32> {
        match self.project.coordinator {
            Lease::Held { pid } => Some(pid),
            Lease::Mine | Lease::None => None,
        }
    }

    /// Opens an overlay on top of the others.
    pub(crate) fn open(&mut self, overlay: Overlay) {
        self.overlays.push(overlay);
        self.overlay_since_ms = self.now_ms;
        self.touch();
    }

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
                let text = format!("{} failed: {reason}{hint}", asked.label);
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

    /// Announces something and writes it into the log.
    pub(crate) fn note(&mut self, level: Level, text: String, own: bool) {
        self.notices.add(level, &text, self.now_ms);
        self.log.push(LogEntry {
            at_ms: self.now_ms,
            level,
            agent: None,
            text,
            own,
        });
        self.touch();
    }

    /// Writes something into the log that is in sight already.
    pub(crate) fn record(&mut self, level: Level, text: String) {
        self.log.push(LogEntry {
            at_ms: self.now_ms,
            level,
            agent: None,
            text,
            own: false,
        });
    }

    /// Says why something cannot be done, until the next key; it is not written down.
    pub(crate) fn refuse(&mut self, why: &str) {
        self.notices.answer(why, self.now_ms);
        self.touch();
    }
}
