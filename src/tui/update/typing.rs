//! TYPING: the agent has the keyboard.
//!
//! Exactly the leader, its fallback and what `[typing]` binds belong to grove. Everything else is
//! encoded for the agent's terminal and sent as it is.

use crossterm::event::KeyEvent;

use super::movement;
use crate::engine::command::Command;
use crate::engine::event::Level;
use crate::engine::view::PaneMode;
use crate::term::{encode_focus, encode_key};
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::keymap::Key;
use crate::tui::overlay::{Act, Choice, Confirm, Overlay};
use crate::tui::state::{Mode, Region, State};

/// A paste of more lines than this asks first, unless the agent can tell it is a paste.
const LINES_UNASKED: usize = 5;

/// Says why an agent's pane cannot be typed into.
pub(super) fn refusal(state: &State, agent: &str) -> Option<String> {
    let Some(view) = state.fleet.get(agent) else {
        return Some("no agent is focused".to_owned());
    };
    if view.mode == PaneMode::Stream {
        return Some(format!(
            "{agent} has no terminal to type into; send it a message instead"
        ));
    }
    match state.panes.get(agent) {
        Some(pane) if pane.takes_keys() => None,
        Some(_) if view.state.is_terminal() => Some(format!("{agent} has ended")),
        Some(_) | None => Some(format!("the terminal of {agent} is not connected yet")),
    }
}

/// Hands the keyboard to an agent.
pub(super) fn enter(state: &mut State, agent: &str) -> Vec<Effect> {
    if let Some(why) = refusal(state, agent) {
        state.refuse(&why);
        return Vec::new();
    }
    state.mode = Mode::Typing {
        agent: agent.to_owned(),
    };
    state.region = Region::Panes;
    state.pending.clear();
    if let Some(pane) = state.panes.get_mut(agent) {
        pane.engine.set_scroll_offset(0);
        pane.bell = false;
    }
    state.touch();
    report_focus(state, agent, true)
}

/// Takes the keyboard back.
pub(super) fn leave(state: &mut State) -> Vec<Effect> {
    let Mode::Typing { agent } = std::mem::take(&mut state.mode) else {
        return Vec::new();
    };
    state.touch();
    report_focus(state, &agent, false)
}

/// Takes a key while an agent has the keyboard.
pub(super) fn key(state: &mut State, agent: &str, event: &KeyEvent) -> Vec<Effect> {
    let key = Key::from_event(event);
    if state.keymap.leaves_typing(key) {
        let effects = leave(state);
        state.just_left = Some((agent.to_owned(), key));
        return effects;
    }
    if let Some(binding) = state.keymap.lookup_typing(key) {
        let action = binding.action;
        return in_typing(state, agent, action);
    }
    forward(state, agent, event)
}

/// Carries out what `[typing]` binds: scrolling stays in the mode, the rest leaves it first.
fn in_typing(state: &mut State, agent: &str, action: Action) -> Vec<Effect> {
    let page = movement::page_of(state, agent) as isize;
    let pages = [
        (Action::PageUp, page),
        (Action::PageDown, -page),
        (Action::HalfUp, page / 2),
        (Action::HalfDown, -page / 2),
    ];
    let Some((_, lines)) = pages.into_iter().find(|(a, _)| *a == action) else {
        let mut effects = leave(state);
        effects.extend(super::run(state, action));
        return effects;
    };
    movement::scroll_pane(state, agent, lines);
    Vec::new()
}

fn forward(state: &mut State, agent: &str, event: &KeyEvent) -> Vec<Effect> {
    let Some(pane) = state.panes.get_mut(agent) else {
        return Vec::new();
    };
    // Typing into scrolled-back history would be typing blind.
    let jumped = pane.scroll(-(pane.engine.scroll_offset() as isize));
    let bytes = encode_key(event, &pane.engine.modes());
    if jumped {
        state.touch();
    }
    if bytes.is_empty() {
        return Vec::new();
    }
    let agent = agent.to_owned();
    vec![state.send(Command::Input { agent, bytes })]
}

/// Sends the key that left TYPING to the agent and goes back to typing.
pub(super) fn send_and_resume(state: &mut State, agent: &str, event: &KeyEvent) -> Vec<Effect> {
    if state.work.focus.as_deref() != Some(agent) {
        return Vec::new();
    }
    let mut effects = enter(state, agent);
    if matches!(state.mode, Mode::Typing { .. }) {
        effects.extend(forward(state, agent, event));
    }
    effects
}

/// Takes pasted text while an agent has the keyboard.
pub(super) fn paste(state: &mut State, agent: &str, text: String) -> Vec<Effect> {
    let bracketed = state
        .panes
        .get(agent)
        .is_some_and(|p| p.engine.modes().bracketed_paste);
    let lines = text.lines().count();
    let command = Command::Paste {
        agent: agent.to_owned(),
        text,
    };
    if bracketed || lines <= LINES_UNASKED {
        return vec![state.send(command)];
    }
    let label = format!("pasted {lines} lines into {agent}");
    let question = Confirm::new(
        format!("Paste {lines} lines into {agent}?"),
        vec![format!(
            "{agent} cannot tell a paste from typing: every line end counts as Enter."
        )],
        vec![Choice {
            key: 'p',
            label: "Paste".to_owned(),
            danger: false,
            act: Act::Send(vec![(command, label)]),
        }],
    );
    state.open(Overlay::Confirm(question));
    Vec::new()
}

/// Tells the agent being typed into that the window got or lost the focus, if it wants to know.
pub(super) fn focus_changed(state: &mut State, focused: bool) -> Vec<Effect> {
    match state.mode.clone() {
        Mode::Typing { agent } => report_focus(state, &agent, focused),
        Mode::Normal => Vec::new(),
    }
}

fn report_focus(state: &mut State, agent: &str, focused: bool) -> Vec<Effect> {
    let Some(pane) = state.panes.get(agent) else {
        return Vec::new();
    };
    let Some(bytes) = encode_focus(focused, &pane.engine.modes()) else {
        return Vec::new();
    };
    let (agent, bytes) = (agent.to_owned(), bytes.to_vec());
    vec![state.send(Command::Input { agent, bytes })]
}

/// Takes the keyboard back from an agent whose terminal is gone.
pub(super) fn agent_gone(state: &mut State, agent: &str) -> Vec<Effect> {
    let typing = matches!(&state.mode, Mode::Typing { agent: a } if a == agent);
    if !typing {
        return Vec::new();
    }
    let text = format!("{agent} is gone; your keys are grove's again");
    state.note(Level::Warn, text, false);
    leave(state)
}
