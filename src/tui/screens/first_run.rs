//! The first page: what was found here, and that nothing has been changed yet.

use ratatui::layout::Rect;

use crate::engine::view::ProjectStage;
use crate::tui::action::Action;
use crate::tui::hit::Target;
use crate::tui::state::State;
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, Frame};

/// Draws the first page.
pub(super) fn render(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let inner = Frame::default().draw(canvas, body);
    let (x, width) = (inner.x + 4, inner.width.saturating_sub(8));
    let mut y = inner.y + 1;
    let at = canvas.say(x, y, width, "grove", Token::Accent);
    canvas.say(
        at + 3,
        y,
        width,
        "many coding agents, one quiet window",
        Token::Text,
    );
    y += 2;
    let lines: &[&str] = match state.project.stage {
        ProjectStage::NotGit => &[
            "This is not a git repository. Agents work in git worktrees, so grove needs one.",
            "Nothing has been changed. Two commands make this folder one:",
            "",
            "    git init",
            "    git commit --allow-empty -m \"Start\"",
        ],
        ProjectStage::NotInitialised | ProjectStage::Ready => {
            &["This repository has no .overstory/ yet. Nothing has been changed."]
        }
    };
    for line in lines {
        canvas.say(x, y, width, line, Token::Text);
        y += 1;
    }
    y += 1;
    y = found(state, canvas, Rect::new(x, y, width, 0)) + 1;
    actions(
        state,
        canvas,
        Rect::new(x, y, width, inner.bottom().saturating_sub(y)),
    );
}

/// What was found on this machine; gives the row below it.
fn found(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> u16 {
    let Rect {
        x, mut y, width, ..
    } = area;
    for (row, found) in state.project.found.iter().enumerate() {
        if row == 0 {
            canvas.say(x, y, 8, "Found", Token::Muted);
        }
        let (mark, token) = if found.ok {
            (canvas.g().done, Token::LevelOk)
        } else {
            (canvas.g().dash, Token::Muted)
        };
        let at = canvas.say(x + 9, y, 2, mark, token);
        canvas.say(
            at + 1,
            y,
            width.saturating_sub(12),
            &found.text,
            Token::Text,
        );
        y += 1;
    }
    y
}

/// What can be done from here.
fn actions(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let Rect {
        x, mut y, width, ..
    } = area;
    let rows = [
        (
            Action::Init,
            "Initialise",
            "creates .overstory/, with what is private ignored",
        ),
        (
            Action::Demo,
            "Demo",
            "scripted agents: no tokens, nothing left behind",
        ),
        (
            Action::ThemePicker,
            "Theme",
            "dark, light, high contrast, no colour",
        ),
        (Action::Help, "Help", "every key"),
        (Action::Quit, "Quit", ""),
    ];
    for (action, name, text) in rows {
        let applies = crate::tui::update::applies(state, action).is_ok();
        let key = state
            .keymap
            .key_for(state.scope(), action)
            .filter(|_| applies);
        let Some(key) = key.filter(|_| y < area.bottom()) else {
            continue;
        };
        canvas.say(x, y, 4, &key, Token::Key);
        canvas.say(x + 4, y, 14, name, Token::Title);
        canvas.say(x + 18, y, width.saturating_sub(18), text, Token::Muted);
        canvas.hit(Rect::new(x, y, width, 1), Target::Run(action));
        y += 1;
    }
}
