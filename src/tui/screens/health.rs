//! Health: evidence before verdict.
//!
//! What was observed, what was recorded, which of the two wins, and what happens next by itself.

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{empty, meetings};
use crate::engine::view::{AgentState, AgentView, Attention, Lease, NeedsReason, PaneMode};
use crate::tui::action::Action;
use crate::tui::hit::Target;
use crate::tui::label;
use crate::tui::state::State;
use crate::tui::state::work::SizeClass;
use crate::tui::theme::Token;
use crate::tui::update;
use crate::tui::widgets::{Canvas, Column, Frame, FrameKind, ListView, draw_list};
use crate::types::host::Protection;

const MOST_LEVELS: u32 = 4;
/// What is missing of an agent's sandbox takes at most this many rows.
const MOST_SANDBOX_ROWS: usize = 3;

/// Draws the health screen.
pub(super) fn render(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let rows = state.health.rows(&state.fleet);
    let small = SizeClass::of(state.size.0, state.size.1) == SizeClass::Small;
    let ids: Vec<_> = rows.iter().map(|a| a.name.as_str()).collect();
    let selected = state
        .health
        .cursor
        .resolve(&ids)
        .and_then(|i| rows.get(i).copied());
    let detail_height = match (selected, small) {
        (None, _) => 0,
        (Some(_), true) => 10,
        (Some(_), false) => (body.height / 2).clamp(10, 16),
    };
    let top = Rect::new(
        body.x,
        body.y,
        body.width,
        body.height.saturating_sub(detail_height),
    );
    list(state, canvas, top, &rows, &ids);
    let Some(agent) = selected else {
        return;
    };
    let below = Rect::new(body.x, top.bottom(), body.width, detail_height);
    if small {
        evidence(state, canvas, below, agent);
        return;
    }
    let left = below.width * 3 / 5;
    evidence(
        state,
        canvas,
        Rect::new(below.x, below.y, left, below.height),
        agent,
    );
    let right = Rect::new(below.x + left, below.y, below.width - left, below.height);
    watch(state, canvas, right);
}

fn list(state: &State, canvas: &mut Canvas<'_>, area: Rect, rows: &[&AgentView], ids: &[&str]) {
    let title = match state.health.filter.as_str() {
        "" => "Health".to_owned(),
        text => format!("Health / {text}"),
    };
    let inner = Frame::titled(&title)
        .kind(FrameKind::Focused)
        .bottom(meetings::at_work_in_short(state))
        .draw(canvas, area);
    if rows.is_empty() {
        let text = match (
            state.is_loaded(state.fleet.known),
            state.health.filter.is_empty(),
        ) {
            (false, _) => return empty::loading(canvas, inner),
            (true, true) => {
                "Nobody to watch. Every agent is listed here with the evidence for its state."
            }
            (true, false) => "No agent matches. Esc clears the filter.",
        };
        empty::explain(
            state,
            canvas,
            inner,
            text,
            &[(Action::ScreenWork, "back to work")],
        );
        return;
    }
    let wide = inner.width >= 100;
    let mut columns = vec![
        Column {
            title: "agent",
            width: if wide { 24 } else { 18 },
        },
        Column {
            title: "state",
            width: 14,
        },
        Column {
            title: "silent",
            width: 6,
        },
        Column {
            title: "level",
            width: if wide { 14 } else { 8 },
        },
        Column {
            title: "evidence",
            width: 0,
        },
    ];
    if wide {
        columns.push(Column {
            title: "next step",
            width: 26,
        });
    }
    let cells = rows.iter().map(|a| row(state, canvas, a, wide)).collect();
    let view = ListView {
        columns: &columns,
        rows: cells,
        selected: state.health.cursor.resolve(ids),
        rule_above: None,
        focused: true,
    };
    draw_list(canvas, inner, &view);
}

fn row(
    state: &State,
    canvas: &mut Canvas<'_>,
    agent: &AgentView,
    wide: bool,
) -> Vec<(String, Style)> {
    let (glyph, word, token) = canvas.look.attention(agent.attention);
    let text = canvas.style(Token::Text);
    let muted = canvas.style(Token::Muted);
    let dash = canvas.g().dash.to_owned();
    let silent = match agent.last_output_ms {
        Some(at) if !agent.state.is_terminal() => canvas.age(at),
        Some(_) | None => dash.clone(),
    };
    let level = level_text(canvas, agent.escalation_level, wide);
    let level_token = match agent.escalation_level {
        0 => Token::GaugeTrack,
        1 => Token::GaugeWarn,
        _ => Token::GaugeOver,
    };
    let mut cells = vec![
        (agent.name.clone(), text),
        (format!("{glyph} {word}"), canvas.style(token)),
        (format!("{silent:>6}"), muted),
        (level, canvas.style(level_token)),
        (agent.evidence.text.clone(), text),
    ];
    if wide {
        cells.push((next_step(state, agent).unwrap_or(dash), muted));
    }
    cells
}

/// What comes next: by itself, or by the key that answers whoever waits for somebody.
fn next_step(state: &State, agent: &AgentView) -> Option<String> {
    if let Some(next) = &agent.next_step {
        return Some(next.text.clone());
    }
    let Attention::NeedsYou { reason } = agent.attention else {
        return None;
    };
    let what = match reason {
        NeedsReason::Displaced => "opens its review",
        NeedsReason::Escalation => "answers its mail",
        NeedsReason::Permission
        | NeedsReason::Question
        | NeedsReason::Checkpoint
        | NeedsReason::SignIn
        | NeedsReason::Refused => "answers it",
    };
    let key = state.keymap.key_for(state.scope(), Action::Answer);
    let can = update::answerable(agent, reason).is_ok();
    key.filter(|_| can).map(|key| format!("{key} {what}"))
}

fn level_text(canvas: &Canvas<'_>, level: u32, wide: bool) -> String {
    let full = level.min(MOST_LEVELS) as usize;
    let bar = canvas.g().gauge_full.repeat(full)
        + &canvas.g().gauge_track.repeat(MOST_LEVELS as usize - full);
    let word = match (level, wide) {
        (0, _) => String::new(),
        (1, true) => " L1 nudged".to_owned(),
        (2, true) => " L2 triage".to_owned(),
        (n, _) => format!(" L{n}"),
    };
    format!("{bar}{word}")
}

fn evidence(state: &State, canvas: &mut Canvas<'_>, area: Rect, agent: &AgentView) {
    let title = format!("{} {} evidence", label::clean(&agent.name), canvas.g().dot);
    let inner = Frame::titled(&title).draw(canvas, area);
    canvas.hit(inner, Target::Detail);
    let mut rows: Vec<(&str, String, Token)> = Vec::new();
    let process = match (agent.pid, agent.state.is_terminal()) {
        (Some(pid), false) => format!("pid {pid}"),
        (Some(pid), true) => format!("pid {pid} has ended"),
        (None, _) => "none recorded".to_owned(),
    };
    let mode = match agent.mode {
        PaneMode::Pty => "terminal",
        PaneMode::Stream => "stream",
    };
    rows.push((
        "process",
        format!("{process}   {} {mode}", agent.runtime),
        Token::Text,
    ));
    let output = match agent.last_output_ms {
        Some(at) => format!("last output {} ago", canvas.precise_age(at)),
        None => "no output yet".to_owned(),
    };
    let started = canvas.age(agent.started_ms);
    rows.push((
        "signals",
        format!("{output}   started {started} ago"),
        Token::Text,
    ));
    if let Some(line) = agent.protection.as_ref().and_then(Protection::line) {
        let names = std::iter::once("sandbox").chain(std::iter::repeat(""));
        let lines = label::wrap(&line, usize::from(inner.width.saturating_sub(12)));
        let lines = lines.into_iter().take(MOST_SANDBOX_ROWS);
        rows.extend(names.zip(lines).map(|(n, l)| (n, l, Token::LevelWarn)));
    }
    let used = agent.tokens;
    if used.input + used.output > 0 {
        let (input, output) = (label::tokens(used.input), label::tokens(used.output));
        let cost = label::money(agent.cost_micro_usd);
        rows.push((
            "spent",
            format!("{cost}   {input} in, {output} out"),
            Token::Text,
        ));
    }
    let (glyph, word, token) = state.look.attention(agent.attention);
    rows.push(("recorded", agent.state.as_str().to_owned(), Token::Text));
    let wins = if agrees(agent) {
        ""
    } else {
        "   wins over what is recorded"
    };
    rows.push(("observed", format!("{glyph} {word}{wins}"), token));
    let since = canvas.age(agent.evidence.since_ms);
    rows.push((
        "because",
        format!("{} (for {since})", agent.evidence.text),
        Token::Text,
    ));
    let meets = meetings::of_agent(state, &agent.name).into_iter();
    rows.extend(meets.map(|meets| ("meets", meets, Token::LevelWarn)));
    if let Some(next) = next_step(state, agent) {
        rows.push(("next", next, Token::LevelInfo));
    }
    if let Some(exit) = &agent.exit {
        let how = match (exit.signal, exit.code) {
            (Some(signal), _) => format!("signal {signal}"),
            (None, Some(code)) => format!("exit code {code}"),
            (None, None) => "unknown".to_owned(),
        };
        let cause = exit.cause.clone().unwrap_or_default();
        rows.push((
            "ended",
            format!("{how} at {}  {cause}", canvas.time(exit.at_ms)),
            Token::LevelError,
        ));
    }
    let mut y = inner.y;
    for (name, text, token) in &rows {
        if y >= inner.bottom() {
            return;
        }
        canvas.say(inner.x + 1, y, 9, name, Token::Muted);
        canvas.say(
            inner.x + 11,
            y,
            inner.width.saturating_sub(12),
            text,
            *token,
        );
        y += 1;
    }
    let room = usize::from(inner.bottom().saturating_sub(y));
    let skip = agent.observations.len().saturating_sub(room);
    for fact in agent.observations.iter().skip(skip) {
        let time = canvas.time(fact.since_ms);
        canvas.say(inner.x + 1, y, 9, &time, Token::Muted);
        canvas.say(
            inner.x + 11,
            y,
            inner.width.saturating_sub(12),
            &fact.text,
            Token::Text,
        );
        y += 1;
    }
}

/// Tells whether the recorded state says the same as what was observed.
fn agrees(agent: &AgentView) -> bool {
    match agent.state {
        AgentState::Booting => matches!(agent.attention, Attention::Booting),
        AgentState::Working | AgentState::InTurn => matches!(
            agent.attention,
            Attention::Working
                | Attention::NeedsYou { .. }
                | Attention::RateLimited
                | Attention::OverBudget
                | Attention::Error
        ),
        AgentState::BetweenTurns => matches!(agent.attention, Attention::BetweenTurns),
        AgentState::Completed => matches!(agent.attention, Attention::Done | Attention::Stopped),
        AgentState::Stalled => matches!(agent.attention, Attention::Stalled),
        AgentState::Zombie => matches!(agent.attention, Attention::Dead),
    }
}

fn watch(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let inner = Frame::titled("Watch").draw(canvas, area);
    let counts = state.fleet.counts();
    let who = match state.project.coordinator {
        Lease::Mine => ("this grove coordinates".to_owned(), Token::LevelOk),
        Lease::Held { pid } => (
            format!("pid {pid} coordinates; this grove looks on"),
            Token::LevelInfo,
        ),
        Lease::None => (
            "nobody coordinates: nothing happens by itself".to_owned(),
            Token::LevelWarn,
        ),
    };
    let rows = [
        who,
        (
            format!("{} working, {} waiting", counts.working, counts.waiting),
            Token::Text,
        ),
        (
            format!(
                "{} in trouble, {} need you",
                counts.trouble, counts.needs_you
            ),
            Token::Text,
        ),
        (format!("{} ended", counts.ended), Token::Muted),
        (String::new(), Token::Text),
        (
            "levels: 1 nudge, 2 triage, 3 ends the agent".to_owned(),
            Token::Muted,
        ),
    ];
    for (y, (text, token)) in (inner.y..inner.bottom()).zip(rows) {
        canvas.say(inner.x + 1, y, inner.width.saturating_sub(2), &text, token);
    }
}
