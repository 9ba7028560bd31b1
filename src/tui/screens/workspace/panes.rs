//! One pane with its frame.
//!
//! The frame says who, how and since when; its line says what a key would do: double — the agent
//! has the keyboard, thick — focused.

use ratatui::layout::Rect;

use super::geometry::{Geometry, Slot};
use crate::engine::view::{AgentView, Attention, PaneMode};
use crate::tui::hit::Target;
use crate::tui::label;
use crate::tui::state::{Mode, Pane, PaneStatus, State};
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, Frame, FrameKind, PaneView, draw_pane, status_line};
use crate::types::host::Protection;

/// One notice in a pane takes at most this many rows.
const MOST_NOTICE_ROWS: usize = 3;

/// Draws a pane in its slot.
pub(super) fn slot(state: &State, canvas: &mut Canvas<'_>, slot: &Slot, geometry: &Geometry) {
    let Some(agent) = state.fleet.get(&slot.agent) else {
        return;
    };
    let typing = matches!(&state.mode, Mode::Typing { agent } if *agent == slot.agent);
    let focused = state.work.focus.as_deref() == Some(slot.agent.as_str());
    let kind = match (typing, focused) {
        (true, _) => FrameKind::Keyboard,
        (false, true) => FrameKind::Focused,
        (false, false) => FrameKind::Plain,
    };
    let view = inside(state, canvas, slot, agent, typing);
    let right = right_note(canvas, agent, slot.area.width);
    if slot.bare {
        bare_title(state, canvas, slot, agent, &right, typing, focused);
    } else {
        let frame = Frame {
            kind,
            title: title(state, agent, typing),
            right,
            bottom: bottom_note(
                state,
                canvas,
                slot,
                agent,
                view,
                (typing, focused),
                geometry,
            ),
        };
        let inner = frame.draw(canvas, slot.area);
        debug_assert_eq!(inner, slot.inner);
        marks(canvas, slot, view, kind);
    }
    let title_row = Rect::new(slot.area.x, slot.area.y, slot.area.width, 1);
    canvas.hit(title_row, Target::PaneTitle(slot.agent.clone()));
    if geometry.strip_top == Some(slot.area.y) {
        let handle = Rect::new(slot.area.x, slot.area.y, 2, 1);
        canvas.hit(handle, Target::SplitDivider);
    }
    canvas.hit(slot.inner, Target::Pane(slot.agent.clone()));
}

fn title(state: &State, agent: &AgentView, typing: bool) -> Vec<(String, Option<Token>)> {
    let name = label::clean(&agent.name).into_owned();
    if typing {
        let text = format!("TYPING {} {name}", state.look.glyphs.arrow);
        return vec![(text, Some(Token::BorderTyping))];
    }
    let (glyph, word, token) = state.look.attention(agent.attention);
    let mut title = vec![(name, None), (format!(" {glyph} {word}"), Some(token))];
    if state.panes.get(&agent.name).is_some_and(|p| p.bell) {
        title.push((" bell".to_owned(), Some(Token::LevelWarn)));
    }
    let missing = agent.protection.as_ref().and_then(Protection::missing);
    if let Some(missing) = missing.filter(|_| !agent.state.is_terminal()) {
        let dot = state.look.glyphs.dot;
        title.push((format!(" {dot} {missing}"), Some(Token::LevelWarn)));
    }
    title
}

fn right_note(canvas: &mut Canvas<'_>, agent: &AgentView, width: u16) -> String {
    let mut parts = Vec::new();
    match agent.attention {
        Attention::NeedsYou { reason } => {
            parts.push(format!(
                "{} {}",
                reason.as_str(),
                canvas.age(agent.evidence.since_ms)
            ));
        }
        Attention::Stalled => {
            let since = agent.last_output_ms.unwrap_or(agent.evidence.since_ms);
            parts.push(format!("{} silent", canvas.age(since)));
        }
        Attention::Error
        | Attention::OverBudget
        | Attention::RateLimited
        | Attention::Working
        | Attention::Booting
        | Attention::BetweenTurns
        | Attention::Dead
        | Attention::Stopped
        | Attention::Done => {}
    }
    if width >= 56 {
        parts.extend(agent.model.clone());
        parts.extend(agent.context_percent.map(|p| format!("{p}% ctx")));
    }
    if width < 40 && !parts.is_empty() {
        return parts.join(" ");
    }
    parts.extend(agent.cost_micro_usd.map(|c| label::money(Some(c))));
    if width >= 80 {
        parts.extend(
            agent
                .task
                .as_ref()
                .map(|t| format!("task {}", label::clean(t))),
        );
    }
    parts.join(&format!(" {} ", canvas.g().dot))
}

/// Corners, line and gaps around a note in a frame.
const FRAME_AROUND_NOTE: usize = 6;

fn bottom_note(
    state: &State,
    canvas: &Canvas<'_>,
    slot: &Slot,
    agent: &AgentView,
    view: PaneView,
    (typing, focused): (bool, bool),
    geometry: &Geometry,
) -> String {
    if typing {
        let leader = state.keymap.leader();
        let leave = state.keymap.leader_label().replace('/', " or ");
        return format!(
            "every key goes to the agent {} {leave} leaves, {leader} {leader} sends {leader}",
            canvas.g().dash
        );
    }
    let mut parts = Vec::new();
    if view.scrolled > 0 {
        parts.push(format!(
            "scrolled back {} lines, End returns",
            view.scrolled
        ));
    } else if focused && slot.area.width >= 50 {
        parts.push(format!("{} follow", canvas.g().follow));
    }
    if let Some((page, pages)) = geometry.pages.filter(|_| focused) {
        parts.push(format!("page {} of {pages}", page + 1));
    }
    let branch = agent.branch.as_deref().filter(|_| view.scrolled == 0);
    let branch = branch.filter(|_| focused && slot.area.width >= 50);
    if let Some(branch) = branch.map(label::clean) {
        // Whole or not at all: what is behind it must not be cut.
        let all = label::width(&branch) + parts.iter().map(|p| 2 + label::width(p)).sum::<usize>();
        if all + FRAME_AROUND_NOTE <= usize::from(slot.area.width) {
            parts.insert(0, branch.into_owned());
        }
    }
    parts.join("  ")
}

/// Marks on the frame that columns are hidden.
fn marks(canvas: &mut Canvas<'_>, slot: &Slot, view: PaneView, kind: FrameKind) {
    let token = match kind {
        FrameKind::Plain => Token::Muted,
        FrameKind::Focused | FrameKind::Keyboard => Token::Accent,
    };
    let y = slot.area.y + slot.area.height / 2;
    let g = canvas.g();
    if view.cut_left {
        canvas.say(slot.area.x, y, 1, g.left, token);
    }
    if view.cut_right {
        canvas.say(slot.area.right() - 1, y, 1, g.right, token);
    }
}

fn bare_title(
    state: &State,
    canvas: &mut Canvas<'_>,
    slot: &Slot,
    agent: &AgentView,
    right: &str,
    typing: bool,
    focused: bool,
) {
    let area = slot.area;
    let (line, token) = match (typing, focused) {
        (true, _) => (canvas.g().double.horizontal, Token::BorderTyping),
        (false, true) => (canvas.g().thick.horizontal, Token::BorderFocus),
        (false, false) => (canvas.g().plain.horizontal, Token::Border),
    };
    let rule = line.repeat(usize::from(area.width));
    canvas.say(area.x, area.y, area.width, &rule, token);
    let style = canvas.style(Token::Muted);
    let room = area.width / 2;
    let end = match right {
        "" => area.right(),
        text => canvas.put_right(area.right() - 2, area.y, room, &format!(" {text} "), style),
    };
    let mut x = canvas.say(area.x + 1, area.y, 1, " ", token);
    for (text, token) in title(state, agent, typing) {
        let token = token.unwrap_or(Token::Title);
        x = canvas.say(x, area.y, end.saturating_sub(x + 1), &text, token);
    }
    canvas.say(x, area.y, 1, " ", token);
}

fn inside(
    state: &State,
    canvas: &mut Canvas<'_>,
    slot: &Slot,
    agent: &AgentView,
    typing: bool,
) -> PaneView {
    let area = slot.inner;
    if area.height == 0 {
        return PaneView::default();
    }
    let Some(pane) = state.panes.get(&slot.agent) else {
        return PaneView::default();
    };
    let view = draw_pane(canvas, area, pane, typing);
    notices(state, canvas, area, agent, pane);
    view
}

/// Says in the last rows of the pane what its screen cannot: why it is silent, how it ended, what
/// a key would do about it. Live output is not covered unless the agent needs a person.
fn notices(state: &State, canvas: &mut Canvas<'_>, area: Rect, agent: &AgentView, pane: &Pane) {
    let mut rows: Vec<(String, Token)> = Vec::new();
    if let PaneStatus::Attaching { since_ms } = pane.status {
        // Under a fifth of a second nothing is said.
        if state.now_ms - since_ms >= 200 {
            rows.push(("waiting for the agent's host".to_owned(), Token::Muted));
        }
    }
    rows.extend(status_line(pane));
    if matches!(agent.attention, Attention::Stalled) {
        rows.push((agent.evidence.text.clone(), Token::StateStalled));
        if let Some(next) = &agent.next_step {
            rows.push((format!("next: {}", next.text), Token::Muted));
        }
    }
    if agent.mode == PaneMode::Stream && pane.takes_keys() && rows.is_empty() {
        return;
    }
    let wrapped: Vec<(String, Token)> = rows
        .into_iter()
        .flat_map(|(text, token)| {
            let rows = label::wrap(&text, usize::from(area.width));
            rows.into_iter()
                .take(MOST_NOTICE_ROWS)
                .map(move |row| (row, token))
        })
        .collect();
    let height = (wrapped.len() as u16).min(area.height);
    let top = area.bottom() - height;
    for (y, (text, token)) in (top..area.bottom()).zip(&wrapped) {
        let row = Rect::new(area.x, y, area.width, 1);
        let ground = canvas.style(Token::Bg);
        canvas.clear(row, ground);
        canvas.say(area.x, y, area.width, text, *token);
    }
}
