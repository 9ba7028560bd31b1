//! The stack: routing keys to the topmost overlay and drawing all of them in order.

use ratatui::layout::Rect;

use super::{
    Answer, Compose, Confirm, EditText, Filter, Help, LogView, Palette, Preview, RevertSheet,
    Sling, ThemePicker,
};
use crate::tui::effect::Effect;
use crate::tui::keymap::Key;
use crate::tui::state::State;
use crate::tui::widgets::Canvas;

/// An overlay.
#[derive(Debug, Clone)]
pub(crate) enum Overlay {
    Palette(Palette),
    Help(Help),
    Confirm(Confirm),
    Compose(Compose),
    Sling(Sling),
    Answer(Answer),
    Theme(ThemePicker),
    Log(LogView),
    Filter(Filter),
    Preview(Preview),
    Edit(EditText),
    Revert(RevertSheet),
}

/// What becomes of an overlay after a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Stay,
    Close,
}

impl Overlay {
    /// Tells whether keys typed right after it opened are to be ignored.
    fn is_guarded(&self) -> bool {
        match self {
            Self::Confirm(_) | Self::Answer(_) | Self::Revert(_) => true,
            Self::Palette(_)
            | Self::Help(_)
            | Self::Compose(_)
            | Self::Sling(_)
            | Self::Theme(_)
            | Self::Log(_)
            | Self::Filter(_)
            | Self::Preview(_)
            | Self::Edit(_) => false,
        }
    }

    fn key(&mut self, key: Key, state: &mut State) -> (Next, Vec<Effect>) {
        match self {
            Self::Palette(o) => o.on_key(key, state),
            Self::Help(o) => o.on_key(key, state),
            Self::Confirm(o) => o.on_key(key, state),
            Self::Compose(o) => o.on_key(key, state),
            Self::Sling(o) => o.on_key(key, state),
            Self::Answer(o) => o.on_key(key, state),
            Self::Theme(o) => o.on_key(key, state),
            Self::Log(o) => o.on_key(key, state),
            Self::Filter(o) => o.on_key(key, state),
            Self::Preview(o) => o.on_key(key, state),
            Self::Edit(o) => o.on_key(key, state),
            Self::Revert(o) => o.on_key(key, state),
        }
    }

    fn draw(&self, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
        match self {
            Self::Palette(o) => o.draw(state, canvas, area),
            Self::Help(o) => o.draw(state, canvas, area),
            Self::Confirm(o) => o.draw(canvas, area),
            Self::Compose(o) => o.draw(state, canvas, area),
            Self::Sling(o) => o.draw(canvas, area),
            Self::Answer(o) => o.draw(state, canvas, area),
            Self::Theme(o) => o.draw(canvas, area),
            Self::Log(o) => o.draw(state, canvas, area),
            Self::Filter(o) => o.draw(canvas, area),
            Self::Preview(o) => o.draw(state, canvas, area),
            Self::Edit(o) => o.draw(canvas, area),
            Self::Revert(o) => o.draw(canvas, area),
        }
    }
}

/// Gives a key to the topmost overlay.
pub(crate) fn on_key(state: &mut State, key: Key) -> Vec<Effect> {
    let Some(mut top) = state.overlays.pop() else {
        return Vec::new();
    };
    let age = state.now_ms - state.overlay_since_ms;
    if top.is_guarded() && (0..state.settings.dialog_guard_ms).contains(&age) {
        state.overlays.push(top);
        return Vec::new();
    }
    let place = state.overlays.len();
    let (next, effects) = top.key(key, state);
    if next == Next::Stay {
        // Whatever the key opened lies on top.
        let place = place.min(state.overlays.len());
        state.overlays.insert(place, top);
    }
    state.touch();
    effects
}

/// Gives pasted text to the topmost overlay; it goes where typed text would go.
pub(crate) fn on_paste(state: &mut State, text: &str) {
    let Some(top) = state.overlays.last_mut() else {
        return;
    };
    let field = match top {
        Overlay::Palette(o) => Some(&mut o.query),
        Overlay::Help(o) => Some(&mut o.query),
        Overlay::Compose(o) => o.focused_text(),
        Overlay::Sling(o) => o.focused_text(),
        Overlay::Answer(o) => o.text.as_mut(),
        Overlay::Filter(o) => Some(&mut o.query),
        Overlay::Confirm(o) => o.typed.as_mut().map(|t| &mut t.field),
        Overlay::Edit(o) => Some(&mut o.text),
        Overlay::Theme(_) | Overlay::Log(_) | Overlay::Preview(_) | Overlay::Revert(_) => None,
    };
    if let Some(field) = field {
        field.insert(text);
        state.touch();
    }
}

/// Acts on a click on a row of the topmost overlay as if the row had been chosen by keys.
pub(crate) fn on_click(state: &mut State, row: usize) -> Vec<Effect> {
    let Some(top) = state.overlays.last_mut() else {
        return Vec::new();
    };
    match top {
        Overlay::Palette(o) => o.selected = row,
        Overlay::Help(o) => o.selected = row,
        Overlay::Confirm(o) => o.focus = row,
        Overlay::Theme(o) => {
            let mut picker = o.clone();
            picker.choose(row, state);
            state.overlays.pop();
            state.overlays.push(Overlay::Theme(picker));
            return Vec::new();
        }
        Overlay::Compose(o) => {
            o.focus_field(row);
            return Vec::new();
        }
        Overlay::Sling(o) => {
            o.focus = row;
            return Vec::new();
        }
        Overlay::Answer(_)
        | Overlay::Log(_)
        | Overlay::Filter(_)
        | Overlay::Edit(_)
        | Overlay::Preview(_)
        | Overlay::Revert(_) => return Vec::new(),
    }
    match Key::parse("enter") {
        Some(enter) => on_key(state, enter),
        None => Vec::new(),
    }
}

/// Draws all overlays, the topmost last.
pub(crate) fn render(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    for overlay in &state.overlays {
        overlay.draw(state, canvas, area);
    }
}
