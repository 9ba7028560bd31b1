//! Mail: the inbox on the left, the thread of the selected message on the right.
//!
//! On a narrow screen the list fills the page and Enter turns to the thread. Payloads are shown as
//! fields when they are JSON objects, raw otherwise; nothing of a message is interpreted.

use ratatui::layout::{Position, Rect};

use super::empty;
use crate::engine::view::{MailPriority, MailView};
use crate::tui::action::Action;
use crate::tui::hit::Target;
use crate::tui::label;
use crate::tui::look::Look;
use crate::tui::state::State;
use crate::tui::state::work::SizeClass;
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, Column, Frame, FrameKind, ListView, draw_list};

/// Draws the mail screen.
pub(super) fn render(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    if SizeClass::of(state.size.0, state.size.1) == SizeClass::Small {
        if state.mail.detail {
            detail(state, canvas, body);
        } else {
            list(state, canvas, body);
        }
        return;
    }
    let left = (body.width * 9 / 20).clamp(44, 84);
    list(state, canvas, Rect::new(body.x, body.y, left, body.height));
    let rest = Rect::new(body.x + left, body.y, body.width - left, body.height);
    detail(state, canvas, rest);
}

fn list(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let rows = state.mail.rows();
    let (unread, _) = state.mail.unread();
    let title = match state.mail.filter.as_str() {
        "" => "Inbox".to_owned(),
        text => format!("Inbox / {text}"),
    };
    let kind = if state.mail.detail {
        FrameKind::Plain
    } else {
        FrameKind::Focused
    };
    let legend = format!("{} unread  ! urgent", canvas.g().unread);
    let inner = Frame::titled(&title)
        .kind(kind)
        .right(format!("{unread} unread of {}", state.mail.items.len()))
        .bottom(legend)
        .draw(canvas, area);
    if rows.is_empty() {
        if !state.is_loaded(state.mail.known) {
            empty::loading(canvas, inner);
        } else if !state.mail.filter.is_empty() {
            let text = "No message contains that text. Esc clears the filter.";
            empty::explain(state, canvas, inner, text, &[]);
        } else {
            let text = "No mail. Agents write here when they finish or get stuck.";
            empty::explain(
                state,
                canvas,
                inner,
                text,
                &[(Action::Compose, "writes one")],
            );
        }
        return;
    }
    let ids: Vec<_> = rows.iter().map(|m| m.id.as_str()).collect();
    let columns = columns(&rows, inner.width);
    let cells = rows.iter().map(|m| row(canvas, m)).collect();
    let view = ListView {
        columns: &columns,
        rows: cells,
        selected: state.mail.cursor.resolve(&ids),
        rule_above: None,
        focused: !state.mail.detail,
    };
    draw_list(canvas, inner, &view);
}

/// From whom, what, and how old; the subject takes what is left.
fn columns(rows: &[&MailView], width: u16) -> [Column; 6] {
    let wide = width >= 60;
    let longest = rows.iter().map(|m| label::width(&m.from)).max();
    let longest = longest.unwrap_or(0).max(4) as u16;
    [
        Column {
            title: "",
            width: 1,
        },
        Column {
            title: "",
            width: 1,
        },
        Column {
            title: "from",
            width: longest.min(if wide { 18 } else { 13 }),
        },
        Column {
            title: "type",
            // `merge_failed`
            width: 12,
        },
        Column {
            title: "subject",
            width: 0,
        },
        Column {
            title: " age",
            width: 4,
        },
    ]
}

fn row(canvas: &mut Canvas<'_>, mail: &MailView) -> Vec<(String, ratatui::style::Style)> {
    let urgent = matches!(mail.priority, MailPriority::High | MailPriority::Urgent);
    let prio = canvas.style(Look::priority(mail.priority));
    let text = canvas.style(if mail.read { Token::Muted } else { Token::Text });
    let muted = canvas.style(Token::Muted);
    let accent = canvas.style(Token::Accent);
    let unread = if mail.read { " " } else { canvas.g().unread };
    let subject = if mail.read {
        text
    } else {
        text.patch(canvas.style(Token::Title))
    };
    let age = canvas.age(mail.created_ms);
    vec![
        (if urgent { "!" } else { " " }.to_owned(), prio),
        (unread.to_owned(), accent),
        (mail.from.clone(), text),
        (mail.kind.clone(), muted),
        // What every branch of an agent begins with would leave no room for its name.
        (mail.subject.replace(label::USUAL_PREFIX, ""), subject),
        (format!("{age:>4}"), muted),
    ]
}

/// Lays out a thread as rows of text; also used to know how far it can be scrolled.
pub(crate) fn thread_rows(state: &State, width: u16) -> Vec<(String, Token)> {
    let Some(selected) = state.mail.selected() else {
        return Vec::new();
    };
    let arrow = state.look.glyphs.arrow;
    let dot = state.look.glyphs.dot;
    let width = usize::from(width.max(8));
    let mut rows = Vec::new();
    for mail in state.mail.thread(selected) {
        if !rows.is_empty() {
            rows.push((
                state.look.glyphs.plain.horizontal.repeat(width),
                Token::Border,
            ));
        }
        let time = label::clock(mail.created_ms, state.settings.utc_offset_s);
        let token = if mail.id == selected.id {
            Token::Accent
        } else {
            Token::Title
        };
        rows.push((format!("{} {arrow} {}", mail.from, mail.to), token));
        let priority = mail.priority.as_str();
        rows.push((
            format!("{} {dot} {priority} {dot} {time}", mail.kind),
            Token::Muted,
        ));
        rows.push((String::new(), Token::Text));
        rows.extend(
            label::wrap(&mail.body, width)
                .into_iter()
                .map(|r| (r, Token::Text)),
        );
        if let Some(payload) = &mail.payload {
            rows.push((String::new(), Token::Text));
            rows.extend(payload_rows(payload, width));
        }
    }
    rows
}

fn payload_rows(payload: &str, width: usize) -> Vec<(String, Token)> {
    let parsed: Option<serde_json::Map<String, serde_json::Value>> =
        crate::text::read_json(payload).ok();
    let lines: Vec<String> = match parsed {
        Some(fields) => fields
            .iter()
            .map(|(name, value)| {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                format!("{name}: {value}")
            })
            .collect(),
        None => vec![payload.to_owned()],
    };
    lines
        .iter()
        .flat_map(|l| label::wrap(l, width))
        .map(|row| (row, Token::Muted))
        .collect()
}

fn detail(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let kind = if state.mail.detail {
        FrameKind::Focused
    } else {
        FrameKind::Plain
    };
    let Some(mail) = state.mail.selected() else {
        Frame::default().kind(kind).draw(canvas, area);
        return;
    };
    let thread = state.mail.thread(mail);
    let at = thread
        .iter()
        .position(|m| m.id == mail.id)
        .map_or(1, |i| i + 1);
    let inner = Frame::titled(&label::clean(&mail.subject))
        .kind(kind)
        .right(format!("thread {at}/{}", thread.len()))
        .draw(canvas, area);
    canvas.hit(inner, Target::Detail);
    let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
    let rows = thread_rows(state, width);
    let first = state
        .mail
        .scroll
        .min(rows.len().saturating_sub(usize::from(inner.height)));
    for (y, (text, token)) in (inner.y..inner.bottom()).zip(rows.iter().skip(first)) {
        canvas.say(x, y, width, text, *token);
    }
    if state.mail.detail {
        canvas.drawn.cursor = Some(Position::new(x, inner.y));
    }
}
