//! The one value that screens draw and updates change.

use std::collections::BTreeMap;

use crate::engine::command::CommandId;
use crate::engine::event::Level;
use crate::engine::view::{AgentView, Lease, ProjectStage, ProjectView};
use crate::tui::hit::Hits;
use crate::tui::keymap::{Key, Keymap, Scope};
use crate::tui::look::Look;
use crate::tui::overlay::{Draft, Overlay};
use crate::tui::state::place::{Dirty, Mode, Region, ScreenId, Settings};
use crate::tui::state::requests::Asked;
use crate::tui::state::{
    FleetState, HealthState, LogEntry, LogState, MailState, MergeState, Notices, Panes,
    ReviewState, WorkState,
};

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
    pub unstarted: Option<crate::engine::command::Command>,
    pub hits: Hits,
    pub window_focused: bool,
    pub mouse_captured: bool,
    /// Where the mouse button went down, and when, for double clicks and drags.
    pub press: Option<crate::tui::hit::Press>,
    /// Set when a keymap or theme file could not be taken.
    pub banner: Option<String>,
    pub dirty: Dirty,
    pub(super) asked: BTreeMap<CommandId, Asked>,
    pub(super) next_id: u64,
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
