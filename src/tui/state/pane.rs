//! Panes: mirrors of the terminals that are visible right now.
//!
//! A pane exists while it is attached. It keeps the size its terminal has, which changes only when
//! the host says so; the size we would like is kept beside it and asked for once it has settled.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::engine::event::PaneEvent;
use crate::term::{Engine, EngineOptions, Size, TermEvent};

/// Lines of scrollback kept for a visible pane.
const HISTORY: usize = 1_000;

/// What a pane can show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PaneStatus {
    /// The host has not answered yet.
    Attaching {
        since_ms: i64,
    },
    Live,
    Exited {
        code: Option<i32>,
        signal: Option<i32>,
        cause: Option<String>,
    },
    Unavailable {
        reason: String,
    },
}

/// A mirrored terminal.
pub(crate) struct Pane {
    pub engine: Engine,
    pub status: PaneStatus,
    /// The size last asked for.
    pub asked: Size,
    /// Another size is wanted, to be asked for at this time.
    pub wanted: Option<(Size, i64)>,
    /// Which life of the agent this is: its start time.
    pub session_ms: i64,
    /// The bell rang since the pane was last looked at.
    pub bell: bool,
}

impl Pane {
    /// Makes an empty pane that waits for its first snapshot.
    pub(crate) fn new(asked: Size, session_ms: i64, now_ms: i64) -> Self {
        Self {
            engine: blank(asked),
            status: PaneStatus::Attaching { since_ms: now_ms },
            asked,
            wanted: None,
            session_ms,
            bell: false,
        }
    }

    /// Takes what happened to the terminal.
    pub(crate) fn apply(&mut self, event: PaneEvent) -> Vec<TermEvent> {
        match event {
            PaneEvent::Snapshot { cols, rows, bytes } => {
                let scrolled = self.engine.scroll_offset();
                self.engine = blank(Size::new(cols, rows));
                // What a snapshot repeats has been reported when it happened.
                self.engine.feed(&bytes);
                self.engine.set_scroll_offset(scrolled);
                self.status = PaneStatus::Live;
                Vec::new()
            }
            // Output before a snapshot belongs to an earlier attachment.
            PaneEvent::Output(bytes) => match self.status {
                PaneStatus::Attaching { .. } => Vec::new(),
                PaneStatus::Live | PaneStatus::Exited { .. } | PaneStatus::Unavailable { .. } => {
                    self.engine.feed(&bytes)
                }
            },
            PaneEvent::Resized { cols, rows } => {
                self.engine.resize(Size::new(cols, rows));
                Vec::new()
            }
            PaneEvent::Exited {
                code,
                signal,
                cause,
            } => {
                self.status = PaneStatus::Exited {
                    code,
                    signal,
                    cause,
                };
                Vec::new()
            }
            PaneEvent::Unavailable { reason } => {
                self.status = PaneStatus::Unavailable { reason };
                Vec::new()
            }
        }
    }

    /// Tells whether keys can be typed into it.
    pub(crate) fn takes_keys(&self) -> bool {
        matches!(self.status, PaneStatus::Live)
    }

    /// Scrolls the view by `lines`, back in time if positive; tells whether it moved.
    pub(crate) fn scroll(&mut self, lines: isize) -> bool {
        let before = self.engine.scroll_offset();
        self.engine
            .set_scroll_offset(before.saturating_add_signed(lines));
        self.engine.scroll_offset() != before
    }
}

fn blank(size: Size) -> Engine {
    Engine::new(EngineOptions {
        size,
        history: HISTORY,
        answer_queries: false,
    })
}

/// The attached panes by agent name.
#[derive(Default)]
pub(crate) struct Panes {
    by_agent: BTreeMap<String, Pane>,
}

impl Panes {
    /// Gives an agent's pane if it is attached.
    pub(crate) fn get(&self, agent: &str) -> Option<&Pane> {
        self.by_agent.get(agent)
    }

    /// Gives an agent's pane to change it.
    pub(crate) fn get_mut(&mut self, agent: &str) -> Option<&mut Pane> {
        self.by_agent.get_mut(agent)
    }

    /// Adds or replaces a pane.
    pub(crate) fn insert(&mut self, agent: &str, pane: Pane) {
        self.by_agent.insert(agent.to_owned(), pane);
    }

    /// Forgets a pane.
    pub(crate) fn remove(&mut self, agent: &str) {
        self.by_agent.remove(agent);
    }

    /// Lists the names of the attached agents.
    pub(crate) fn names(&self) -> Vec<String> {
        self.by_agent.keys().cloned().collect()
    }

    /// Goes through all panes.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&String, &mut Pane)> {
        self.by_agent.iter_mut()
    }

    /// Gives the next time at which a size should be asked for.
    pub(crate) fn size_deadline(&self) -> Option<i64> {
        self.by_agent
            .values()
            .filter_map(|p| p.wanted.map(|(_, at)| at))
            .min()
    }

    /// Gives the next time at which a synchronized update must be closed.
    pub(crate) fn sync_deadline(&self) -> Option<Instant> {
        self.by_agent
            .values()
            .filter_map(|p| p.engine.sync_deadline())
            .min()
    }

    /// Closes synchronized updates that have had their time; tells whether there were any.
    pub(crate) fn close_late_syncs(&mut self, now: Instant) -> bool {
        let mut any = false;
        for pane in self.by_agent.values_mut() {
            if pane.engine.sync_deadline().is_some_and(|at| at <= now) {
                pane.engine.stop_sync();
                any = true;
            }
        }
        any
    }
}
