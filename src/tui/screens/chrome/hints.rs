//! What can be pressed now: hints from the live keymap, dropped whole from the right.

use ratatui::layout::Rect;

use crate::tui::action::Action;
use crate::tui::hit::Target;
use crate::tui::keymap::{Key, Scope};
use crate::tui::label;
use crate::tui::state::work::SizeClass;
use crate::tui::state::{Mode, State};
use crate::tui::theme::Token;
use crate::tui::update;
use crate::tui::widgets::{Canvas, Frame, FrameKind};

/// Draws the hints of the current screen or overlay.
pub(in crate::tui::screens) fn hint_bar(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    if let Some(banner) = &state.banner {
        canvas.say(area.x + 1, area.y, area.width - 2, banner, Token::LevelWarn);
        return;
    }
    if !state.overlays.is_empty() {
        // The keys of the screen behind do not work now, so none of them is shown.
        let text = "keys go to what lies on top; Esc leaves it";
        canvas.say(area.x + 1, area.y, area.width - 2, text, Token::Hint);
        return;
    }
    let hints = match &state.mode {
        Mode::Typing { .. } => typing_hints(state),
        Mode::Normal => normal_hints(state),
    };
    let tail: Vec<_> = match state.mode {
        Mode::Normal => tail(state),
        Mode::Typing { .. } => Vec::new(),
    };
    let tail_width: u16 = tail.iter().map(|h| h.width()).sum();
    let end = area.right().saturating_sub(1 + tail_width);
    let most = match SizeClass::of(state.size.0, state.size.1) {
        // A review is nothing but its keys: as many as fit.
        SizeClass::Small if state.scope() != Scope::Review => 4,
        SizeClass::Small | SizeClass::Medium | SizeClass::Large => usize::MAX,
    };
    let mut x = area.x + 1;
    for hint in hints.iter().take(most) {
        if x + hint.width() > end + 2 {
            break;
        }
        x = hint.draw(canvas, x, area.y);
    }
    for hint in &tail {
        x = hint.draw(canvas, x, area.y);
    }
}

struct Hint {
    key: String,
    word: String,
    action: Option<Action>,
}

impl Hint {
    fn width(&self) -> u16 {
        (label::width(&self.key) + label::width(&self.word)) as u16 + 3
    }

    fn draw(&self, canvas: &mut Canvas<'_>, x: u16, y: u16) -> u16 {
        let start = x;
        let x = canvas.say(x, y, 12, &self.key, Token::Key);
        let x = canvas.say(x + 1, y, 30, &self.word, Token::Hint);
        if let Some(action) = self.action {
            canvas.hit(Rect::new(start, y, x - start, 1), Target::Run(action));
        }
        x + 2
    }
}

fn normal_hints(state: &State) -> Vec<Hint> {
    let mut hints: Vec<Hint> = Vec::new();
    for (keys, binding) in state.keymap.hints(state.scope()) {
        let shown = hints.iter().any(|h| h.action == Some(binding.action));
        if shown || update::applies(state, binding.action).is_err() {
            continue;
        }
        hints.push(Hint {
            key: Key::show(&keys),
            word: binding.desc.clone(),
            action: Some(binding.action),
        });
    }
    hints
}

fn tail(state: &State) -> Vec<Hint> {
    let scope = state.scope();
    [(Action::Palette, "palette"), (Action::Help, "help")]
        .into_iter()
        .filter_map(|(action, word)| {
            Some(Hint {
                key: state.keymap.key_for(scope, action)?,
                word: word.to_owned(),
                action: Some(action),
            })
        })
        .collect()
}

fn typing_hints(state: &State) -> Vec<Hint> {
    let leader = state.keymap.leader().to_string();
    let mut hints = vec![
        Hint {
            key: state.keymap.leader_label(),
            word: "leave".to_owned(),
            action: None,
        },
        Hint {
            key: format!("{leader} {leader}"),
            word: format!("sends {leader}"),
            action: None,
        },
    ];
    let own = state.keymap.list_typing();
    hints.extend(
        own.into_iter()
            .filter(|(_, b)| b.hint.is_some())
            .map(|(keys, b)| Hint {
                key: Key::show(&keys),
                word: b.desc.clone(),
                action: None,
            }),
    );
    hints.push(Hint {
        key: "Shift-drag".to_owned(),
        word: "select with your terminal".to_owned(),
        action: None,
    });
    hints
}

/// Explains how a pending sequence can go on, once it has been pending for a moment.
pub(in crate::tui::screens) fn which_key(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let since = state.now_ms - state.pending_since_ms;
    if state.pending.is_empty() || since < state.settings.which_key_ms {
        return;
    }
    let rows = state.keymap.continuations(state.scope(), &state.pending);
    let height = (rows.len() as u16 + 2).min(body.height);
    let width = 28.min(body.width);
    let area = Rect::new(body.right() - width, body.bottom() - height, width, height);
    let ground = canvas.style(Token::Bg);
    canvas.clear(area, ground);
    let inner = Frame::titled(&Key::show(&state.pending))
        .kind(FrameKind::Keyboard)
        .draw(canvas, area);
    for (y, (key, binding)) in (inner.y..inner.bottom()).zip(rows) {
        let x = canvas.say(inner.x + 1, y, 8, &key.to_string(), Token::Key);
        canvas.say(x + 1, y, inner.width, &binding.desc, Token::Text);
    }
}
