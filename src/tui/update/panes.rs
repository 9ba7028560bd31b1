//! Keeping the attached panes equal to the visible ones.
//!
//! Runs after every batch of events: what became visible is attached, what is hidden is let go,
//! and a terminal is asked for another size once that size has not changed for a moment.

use crate::engine::command::Command;
use crate::tui::effect::Effect;
use crate::tui::screens::body_of;
use crate::tui::screens::workspace::geometry;
use crate::tui::state::{Pane, PaneStatus, ScreenId, State};

/// Attaches, detaches and resizes panes.
pub(crate) fn sync_panes(state: &mut State) -> Vec<Effect> {
    let mut effects = Vec::new();
    let visible = visible(state);
    for name in state.panes.names() {
        if !visible.iter().any(|(agent, _)| *agent == name) {
            state.panes.remove(&name);
            effects.push(state.send(Command::Detach { agent: name }));
        }
    }
    for (agent, wish) in visible {
        let Some(session_ms) = state.fleet.get(&agent).map(|a| a.started_ms) else {
            continue;
        };
        let now_ms = state.now_ms;
        let settle_ms = state.settings.resize_settle_ms;
        match state.panes.get_mut(&agent) {
            Some(pane) if pane.session_ms == session_ms => {
                if pane.asked == wish {
                    pane.wanted = None;
                } else if pane.wanted.is_none_or(|(size, _)| size != wish) {
                    pane.wanted = Some((wish, now_ms + settle_ms));
                }
            }
            // Not attached yet, or slung again under the same name.
            _ => {
                state
                    .panes
                    .insert(&agent, Pane::new(wish, session_ms, now_ms));
                effects.push(state.send(Command::Attach {
                    agent,
                    cols: wish.cols,
                    rows: wish.rows,
                }));
            }
        }
    }
    effects.extend(due_sizes(state));
    effects.extend(super::merge::watch(state));
    effects.extend(super::merge::look_back(state));
    effects.extend(super::review::look_up(state));
    effects
}

fn visible(state: &State) -> Vec<(String, crate::term::Size)> {
    if state.screen != ScreenId::Work || state.is_first_run() {
        return Vec::new();
    }
    let (cols, rows) = state.size;
    let geometry = geometry(state, body_of(cols, rows));
    let shown = geometry.slots.into_iter().filter(|s| s.inner.height > 0);
    shown.map(|s| (s.agent, s.wish)).collect()
}

fn due_sizes(state: &mut State) -> Vec<Effect> {
    let now_ms = state.now_ms;
    let mut due = Vec::new();
    for (agent, pane) in state.panes.iter_mut() {
        let Some((size, _)) = pane.wanted.filter(|(_, at)| *at <= now_ms) else {
            continue;
        };
        pane.wanted = None;
        pane.asked = size;
        if matches!(pane.status, PaneStatus::Live | PaneStatus::Attaching { .. }) {
            due.push((agent.clone(), size));
        }
    }
    due.into_iter()
        .map(|(agent, size)| {
            state.send(Command::Resize {
                agent,
                cols: size.cols,
                rows: size.rows,
            })
        })
        .collect()
}
