//! One frame from top to bottom: top bar, body, hint bar, status bar, then what lies on top.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{chrome, first_run, health, mail, merge, toasts, workspace};
use crate::tui::overlay;
use crate::tui::state::{ScreenId, State};
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, Drawn};

/// Smallest terminal the screens are made for.
const LEAST: (u16, u16) = (60, 16);
/// Below this only one line is drawn.
const ONE_LINE: (u16, u16) = (20, 5);

/// Gives the part of the screen between the bars.
pub(crate) fn body_of(cols: u16, rows: u16) -> Rect {
    Rect::new(0, 1, cols, rows.saturating_sub(3))
}

/// Draws a whole frame.
pub(crate) fn render(state: &State, buf: &mut Buffer) -> Drawn {
    let area = *buf.area();
    let mut canvas = Canvas::new(buf, &state.look, state.now_ms, state.settings.utc_offset_s);
    let ground = canvas.style(Token::Bg);
    canvas.clear(area, ground);
    if area.width < ONE_LINE.0 || area.height < ONE_LINE.1 {
        one_line(state, &mut canvas, area);
        return canvas.drawn;
    }
    if area.width < LEAST.0 || area.height < LEAST.1 {
        summary(state, &mut canvas, area);
        return canvas.drawn;
    }
    chrome::top_bar(state, &mut canvas, Rect::new(area.x, area.y, area.width, 1));
    let body = body_of(area.width, area.height);
    if state.is_first_run() {
        first_run::render(state, &mut canvas, body);
    } else {
        match state.screen {
            ScreenId::Work => workspace::render(state, &mut canvas, body),
            ScreenId::Mail => mail::render(state, &mut canvas, body),
            ScreenId::Merge => merge::render(state, &mut canvas, body),
            ScreenId::Health => health::render(state, &mut canvas, body),
        }
    }
    chrome::hint_bar(
        state,
        &mut canvas,
        Rect::new(area.x, area.bottom() - 2, area.width, 1),
    );
    chrome::status_bar(
        state,
        &mut canvas,
        Rect::new(area.x, area.bottom() - 1, area.width, 1),
    );
    chrome::which_key(state, &mut canvas, body);
    toasts::render(state, &mut canvas, body);
    overlay::render(state, &mut canvas, area);
    canvas.drawn
}

fn one_line(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let text = chrome::counts_text(state);
    canvas.say(
        area.x,
        area.y,
        area.width,
        &format!("grove {text}"),
        Token::Text,
    );
}

fn summary(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let text = format!("grove  {}", chrome::counts_text(state));
    canvas.say(area.x, area.y, area.width, &text, Token::Title);
    let last = area.bottom() - 1;
    for (y, agent) in (area.y + 1..last).zip(state.fleet.by_urgency()) {
        let (glyph, word, token) = state.look.attention(agent.attention);
        let x = canvas.say(area.x, y, 2, &format!("{glyph} "), token);
        let x = canvas.say(
            x,
            y,
            area.width.saturating_sub(16),
            &agent.name,
            Token::Text,
        );
        canvas.say(x + 1, y, area.right().saturating_sub(x + 1), word, token);
    }
    let need = format!("needs {}x{} or larger", LEAST.0, LEAST.1);
    canvas.say(area.x, last, area.width, &need, Token::Muted);
}
