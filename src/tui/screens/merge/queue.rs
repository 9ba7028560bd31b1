//! The list of what waits and what has landed, and below it the entry looked at.

use ratatui::layout::Rect;

use super::detail;
use super::lines::folded;
use super::row::{Row, Shown};
use crate::engine::view::{MergeState as QueueState, MergeView};
use crate::tui::action::Action;
use crate::tui::hit::Target;
use crate::tui::label;
use crate::tui::screens::meetings::{self, meeting};
use crate::tui::screens::{empty, review};
use crate::tui::state::State;
use crate::tui::state::work::SizeClass;
use crate::tui::theme::Token;
use crate::tui::update;
use crate::tui::widgets::{Canvas, Column, Frame, FrameKind, ListView, draw_list};

/// Draws the merge screen.
pub(in crate::tui::screens) fn render(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    if let Some(open) = &state.review.open {
        review::render(state, canvas, body, open);
        return;
    }
    let height = queue_height(state, body.height);
    queue(state, canvas, Rect::new(body.x, body.y, body.width, height));
    if height < body.height {
        let rest = Rect::new(body.x, body.y + height, body.width, body.height - height);
        looked_at(state, canvas, rest);
    }
}

/// The list gets what its rows need, and leaves room for what there is to say about one of them.
fn queue_height(state: &State, height: u16) -> u16 {
    if state.merge.items.is_empty() {
        return height;
    }
    // The frame, the titles, and the rule above what has landed.
    let needed = (state.merge.rows().len() as u16).saturating_add(4);
    match SizeClass::of(state.size.0, state.size.1) {
        SizeClass::Small => needed.clamp(6, height.saturating_sub(8).max(6)),
        SizeClass::Medium | SizeClass::Large => needed.clamp(8, height * 3 / 5),
    }
}

fn queue(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let title = title(state, canvas.g().dot);
    let waits = match state.merge.open() {
        (0, _) => "nothing waits".to_owned(),
        (open, 0) => format!("{open} open"),
        (open, review) => format!("{open} open, {review} for you"),
    };
    let frame = Frame {
        title,
        ..Frame::default()
    };
    let inner = frame
        .kind(FrameKind::Focused)
        .right(waits)
        .bottom(meetings::in_short(state))
        .draw(canvas, area);
    let rows = state.merge.rows();
    if rows.is_empty() {
        nothing(state, canvas, inner);
        return;
    }
    let ids = state.merge.row_ids();
    let ids: Vec<_> = ids.iter().map(String::as_str).collect();
    let shown = Shown::for_width(inner.width);
    let most = rows.iter().map(|entry| entry.id).max().unwrap_or(0);
    let digits = most.to_string().len() as u16;
    let columns: Vec<Column> = shown
        .0
        .iter()
        .map(|c| c.column(inner.width, digits))
        .collect();
    let cells = rows
        .iter()
        .map(|entry| {
            let row = Row::of(state, canvas, entry, usize::from(digits));
            shown
                .0
                .iter()
                .map(|column| row.cell(canvas, *column, &shown))
                .collect()
        })
        .collect();
    let view = ListView {
        columns: &columns,
        rows: cells,
        selected: state.merge.cursor.resolve(&ids),
        rule_above: rows.iter().position(|m| is_over(m)),
        focused: true,
    };
    draw_list(canvas, inner, &view);
}

/// What the list is called: where branches go, that nothing moves, and what is searched for.
fn title(state: &State, dot: &str) -> Vec<(String, Option<Token>)> {
    let branch = match state.project.branch.as_str() {
        "" => "the target branch",
        branch => branch,
    };
    let mut title = vec![(format!("Merge queue {dot} into {branch}"), None)];
    if state.project.merge_paused_ms.is_some() {
        title.push((format!(" {dot} paused"), Some(Token::LevelWarn)));
    }
    if !state.merge.filter.is_empty() {
        title.push((format!(" / {}", state.merge.filter), None));
    }
    title
}

/// Says why there is nothing, and what would fill the queue.
fn nothing(state: &State, canvas: &mut Canvas<'_>, inner: Rect) {
    let text = match (
        state.is_loaded(state.merge.known),
        state.merge.filter.is_empty(),
    ) {
        (false, _) => return empty::loading(canvas, inner),
        (true, false) => "No branch matches. Esc clears the filter.",
        (true, true) => {
            "Nothing to merge. A branch is queued here when its agent reports that it is done, \
             passes the gates and lands by itself. By hand:  grove merge --branch <name>"
        }
    };
    let meetings = state.project.meetings.iter().map(meeting);
    let mut text = text.to_owned();
    // A search that finds nothing says nothing about the work.
    if state.merge.filter.is_empty() {
        meetings.for_each(|meeting| text.push_str(&format!("\n{meeting}")));
    }
    empty::explain(state, canvas, inner, &text, &[]);
}

fn is_over(entry: &MergeView) -> bool {
    entry.state == QueueState::Merged || entry.undone_ms.is_some()
}

fn looked_at(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(entry) = state.merge.selected() else {
        Frame::default().draw(canvas, area);
        return;
    };
    let dot = canvas.g().dot;
    let title = format!(
        "Merge {} {dot} {} {dot} {}",
        entry.id,
        entry.agent,
        label::clean(&entry.branch)
    );
    let inner = Frame::titled(&title)
        .right(entry.task.clone().unwrap_or_default())
        .draw(canvas, area);
    canvas.hit(inner, Target::Detail);
    let width = inner.width.saturating_sub(2);
    let rows = detail::rows(state, entry, usize::from(inner.height));
    let mut rows = folded(rows, usize::from(width));
    let over = rows.len().saturating_sub(usize::from(inner.height));
    if over > 0 {
        let kept = rows.len() - over - 1;
        rows.truncate(kept);
        rows.push((more(state, over + 1), Token::Muted));
    }
    for (y, (text, token)) in (inner.y..inner.bottom()).zip(rows) {
        canvas.say(inner.x + 1, y, width, &text, token);
    }
}

/// Says how many rows have no room, and which key shows them.
fn more(state: &State, rows: usize) -> String {
    let action = match update::applies(state, Action::MergePreview) {
        Ok(()) => Action::MergePreview,
        Err(_) => Action::Open,
    };
    let rows = label::count(rows, "more line");
    match state.keymap.key_for(state.scope(), action) {
        Some(key) => format!("{rows}: {key} shows all"),
        None => rows,
    }
}
