//! The fleet as a list and as chips.
//!
//! State is told by glyph and word; colour repeats it.

use ratatui::layout::{Position, Rect};

use super::feed;
use crate::engine::view::{AgentView, Attention, MergeState};
use crate::tui::hit::Target;
use crate::tui::label;
use crate::tui::look::Look;
use crate::tui::screens::meetings;
use crate::tui::state::row::first_visible;
use crate::tui::state::{FleetRow, Region, State};
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, Frame};

/// Rows below the list for merge, mail and budget.
const SUMMARY: u16 = 4;

/// Draws the fleet list with the summary and the feed below it.
pub(super) fn list(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let focused =
        state.region == Region::Fleet && matches!(state.mode, crate::tui::state::Mode::Normal);
    let title = match state.fleet.filter.as_str() {
        "" => "Fleet".to_owned(),
        text => format!("Fleet / {text}"),
    };
    // The focused pane has the thick frame; here the bar on the row says who has the keys.
    let token = focused.then_some(Token::Accent);
    let frame = Frame {
        title: vec![(title, token)],
        bottom: meetings::at_work_in_few_words(state, area.width.saturating_sub(6)),
        ..Frame::default()
    };
    let inner = frame.draw(canvas, area);
    let divider = Rect::new(area.right() - 1, area.y, 1, area.height);
    canvas.hit(divider, Target::FleetDivider);
    let rows = state.fleet.rows();
    let feed_rows = (inner.height / 5).clamp(2, 8);
    let below = SUMMARY + feed_rows + 2;
    let room = inner.height.saturating_sub(below);
    let list = Rect::new(inner.x, inner.y, inner.width, room.max(inner.height.min(4)));
    draw_rows(state, canvas, list, &rows, focused);
    if inner.height <= below + 4 {
        return;
    }
    let y = list.bottom();
    canvas.rule(inner.x + 1, y, inner.width - 2);
    summary(
        state,
        canvas,
        Rect::new(inner.x + 1, y + 1, inner.width - 2, SUMMARY - 1),
    );
    let y = y + SUMMARY;
    canvas.rule(inner.x + 1, y, inner.width - 2);
    canvas.say(inner.x + 1, y + 1, 10, "Now", Token::Title);
    let rest = Rect::new(
        inner.x + 1,
        y + 2,
        inner.width - 2,
        inner.bottom().saturating_sub(y + 2),
    );
    feed::lines(state, canvas, rest, false);
}

fn draw_rows(
    state: &State,
    canvas: &mut Canvas<'_>,
    area: Rect,
    rows: &[FleetRow<'_>],
    focused: bool,
) {
    if rows.is_empty() {
        let text = match (
            state.is_loaded(state.fleet.known),
            state.fleet.filter.is_empty(),
        ) {
            (false, _) => "reading",
            (true, true) => "No agents. s slings one.",
            (true, false) => "No agent matches. Esc clears.",
        };
        canvas.say(
            area.x + 1,
            area.y,
            area.width.saturating_sub(2),
            text,
            Token::Muted,
        );
        return;
    }
    let waiting = state.fleet.waiting().len();
    let mut shown: Vec<Option<&FleetRow<'_>>> = rows.iter().map(Some).collect();
    let grouped = waiting > 0 && state.fleet.filter.is_empty();
    if grouped {
        shown.insert(waiting, None);
    }
    // The tree row is the cursor's; the row in the group on top only repeats it.
    let focus = state.work.focus.as_deref();
    let is_focus = |row: &FleetRow<'_>| match row {
        FleetRow::Agent { agent, .. } => Some(agent.name.as_str()) == focus,
        FleetRow::Waiting(_) | FleetRow::Folded(_) => false,
    };
    let selected = shown
        .iter()
        .position(|r| r.is_some_and(is_focus))
        .unwrap_or(0);
    let (mut y, mut height) = (area.y, usize::from(area.height));
    if grouped && height > 4 {
        let text = format!("{} needs you {waiting}", canvas.g().needs_you);
        canvas.say(area.x + 1, y, area.width - 2, &text, Token::Title);
        y += 1;
        height -= 1;
    }
    let first = first_visible(selected, shown.len(), height);
    for (index, row) in shown.iter().enumerate().skip(first).take(height) {
        let line = Rect::new(area.x, y, area.width, 1);
        match row {
            None => canvas.rule(area.x + 1, y, area.width - 2),
            Some(row) => {
                draw_row(state, canvas, line, row);
                if index == selected && is_focus(row) {
                    if focused {
                        canvas.tint(line, Token::Selection);
                        canvas.drawn.cursor = Some(Position::new(line.x, line.y));
                    }
                    let caret = canvas.g().caret;
                    canvas.say(line.x, line.y, 1, caret, Token::Accent);
                }
            }
        }
        y += 1;
    }
}

fn draw_row(state: &State, canvas: &mut Canvas<'_>, line: Rect, row: &FleetRow<'_>) {
    let (agent, level) = match row {
        FleetRow::Waiting(agent) => (*agent, 0),
        FleetRow::Agent { agent, level } => (*agent, *level),
        FleetRow::Folded(count) => {
            let text = format!("{} {count} done  (Space unfolds)", canvas.g().ellipsis);
            canvas.say(line.x + 2, line.y, line.width - 2, &text, Token::Muted);
            canvas.hit(line, Target::Fold);
            return;
        }
    };
    let (glyph, _, token) = state.look.attention(agent.attention);
    let indent = (level as u16 * 2).min(line.width / 3);
    let mut x = line.x + 2 + indent;
    let note = match row {
        FleetRow::Waiting(agent) => waiting_note(canvas, agent),
        FleetRow::Agent { .. } | FleetRow::Folded(_) => note(state, canvas, agent),
    };
    let note_token = match agent.attention {
        Attention::Stalled | Attention::Error | Attention::OverBudget => token,
        Attention::NeedsYou { .. }
        | Attention::RateLimited
        | Attention::Working
        | Attention::Booting
        | Attention::BetweenTurns
        | Attention::Dead
        | Attention::Stopped
        | Attention::Done => Token::Muted,
    };
    x = canvas.say(x, line.y, 1, glyph, token) + 1;
    let style = canvas.style(note_token);
    // The note is short; a name is cut only when both cannot be had.
    let room = line.right().saturating_sub(x + 1);
    let note_room = room.saturating_sub(8).max(6);
    let end = canvas.put_right(line.right() - 1, line.y, note_room, &note, style);
    let name_token = if agent.state.is_terminal() {
        Token::Muted
    } else {
        Token::Text
    };
    canvas.say(
        x,
        line.y,
        end.saturating_sub(x + 1),
        &agent.name,
        name_token,
    );
    canvas.hit(line, Target::Agent(agent.name.clone()));
}

fn waiting_note(canvas: &mut Canvas<'_>, agent: &AgentView) -> String {
    let age = canvas.age(agent.evidence.since_ms);
    if let Attention::NeedsYou { reason } = agent.attention {
        format!("{} {age:>3}", Look::short_reason(reason))
    } else {
        age
    }
}

fn note(state: &State, canvas: &mut Canvas<'_>, agent: &AgentView) -> String {
    let mail = match agent.unread_mail {
        0 => String::new(),
        n => format!("{}{n} ", canvas.g().unread),
    };
    let merged = state
        .merge
        .items
        .iter()
        .any(|m| m.agent == agent.name && m.state == MergeState::Merged);
    let text = match agent.attention {
        Attention::Stalled | Attention::Error | Attention::OverBudget | Attention::RateLimited => {
            let (_, word, _) = state.look.attention(agent.attention);
            let age = canvas.age(agent.evidence.since_ms);
            format!("{word} {age}")
        }
        Attention::Done if merged => "merged".to_owned(),
        Attention::Done | Attention::Stopped | Attention::Dead => {
            let (_, word, _) = state.look.attention(agent.attention);
            word.to_owned()
        }
        Attention::NeedsYou { .. }
        | Attention::Working
        | Attention::Booting
        | Attention::BetweenTurns => match agent.cost_micro_usd {
            Some(cost) => label::money(Some(cost)),
            None => canvas.age(agent.started_ms),
        },
    };
    format!("{mail}{text}")
}

fn summary(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let (open, review) = state.merge.open();
    let merge = match (open, review) {
        (0, _) => "nothing queued".to_owned(),
        (n, 0) => format!("{n} queued"),
        (n, r) => format!("{n} queued  {r} for you"),
    };
    let mail = match state.mail.unread() {
        (0, _) => "nothing unread".to_owned(),
        (n, 0) => format!("{n} unread"),
        (n, u) => format!("{n} unread  {u} urgent"),
    };
    let rows = [
        (
            "Merge",
            merge,
            review > 0,
            crate::tui::state::ScreenId::Merge,
        ),
        (
            "Mail",
            mail,
            state.mail.unread().1 > 0,
            crate::tui::state::ScreenId::Mail,
        ),
    ];
    for (y, (name, text, loud, screen)) in (area.y..).zip(rows) {
        canvas.say(area.x, y, 8, name, Token::Muted);
        let token = if loud { Token::LevelWarn } else { Token::Text };
        canvas.say(area.x + 8, y, area.width.saturating_sub(8), &text, token);
        canvas.hit(Rect::new(area.x, y, area.width, 1), Target::Screen(screen));
    }
    let y = area.y + 2;
    canvas.say(area.x, y, 8, "Budget", Token::Muted);
    budget(
        state,
        canvas,
        Rect::new(area.x + 8, y, area.width.saturating_sub(8), 1),
    );
}

fn budget(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let spent = state.project.cost_micro_usd;
    let (Some(cost), Some(limit)) = (spent, state.project.budget_micro_usd.filter(|l| *l > 0))
    else {
        let text = match spent {
            Some(_) => format!("{} spent, no limit", label::money(spent)),
            None => "no costs known yet".to_owned(),
        };
        canvas.say(area.x, area.y, area.width, &text, Token::Text);
        return;
    };
    let percent = (cost.max(0) * 100 / limit) as u32;
    let token = match percent {
        0..80 => Token::GaugeFill,
        80..100 => Token::GaugeWarn,
        _ => Token::GaugeOver,
    };
    let width = area.width.saturating_sub(6).min(14);
    let x = canvas.gauge(area.x, area.y, width, percent, token);
    canvas.say(x + 1, area.y, 6, &format!("{percent}%"), token);
}

/// Draws the fleet as chips in one row; the focused agent's is in brackets and always in sight. Whose work meets is said
/// beside them, as below the list.
pub(super) fn chips(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let mut agents = state.fleet.by_urgency();
    agents.retain(|a| !crate::tui::state::has_ended(a));
    let focus = state.work.focus.as_deref();
    let done = state.fleet.agents.len() - agents.len();
    let tail = match done {
        0 => String::new(),
        n => format!("{}{n}", canvas.g().done),
    };
    let style = canvas.style(Token::Muted);
    let end = canvas.put_right(area.right() - 1, area.y, 8, &tail, style);
    let end = end.saturating_sub(1);
    let meets = meetings::at_work_in_few_words(state, area.width / 2);
    let end = match meets.as_str() {
        "" => end,
        meets => {
            let style = canvas.style(Token::LevelWarn);
            let start = canvas.put_right(end, area.y, area.width / 2, meets, style);
            start.saturating_sub(1)
        }
    };
    let mut x = area.x + 1;
    if let Some(at) = agents.iter().position(|a| Some(a.name.as_str()) == focus) {
        let width = |agent: &&AgentView| label::width(&label::clean(&agent.name)) as u16 + 3;
        let before: u16 = agents.iter().take(at + 1).map(width).sum();
        if at > 3 || x + before > end {
            let focused = agents.remove(at);
            agents.insert(0, focused);
        }
    }
    for (index, agent) in agents.iter().enumerate() {
        let (glyph, _, token) = state.look.attention(agent.attention);
        let is_focus = Some(agent.name.as_str()) == focus;
        let name = label::clean(&agent.name).into_owned();
        let name = if is_focus {
            format!("[{name}]")
        } else {
            format!(" {name}")
        };
        let width = label::width(&name) as u16 + 1;
        if x + width > end {
            let more = format!("{}{}", canvas.g().ellipsis, agents.len() - index);
            canvas.say(x, area.y, end.saturating_sub(x), &more, Token::Muted);
            break;
        }
        let start = x;
        x = canvas.say(x, area.y, 1, glyph, token);
        let token = if is_focus { Token::Accent } else { Token::Text };
        x = canvas.say(x, area.y, width, &name, token);
        canvas.hit(
            Rect::new(start, area.y, x - start, 1),
            Target::Agent(agent.name.clone()),
        );
        x += 1;
    }
}
