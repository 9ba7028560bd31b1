//! Routing what the terminal reports: to the overlay, to the agent, or through the keymap.

use crossterm::event::{Event, KeyEvent, KeyEventKind};

use super::{merge, mouse, run, typing};
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::keymap::{Key, Lookup};
use crate::tui::overlay;
use crate::tui::state::{Mode, State};

/// Takes one event of the user's terminal.
pub(crate) fn input(state: &mut State, event: Event) -> Vec<Effect> {
    match event {
        Event::Key(key) => on_key(state, &key),
        Event::Paste(text) => paste(state, text),
        Event::Mouse(event) => mouse::mouse(state, event),
        Event::Resize(cols, rows) => {
            state.size = (cols, rows);
            state.touch();
            // Several sizes may come as one, and the last may be the one that was drawn: the
            // terminal has lost cells all the same.
            vec![Effect::Clear]
        }
        Event::FocusGained => focus(state, true),
        Event::FocusLost => focus(state, false),
    }
}

fn focus(state: &mut State, focused: bool) -> Vec<Effect> {
    state.window_focused = focused;
    typing::focus_changed(state, focused)
}

fn on_key(state: &mut State, event: &KeyEvent) -> Vec<Effect> {
    if event.kind == KeyEventKind::Release {
        return Vec::new();
    }
    if state.notices.key_pressed() {
        state.touch();
    }
    let key = Key::from_event(event);
    if !state.overlays.is_empty() {
        return overlay::on_key(state, key);
    }
    if let Mode::Typing { agent } = state.mode.clone() {
        return typing::key(state, &agent, event);
    }
    if let Some((agent, left_with)) = state.just_left.take()
        && key == left_with
    {
        // Pressed twice: the agent gets the key after all.
        return typing::send_and_resume(state, &agent, event);
    }
    normal(state, key)
}

fn normal(state: &mut State, key: Key) -> Vec<Effect> {
    state.touch();
    state.pending.push(key);
    state.pending_since_ms = if state.pending.len() == 1 {
        state.now_ms
    } else {
        state.pending_since_ms
    };
    let found = match state.keymap.lookup(state.scope(), &state.pending) {
        Lookup::Run(binding) => Some(binding.action),
        Lookup::Pending => return Vec::new(),
        Lookup::Unbound => None,
    };
    let was_sequence = state.pending.len() > 1;
    let typed = Key::show(&state.pending);
    state.pending.clear();
    match found {
        // What is under way here goes before leaving.
        Some(Action::Quit) if typed == "^C" => match merge::cancel_in_front(state) {
            Some(effects) => effects,
            None => run(state, Action::Quit),
        },
        Some(action) => run(state, action),
        None => {
            if was_sequence {
                state.refuse(&format!("{typed} is not bound"));
            }
            Vec::new()
        }
    }
}

fn paste(state: &mut State, text: String) -> Vec<Effect> {
    if !state.overlays.is_empty() {
        overlay::on_paste(state, &text);
        return Vec::new();
    }
    match state.mode.clone() {
        Mode::Typing { agent } => typing::paste(state, &agent, text),
        Mode::Normal => {
            state.refuse("paste goes to an agent: type into its pane first");
            Vec::new()
        }
    }
}
