//! The status bar: mode, what was just said or is going on, and how everybody is.

use ratatui::layout::Rect;

use crate::tui::action::Action;
use crate::tui::hit::Target;
use crate::tui::keymap::Key;
use crate::tui::label;
use crate::tui::screens::merge::progress;
use crate::tui::state::{Mode, ScreenId, State};
use crate::tui::theme::Token;
use crate::tui::widgets::Canvas;

/// Says in a few characters how the fleet is: `◆1 >5 ~2 !1`.
pub(in crate::tui::screens) fn counts_text(state: &State) -> String {
    let parts: Vec<String> = count_parts(state)
        .into_iter()
        .map(|(text, _)| text)
        .collect();
    parts.join(" ")
}

fn count_parts(state: &State) -> Vec<(String, Token)> {
    let (g, counts) = (state.look.glyphs, state.fleet.counts());
    [
        (counts.needs_you, g.needs_you, Token::StateNeedsYou),
        (counts.working, g.working, Token::StateWorking),
        (counts.waiting, g.booting, Token::StateIdle),
        (counts.trouble, g.stalled, Token::StateStalled),
    ]
    .into_iter()
    .filter(|(n, _, _)| *n > 0)
    .map(|(n, glyph, token)| (format!("{glyph}{n}"), token))
    .collect()
}

/// Draws the status bar: mode, focused agent, notes on the left; counts on the right.
pub(in crate::tui::screens) fn status_bar(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let left = status_left(state, canvas, area);
    let mut end = area.right().saturating_sub(1);
    let leader = format!("leader {}", state.keymap.leader_label());
    let run = state.project.run.as_ref().map(|run| {
        let age = canvas.age(run.started_ms);
        // Ids made from a time say nothing that the age does not.
        let id = if run.id.len() <= 12 {
            run.id.as_str()
        } else {
            "run"
        };
        format!("{id} {age}")
    });
    let merge = match state.merge.open() {
        (0, _) => None,
        (n, _) => Some((format!("merge {n}"), Some(ScreenId::Merge))),
    };
    let mail = match state.mail.unread() {
        (0, _) => None,
        (n, _) => Some((format!("mail {n}"), Some(ScreenId::Mail))),
    };
    // Written from the right; what has no room is dropped, the least important first.
    let counts = count_parts(state);
    let counts_width: u16 = counts.iter().map(|(t, _)| label::width(t) as u16 + 1).sum();
    let mut parts = vec![(leader, None)];
    parts.extend(merge);
    parts.extend(mail);
    parts.extend(run.map(|text| (text, None)));
    let mut room = end
        .saturating_sub(left + 2)
        .saturating_sub(counts_width + 1);
    parts.retain(|(text, _)| {
        let width = label::width(text) as u16 + 2;
        let fits = width <= room;
        room = room.saturating_sub(if fits { width } else { 0 });
        fits
    });
    for (text, screen) in parts {
        let style = canvas.style(Token::Muted);
        let x = canvas.put_right(end, area.y, area.width, &text, style);
        if let Some(screen) = screen {
            canvas.hit(Rect::new(x, area.y, end - x, 1), Target::Screen(screen));
        }
        end = x.saturating_sub(2);
    }
    if end.saturating_sub(left) > counts_width {
        let mut x = end.saturating_sub(counts_width).max(left + 1);
        let start = x;
        for (text, token) in counts {
            x = canvas.say(x, area.y, 8, &text, token) + 1;
        }
        canvas.hit(
            Rect::new(start, area.y, x - start, 1),
            Target::Run(Action::NextNeedsYou),
        );
    }
}

fn status_left(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> u16 {
    let mut x = area.x + 1;
    match &state.mode {
        Mode::Typing { agent } => {
            let text = format!("TYPING {} {agent}", canvas.g().arrow);
            return canvas.say(x, area.y, area.width / 2, &text, Token::BorderTyping);
        }
        Mode::Normal if state.merge.in_front().is_some() && state.pending.is_empty() => {
            return in_front(state, canvas, area);
        }
        Mode::Normal => x = canvas.say(x, area.y, 8, "NORMAL", Token::Accent) + 2,
    }
    if !state.pending.is_empty() {
        let text = format!("{} {}", Key::show(&state.pending), canvas.g().ellipsis);
        return canvas.say(x, area.y, 20, &text, Token::Key);
    }
    if let Some(note) = state.notices.note() {
        return canvas.say(
            x,
            area.y,
            area.width.saturating_sub(x + 1),
            note,
            Token::LevelOk,
        );
    }
    if let Some(agent) = state.focused().filter(|_| !state.is_first_run()) {
        let (glyph, word, token) = state.look.attention(agent.attention);
        let age = canvas.age(agent.evidence.since_ms);
        x = canvas.say(x, area.y, 32, &agent.name, Token::Text) + 1;
        x = canvas.say(x, area.y, 24, &format!("{glyph} {word}"), token) + 1;
        x = canvas.say(x, area.y, 8, &age, Token::Muted);
    }
    x
}

/// Shows the merge that was asked for here: how far it is, and the key that puts it out of sight.
fn in_front(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> u16 {
    let x = area.x + 1;
    let Some((front, gates)) = state.merge.in_front() else {
        return x;
    };
    let what = format!("{}{}", front.what, canvas.g().ellipsis);
    let mut x = canvas.say(x, area.y, 40, &what, Token::StateWorking) + 1;
    if let Some(gates) = gates {
        let at = progress(gates);
        x = canvas.say(x, area.y, 26, &at, Token::Text) + 1;
    }
    let since = gates.map_or(front.began_ms, |g| g.began_ms);
    let passed = canvas.elapsed(since);
    x = canvas.say(x, area.y, 8, &passed, Token::Muted) + 1;
    match state.keymap.key_for(state.scope(), Action::Back) {
        Some(key) => canvas.say(x, area.y, 16, &format!("{key} hides"), Token::Hint),
        None => x,
    }
}
