//! What happened last, newest on top.

use ratatui::layout::Rect;

use crate::tui::look::Look;
use crate::tui::state::State;
use crate::tui::theme::Token;
use crate::tui::widgets::Canvas;

/// Draws the newest lines; `wide` leaves a column for the agent.
pub(super) fn lines(state: &State, canvas: &mut Canvas<'_>, area: Rect, wide: bool) {
    if state.log.is_empty() {
        canvas.say(area.x, area.y, area.width, "nothing yet", Token::Muted);
    }
    for (y, entry) in (area.y..area.bottom()).zip(state.log.newest()) {
        let time = canvas.time(entry.at_ms);
        let x = canvas.say(area.x, y, 5, &time, Token::Muted) + 1;
        let room = area.right().saturating_sub(x);
        let agent = entry
            .agent
            .as_deref()
            .unwrap_or(if entry.own { "you" } else { "" });
        if wide {
            canvas.say(x, y, 18, agent, Token::Accent);
            canvas.say(
                x + 19,
                y,
                room.saturating_sub(19),
                &entry.text,
                Look::level(entry.level),
            );
            continue;
        }
        let text = match agent {
            "" | "you" => entry.text.clone(),
            agent => format!("{agent} {}", entry.text),
        };
        canvas.say(x, y, room, &text, Look::level(entry.level));
    }
}
